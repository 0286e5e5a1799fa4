#pragma once

#include "host/checks/pairs.hpp"
#include "ptx/profile.hpp"
#include "warpath/metrics.hpp"

namespace warpath::testing {

/// Number of pairs in a profile.
inline constexpr std::uint32_t profiled_pairs = 10'240;

struct Workload {
  checks::Shape shape;
  std::size_t scans = 1;     ///< each pair is on one of them
  bool keeps_scores = true;  ///< if false, only totals
};

/// Profiles the kernels that score random pairs, by kernel.
ptx::Profile profile(const Workload& work, const MetricSet& metrics);

}  // namespace warpath::testing
