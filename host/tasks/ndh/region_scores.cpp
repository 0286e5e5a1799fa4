#include "host/tasks/ndh/region_scores.hpp"

#include <algorithm>
#include <limits>

namespace warpath {

MetricSet region_metrics(const Inputs& inputs) {
  MetricSet metrics;
  for (const Item& item : inputs.dataset.items) {
    if (item.goals) metrics.insert(Metric::OGP);
    if (item.planner_goal) metrics.insert(Metric::OPE).insert(Metric::OPSR);
  }
  return metrics;
}

void score_region(const TaskPair& one) {
  const GoalPair& pair = one.pair;
  if (!pair.goals.empty()) {
    const double start = pair.to_goals(pair.query.front());
    double nearest = std::numeric_limits<double>::infinity();
    for (const Node node : pair.query) nearest = std::min(nearest, pair.to_goals(node));
    one.set(Metric::GP, start - pair.to_goals(pair.query.back()));
    one.set(Metric::OGP, start - nearest);
  }
  if (pair.item.planner_goal) {
    const Node goal = one.pairs.find(one.k, *pair.item.planner_goal, "planner_path");
    const double error = pair.from_query(goal);
    one.set(Metric::OPE, error);
    one.set(Metric::OPSR, within(error, one.convention.oracle, one.convention.threshold));
  }
}

}  // namespace warpath
