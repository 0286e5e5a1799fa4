#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "host/checks/pairs.hpp"
#include "host/checks/resident_scorers.hpp"
#include "warpath/paths.hpp"

// Makes the batches and requests that between them need every kernel.

namespace warpath::selftest {

/// Values of cuda::Options::small_batch.
inline constexpr std::size_t no_batch_is_small = 0,
                             every_batch_is_small = std::numeric_limits<std::size_t>::max();

/// Describes batches that go to certain kernels.
struct DeviceWorkload {
  std::string name;
  checks::SyntheticBatch made;
  std::size_t small_batch;  ///< see cuda::Options
};

/// Makes batches in the memory of the host. @param pairs of each; those of long paths have fewer
std::vector<DeviceWorkload> device_workloads(checks::Random& random, std::size_t pairs);

/// Makes continuous paths: for each of these lengths of a reference, that many pairs, and at most
/// two of over 4096 points. Half of the pairs have two neighbouring points in common.
PointBatch point_pairs(checks::Random& random, std::span<const std::size_t> lengths,
                       std::size_t pairs);

/// Returns requests that between them need every set of quantities (QuantitySet). The first two are
/// for all metrics; the sets of the others need scans whose viewpoints all reach each other.
std::vector<checks::Request> requests();

}  // namespace warpath::selftest
