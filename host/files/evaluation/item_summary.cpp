#include "host/files/evaluation/item_summary.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "host/core/definitions/enum_names.hpp"
#include "host/core/means/cluster_interval.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
constexpr std::array<definitions::EnumName<Interval>, 4> interval_names{
    {{Interval::path, "path"},
     {Interval::scan, "scan"},
     {Interval::none, "none"},
     {Interval::bootstrap, "bootstrap"}}};
constexpr std::array<definitions::EnumName<GroupBy>, 4> group_names{
    {{GroupBy::none, "none"},
     {GroupBy::scan, "scan"},
     {GroupBy::length, "length"},
     {GroupBy::language, "language"}}};

void count_row(const AgentResult& run, const ItemRow& row, ItemStatistics& counts) {
  counts.count(row.status, row.pair ? run.scores.zero_rules[*row.pair] : std::uint8_t{0});
  if (evaluation::is_scored_row(row)) ++counts.items;
}

// A mean of 0 or 1 has no spread, so the usual interval would have width 0.
bool needs_wilson(const MetricInfo& metric, double mean) {
  constexpr MetricSet rates{Metric::SR, Metric::OSR, Metric::RGS, Metric::OPSR, Metric::tour_SR};
  return rates.contains(metric.metric) && (mean == 0.0 || mean == 1.0);
}

}  // namespace

std::string_view name(Interval interval) {
  return definitions::name_in(interval_names, interval);
}

Interval find_interval(std::string_view wanted) {
  return definitions::find_in(interval_names, "interval", wanted);
}

GroupBy find_group_by(std::string_view wanted) {
  return definitions::find_in(group_names, "grouping", wanted);
}

bool evaluation::is_scored_row(const ItemRow& row) {
  return row.in_dataset && row.status != Status::not_scored;
}

bool evaluation::is_invalid(const ItemRow& row) {
  if (!evaluation::is_scored_row(row)) return false;
  if (row.status == Status::missing || row.status == Status::other_ending) return false;
  return !row.pair || row.status == Status::unreachable;
}

bool evaluation::lacks_value(const AgentResult& run, const ItemRow& row, Metric metric,
                             const Convention& convention) {
  if (!evaluation::is_scored_row(row) || !row.pair || evaluation::is_invalid(row)) return false;
  const auto has_value = [&](Metric m) {
    return !run.scores.column[m].empty() && !std::isnan(run.scores.at(m, *row.pair));
  };
  // Where SP has no value either, the goal is out of reach.
  const bool is_zero_by_zero =
      convention.spl_zero == SplZero::undefined && !has_value(Metric::SPL) && has_value(Metric::SP);
  switch (metric) {
    case Metric::SPL:
      return is_zero_by_zero;
    case Metric::RGS:
      return row.lacks_object;
    case Metric::RGSPL:
      return row.lacks_object || is_zero_by_zero;
    case Metric::OPE:
    case Metric::OPSR:
      return !run.scores.column[metric].empty() && !has_value(metric);
    default:
      return false;
  }
}

// Metrics whose value a pair may lack; see lacks_value() and ItemRow::lacks_success.
constexpr MetricSet metrics_with_gaps{Metric::SPL,   Metric::SDTW, Metric::RGS,
                                      Metric::RGSPL, Metric::OPE,  Metric::OPSR};

double evaluation::counted_value(const AgentResult& run, const ItemRow& row,
                                 const MetricInfo& metric, const Convention& convention) {
  if (is_of_tours(metric.metric)) {
    return row.counts_in_tour ? run.tours[*row.tour].values[metric.metric] : no_number;
  }
  const auto failed = [&](bool counts) {
    return counts && metric.unit == Unit::fraction ? 0.0 : no_number;
  };
  if (row.status == Status::missing) return failed(convention.missing == Missing::zero);
  if (row.status == Status::other_ending) return failed(true);
  if (evaluation::is_invalid(row)) return failed(convention.invalid == Invalid::zero);
  if (metric.metric == Metric::SDTW && row.lacks_success) {
    return failed(convention.missing == Missing::zero);
  }
  if (evaluation::lacks_value(run, row, metric.metric, convention)) {
    return failed(convention.invalid == Invalid::zero);
  }
  const std::vector<double>& column = run.scores.column[metric.metric];
  return column.empty() ? no_number : column[*row.pair];  // empty: of another task
}

namespace {

constexpr std::uint32_t no_pair = ~std::uint32_t{0};

// Returns the pairs of rows, and no_pair for those that count as failed or not at all.
std::vector<std::uint32_t> valid_pairs(const AgentResult& run,
                                       std::span<const std::uint32_t> rows) {
  std::vector<std::uint32_t> pairs;
  pairs.reserve(rows.size());
  for (const std::uint32_t r : rows) {
    const ItemRow& row = run.rows[r];
    const bool is_valid = row.pair && !evaluation::is_invalid(row);
    pairs.push_back(is_valid ? *row.pair : no_pair);
  }
  return pairs;
}

// Returns the interval of values that do not depend on each other. @pre there is a value
std::optional<means::Bounds> independent_interval(const Statistics& values,
                                                  const MetricInfo& metric) {
  const double mean = *values.mean();
  if (needs_wilson(metric, mean)) return means::wilson_interval(values.n(), mean == 1.0);
  const auto half_width = values.ci95_half_width();
  if (!half_width) return std::nullopt;
  return means::Bounds{mean - *half_width, mean + *half_width};
}

}  // namespace

evaluation::SummaryBuilder::SummaryBuilder(const Convention& convention, Interval interval)
    : convention_(convention), interval_(interval), sums_(metric_count) {}

