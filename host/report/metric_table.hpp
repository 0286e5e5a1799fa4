#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/report/estimate_text.hpp"
#include "host/report/table.hpp"

namespace warpath {

/// An agent or a group of items, with what a table states of it.
struct MetricRow {
  std::string label;
  const ItemSummary& summary;
};

/// A column: the metric, and its unit as the header says it.
struct MetricColumn {
  Metric metric;
  std::string unit;
};

/// Returns a table of means: a row each, a column per metric and last the column n, the largest
/// number of items with a value in that row; it stands in every block of a folded table where rows
/// differ in it or lack items. A cell whose own number differs says so: "(8 of 1021)".
Table metric_table(std::string_view corner, const std::vector<MetricRow>& rows,
                   const std::vector<MetricColumn>& columns, const NumberStyle& style);

/// Makes the best mean of each column bold, and what prints the same; not where the metric has no
/// direction, a row has no mean, or the means are over different numbers of items.
/// @param table made of these rows and columns
void mark_best(Table& table, const std::vector<MetricRow>& rows,
               const std::vector<MetricColumn>& columns, const NumberStyle& style);

/// Returns the largest number of items with a value among these metrics.
std::uint64_t max_n(const ItemSummary& summary, const std::vector<Metric>& metrics);

}  // namespace warpath
