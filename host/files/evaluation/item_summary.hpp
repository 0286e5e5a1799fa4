#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/core/means/cluster_interval.hpp"
#include "warpath/evaluate.hpp"

namespace warpath::evaluation {

/// Tells whether the convention scores this row: it is an item of the dataset, and the setting
/// `instructions` does not leave it out. Every mean is over such rows.
bool is_scored_row(const ItemRow& row);

/// Tells whether a row has a prediction but no value for any metric: the setting `invalid` applies
/// to it.
bool is_invalid(const ItemRow& row);

/// Tells whether a row with values has none of this metric because the source of the preset fails
/// there, or would: a prediction that does not say which object it found (RGS, RGSPL), SPL of 0/0,
/// a planner without a path (OPE, OPSR). The setting `invalid` applies to the metric.
bool lacks_value(const AgentResult& run, const ItemRow& row, Metric metric,
                 const Convention& convention);

/// Returns what a row contributes to the mean of a metric under the settings `missing` and
/// `invalid`: its value, 0 for a failure, or NaN if it is left out.
double counted_value(const AgentResult& run, const ItemRow& row, const MetricInfo& metric,
                     const Convention& convention);

/// The same of a metric of the caller. @param row a row's number @param own the metric's
double counted_value(const AgentResult& run, std::size_t row, std::size_t own,
                     const Convention& convention);

/// Returns how many rows with values of other metrics have none of a caller's metric, and which is
/// the first of them.
struct OwnGaps {
  std::uint64_t n = 0;
  std::string first;
};
OwnGaps gaps_of(const AgentResult& run, std::size_t own);

/// Summarises rows that come in several parts. The bits are those of all rows at once, as long as
/// equal references have equal numbers in all parts.
class SummaryBuilder {
 public:
  /// @param convention must outlive the object
  SummaryBuilder(const Convention& convention, Interval interval);

  /// Adds some rows of a result.
  void add(const AgentResult& run, std::span<const std::uint32_t> rows);
  ItemSummary finish();

 private:
  static constexpr std::uint32_t no_cluster = ~std::uint32_t{0};

  std::vector<std::uint32_t> clusters_of(const AgentResult& run,
                                         std::span<const std::uint32_t> rows);

  void add_values(int position, std::span<const double> values,
                  std::span<const std::uint32_t> cluster);
  void add_own(const AgentResult& run, std::span<const std::uint32_t> scored,
               std::span<const std::uint32_t> cluster);
  Estimate estimate_of(int position, const Statistics& values, bool is_rate,
                       const std::optional<means::Bounds>& resampled) const;

  // Returns the cluster of a reference or tour; a new one where it is the first of its items.
  std::uint32_t cluster_in(std::vector<std::uint32_t>& clusters, std::uint32_t number);

  const Convention& convention_;
  Interval interval_;
  ItemStatistics counts_;
  std::uint32_t clusters_ = 0;  // so far; items of one cluster depend on each other
  std::unordered_map<std::string, std::uint32_t> by_scan_;
  std::vector<std::uint32_t> by_reference_, by_tour_;
  std::vector<means::ClusterSums> sums_;  // by metric, the caller's last; empty without clusters
  std::vector<Statistics> own_;           // of the caller's metrics
  std::vector<bool> own_rates_;
};

/// Returns the numbers of all rows of a result.
std::vector<std::uint32_t> all_rows(const AgentResult& run);

/// Summarises some rows of a result: means, intervals, counts.
ItemSummary summarize_items(const AgentResult& run, std::span<const std::uint32_t> rows,
                            const Convention& convention, Interval interval);

/// Returns the estimates of items of which only statistics are known. Intervals take every item for
/// independent: 1.96 s/√n, and Wilson's for a rate of 0 or 1.
ItemSummary summarize_independent(const ItemStatistics& counts);

}  // namespace warpath::evaluation
