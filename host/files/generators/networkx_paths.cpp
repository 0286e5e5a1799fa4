#include "host/files/generators/networkx_paths.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>

namespace warpath::generators {

void NetworkxPaths::append(Node from, Node to, std::vector<Node>& path) {
  const std::span<const double> distance = distances_.row(from);
  const std::size_t begin = path.size();
  const std::vector<Node>* parents = nullptr;
  for (Node n = to; n != from;) {
    path.push_back(n);
    std::optional<Node> parent;
    // In a directed scan, the edges from n are not those that lead to it.
    const bool may_look_back = parents == nullptr && !distances_.scan().is_directed();
    if (may_look_back) parent = only_parent(distance, n);
    if (!parent) {
      // Equally long paths are rare, so the order in which they are found is derived on demand.
      parents = &parents_from(from);
      parent = (*parents)[n];
    }
    n = *parent;
  }
  path.push_back(from);
  std::reverse(path.begin() + static_cast<std::ptrdiff_t>(begin), path.end());
}

// Returns the viewpoint before n on all shortest paths to n; nothing if they differ in it.
std::optional<Node> NetworkxPaths::only_parent(std::span<const double> distance, Node n) const {
  std::optional<Node> parent;
  for (const auto& [length, other] : distances_.graph().arcs(n)) {
    if (distance[other] + length != distance[n]) continue;
    if (parent) return std::nullopt;
    parent = other;
  }
  return parent;
}

// Returns the viewpoint before each one on the path that networkx finds from `source`.
const std::vector<Node>& NetworkxPaths::parents_from(Node source) {
  if (source_ == source) return parents_;
  using Reached = std::tuple<double, std::size_t, Node>;  // distance, order of arrival
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> waiting;
  const std::size_t size = distances_.graph().size();
  std::vector<double> distance(size, std::numeric_limits<double>::infinity());
  std::vector<bool> is_settled(size);
  parents_.assign(size, source);
  source_ = source;
  distance[source] = 0.0;
  waiting.emplace(0.0, 0, source);
  for (std::size_t arrivals = 1; !waiting.empty();) {
    const Node node = std::get<Node>(waiting.top());
    waiting.pop();
    if (is_settled[node]) continue;
    is_settled[node] = true;
    for (const auto& [length, next] : distances_.graph().arcs(node)) {
      const double candidate = distance[node] + length;
      if (is_settled[next] || candidate >= distance[next]) continue;
      distance[next] = candidate;
      parents_[next] = node;
      waiting.emplace(candidate, arrivals++, next);
    }
  }
  return parents_;
}

}  // namespace warpath::generators
