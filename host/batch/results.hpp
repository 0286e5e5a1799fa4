#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/batch/distance_tables.hpp"
#include "kernels/metrics/metric_formulas.hpp"
#include "warpath/batch_statistics.hpp"
#include "warpath/convention.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"

// What the back ends in single precision have in common around their kernels.

namespace warpath::batch {

/// Of a request, the metrics that kernels make; the others are counts of viewpoints.
std::vector<Metric> kernel_metrics(const MetricSet& metrics);

/// ResultRows of the batch in the order in which their results lie.
struct ResultRows {
  std::span<const std::uint32_t> rows;
  bool consecutive;  ///< row k is rows[0] + k
};

/// Brings results from where the kernels left them to the scores' rows. Different rows may be
/// written by different threads.
class ResultWriter {
 public:
  ResultWriter(const PairBatch& batch, const MetricSet& metrics, Scores& scores);

  std::span<const Metric> kernel_metrics() const { return kernel_metrics_; }
  void write(Metric metric, const ResultRows& rows, const float* values) const;
  /// Statuses, zero rules and counts.
  void write_flags(const ResultRows& rows, const std::uint32_t* flags) const;

 private:
  void write_count(Metric m, const ResultRows& rows, const std::uint32_t* flags, auto count) const;

  const PairBatch& batch_;
  const MetricSet& metrics_;
  Scores& scores_;
  std::vector<Metric> kernel_metrics_;
  std::uint32_t asked_flags_;
};

/// Lengths inside CLS by path, where these are not PL; otherwise empty.
struct ClsLengths {
  std::vector<float> reference, query;
};
ClsLengths make_cls_lengths(const PairBatch& batch, const Convention& convention,
                            const MetricSet& metrics);

/// The rows whose scan has a table.
std::vector<std::uint32_t> rows_with_table(const PairBatch& batch, const DistanceTables& tables);
/// Scores all others, in the reference back end.
void score_without_table(const PairBatch& batch, const DistanceTables& tables,
                         const Convention& convention, const MetricSet& metrics, Scores& scores);
/// The same for scores that nobody keeps.
void summarize_without_table(const PairBatch& batch, const DistanceTables& tables,
                             const Convention& convention, const MetricSet& metrics,
                             BatchStatistics& summary);

}  // namespace warpath::batch
