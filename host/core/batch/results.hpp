#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/core/batch/distance_tables.hpp"
#include "host/core/definitions/metric_traits.hpp"
#include "warpath/convention.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"

// Defines what both fast back ends share around their kernels.

namespace warpath::batch {

/// Returns those of the metrics that kernels compute.
std::vector<Metric> kernel_metrics(const MetricSet& metrics);
/// Returns those of the metrics that are counts of viewpoints.
MetricSet counted_metrics(const MetricSet& metrics);

/// Returns the numbers of viewpoints of a pair's paths.
definitions::PathSizes sizes_of(const PairBatchView& batch, std::uint32_t row);

/// Lists rows of the batch in the order of their results.
struct ResultRows {
  std::span<const std::uint32_t> rows;
  bool consecutive;  ///< row k is rows[0] + k
};

/// Copies kernel results to the caller's columns, which are `float` or `double`. Several threads
/// may write different rows.
template <class T>
class ResultWriter {
 public:
  ResultWriter(const PairBatchView& batch, const ScoreColumns<T>& columns);

  std::span<const Metric> kernel_metrics() const { return kernel_metrics_; }
  void write(Metric metric, const ResultRows& rows, const float* values) const;
  /// Writes statuses, zero rules and counts.
  void write_flags(const ResultRows& rows, const std::uint32_t* flags) const;

 private:
  void write_counts(const ResultRows& rows, const std::uint32_t* flags) const;

  const PairBatchView batch_;
  const ScoreColumns<T> columns_;
  const MetricSet counts_;
  const std::vector<Metric> kernel_metrics_;
  const std::uint32_t asked_flags_;
};
extern template class ResultWriter<float>;
extern template class ResultWriter<double>;

/// Copies row k of `scores` to row rows[k] of the columns, or to row k if `rows` is empty.
template <class T>
void copy_rows(const Scores& scores, std::span<const std::uint32_t> rows,
               const ScoreColumns<T>& columns);
extern template void copy_rows(const Scores&, std::span<const std::uint32_t>,
                               const ScoreColumns<float>&);
extern template void copy_rows(const Scores&, std::span<const std::uint32_t>,
                               const ScoreColumns<double>&);

/// Holds, per path, the length that CLS uses, if it differs from PL; otherwise empty.
struct ClsLengths {
  std::vector<float> reference, query;
};
ClsLengths make_cls_lengths(const PairBatchView& batch, const Convention& convention,
                            const MetricSet& metrics);

/// Returns the rows whose scan has a table, or of those without one.
std::vector<std::uint32_t> rows_with_table(const PairBatchView& batch,
                                           const DistanceTables& tables);
std::vector<std::uint32_t> rows_without_table(const PairBatchView& batch,
                                              const DistanceTables& tables);

/// Holds some pairs of a batch.
class SomePairs {
 public:
  SomePairs(const PairBatchView& batch, std::span<const std::uint32_t> rows);
  SomePairs(const SomePairs&) = delete;
  SomePairs& operator=(const SomePairs&) = delete;

  const PairBatchView& view() const { return view_; }

 private:
  PairBatchView view_;
  std::vector<Pair> pairs_;
  std::vector<std::uint32_t> n_query_raw_;
  std::vector<double> task_success_;
};

}  // namespace warpath::batch