void evaluation::SummaryBuilder::add(const AgentResult& run, std::span<const std::uint32_t> rows) {
  std::vector<std::uint32_t> scored;
  for (const std::uint32_t r : rows) {
    count_row(run, run.rows[r], counts_);
    if (evaluation::is_scored_row(run.rows[r])) scored.push_back(r);
  }
  const std::vector<std::uint32_t> cluster = clusters_of(run, scored);
  const std::vector<std::uint32_t> pairs = valid_pairs(run, scored);

  tbb::parallel_for(0, metric_count, [&](int position) {
    const MetricInfo& metric = metric_table()[position];
    const std::vector<double>& column = run.scores.column[metric.metric];
    const bool is_plain = !column.empty() && !metrics_with_gaps.contains(metric.metric) &&
                          !is_of_tours(metric.metric);
    std::vector<double> values(scored.size());
    for (std::size_t k = 0; k < scored.size(); ++k) {
      values[k] = is_plain && pairs[k] != no_pair
                      ? column[pairs[k]]
                      : evaluation::counted_value(run, run.rows[scored[k]], metric, convention_);
    }
    counts_.metrics[metric.metric].add(values);
    if (interval_ != Interval::none) sums_[position].add(values, cluster, clusters_);
  });
}

std::vector<std::uint32_t> evaluation::SummaryBuilder::clusters_of(
    const AgentResult& run, std::span<const std::uint32_t> rows) {
  std::vector<std::uint32_t> clusters;
  if (interval_ == Interval::none) return clusters;
  clusters.reserve(rows.size());
  for (const std::uint32_t r : rows) {
    const ItemRow& row = run.rows[r];
    if (interval_ == Interval::scan) {
      const auto [scan, is_new] = by_scan_.emplace(row.scan, clusters_);
      clusters_ += is_new;
      clusters.push_back(scan->second);
      continue;
    }
    if (row.tour) {
      clusters.push_back(cluster_in(by_tour_, *row.tour));
      continue;
    }
    clusters.push_back(cluster_in(by_reference_, row.reference));
  }
  return clusters;
}

std::uint32_t evaluation::SummaryBuilder::cluster_in(std::vector<std::uint32_t>& clusters,
                                                     std::uint32_t number) {
  if (number >= clusters.size()) clusters.resize(number + 1, no_cluster);
  if (clusters[number] == no_cluster) clusters[number] = clusters_++;
  return clusters[number];
}

ItemSummary evaluation::SummaryBuilder::finish() {
  if (interval_ == Interval::none) return summarize_independent(counts_);
  ItemSummary summary;
  summary.counts = counts_;
  for (means::ClusterSums& sums : sums_) sums.drop_empty();
  std::vector<std::optional<means::Bounds>> resampled(metric_count);
  if (interval_ == Interval::bootstrap) resampled = means::bootstrap_intervals(sums_);
  for (const Metric m : MetricSet::all()) {
    const Statistics& values = summary.counts.metrics[m];
    const means::ClusterSums& sums = sums_[index_of(m)];
    Estimate& estimate = summary.estimates[m];
    estimate = {values.mean(), resampled[index_of(m)], values.n(), summary.counts.items,
                sums.size()};
    if (!estimate.mean) continue;
    if (needs_wilson(info(m), *estimate.mean)) {
      estimate.ci95 = means::wilson_interval(sums.size(), *estimate.mean == 1.0);
    } else if (interval_ != Interval::bootstrap) {
      estimate.ci95 = means::cluster_interval(sums, *estimate.mean);
    }
  }
  return summary;
}

std::vector<std::uint32_t> evaluation::all_rows(const AgentResult& run) {
  std::vector<std::uint32_t> rows(run.rows.size());
  std::iota(rows.begin(), rows.end(), 0u);
  return rows;
}

ItemSummary evaluation::summarize_items(const AgentResult& run, std::span<const std::uint32_t> rows,
                                        const Convention& convention, Interval interval) {
  SummaryBuilder summary(convention, interval);
  summary.add(run, rows);
  return summary.finish();
}

ItemSummary evaluation::summarize_independent(const ItemStatistics& counts) {
  ItemSummary summary;
  summary.counts = counts;
  for (const Metric m : MetricSet::all()) {
    const Statistics& values = counts.metrics[m];
    Estimate& estimate = summary.estimates[m];
    estimate = {values.mean(), std::nullopt, values.n(), counts.items, values.n()};
    if (estimate.mean) estimate.ci95 = independent_interval(values, info(m));
  }
  return summary;
}

std::vector<Group> group(const AgentResult& run, GroupBy by, const Convention& convention,
                         Interval interval) {
  if (by == GroupBy::none) return {};
  // Lengths are sorted as numbers, names alphabetically.
  std::map<std::pair<std::uint32_t, std::string>, std::vector<std::uint32_t>> groups;
  for (std::uint32_t r = 0; r < run.rows.size(); ++r) {
    const ItemRow& row = run.rows[r];
    if (!row.in_dataset) continue;
    const bool is_length = by == GroupBy::length;
    const std::string& name = by == GroupBy::language ? row.language : row.scan;
    groups[is_length ? std::pair(row.n_reference, std::to_string(row.n_reference))
                     : std::pair(0u, name)]
        .push_back(r);
  }
  std::vector<Group> result;
  for (const auto& [key, rows] : groups) {
    result.push_back({key.second, evaluation::summarize_items(run, rows, convention, interval)});
  }
  return result;
}

}  // namespace warpath
