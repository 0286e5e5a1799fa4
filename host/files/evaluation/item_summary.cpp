#include "host/files/evaluation/item_summary.hpp"

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
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
bool needs_wilson(bool is_rate, double mean) {
  return is_rate && (mean == 0.0 || mean == 1.0);
}

bool is_rate(Metric metric) {
  constexpr MetricSet rates{Metric::SR, Metric::OSR, Metric::RGS, Metric::OPSR, Metric::tour_SR};
  return rates.contains(metric);
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

namespace {

// Returns what a failure contributes to a mean: 0 where it counts, or NaN.
double failed_value(bool counts, Unit unit) {
  return counts && unit == Unit::fraction ? 0.0 : no_number;
}

// Returns what a row without values contributes to a mean; nothing if it has values.
std::optional<double> value_without_scores(const ItemRow& row, Unit unit,
                                           const Convention& convention) {
  if (row.status == Status::missing) return failed_value(convention.missing == Missing::zero, unit);
  if (row.status == Status::other_ending) return failed_value(true, unit);
  if (evaluation::is_invalid(row)) return failed_value(convention.invalid == Invalid::zero, unit);
  return std::nullopt;
}

}  // namespace

double evaluation::counted_value(const AgentResult& run, const ItemRow& row,
                                 const MetricInfo& metric, const Convention& convention) {
  if (is_of_tours(metric.metric)) {
    return row.counts_in_tour ? run.tours[*row.tour].values[metric.metric] : no_number;
  }
  if (const auto value = value_without_scores(row, metric.unit, convention)) return *value;
  if (metric.metric == Metric::SDTW && row.lacks_success)
    return failed_value(convention.missing == Missing::zero, metric.unit);
  if (evaluation::lacks_value(run, row, metric.metric, convention))
    return failed_value(convention.invalid == Invalid::zero, metric.unit);
  const std::vector<double>& column = run.scores.column[metric.metric];
  return column.empty() ? no_number : column[*row.pair];  // empty: of another task
}

double evaluation::counted_value(const AgentResult& run, std::size_t row, std::size_t own,
                                 const Convention& convention) {
  const OwnColumn& column = run.own[own];
  const auto value = value_without_scores(run.rows[row], column.metric.unit, convention);
  return value ? *value : column.values[row];
}

evaluation::OwnGaps evaluation::gaps_of(const AgentResult& run, std::size_t own) {
  OwnGaps gaps;
  if (own >= run.own.size()) return gaps;  // scored in windows
  for (std::size_t r = 0; r < run.rows.size(); ++r) {
    const ItemRow& row = run.rows[r];
    if (!row.pair || !is_scored_row(row) || is_invalid(row)) continue;
    if (!std::isnan(run.own[own].values[r])) continue;
    if (gaps.n++ == 0) gaps.first = row.instr_id;
  }
  return gaps;
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
std::optional<means::Bounds> independent_interval(const Statistics& values, bool is_of_rate) {
  const double mean = *values.mean();
  if (needs_wilson(is_of_rate, mean)) return means::wilson_interval(values.n(), mean == 1.0);
  const auto half_width = values.ci95_half_width();
  if (!half_width) return std::nullopt;
  return means::Bounds{mean - *half_width, mean + *half_width};
}

// Returns the estimate of values that do not depend on each other.
Estimate independent_estimate(const Statistics& values, std::uint64_t items, bool is_of_rate) {
  Estimate estimate{values.mean(), std::nullopt, values.n(), items, values.n()};
  if (estimate.mean) estimate.ci95 = independent_interval(values, is_of_rate);
  return estimate;
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
  const bool all_have_pairs = std::ranges::find(pairs, no_pair) == pairs.end();

  tbb::enumerable_thread_specific<std::vector<double>> buffers;
  tbb::parallel_for(0, metric_count, [&](int position) {
    const MetricInfo& metric = metric_table()[position];
    const std::vector<double>& column = run.scores.column[metric.metric];
    const bool is_plain = !metrics_with_gaps.contains(metric.metric) && !is_of_tours(metric.metric);
    if (is_plain && column.empty() && all_have_pairs) return;
    std::vector<double>& values = buffers.local();
    values.assign(scored.size(), no_number);
    bool have_any = false;
    for (std::size_t k = 0; k < scored.size(); ++k) {
      if (!is_plain || pairs[k] == no_pair) {
        values[k] = evaluation::counted_value(run, run.rows[scored[k]], metric, convention_);
      } else if (!column.empty()) {
        values[k] = column[pairs[k]];
      }
      have_any = have_any || !std::isnan(values[k]);
    }
    if (!have_any) return;
    counts_.metrics[metric.metric].add(values);
    add_values(position, values, cluster);
  });
  if (!run.own.empty()) add_own(run, scored, cluster);
}

void evaluation::SummaryBuilder::add_values(int position, std::span<const double> values,
                                            std::span<const std::uint32_t> cluster) {
  if (interval_ != Interval::none) sums_[position].add(values, cluster, clusters_);
}

void evaluation::SummaryBuilder::add_own(const AgentResult& run,
                                         std::span<const std::uint32_t> scored,
                                         std::span<const std::uint32_t> cluster) {
  if (own_.empty()) {
    for (const OwnColumn& column : run.own) own_.emplace_back(column.metric.unit);
    own_rates_.resize(own_.size(), true);
    sums_.resize(metric_count + own_.size());
  }
  for (std::size_t k = 0; k < own_.size(); ++k) {
    std::vector<double> values;
    for (const std::uint32_t r : scored)
      values.push_back(counted_value(run, std::size_t{r}, k, convention_));
    own_[k].add(values);
    own_rates_[k] = own_rates_[k] && run.own[k].is_rate;
    add_values(metric_count + static_cast<int>(k), values, cluster);
  }
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

Estimate evaluation::SummaryBuilder::estimate_of(
    int position, const Statistics& values, bool is_of_rate,
    const std::optional<means::Bounds>& resampled) const {
  const means::ClusterSums& sums = sums_[position];
  Estimate estimate{values.mean(), resampled, values.n(), counts_.items, sums.size()};
  if (!estimate.mean) return estimate;
  if (needs_wilson(is_of_rate, *estimate.mean)) {
    estimate.ci95 = means::wilson_interval(sums.size(), *estimate.mean == 1.0);
  } else if (interval_ != Interval::bootstrap) {
    estimate.ci95 = means::cluster_interval(sums, *estimate.mean);
  }
  return estimate;
}

ItemSummary evaluation::SummaryBuilder::finish() {
  ItemSummary summary;
  if (interval_ == Interval::none) {
    summary = summarize_independent(counts_);
    for (std::size_t k = 0; k < own_.size(); ++k)
      summary.own.push_back(independent_estimate(own_[k], counts_.items, own_rates_[k]));
    return summary;
  }
  summary.counts = counts_;
  for (means::ClusterSums& sums : sums_) sums.drop_empty();
  std::vector<std::optional<means::Bounds>> resampled(sums_.size());
  if (interval_ == Interval::bootstrap) resampled = means::bootstrap_intervals(sums_);
  for (const Metric m : MetricSet::all()) {
    const int position = index_of(m);
    summary.estimates[m] =
        estimate_of(position, counts_.metrics[m], is_rate(m), resampled[position]);
  }
  for (std::size_t k = 0; k < own_.size(); ++k) {
    const int position = metric_count + static_cast<int>(k);
    summary.own.push_back(estimate_of(position, own_[k], own_rates_[k], resampled[position]));
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
    summary.estimates[m] = independent_estimate(counts.metrics[m], counts.items, is_rate(m));
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
