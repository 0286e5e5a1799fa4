#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "warpath/graph.hpp"

namespace warpath {

/// A scan's edges with their lengths, as a search reads them. Several threads may read it.
class WeightedGraph {
 public:
  struct Arc {
    double length;
    Node to;
  };

  WeightedGraph(const Scan& scan, Distance distance);

  const Scan& scan() const { return *scan_; }
  std::size_t size() const { return scan_->size(); }
  std::span<const Arc> arcs(Node n) const {
    const std::size_t first = scan_->first_edge(n);
    return {arcs_.data() + first, scan_->first_edge(n + 1) - first};
  }
  /// Length of the edge from-to; NaN where the two are not adjacent.
  double edge(Node from, Node to) const;

  /// Mean length of an edge, or more: see Search.
  double bucket_width() const { return width_; }
  /// More buckets than any edge spans, a power of 2.
  std::size_t bucket_count() const { return count_; }

 private:
  const Scan* scan_;
  std::vector<Arc> arcs_;
  double width_;
  std::size_t count_;
};

/// Shortest-path searches; one object per thread. Nodes wait in buckets by distance, each the mean
/// edge wide: a bucket is worked off in the order in which nodes came, again where a node came
/// nearer, and then all of its distances are final. That is faster than a heap, and ends in the
/// same bits: each distance is the least sum of lengths, added from the source outwards, over all
/// paths.
class Search {
 public:
  /// Writes d(source, n) for every node n. @pre `distance` is +inf everywhere.
  void all(const WeightedGraph& graph, Node source, double* distance);

  /// Searches until the distances of all targets are final; they are read by operator[] until
  /// the next search.
  void to(const WeightedGraph& graph, Node source, std::span<const Node> targets);
  double operator[](Node n) const { return distance_[n]; }

  /// The nodes of a shortest path, both ends included; empty where none leads.
  std::vector<Node> path(const WeightedGraph& graph, Node from, Node to);

 private:
  template <class Visitor>
  void run(const WeightedGraph& graph, Node source, double* distance, Visitor& visitor);
  void forget();

  std::vector<std::vector<std::pair<double, Node>>> buckets_;
  std::vector<double> distance_;  // +inf but for touched_
  std::vector<Node> touched_;     // by the last search, more than once perhaps
  std::vector<std::uint8_t> is_target_;
};

}  // namespace warpath
