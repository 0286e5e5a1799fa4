#include <algorithm>
#include <cmath>
#include <optional>

#include "host/files/evaluation/item_summary.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace {

// Returns the standard deviation of the means of runs, by n − 1. A run without a mean leaves none.
std::optional<double> deviation_of(const std::vector<std::optional<double>>& means) {
  double sum = 0.0;
  for (const std::optional<double>& mean : means) {
    if (!mean) return std::nullopt;
    sum += *mean;
  }
  const double centre = sum / static_cast<double>(means.size());
  double squares = 0.0;
  for (const std::optional<double>& mean : means) {
    const double difference = *mean - centre;
    squares += difference * difference;
  }
  return std::sqrt(squares / static_cast<double>(means.size() - 1));
}

void summarize(const std::vector<AgentResult>& results, const Convention& convention,
               Interval interval, RunGroup& group) {
  evaluation::SummaryBuilder summary(convention, interval);
  for (const std::size_t r : group.runs) summary.add(results[r], evaluation::all_rows(results[r]));
  group.summary = summary.finish();
  const auto deviation = [&](const auto& estimate_in) {
    std::vector<std::optional<double>> means;
    for (const std::size_t r : group.runs) means.push_back(estimate_in(results[r].summary).mean);
    return deviation_of(means);
  };
  for (const Metric m : MetricSet::all())
    group.deviations[m] = deviation([m](const ItemSummary& of_run) { return of_run.of(m); });
  for (std::size_t k = 0; k < group.summary.own.size(); ++k)
    group.own_deviations.push_back(
        deviation([k](const ItemSummary& of_run) { return of_run.own[k]; }));
}

}  // namespace

std::vector<RunGroup> group_runs(const std::vector<AgentResult>& results,
                                 const Convention& convention, Interval interval) {
  std::vector<RunGroup> groups;
  for (std::size_t r = 0; r < results.size(); ++r) {
    if (results[r].run_of.empty()) continue;
    const auto found = std::ranges::find_if(groups, [&](const RunGroup& group) {
      return group.agent == results[r].run_of && group.reference == results[r].reference;
    });
    if (found == groups.end())
      groups.push_back({results[r].run_of, results[r].reference, {r}, {}, {}});
    else
      found->runs.push_back(r);
  }
  if (!groups.empty() && interval == Interval::none)
    throw UsageError(
        "intervals that take every item by itself are not of several runs, whose "
        "items are the same: choose path, scan or bootstrap");
  for (RunGroup& group : groups) summarize(results, convention, interval, group);
  return groups;
}

}  // namespace warpath
