#include "host/program/report/metric_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpath::report {
namespace {

std::string header(const MetricColumn& column) {
  const MetricInfo& m = column.metric;
  return fmt::format("{}{}{}", m.name, column.unit.empty() ? "" : fmt::format(" ({})", column.unit),
                     m.better == Better::higher  ? " ↑"
                     : m.better == Better::lower ? " ↓"
                                                 : "");
}

std::uint64_t max_n_of(const ItemSummary& summary, const std::vector<MetricColumn>& columns) {
  std::uint64_t n = 0;
  for (const MetricColumn& c : columns) n = std::max(n, c.of(summary).n);
  return n;
}

std::string cell(const Estimate& estimate, const MetricInfo& metric, std::uint64_t row_n,
                 const NumberStyle& style) {
  const EstimateText text = estimate_text(estimate, metric, style);
  const std::string own_count =
      estimate.n == row_n ? "" : fmt::format(" ({})", count_text(estimate.n, estimate.of));
  return text.mean + text.interval + own_count;
}

// Tells whether every row has all items, and equally many.
bool are_of_the_same_items(const std::vector<MetricRow>& rows,
                           const std::vector<MetricColumn>& columns) {
  return std::ranges::all_of(rows, [&](const MetricRow& row) {
    if (row.is_deviation) return true;
    const std::uint64_t n = max_n_of(row.summary, columns);
    return n == columns.front().of(row.summary).of && n == max_n_of(rows.front().summary, columns);
  });
}

// Returns the rows of means of each reference, in the order of the rows.
std::vector<std::vector<std::size_t>> rows_by_reference(const std::vector<MetricRow>& rows) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (rows[r].is_deviation) continue;
    const auto group = std::ranges::find_if(groups, [&](const std::vector<std::size_t>& g) {
      return rows[g.front()].reference == rows[r].reference;
    });
    if (group == groups.end())
      groups.push_back({r});
    else
      group->push_back(r);
  }
  return groups;
}

bool is_comparable(const MetricColumn& column, const std::vector<MetricRow>& rows,
                   const std::vector<std::size_t>& group) {
  if (group.size() < 2 || column.metric.better == Better::neither) return false;
  const Estimate& first = column.of(rows[group.front()].summary);
  return std::ranges::all_of(group, [&](std::size_t r) {
    const Estimate& e = column.of(rows[r].summary);
    return e.mean && e.n == first.n && e.of == first.of;
  });
}

}  // namespace

std::uint64_t max_n(const ItemSummary& summary, const std::vector<Metric>& metrics) {
  std::uint64_t n = 0;
  for (const Metric m : metrics) n = std::max(n, summary.of(m).n);
  return n;
}

Table make_metric_table(std::string_view corner, const std::vector<MetricRow>& rows,
                        const std::vector<MetricColumn>& columns, const NumberStyle& style) {
  Table table{{std::string(corner)}, {}, {}, {}};
  for (const MetricColumn& c : columns) table.header.push_back(header(c));
  table.header.emplace_back("n");
  table.repeats_last = !are_of_the_same_items(rows, columns);
  for (const MetricRow& row : rows) {
    const std::uint64_t n = max_n_of(row.summary, columns);
    std::vector<std::string> cells{row.label};
    NumberStyle own_style = style;
    own_style.intervals = style.intervals && !row.is_deviation;
    for (const MetricColumn& c : columns) {
      cells.push_back(cell(c.of(row.summary), c.metric, n, own_style));
    }
    cells.push_back(count_text(n, columns.front().of(row.summary).of));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

void mark_best(Table& table, const std::vector<MetricRow>& rows,
               const std::vector<MetricColumn>& columns, const NumberStyle& style) {
  const auto groups = rows_by_reference(rows);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const MetricColumn& column = columns[c];
    const MetricInfo& m = column.metric;
    const auto text_of = [&](std::size_t r) {
      return estimate_text(column.of(rows[r].summary), m, style).mean;
    };
    const auto mean_of = [&](std::size_t r) { return *column.of(rows[r].summary).mean; };
    for (const std::vector<std::size_t>& group : groups) {
      if (!is_comparable(column, rows, group)) continue;
      const std::size_t best = m.better == Better::higher
                                   ? *std::ranges::max_element(group, {}, mean_of)
                                   : *std::ranges::min_element(group, {}, mean_of);
      const std::string best_text = text_of(best);
      for (const std::size_t r : group) {
        if (text_of(r) == best_text) table.bold[{r, c + 1}] = best_text.size();
      }
    }
  }
}

}  // namespace warpath::report
