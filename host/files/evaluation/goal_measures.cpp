#include "host/files/evaluation/goal_measures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "warpath/error.hpp"

namespace warpath::evaluation {

bool GoalPair::is_goal(Node node) const {
  return std::ranges::find(goals, node) != goals.end();
}

double GoalPair::to_goals(Node from) const {
  double nearest = std::numeric_limits<double>::infinity();
  for (const Node goal : goals) nearest = std::min(nearest, distances.between(from, goal));
  return nearest;
}

double GoalPair::from_query(Node to) const {
  double nearest = std::numeric_limits<double>::infinity();
  for (const Node node : query) nearest = std::min(nearest, distances.between(node, to));
  return nearest;
}

GoalPairs::GoalPairs(const Inputs& inputs, const PackedRun& run, Distance distance)
    : inputs_(inputs), run_(run), distance_(distance), distances_(run.batch.scans.size()) {}

Distances& GoalPairs::distances_of(std::uint32_t scan) {
  std::unique_ptr<Distances>& distances = distances_[scan];
  if (distances == nullptr) {
    distances = std::make_unique<Distances>(*run_.batch.scans[scan], distance_);
  }
  return *distances;
}

GoalPair GoalPairs::pair(std::size_t k) {
  const Pair& pair = run_.batch.pairs[k];
  const formats::Item& item = inputs_.dataset.items[run_.sources[k].item];
  GoalPair found{item,
                 run_.batch.references[pair.reference],
                 run_.batch.queries[pair.query],
                 {},
                 distances_of(pair.scan)};
  if (!item.goals) return found;
  const char* field = inputs_.dataset.task->goals_key;
  const Scan& scan = *run_.batch.scans[pair.scan];
  for (const formats::Token goal : inputs_.dataset.goals[*item.goals]) {
    // Boxes may be of viewpoints that the graph leaves out, where nobody can be.
    if (inputs_.objects && !scan.find(inputs_.viewpoints[goal])) continue;
    found.goals.push_back(find(k, goal, field));
  }
  return found;
}

const formats::HeadingLinks* GoalPairs::heading_links(std::size_t k) const {
  const formats::Item& item = inputs_.dataset.items[run_.sources[k].item];
  return inputs_.graphs.heading_links(inputs_.dataset.scans[item.scan]);
}

Node GoalPairs::find(std::size_t k, formats::Token viewpoint, const char* what) {
  const Scan& scan = *run_.batch.scans[run_.batch.pairs[k].scan];
  const std::string_view name = inputs_.viewpoints[viewpoint];
  if (const auto node = scan.find(name)) return *node;
  const formats::Item& item = inputs_.dataset.items[run_.sources[k].item];
  throw InputError({inputs_.dataset.file, item.id, what},
                   fmt::format("names the viewpoint {}, which the graph of its scan has not", name),
                   "check the graph folder, or repair the dataset");
}

}  // namespace warpath::evaluation
