#pragma once

#include <cstddef>
#include <cstdint>

#include "warpath/metrics.hpp"

namespace warpath::cuda {

struct Options {
  MetricSet metrics = MetricSet::all();  ///< what is not asked for is not computed
  std::size_t memory = 0;                ///< most bytes on the device; 0: see memory_budget
  std::uint32_t chunk_pairs = 1u << 22;  ///< most pairs that are on their way together
};

struct PointOptions {
  MetricSet metrics = MetricSet::all();  ///< what is not asked for is not computed
  std::size_t memory = 0;                ///< most bytes on the device; 0: see memory_budget
  std::uint32_t chunk_pairs = 1u << 16;  ///< most pairs of a chunk
};

}  // namespace warpath::cuda
