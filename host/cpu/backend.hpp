#pragma once

#include <memory>

#include "host/batch/distance_tables.hpp"
#include "warpath/batch_statistics.hpp"
#include "warpath/convention.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"

namespace warpath::cpu {

struct CpuKernels;

struct Options {
  MetricSet metrics = MetricSet::all();  ///< other metrics are not computed
  std::size_t window = 4096;             ///< pairs that are sorted by length together
  int threads = 0;                       ///< 0: all cores
  const CpuKernels* kernels = nullptr;   ///< null: chosen_kernels()
};

/// Keeps the memory that scoring works in from one batch to the next. Several threads may score
/// with one of these at the same time.
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

/// Scores a batch in vector registers, several pairs side by side, on all cores, into the caller's
/// columns. The same bits at any window, thread count, order of pairs and instruction set.
/// @param tables of the batch's scans under that convention
/// @param options its metrics are ignored: those with a column are computed
template <class T>
void score(const PairBatchView& batch, const batch::DistanceTables& tables,
           const Convention& convention, const Options& options, const ScoreColumns<T>& columns,
           Memory& memory);
extern template void score(const PairBatchView&, const batch::DistanceTables&, const Convention&,
                           const Options&, const ScoreColumns<float>&, Memory&);
extern template void score(const PairBatchView&, const batch::DistanceTables&, const Convention&,
                           const Options&, const ScoreColumns<double>&, Memory&);

/// Scores a batch with memory and tables of its own.
Scores score(const PairBatchView& batch, const Convention& convention, const Options& options = {});

/// Scores a batch into `scores`, which is resized to it.
void score(const PairBatchView& batch, const batch::DistanceTables& tables,
           const Convention& convention, const Options& options, Scores& scores);

/// Returns only statistics; memory does not grow with the batch. The same as the statistics of
/// score()'s columns, to the last bit. @throws std::overflow_error as Statistics
BatchStatistics statistics(const PairBatchView& batch, const batch::DistanceTables& tables,
                           const Convention& convention, const Options& options, Memory& memory);
BatchStatistics statistics(const PairBatchView& batch, const batch::DistanceTables& tables,
                           const Convention& convention, const Options& options = {});

}  // namespace warpath::cpu
