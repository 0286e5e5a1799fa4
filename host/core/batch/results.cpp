#include "host/core/batch/results.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

#include "host/core/batch/request.hpp"
#include "host/core/definitions/path_convention.hpp"
#include "kernels/metrics/flags.hpp"

namespace warpath::batch {
namespace {

float edge_length(const Distances& distances, std::span<const Node> path) {
  double length = 0.0;
  for (std::size_t i = 1; i < path.size(); ++i) length += distances.edge(path[i - 1], path[i]);
  return static_cast<float>(length);
}

std::vector<float> numbers_of_nodes(const PathView<Node>& paths) {
  std::vector<float> numbers(paths.size());
  for (std::uint32_t p = 0; p < paths.size(); ++p) {
    numbers[p] = static_cast<float>(paths.size_of(p));
  }
  return numbers;
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

}  // namespace

std::vector<Metric> kernel_metrics(const MetricSet& metrics) {
  std::vector<Metric> of_kernels;
  for (const Metric m : metrics) {
    if (definitions::traits(m).count == nullptr) of_kernels.push_back(m);
  }
  return of_kernels;
}

MetricSet counted_metrics(const MetricSet& metrics) {
  MetricSet counts;
  for (const Metric m : metrics) {
    if (definitions::traits(m).count != nullptr) counts.insert(m);
  }
  return counts;
}

definitions::PathSizes sizes_of(const PairBatchView& batch, std::uint32_t row) {
  const Pair& pair = batch.pairs[row];
  return {.reference = batch.references.size_of(pair.reference),
          .query = batch.queries.size_of(pair.query),
          .query_raw = batch.raw_query_size(row)};
}

template <class T>
ResultWriter<T>::ResultWriter(const PairBatchView& batch, const ScoreColumns<T>& columns)
    : batch_(batch),
      columns_(columns),
      counts_(counted_metrics(columns.metrics())),
      kernel_metrics_(batch::kernel_metrics(columns.metrics())),
      asked_flags_(flags_of(columns.metrics())) {}

template <class T>
void ResultWriter<T>::write(Metric metric, const ResultRows& rows, const float* values) const {
  write_column(columns_.column[metric], rows, [&](std::size_t k) { return T{values[k]}; });
}

template <class T>
void ResultWriter<T>::write_flags(const ResultRows& rows, const std::uint32_t* flags) const {
  if (columns_.status != nullptr) {
    write_column(columns_.status, rows,
                 [&](std::size_t k) { return definitions::status_of(flags[k] & asked_flags_); });
  }
  if (columns_.zero_rules != nullptr) {
    write_column(columns_.zero_rules, rows,
                 [&](std::size_t k) { return kernels::zero_rules_of(flags[k] & asked_flags_); });
  }
  if (!counts_.empty()) write_counts(rows, flags);
}

template <class T>
void ResultWriter<T>::write_counts(const ResultRows& rows, const std::uint32_t* flags) const {
  constexpr T none = std::numeric_limits<T>::quiet_NaN();
  constexpr std::size_t block = 256;  // rows whose sizes stay in the cache for all metrics
  std::array<definitions::PathSizes, block> sizes;
  for (std::size_t begin = 0; begin < rows.rows.size(); begin += block) {
    const std::size_t count = std::min(block, rows.rows.size() - begin);
    const ResultRows part{rows.rows.subspan(begin, count), rows.consecutive};
    for (std::size_t k = 0; k < count; ++k) sizes[k] = sizes_of(batch_, part.rows[k]);
    for (const Metric m : counts_) {
      const auto size = definitions::traits(m).count;
      write_column(columns_.column[m], part, [&](std::size_t k) {
        const bool has_value = (flags[begin + k] & kernels::flag_unreachable) == 0;
        return has_value ? static_cast<T>(sizes[k].*size) : none;
      });
    }
  }
}

template class ResultWriter<float>;
template class ResultWriter<double>;

template <class T>
void copy_rows(const Scores& scores, std::span<const std::uint32_t> rows,
               const ScoreColumns<T>& columns) {
  const auto copy = [&](const auto& from, auto* to) {
    using To = std::remove_pointer_t<decltype(to)>;
    for (std::size_t k = 0; k < from.size(); ++k) {
      to[rows.empty() ? k : rows[k]] = static_cast<To>(from[k]);
    }
  };
  for (const Metric m : columns.metrics()) copy(scores.column[m], columns.column[m]);
  if (columns.status != nullptr) copy(scores.status, columns.status);
  if (columns.zero_rules != nullptr) copy(scores.zero_rules, columns.zero_rules);
}

template void copy_rows(const Scores&, std::span<const std::uint32_t>, const ScoreColumns<float>&);
template void copy_rows(const Scores&, std::span<const std::uint32_t>, const ScoreColumns<double>&);

ClsLengths make_cls_lengths(const PairBatchView& batch, const Convention& convention,
                            const MetricSet& metrics) {
  using enum Metric;
  if (!definitions::takes_own_lengths(convention) || !metrics.contains_any({EPL, LS, CLS})) {
    return {};
  }
  if (convention.cls_length == ClsLength::nodes) {
    return {numbers_of_nodes(batch.references), numbers_of_nodes(batch.queries)};
  }
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

namespace {

std::vector<std::uint32_t> rows_by_table(const PairBatchView& batch, const DistanceTables& tables,
                                         bool has_table) {
  std::vector<std::uint32_t> rows(batch.pairs.size());
  std::size_t count = 0;
  for (std::uint32_t row = 0; row < batch.pairs.size(); ++row) {
    rows[count] = row;
    count += tables.has(batch.pairs[row].scan) == has_table;
  }
  rows.resize(count);
  return rows;
}

}  // namespace

std::vector<std::uint32_t> rows_with_table(const PairBatchView& batch,
                                           const DistanceTables& tables) {
  return rows_by_table(batch, tables, true);
}
std::vector<std::uint32_t> rows_without_table(const PairBatchView& batch,
                                              const DistanceTables& tables) {
  return rows_by_table(batch, tables, false);
}

SomePairs::SomePairs(const PairBatchView& batch, std::span<const std::uint32_t> rows)
    : view_(batch) {
  for (const std::uint32_t row : rows) {
    pairs_.push_back(batch.pairs[row]);
    n_query_raw_.push_back(batch.raw_query_size(row));
    if (!batch.task_success.empty()) task_success_.push_back(batch.task_success[row]);
  }
  view_.pairs = pairs_;
  view_.n_query_raw = n_query_raw_;
  view_.task_success = task_success_;
}

}  // namespace warpath::batch
