#include "host/core/graph/search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "warpath/error.hpp"

namespace warpath::graph {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double max_buckets = 1024;
// Callbacks of a search: `improved(n, from)` before each new distance, `reached(n)` for a node of
// the current bucket, `is_done()` between two buckets.

struct Everything {
  void improved(Node, Node) {}
  void reached(Node) {}
  bool is_done() const { return false; }
};

struct Targets {
  std::vector<std::uint8_t>& is_target;
  std::vector<Node>& touched;
  std::size_t left;

  void improved(Node n, Node) { touched.push_back(n); }
  void reached(Node n) {
    left -= is_target[n];
    is_target[n] = 0;
  }
  bool is_done() const { return left == 0; }
};

struct PathTo {
  Node target;
  std::vector<Node>& touched;
  std::vector<Node> parent;
  bool found = false;

  void improved(Node n, Node from) {
    touched.push_back(n);
    parent[n] = from;
  }
  void reached(Node n) { found |= n == target; }
  bool is_done() const { return found; }
};

}  // namespace

WeightedGraph::WeightedGraph(const Scan& scan, Distance distance)
    : scan_(&scan), lattice_(distance == Distance::hops ? nullptr : scan.lattice()) {
  const std::vector<double> lengths = scan.edge_lengths(distance);
  arcs_.reserve(lengths.size());
  double sum = 0.0, longest = 0.0, shortest = infinity, apart = 0.0;
  first_.reserve(scan.size() + 1);
  for (Node n = 0; n < scan.size(); ++n) {
    first_.push_back(arcs_.size());
    for (const Node next : scan.neighbours(n)) {
      const double length = lengths[arcs_.size()];
      arcs_.push_back({length, next});
      sum += length;
      longest = std::max(longest, length);
      shortest = std::min(shortest, length);
      apart += std::abs(static_cast<double>(next) - static_cast<double>(n));
    }
  }
  first_.push_back(arcs_.size());
  const auto count = static_cast<double>(std::max<std::size_t>(arcs_.size(), 1));
  width_ = std::max(sum / count, longest / max_buckets);
  if (!arcs_.empty() && longest <= 2.0 * shortest) {
    width_ = shortest;  // no bucket is wider than an edge: then no node is processed twice
    is_grid_ = apart / count <= 4.0 * std::sqrt(static_cast<double>(scan.size()));
  }
  if (!(width_ > std::numeric_limits<double>::min())) width_ = 1.0;
  // One more for the current bucket, and one for the rounding of an index.
  count_ = std::bit_ceil(static_cast<std::size_t>(longest / width_) + 3);
}

std::unique_ptr<const WeightedGraph> WeightedGraph::reversed() const {
  std::unique_ptr<WeightedGraph> turned(new WeightedGraph(*scan_));
  turned->lattice_ = lattice_;
  turned->is_reversed_ = true;
  turned->is_grid_ = is_grid_;
  turned->width_ = width_;
  turned->count_ = count_;
  turned->first_.assign(size() + 1, 0);
  for (const Arc& arc : arcs_) ++turned->first_[arc.to + 1];
  for (Node n = 0; n < size(); ++n) turned->first_[n + 1] += turned->first_[n];
  turned->arcs_.resize(arcs_.size());
  std::vector<std::size_t> next = turned->first_;
  for (Node n = 0; n < size(); ++n) {
    for (const auto& [length, to] : arcs(n)) turned->arcs_[next[to]++] = {length, n};
  }
  return turned;
}

double WeightedGraph::edge(Node from, Node to) const {
  if (scan_->has_distances_only() && scan_->adjacent(from, to)) {
    return scan_->distances()[from * size() + to];
  }
  for (const Arc& arc : arcs(from)) {
    if (arc.to == to) return arc.length;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

void require_paths(const WeightedGraph& graph) {
  if (graph.lattice() == nullptr) return;
  throw InputError({{}, "scan " + graph.scan().id()},
                   "has distances by fast marching, which are of no way over cells",
                   "take --connect 8");
}

template <class Visitor>
void Search::run(const WeightedGraph& graph, Node source, double* distance, Visitor& visitor) {
  if (buckets_.size() < graph.bucket_count()) buckets_.resize(graph.bucket_count());
  const std::size_t mask = buckets_.size() - 1;
  const double per_width = 1.0 / graph.bucket_width();
  visitor.improved(source, source);
  distance[source] = 0.0;
  buckets_[0].emplace_back(0.0, source);
  std::size_t waiting = 1;
  for (std::size_t k = 0; waiting > 0 && !visitor.is_done(); ++k) {
    auto& bucket = buckets_[k & mask];
    for (std::size_t i = 0; i < bucket.size(); ++i) {  // the bucket may grow meanwhile
      const auto [d, node] = bucket[i];
      if (d > distance[node]) continue;
      visitor.reached(node);
      for (const auto& [length, next] : graph.arcs(node)) {
        const double candidate = d + length;
        if (candidate >= distance[next]) continue;
        visitor.improved(next, node);
        distance[next] = candidate;
        buckets_[static_cast<std::size_t>(candidate * per_width) & mask].emplace_back(candidate,
                                                                                      next);
        ++waiting;
      }
    }
    waiting -= bucket.size();
    bucket.clear();
  }
  if (waiting > 0) {
    for (auto& bucket : buckets_) bucket.clear();
  }
}

void Search::all(const WeightedGraph& graph, Node source, double* distance) {
  if (graph.lattice() != nullptr) {
    if (graph.is_reversed()) return marching_.all(*graph.lattice(), source, distance);
    for (Node n = 0; n < graph.size(); ++n) {
      marching_.to(*graph.lattice(), n, {&source, 1});
      distance[n] = marching_[source];
    }
    return;
  }
  Everything everything;
  run(graph, source, distance, everything);
}

void Search::forget() {
  for (const Node n : touched_) distance_[n] = infinity;
  touched_.clear();
}

void Search::to(const WeightedGraph& graph, Node source, std::span<const Node> targets) {
  forget();
  if (distance_.size() < graph.size()) distance_.resize(graph.size(), infinity);
  if (graph.lattice() != nullptr) return march(graph, source, targets);
  if (is_target_.size() < graph.size()) is_target_.resize(graph.size(), 0);
  Targets visitor{is_target_, touched_, 0};
  for (const Node n : targets) {
    visitor.left += is_target_[n] == 0;
    is_target_[n] = 1;
  }
  run(graph, source, distance_.data(), visitor);
  for (const Node n : targets) is_target_[n] = 0;  // clears targets that no path leads to
}

void Search::march(const WeightedGraph& graph, Node source, std::span<const Node> targets) {
  if (graph.is_reversed()) marching_.to(*graph.lattice(), source, targets);
  for (const Node n : targets) {
    if (distance_[n] < infinity) continue;  // a target twice
    if (!graph.is_reversed()) marching_.to(*graph.lattice(), n, {&source, 1});
    distance_[n] = marching_[graph.is_reversed() ? n : source];
    touched_.push_back(n);
  }
}

std::vector<Node> Search::path(const WeightedGraph& graph, Node from, Node to) {
  require_paths(graph);
  forget();
  if (distance_.size() < graph.size()) distance_.resize(graph.size(), infinity);
  PathTo visitor{to, touched_, std::vector<Node>(graph.size())};
  run(graph, from, distance_.data(), visitor);
  std::vector<Node> nodes;
  if (!visitor.found) return nodes;
  for (Node node = to; node != from; node = visitor.parent[node]) nodes.push_back(node);
  nodes.push_back(from);
  std::ranges::reverse(nodes);
  return nodes;
}

}  // namespace warpath::graph
