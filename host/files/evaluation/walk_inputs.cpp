#include "host/files/evaluation/walk_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "host/files/evaluation/dataset_paths.hpp"
#include "warpath/distances.hpp"
#include "warpath/error.hpp"

namespace warpath::evaluation {
namespace {

constexpr std::uint32_t no_component = std::numeric_limits<std::uint32_t>::max();

// Returns the number of the connected component of each viewpoint.
std::vector<std::uint32_t> components_of(const Scan& scan) {
  std::vector<std::uint32_t> component(scan.size(), no_component);
  std::vector<Node> open;
  for (Node first = 0; first < scan.size(); ++first) {
    if (component[first] != no_component) continue;
    component[first] = first;
    open.push_back(first);
    while (!open.empty()) {
      const Node at = open.back();
      open.pop_back();
      for (const Node next : scan.neighbours(at)) {
        if (component[next] != no_component) continue;
        component[next] = first;
        open.push_back(next);
      }
    }
  }
  return component;
}

// Tells whether each step of a path leads somewhere in a directed scan.
bool is_walkable(std::span<const Node> path, Distances& hops) {
  for (std::size_t k = 1; k < path.size(); ++k) {
    if (std::isinf(hops.between(path[k - 1], path[k]))) return false;
  }
  return true;
}

class WalkCollector {
 public:
  WalkCollector(Inputs& inputs, bool may_move)
      : inputs_(inputs),
        paths_(inputs.dataset, inputs.graphs, inputs.viewpoints),
        may_move_(may_move) {}

  WalkReferences collect() {
    const formats::Dataset& dataset = inputs_.dataset;
    for (const std::string& scan : dataset.scans) out_.scans.push_back(&inputs_.graphs.scan(scan));
    std::vector<std::uint8_t> is_known(dataset.references.size());
    for (std::uint32_t i = 0; i < dataset.items.size(); ++i) {
      const formats::Item& item = dataset.items[i];
      std::uint8_t& known = is_known[item.reference];
      const bool is_new = dataset.task->lists_instructions ? item.instruction == 0 : known == 0;
      if (is_new) add(i);
      known = 1;
    }
    return std::move(out_);
  }

 private:
  void add(std::uint32_t number) {
    const formats::Item& item = inputs_.dataset.items[number];
    const Scan& scan = *out_.scans[item.scan];
    const std::vector<Node> reference = paths_.reference(item);
    const Node start = reference.front();
    if (may_move_ && scan.neighbours(start).empty()) {
      throw InputError({inputs_.dataset.file, item.id, "reference"},
                       fmt::format("begins at the viewpoint {}, which has no neighbour, so no walk "
                                   "can leave it",
                                   scan.viewpoint(start)),
                       "leave the item out, or name graphs that join the viewpoint");
    }
    out_.paths.elements.insert(out_.paths.elements.end(), reference.begin(), reference.end());
    out_.paths.end_path();
    out_.scan_of.push_back(item.scan);
    out_.item_of.push_back(number);
  }

  Inputs& inputs_;
  DatasetPaths paths_;
  const bool may_move_;
  WalkReferences out_;
};

}  // namespace

StepCounts count_steps(const formats::Dataset& dataset) {
  StepCounts steps;
  for (const formats::Item& item : dataset.items) {
    const std::uint64_t viewpoints = dataset.references.size_of(item.reference);
    const InputError::Where where{dataset.file, item.id, "reference"};
    if (viewpoints == 0) throw InputError(where, "is empty", "repair the dataset");
    if (viewpoints - 1 > max_walk_steps) {
      throw InputError(where, fmt::format("has {} edges", viewpoints - 1),
                       fmt::format("a walk takes at most {} steps", max_walk_steps));
    }
    ++steps[static_cast<std::uint32_t>(viewpoints - 1)];
  }
  if (steps.size() == 1 && steps.contains(0)) {
    throw InputError({dataset.file},
                     "every reference has one viewpoint, so there are no steps to count: is it a "
                     "test split?",
                     "name another split, or say --steps N");
  }
  return steps;
}

WalkReferences collect_references(Inputs& inputs, bool may_move) {
  return WalkCollector(inputs, may_move).collect();
}

std::vector<std::uint32_t> unreachable_paths(const WalkReferences& references) {
  std::vector<std::vector<std::uint32_t>> components(references.scans.size());
  std::map<std::uint32_t, Distances> hops;  // of directed scans
  std::vector<std::uint32_t> unreachable;
  for (std::uint32_t p = 0; p < references.paths.size(); ++p) {
    const std::uint32_t s = references.scan_of[p];
    const Scan& scan = *references.scans[s];
    const auto path = references.paths[p];
    if (scan.is_directed()) {
      auto it = hops.find(s);
      if (it == hops.end()) it = hops.try_emplace(s, scan, Distance::hops).first;
      if (!is_walkable(path, it->second)) unreachable.push_back(p);
      continue;
    }
    std::vector<std::uint32_t>& component = components[s];
    if (component.empty()) component = components_of(scan);
    const bool is_joined = std::ranges::all_of(
        path, [&](Node node) { return component[node] == component[path.front()]; });
    if (!is_joined) unreachable.push_back(p);
  }
  return unreachable;
}

}  // namespace warpath::evaluation
