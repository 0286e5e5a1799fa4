#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/program/report/estimate_text.hpp"
#include "host/program/report/table.hpp"

namespace warpath::report {

/// Holds a row of the table: an agent or a group of items.
struct MetricRow {
  std::string label;
  const ItemSummary& summary;
  std::string_view reference{};  ///< only rows with the same one are compared
  bool is_deviation = false;     ///< standard deviations: without an interval, and none is best
};

/// Describes a column of the table: a metric, or one of the caller.
struct MetricColumn {
  MetricInfo metric;
  std::string unit;                  ///< as the header shows it
  std::optional<std::size_t> own{};  ///< number of the caller's metric

  /// Returns the column's estimate in a summary.
  const Estimate& of(const ItemSummary& summary) const {
    return own ? summary.own[*own] : summary.of(metric.metric);
  }
};

/// Returns a table of means: one row per agent or group, one column per metric, and last the column
/// n, the largest number of items with a value in that row. The column n is repeated in every block
/// of a folded table if rows differ in it or lack items. A cell with another number of items says
/// so: "(8 of 1021)".
Table make_metric_table(std::string_view corner, const std::vector<MetricRow>& rows,
                        const std::vector<MetricColumn>& columns, const NumberStyle& style);

/// Makes the best mean of each column bold, and others that print the same text, among the rows of
/// each reference. Leaves a column as
/// it is if the metric has no direction, a row has no mean, or the means are over different numbers
/// of items.
/// @param table made of these rows and columns
void mark_best(Table& table, const std::vector<MetricRow>& rows,
               const std::vector<MetricColumn>& columns, const NumberStyle& style);

/// Returns the largest number of items with a value among these metrics.
std::uint64_t max_n(const ItemSummary& summary, const std::vector<Metric>& metrics);

}  // namespace warpath::report
