#pragma once

#include "warpath/convention.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"

namespace warpath::cpu {

struct CpuKernels;

struct PointOptions {
  MetricSet metrics = MetricSet::all();  ///< other metrics are not computed
  int threads = 0;                       ///< 0: all cores
  const CpuKernels* kernels = nullptr;   ///< null: chosen_kernels()
};

/// Scores continuous paths into the caller's columns, one pair after the other with all lanes of a
/// vector register on it, on all cores. Keeps the queries' repeats. The same bits at any thread
/// count, order of pairs and instruction set. @pre the batch is as scorer.hpp asks.
/// @param options its metrics are ignored: those with a column are computed
template <class T>
void score(const PointBatchView& batch, const Convention& convention, const PointOptions& options,
           const ScoreColumns<T>& columns);
extern template void score(const PointBatchView&, const Convention&, const PointOptions&,
                           const ScoreColumns<float>&);
extern template void score(const PointBatchView&, const Convention&, const PointOptions&,
                           const ScoreColumns<double>&);

/// Scores continuous paths and returns the columns.
Scores score(const PointBatchView& batch, const Convention& convention,
             const PointOptions& options = {});

}  // namespace warpath::cpu
