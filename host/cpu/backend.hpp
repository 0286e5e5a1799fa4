#pragma once

#include "host/batch/distance_tables.hpp"
#include "warpath/batch_statistics.hpp"
#include "warpath/convention.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"

namespace warpath::cpu {

struct Options {
  MetricSet metrics = MetricSet::all();  ///< what is not asked for is not computed
  std::size_t window = 4096;             ///< pairs that are sorted by length together
  int threads = 0;                       ///< 0: as many as the machine has
};

/// Scores a batch in vector registers, several pairs side by side, on all cores. The same bits at
/// any window, thread count, order of pairs and instruction set.
Scores score(const PairBatch& batch, const Convention& convention, const Options& options = {});

/// The same with tables that were made before, of the batch's scans under that convention, and into
/// scores that are used again: no memory is asked for when the size is the same.
void score(const PairBatch& batch, const batch::DistanceTables& tables,
           const Convention& convention, const Options& options, Scores& scores);

/// What scores come to that nobody keeps: memory does not grow with the batch. The same as of
/// score's columns, to the last bit. @throws std::overflow_error as Statistics
BatchStatistics summarize(const PairBatch& batch, const batch::DistanceTables& tables,
                          const Convention& convention, const Options& options = {});

}  // namespace warpath::cpu
