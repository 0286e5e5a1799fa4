#include "host/batch/results.hpp"

#include <algorithm>
#include <limits>

#include "host/batch/request.hpp"
#include "host/reference/reference.hpp"

namespace warpath::batch {
namespace {

float edge_length(const Distances& distances, std::span<const Node> path) {
  double length = 0.0;
  for (std::size_t i = 1; i < path.size(); ++i) length += distances.edge(path[i - 1], path[i]);
  return static_cast<float>(length);
}

void write_column(auto* column, const ResultRows& rows, auto value) {
  const std::size_t count = rows.rows.size();
  if (rows.consecutive) {
    auto* to = column + rows.rows[0];
    for (std::size_t k = 0; k < count; ++k) to[k] = value(k);
  } else {
    for (std::size_t k = 0; k < count; ++k) column[rows.rows[k]] = value(k);
  }
}

// The pairs whose scan has no table, and their rows in the batch.
struct Part {
  PairBatch batch;
  std::vector<std::uint32_t> rows;
};

Part part_without_table(const PairBatch& batch, const DistanceTables& tables) {
  Part part{{batch.scans, batch.references, batch.queries, {}, {}, {}}, {}};
  for (std::uint32_t row = 0; row < batch.pairs.size(); ++row) {
    if (tables.has(batch.pairs[row].scan)) continue;
    part.rows.push_back(row);
    part.batch.pairs.push_back(batch.pairs[row]);
    part.batch.n_query_raw.push_back(batch.n_query_raw[row]);
    if (!batch.task_success.empty()) part.batch.task_success.push_back(batch.task_success[row]);
  }
  return part;
}

}  // namespace

std::vector<Metric> kernel_metrics(const MetricSet& metrics) {
  std::vector<Metric> of_kernels;
  for (const Metric m : metrics) {
    if (m <= Metric::PLR) of_kernels.push_back(m);
  }
  return of_kernels;
}

ResultWriter::ResultWriter(const PairBatch& batch, const MetricSet& metrics, Scores& scores)
    : batch_(batch),
      metrics_(metrics),
      scores_(scores),
      kernel_metrics_(batch::kernel_metrics(metrics)),
      asked_flags_(flags_of(metrics)) {}

void ResultWriter::write(Metric metric, const ResultRows& rows, const float* values) const {
  write_column(scores_.column[metric].data(), rows,
               [&](std::size_t k) { return double{values[k]}; });
}

void ResultWriter::write_flags(const ResultRows& rows, const std::uint32_t* flags) const {
  write_column(scores_.status.data(), rows,
               [&](std::size_t k) { return status_of(flags[k] & asked_flags_); });
  write_column(scores_.zero_rules.data(), rows,
               [&](std::size_t k) { return kernels::zero_rules_of(flags[k] & asked_flags_); });
  const auto query = [&](std::size_t k) { return batch_.pairs[rows.rows[k]].query; };
  const auto reference = [&](std::size_t k) { return batch_.pairs[rows.rows[k]].reference; };
  using enum Metric;
  write_count(steps, rows, flags, [&](auto k) { return batch_.queries.size_of(query(k)) - 1; });
  write_count(n_query, rows, flags, [&](auto k) { return batch_.queries.size_of(query(k)); });
  write_count(n_query_raw, rows, flags, [&](auto k) { return batch_.n_query_raw[rows.rows[k]]; });
  write_count(n_ref, rows, flags, [&](auto k) { return batch_.references.size_of(reference(k)); });
}

void ResultWriter::write_count(Metric m, const ResultRows& rows, const std::uint32_t* flags,
                               auto count) const {
  if (!metrics_[m]) return;
  write_column(scores_.column[m].data(), rows, [&](std::size_t k) {
    const bool has_value = (flags[k] & kernels::flag_unreachable) == 0;
    return has_value ? static_cast<double>(count(k)) : std::numeric_limits<double>::quiet_NaN();
  });
}

ClsLengths make_cls_lengths(const PairBatch& batch, const Convention& convention,
                            const MetricSet& metrics) {
  using enum Metric;
  if (convention.cls_step != ClsStep::edge || !metrics.contains_any({EPL, LS, CLS})) return {};
  std::vector<Distances> scans;
  for (const Scan* scan : batch.scans) scans.emplace_back(*scan, convention.distance);
  constexpr float none = std::numeric_limits<float>::quiet_NaN();
  ClsLengths lengths{std::vector<float>(batch.references.size(), none),
                     std::vector<float>(batch.queries.size(), none)};
  for (const Pair& pair : batch.pairs) {
    const Distances& edges = scans[pair.scan];
    lengths.query[pair.query] = edge_length(edges, batch.queries[pair.query]);
    lengths.reference[pair.reference] = edge_length(edges, batch.references[pair.reference]);
  }
  return lengths;
}

std::vector<std::uint32_t> rows_with_table(const PairBatch& batch, const DistanceTables& tables) {
  std::vector<std::uint32_t> rows(batch.pairs.size());
  std::size_t count = 0;
  for (std::uint32_t row = 0; row < batch.pairs.size(); ++row) {
    rows[count] = row;
    count += tables.has(batch.pairs[row].scan);
  }
  rows.resize(count);
  return rows;
}

void score_without_table(const PairBatch& batch, const DistanceTables& tables,
                         const Convention& convention, const MetricSet& metrics, Scores& scores) {
  if (tables.has_all()) return;
  const auto [part, rows] = part_without_table(batch, tables);
  Scores scored = reference::score(part, convention);
  reference::restrict_to(metrics, scored);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    for (const Metric m : MetricSet::all()) {
      if (metrics[m]) scores.column[m][rows[k]] = scored.column[m][k];
    }
    scores.status[rows[k]] = scored.status[k];
    scores.zero_rules[rows[k]] = scored.zero_rules[k];
  }
}

void summarize_without_table(const PairBatch& batch, const DistanceTables& tables,
                             const Convention& convention, const MetricSet& metrics,
                             BatchStatistics& summary) {
  if (tables.has_all()) return;
  Scores scored = reference::score(part_without_table(batch, tables).batch, convention);
  reference::restrict_to(metrics, scored);
  summary.add(scored);
}

}  // namespace warpath::batch
