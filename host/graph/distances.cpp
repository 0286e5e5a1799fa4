#include "warpath/distances.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace warpath {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Node no_target = std::numeric_limits<Node>::max();
// Up to this size one row costs less than keeping count of what a bounded search touched.
constexpr std::size_t small_scan = 1024;

}  // namespace

Distances::Distances(const Scan& scan, Distance distance)
    : scan_(&scan), edge_length_(scan.edge_lengths(distance)), rows_(scan.size()), parent_(scan.size()) {}

// Dijkstra with a binary heap, stale entries skipped. `distance` holds +inf everywhere on entry;
// `touched_` lists what was written.
void Distances::search(Node source, Node target, double* distance) {
  heap_.clear();
  touched_.assign(1, source);
  distance[source] = 0.0;
  heap_.emplace_back(0.0, source);
  while (!heap_.empty()) {
    std::ranges::pop_heap(heap_, std::greater<>{});
    const auto [d, node] = heap_.back();
    heap_.pop_back();
    if (node == target) return;
    if (d > distance[node]) continue;
    std::size_t e = scan_->first_edge(node);
    for (const Node next : scan_->neighbours(node)) {
      const double candidate = d + edge_length_[e++];
      if (candidate >= distance[next]) continue;
      if (distance[next] == infinity) touched_.push_back(next);
      distance[next] = candidate;
      parent_[next] = node;
      heap_.emplace_back(candidate, next);
      std::ranges::push_heap(heap_, std::greater<>{});
    }
  }
}

std::span<const double> Distances::row(Node source) {
  auto& row = rows_[source];
  if (!row) {
    row = std::make_unique_for_overwrite<double[]>(scan_->size());
    std::fill_n(row.get(), scan_->size(), infinity);
    search(source, no_target, row.get());
    ++rows_made_;
  }
  return {row.get(), scan_->size()};
}

double Distances::between(Node from, Node to) {
  if (rows_[from] || scan_->size() <= small_scan) return row(from)[to];
  scratch_.resize(scan_->size(), infinity);
  search(from, to, scratch_.data());
  const double d = scratch_[to];
  for (const Node n : touched_) scratch_[n] = infinity;
  return d;
}

double Distances::edge(Node from, Node to) const {
  std::size_t e = scan_->first_edge(from);
  for (const Node next : scan_->neighbours(from)) {
    if (next == to) return edge_length_[e];
    ++e;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

std::vector<Node> Distances::path(Node from, Node to) {
  scratch_.resize(scan_->size(), infinity);
  search(from, to, scratch_.data());
  std::vector<Node> nodes;
  if (scratch_[to] != infinity) {
    for (Node node = to; node != from; node = parent_[node]) nodes.push_back(node);
    nodes.push_back(from);
    std::ranges::reverse(nodes);
  }
  for (const Node n : touched_) scratch_[n] = infinity;
  return nodes;
}

void Distances::clear() {
  for (auto& row : rows_) row.reset();
  rows_made_ = 0;
}

}  // namespace warpath
