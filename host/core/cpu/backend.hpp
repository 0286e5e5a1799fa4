#pragma once

#include <memory>

#include "host/core/batch/distance_tables.hpp"
#include "warpath/batch_statistics.hpp"
#include "warpath/convention.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"
#include "warpath/watch.hpp"

namespace warpath::cpu {

struct CpuKernels;

struct Options {
  MetricSet metrics = MetricSet::of_paths();  ///< other metrics are not computed
  /// Maximum of pairs that are sorted by length together; fewer where threads would have no work.
  std::size_t window = 4096;
  int threads = 0;                      ///< 0: all cores
  const CpuKernels* kernels = nullptr;  ///< null: chosen_kernels()
  const Watch* watch = nullptr;         ///< null: none
};

/// Owns the working memory of scoring and keeps it from one batch to the next. Several threads may
/// score with one object at the same time.
class Memory {
 public:
  Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory();

  struct Parts;
  Parts& parts() { return *parts_; }

 private:
  std::unique_ptr<Parts> parts_;
};

/// Scores a batch into the caller's columns on all cores, with several pairs side by side in vector
/// registers. Results have the same bits for any window, thread count, order of pairs and
/// instruction set.
/// @param tables distances of the batch's scans under that convention. Pairs on a scan without a
///   table are left out, here and below: LargeScans gives them one.
/// @param options its metrics are ignored: every metric with a column is computed
template <class T>
void score(const PairBatchView& batch, const batch::DistanceTables& tables,
           const Convention& convention, const Options& options, const ScoreColumns<T>& columns,
           Memory& memory);
extern template void score(const PairBatchView&, const batch::DistanceTables&, const Convention&,
                           const Options&, const ScoreColumns<float>&, Memory&);
extern template void score(const PairBatchView&, const batch::DistanceTables&, const Convention&,
                           const Options&, const ScoreColumns<double>&, Memory&);

/// Scores a batch with its own memory and tables.
Scores score(const PairBatchView& batch, const Convention& convention, const Options& options = {});

/// Scores a batch into `scores`, which is resized to it.
void score(const PairBatchView& batch, const batch::DistanceTables& tables,
           const Convention& convention, const Options& options, Scores& scores);

/// Returns only statistics, equal to the last bit to those of score()'s columns. Memory does not
/// grow with the batch.
/// @throws std::overflow_error as Statistics
BatchStatistics statistics(const PairBatchView& batch, const batch::DistanceTables& tables,
                           const Convention& convention, const Options& options, Memory& memory);
BatchStatistics statistics(const PairBatchView& batch, const batch::DistanceTables& tables,
                           const Convention& convention, const Options& options = {});

}  // namespace warpath::cpu
