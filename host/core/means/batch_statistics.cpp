#include "warpath/batch_statistics.hpp"

#include <algorithm>
#include <functional>

#include "warpath/error.hpp"

namespace warpath {

ItemStatistics::ItemStatistics() {
  for (const MetricInfo& m : metric_table()) {
    metrics[m.metric] = Statistics(m.unit);
  }
}

void ItemStatistics::count(Status status, std::uint8_t zero_rules, std::uint64_t of) {
  statuses[static_cast<std::size_t>(status)] += of;
  if (contains(zero_rules, ZeroByZero::SPL)) zero_spl += of;
  if (contains(zero_rules, ZeroByZero::LS)) zero_ls += of;
  if (contains(zero_rules, ZeroByZero::SED)) zero_sed += of;
}

void ItemStatistics::merge(const ItemStatistics& other) {
  items += other.items;
  for (const Metric m : MetricSet::all()) metrics[m].merge(other.metrics[m]);
  std::ranges::transform(statuses, other.statuses, statuses.begin(), std::plus<>());
  zero_spl += other.zero_spl;
  zero_ls += other.zero_ls;
  zero_sed += other.zero_sed;
}

BatchStatistics::BatchStatistics() {
  for (const MetricInfo& m : metric_table()) {
    histograms[m.metric] = Histogram(m.unit);
  }
}

void BatchStatistics::add(Metric metric, double value) {
  summary.metrics[metric].add(value);
  histograms[metric].add(value);
}

void BatchStatistics::add(const Scores& scores) {
  summary.items += scores.size();
  for (const MetricInfo& m : metric_table()) {
    for (const double v : scores.column[m.metric]) add(m.metric, v);
  }
  for (std::size_t row = 0; row < scores.size(); ++row) {
    summary.count(scores.status[row], scores.zero_rules[row]);
  }
}

void BatchStatistics::merge(const BatchStatistics& other) {
  if (precision == Precision::none) precision = other.precision;
  if (other.precision != Precision::none && other.precision != precision) {
    throw InputError({}, "statistics in single and in double precision cannot be merged",
                     "score all parts with the same back end");
  }
  summary.merge(other.summary);
  for (const Metric m : MetricSet::all()) histograms[m].merge(other.histograms[m]);
}

}  // namespace warpath
