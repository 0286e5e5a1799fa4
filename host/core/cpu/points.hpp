#pragma once

#include "warpath/convention.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"
#include "warpath/watch.hpp"

namespace warpath::cpu {

struct CpuKernels;

struct PointOptions {
  MetricSet metrics = MetricSet::of_paths();  ///< other metrics are not computed
  int threads = 0;                            ///< 0: all cores
  const CpuKernels* kernels = nullptr;        ///< null: chosen_kernels()
  const Watch* watch = nullptr;               ///< null: none
};

/// Scores continuous paths into the caller's columns on all cores, one pair at a time with all
/// lanes of a vector register. Keeps repeated points of the queries. Results have the same bits for
/// any thread count, order of pairs and instruction set.
/// @pre the batch is as scorer.hpp asks.
/// @param options its metrics are ignored: every metric with a column is computed
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
