#pragma once

#include <cstddef>
#include <functional>

#include "host/batch/distance_tables.hpp"
#include "host/cuda/device.hpp"
#include "warpath/convention.hpp"
#include "warpath/paths.hpp"
#include "warpath/scorer.hpp"

namespace warpath::benchmark {

/// How fast kernels score what lies packed in a device's memory.
struct ResidentRate {
  double rate = 0.0;      ///< pairs per second
  std::size_t pairs = 0;  ///< that lie there
};

/// Times again(n), which has the kernels score `pairs` pairs n times more and waits for them. Takes
/// n so large that the waits weigh little.
/// @param seconds how long to measure
ResidentRate resident_rate(std::size_t pairs, double seconds,
                           const std::function<void(int)>& again);

/// Times the kernels on one chunk, as many of the batch's pairs as the memory has room for.
/// @param tables of the batch's scans under the default convention
/// @pre the batch is not empty. @throws CudaError; InputError where not even one pair fits
ResidentRate resident_rate(cuda::Device& device, const PairBatch& batch,
                           const batch::DistanceTables& tables, const MetricSet& metrics,
                           double seconds);
ResidentRate resident_rate(cuda::Device& device, const PointBatch& batch, const MetricSet& metrics,
                           double seconds);

}  // namespace warpath::benchmark
