#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/batch/distance_tables.hpp"
#include "host/definitions/metric_traits.hpp"
#include "kernels/metrics/metric_formulas.hpp"
#include "warpath/batch_statistics.hpp"
#include "warpath/convention.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"

// What the back ends in single precision share around their kernels.

namespace warpath::batch {

/// Returns those of the metrics that kernels compute.
std::vector<Metric> kernel_metrics(const MetricSet& metrics);
/// Returns the others, which are counts of viewpoints.
MetricSet counted_metrics(const MetricSet& metrics);

/// Returns the numbers of viewpoints of a pair's paths.
PathSizes sizes_of(const PairBatch& batch, std::uint32_t row);

/// Rows of the batch in the order in which their results lie.
struct ResultRows {
  std::span<const std::uint32_t> rows;
  bool consecutive;  ///< row k is rows[0] + k
};

/// Copies results from where the kernels left them to the scores' rows. Several threads may write
/// different rows.
class ResultWriter {
 public:
  ResultWriter(const PairBatch& batch, const MetricSet& metrics, Scores& scores);

  std::span<const Metric> kernel_metrics() const { return kernel_metrics_; }
  void write(Metric metric, const ResultRows& rows, const float* values) const;
  /// Writes statuses, zero rules and counts.
  void write_flags(const ResultRows& rows, const std::uint32_t* flags) const;

 private:
  void write_counts(const ResultRows& rows, const std::uint32_t* flags) const;

  const PairBatch& batch_;
  const MetricSet counts_;
  Scores& scores_;
  std::vector<Metric> kernel_metrics_;
  std::uint32_t asked_flags_;
};

/// Holds the lengths inside CLS by path, where these are not PL; otherwise empty.
struct ClsLengths {
  std::vector<float> reference, query;
};
ClsLengths make_cls_lengths(const PairBatch& batch, const Convention& convention,
                            const MetricSet& metrics);

/// Returns the rows whose scan has a table.
std::vector<std::uint32_t> rows_with_table(const PairBatch& batch, const DistanceTables& tables);
/// Scores all others with the reference back end.
void score_without_table(const PairBatch& batch, const DistanceTables& tables,
                         const Convention& convention, const MetricSet& metrics, Scores& scores);
/// Scores them likewise, and adds the scores to the statistics only.
void summarize_without_table(const PairBatch& batch, const DistanceTables& tables,
                             const Convention& convention, const MetricSet& metrics,
                             BatchStatistics& summary);

}  // namespace warpath::batch
