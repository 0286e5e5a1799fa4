#pragma once

#include <memory>
#include <span>
#include <vector>

#include "warpath/export.hpp"
#include "warpath/graph.hpp"

namespace warpath::graph {
class Search;
class WeightedGraph;
}  // namespace warpath::graph

namespace warpath {

/// Computes shortest-path distances on one scan in double precision: metres, or edges if the
/// distance is hops; +inf if there is no path. d(a, b) is the way from a to b. Lengths are summed
/// from the source of a row outwards, as Dijkstra's algorithm does, so d(a, b) and d(b, a) can
/// differ in the last bit in any scan; in a directed scan they are lengths of different paths. The
/// ready distances of a scan are taken as they are, in metres; those of a marched scan are marched
/// from the viewpoint that they lead to.
///
/// A row (the distances from one viewpoint, or to one) is computed when it is first asked for and
/// kept until `clear`: size() doubles each. One thread at a time may use an object, except for rows
/// that `make_rows` and `make_rows_to` have made.
class WARPATH_EXPORT Distances {
 public:
  /// @param scan must outlive the object.
  /// @throws InputError for an edge without a length under `distance`, or, if that is hops, for a
  ///   scan that has ready distances and no edges to count.
  Distances(const Scan& scan, Distance distance);
  Distances(Distances&&) noexcept;
  Distances& operator=(Distances&&) noexcept;
  ~Distances();

  const Scan& scan() const { return *scan_; }
  const graph::WeightedGraph& graph() const { return *graph_; }
  /// Returns graph() with every edge turned around, for distances to a viewpoint: graph() itself
  /// unless the scan is directed.
  const graph::WeightedGraph& reversed_graph() const { return reversed_ ? *reversed_ : *graph_; }
  /// Tells whether distances are found by searches, not ready in the scan.
  bool are_searched() const { return ready_.empty(); }

  /// Returns d(source, n) for every viewpoint n: `scan().size()` values, valid until `clear`. On a
  /// marched scan the first row takes a march from each viewpoint; row_to takes one.
  std::span<const double> row(Node source);
  /// Returns d(n, target) for every viewpoint n, summed from the target outwards: `row(target)`
  /// itself unless the scan is directed.
  std::span<const double> row_to(Node target);

  /// Computes the rows of these viewpoints on all cores. Until `clear`, several threads at once may
  /// then read them, by `row(source)` or `between(source, …)`.
  void make_rows(std::span<const Node> sources);
  /// Does the same for `row_to(target)`.
  void make_rows_to(std::span<const Node> targets);

  /// Returns d(from, to), with the same bits as `row(from)[to]`. On a scan of more than 1,024
  /// viewpoints that does not have the row yet, the search stops at `to`, so the distance between
  /// neighbours costs almost nothing.
  double between(Node from, Node to);

  /// Returns the length of the edge from one viewpoint to another, or NaN if none leads there.
  double edge(Node from, Node to) const;

  /// Finds a shortest path. Returns its viewpoints, both ends included; empty if there is no path.
  /// @throws InputError on a marched scan, whose distances are of no path
  std::vector<Node> path(Node from, Node to);

  /// Returns the bytes that the rows take.
  std::size_t bytes() const { return rows_made_ * scan_->size() * sizeof(double); }
  /// Forgets all rows.
  void clear();

 private:
  using Rows = std::vector<std::unique_ptr<double[]>>;

  std::unique_ptr<double[]> new_row(const graph::WeightedGraph& graph, Node source,
                                    graph::Search& search) const;
  std::span<const double> row_of(const graph::WeightedGraph& graph, Rows& rows, Node source);
  void make_rows(const graph::WeightedGraph& graph, Rows& rows, std::span<const Node> sources);

  const Scan* scan_;
  std::span<const double> ready_;  // the scan's, if they are taken
  std::unique_ptr<const graph::WeightedGraph> graph_;
  std::unique_ptr<const graph::WeightedGraph> reversed_;  // of a directed scan
  std::unique_ptr<graph::Search> search_;
  Rows rows_, rows_to_;                // rows_to_: of a directed scan
  std::vector<double> ready_columns_;  // ready_ of a directed scan, one column after the other
  std::size_t rows_made_ = 0;
};

}  // namespace warpath
