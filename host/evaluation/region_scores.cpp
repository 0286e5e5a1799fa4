#include "host/evaluation/region_scores.hpp"

#include <algorithm>
#include <limits>

namespace warpath {

MetricSet region_metrics(const Dataset& dataset) {
  MetricSet metrics;
  for (const Item& item : dataset.items) {
    if (item.goals) metrics.insert(Metric::OGP);
    if (item.planner_goal) metrics.insert(Metric::OPE).insert(Metric::OPSR);
  }
  return metrics;
}

void score_region(const GoalPair& pair, GoalPairs& pairs, std::size_t k,
                  const Convention& convention, Scores& scores) {
  if (!pair.goals.empty()) {
    const double start = pair.to_goals(pair.query.front());
    double nearest = std::numeric_limits<double>::infinity();
    for (const Node node : pair.query) nearest = std::min(nearest, pair.to_goals(node));
    scores.at(Metric::GP, k) = start - pair.to_goals(pair.query.back());
    scores.at(Metric::OGP, k) = start - nearest;
  }
  if (pair.item.planner_goal) {
    const double error = pair.from_query(pairs.find(k, *pair.item.planner_goal, "planner_path"));
    scores.at(Metric::OPE, k) = error;
    scores.at(Metric::OPSR, k) = within(error, convention.oracle, convention.threshold);
  }
}

}  // namespace warpath
