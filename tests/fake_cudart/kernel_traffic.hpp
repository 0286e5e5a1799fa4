#pragma once

#include "host/synthetic/pairs.hpp"
#include "ptx/profile.hpp"
#include "warpath/metrics.hpp"

namespace warpath::testing {

/// Pairs of one profile: enough for a thread to each.
inline constexpr std::uint32_t profiled_pairs = 40'960;

struct Workload {
  synthetic::Shape shape;
  std::size_t scans = 1;     ///< each pair on any of them
  bool keeps_scores = true;  ///< or only their totals
};

/// What the kernels do that score random pairs, by kernel.
ptx::Profile profile(const Workload& work, const MetricSet& metrics);

}  // namespace warpath::testing
