#pragma once

#include <cstddef>
#include <cstdint>

#include "warpath/metrics.hpp"
#include "warpath/watch.hpp"

namespace warpath::cuda {

struct Options {
  MetricSet metrics = MetricSet::of_paths();  ///< other metrics are not computed
  std::size_t memory = 0;                ///< maximum of bytes on the device; 0: see memory_budget
  std::uint32_t chunk_pairs = 1u << 22;  ///< maximum of pairs in flight
  /// Batches of fewer pairs get several threads to a pair, since one each could not fill a device.
  std::size_t small_batch = 30'000;
  /// Random walks are all made twice, as those are whose words have to be drawn again: for tests.
  bool repeat_walks = false;
  const Watch* watch = nullptr;  ///< null: none
};

struct PointOptions {
  MetricSet metrics = MetricSet::of_paths();  ///< other metrics are not computed
  std::size_t memory = 0;                ///< maximum of bytes on the device; 0: see memory_budget
  std::uint32_t chunk_pairs = 1u << 16;  ///< maximum of pairs in a chunk
  const Watch* watch = nullptr;          ///< null: none
};

}  // namespace warpath::cuda
