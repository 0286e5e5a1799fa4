#pragma once

#include <cstddef>
#include <functional>

#include "host/checks/benchmark/benchmark.hpp"
#include "host/core/batch/distance_tables.hpp"
#include "host/core/cuda/device.hpp"
#include "warpath/convention.hpp"
#include "warpath/paths.hpp"
#include "warpath/scorer.hpp"

namespace warpath::benchmark {

/// Holds how fast kernels score pairs that are packed in a device's memory.
struct ResidentRate {
  Measured per_second;    ///< pairs
  std::size_t pairs = 0;  ///< in that memory
};

/// Times again(n), which runs the kernels on `pairs` pairs n more times and waits for them. Chooses
/// n so large that the waits hardly count.
/// @param seconds duration of the measurement
ResidentRate resident_rate(std::size_t pairs, double seconds,
                           const std::function<void(int)>& again);

/// Times the kernels on one chunk, with as many of the batch's pairs as fit into the memory.
/// @param tables distances of the batch's scans under the default convention
/// @pre the batch is not empty. @throws CudaError; InputError if not even one pair fits
ResidentRate resident_rate(cuda::Device& device, const PairBatch& batch,
                           const batch::DistanceTables& tables, const MetricSet& metrics,
                           double seconds);
ResidentRate resident_rate(cuda::Device& device, const PointBatch& batch, const MetricSet& metrics,
                           double seconds);

}  // namespace warpath::benchmark
