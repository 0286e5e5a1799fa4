#pragma once

#include <memory>
#include <span>
#include <vector>

#include "warpath/export.hpp"
#include "warpath/graph.hpp"

namespace warpath {

class Search;
class WeightedGraph;

/// Shortest-path distances on one scan, in double, summed from the source outwards as Dijkstra
/// does; +inf where no path leads. Rows are made when first asked for and kept until `clear`.
/// Not for use by several threads at once, but for the rows of `make_rows`.
class WARPATH_EXPORT Distances {
 public:
  Distances(const Scan& scan, Distance distance);
  Distances(Distances&&) noexcept;
  Distances& operator=(Distances&&) noexcept;
  ~Distances();

  const Scan& scan() const { return *scan_; }
  const WeightedGraph& graph() const { return *graph_; }

  /// d(source, n) for every viewpoint n; valid until `clear`.
  std::span<const double> row(Node source);

  /// Makes rows on all cores. Afterwards, and until `clear`, several threads at once may ask for
  /// them: by `row`, or by `between` from their sources.
  void make_rows(std::span<const Node> sources);

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
  std::unique_ptr<double[]> new_row(Node source, Search& search) const;

  const Scan* scan_;
  std::unique_ptr<const WeightedGraph> graph_;
  std::unique_ptr<Search> search_;
  std::vector<std::unique_ptr<double[]>> rows_;
  std::size_t rows_made_ = 0;
};

}  // namespace warpath
