#pragma once

#include <memory>
#include <span>
#include <vector>

#include "warpath/graph.hpp"

namespace warpath {

/// Shortest-path distances on one scan, in double, summed from the source outwards as Dijkstra
/// does; +inf where no path leads. Rows are made when first asked for and kept until `clear`.
/// Not for use by several threads at once.
class Distances {
 public:
  Distances(const Scan& scan, Distance distance);

  const Scan& scan() const { return *scan_; }

  /// d(source, n) for every viewpoint n; valid until `clear`.
  std::span<const double> row(Node source);

  /// d(from, to): the same bits as `row(from)[to]`. On a large graph without that row the search
  /// stops at `to`, so a step between neighbours costs next to nothing.
  double between(Node from, Node to);

  /// Length of the edge from-to; NaN where the two are not adjacent.
  double edge(Node from, Node to) const;

  /// The viewpoints of a shortest path, both ends included; empty where none leads.
  std::vector<Node> path(Node from, Node to);

  std::size_t bytes() const { return rows_made_ * scan_->size() * sizeof(double); }
  void clear();  ///< forgets all rows

 private:
  void search(Node source, Node target, double* distance);

  const Scan* scan_;
  std::vector<double> edge_length_;
  std::vector<std::unique_ptr<double[]>> rows_;
  std::vector<Node> parent_;  // on the last search's shortest paths, towards its source
  std::vector<double> scratch_;
  std::vector<std::pair<double, Node>> heap_;
  std::vector<Node> touched_;
  std::size_t rows_made_ = 0;
};

}  // namespace warpath
