#pragma once

#include "host/core/batch/distance_tables.hpp"
#include "host/core/cuda/device.hpp"
#include "host/core/cuda/kept_inputs.hpp"
#include "host/core/cuda/options.hpp"
#include "warpath/batch_statistics.hpp"
#include "warpath/convention.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"

namespace warpath::cuda {

/// Scores a batch on a device, chunk after chunk, so that copies and kernels of different chunks
/// overlap. Results have the same bits as the CPU back end's, for any memory and size of chunks.
/// The device is the thread's current one meanwhile.
/// @param tables distances of the batch's scans under that convention. Pairs on a scan without a
///   table are left out, here and below: LargeScans gives them one.
/// @param columns of options.metrics; T is `float` or `double`
/// @param kept of the scorer that makes the call; null: nothing is kept
/// @throws CudaError; the columns then have no valid contents, and nothing but what is kept is left
/// on the device.
template <class T>
void score(Device& device, const PairBatchView& batch, const batch::DistanceTables& tables,
           const Convention& convention, const Options& options, const ScoreColumns<T>& columns,
           KeptInputs* kept = nullptr);
/// Scores into columns of `scores`, which are made.
void score(Device& device, const PairBatchView& batch, const batch::DistanceTables& tables,
           const Convention& convention, const Options& options, Scores& scores);

/// Scores a batch and returns only its statistics: the scores stay on the device, and only some
/// kilobytes are copied back at the end. Results have the same bits as those of cpu::statistics.
/// @throws CudaError; std::overflow_error as Statistics
BatchStatistics statistics(Device& device, const PairBatchView& batch,
                           const batch::DistanceTables& tables, const Convention& convention,
                           const Options& options, KeptInputs* kept = nullptr);

}  // namespace warpath::cuda
