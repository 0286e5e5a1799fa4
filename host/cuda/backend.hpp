#pragma once

#include "host/batch/distance_tables.hpp"
#include "host/cuda/device.hpp"
#include "host/cuda/repeat.hpp"
#include "warpath/batch_statistics.hpp"
#include "warpath/convention.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"

namespace warpath::cuda {

struct Options {
  MetricSet metrics = MetricSet::all();  ///< what is not asked for is not computed
  std::size_t memory = 0;                ///< most bytes on the device; 0: see memory_budget
  std::uint32_t chunk_pairs = 1u << 22;  ///< most pairs that are on their way together
};

/// Scores a batch on a device, chunk after chunk, so that copies and kernels of different chunks
/// overlap. The same bits as the CPU back end, at any memory and size of chunks.
/// @param tables of the batch's scans under that convention
/// @throws CudaError; `scores` is then of no use, and nothing is left on the device.
void score(Device& device, const PairBatchView& batch, const batch::DistanceTables& tables,
           const Convention& convention, const Options& options, Scores& scores);

/// What scores come to that nobody keeps: they stay on the device, and some kilobytes come back
/// once at the end. The same bits as cpu::statistics.
/// @throws CudaError; std::overflow_error as Statistics
BatchStatistics statistics(Device& device, const PairBatchView& batch,
                           const batch::DistanceTables& tables, const Convention& convention,
                           const Options& options);

/// As summarize, but one chunk at a time, and `repeat` once for each: to time the kernels alone.
BatchStatistics statistics_repeatedly(Device& device, const PairBatchView& batch,
                                      const batch::DistanceTables& tables,
                                      const Convention& convention, const Options& options,
                                      const Repeat& repeat);

}  // namespace warpath::cuda
