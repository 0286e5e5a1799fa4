#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "host/core/graph/fast_marching.hpp"
#include "warpath/graph.hpp"

namespace warpath::graph {

/// Stores a scan's edges and their lengths for searches. Several threads may read it.
class WeightedGraph {
 public:
  struct Arc {
    double length;
    Node to;
  };

  WeightedGraph(const Scan& scan, Distance distance);
  WeightedGraph(WeightedGraph&&) = delete;

  /// Returns the graph with every edge turned around.
  std::unique_ptr<const WeightedGraph> reversed() const;

  const Scan& scan() const { return *scan_; }
  std::size_t size() const { return scan_->size(); }
  std::span<const Arc> arcs(Node n) const {
    return {arcs_.data() + first_[n], first_[n + 1] - first_[n]};
  }
  /// Returns the length of an edge, or the ready distance of viewpoints that are adjacent without
  /// one; NaN if the two are not adjacent. @pre the graph is not reversed
  double edge(Node from, Node to) const;

  /// Returns the lattice on which distances are marched; null: they are lengths of paths.
  const Lattice* lattice() const { return lattice_; }
  /// Tells whether every edge is turned around.
  bool is_reversed() const { return is_reversed_; }

  /// Tells whether lengths are alike, and neighbours near in number, as those of a grid are that is
  /// numbered row by row.
  bool is_grid() const { return is_grid_; }
  /// Returns the mean length of an edge, or more; where lengths are alike, the shortest: see
  /// Search.
  double bucket_width() const { return width_; }
  /// Returns a power of 2 above the number of buckets that any edge spans.
  std::size_t bucket_count() const { return count_; }

 private:
  explicit WeightedGraph(const Scan& scan) : scan_(&scan) {}

  const Scan* scan_;
  const Lattice* lattice_ = nullptr;
  bool is_reversed_ = false, is_grid_ = false;
  std::vector<Arc> arcs_;
  std::vector<std::size_t> first_;  // by node: its arcs
  double width_;
  std::size_t count_;
};

/// Refuses a graph whose distances are of no path. @throws InputError on a lattice
void require_paths(const WeightedGraph& graph);

/// Finds shortest paths; one object per thread. Nodes wait in buckets by distance, each as wide as
/// the mean edge, or as the shortest on a grid. A bucket is processed in order of arrival, with
/// nodes processed again if they come nearer; then all its distances are final. This is faster than
/// a heap and gives the same bits: each distance is the minimum over all paths of the lengths
/// summed outwards from the source.
///
/// On a lattice the distance to a node is marched from that node. So a search of the reversed graph
/// is one march, and one of the graph itself is a march from each target.
class Search {
 public:
  /// Writes d(source, n) for every node n. @pre `distance` is +inf everywhere.
  void all(const WeightedGraph& graph, Node source, double* distance);

  /// Searches until the distances of all targets are final. operator[] returns them until the next
  /// search.
  void to(const WeightedGraph& graph, Node source, std::span<const Node> targets);
  double operator[](Node n) const { return distance_[n]; }

  /// Returns the nodes of a shortest path, both ends included; empty if there is none.
  /// @throws InputError on a lattice, whose distances are of no path
  std::vector<Node> path(const WeightedGraph& graph, Node from, Node to);

 private:
  template <class Visitor>
  void run(const WeightedGraph& graph, Node source, double* distance, Visitor& visitor);
  void forget();
  void march(const WeightedGraph& graph, Node source, std::span<const Node> targets);

  FastMarching marching_;
  std::vector<std::vector<std::pair<double, Node>>> buckets_;
  std::vector<double> distance_;  // +inf except for touched_
  std::vector<Node> touched_;     // by the last search; may contain duplicates
  std::vector<std::uint8_t> is_target_;
};

}  // namespace warpath::graph
