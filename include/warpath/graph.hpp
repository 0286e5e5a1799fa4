#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "warpath/convention.hpp"
#include "warpath/export.hpp"

namespace warpath {

/// Index of a viewpoint in its scan: 0 … `Scan::size()` − 1.
using Node = std::uint32_t;

/// Connects two viewpoints: in both directions, or in a directed scan from `from` to `to` only.
struct Edge {
  Node from, to;
  std::optional<double> weight{};  ///< metres; absent: the Euclidean distance of the positions
};

/// Joins viewpoints on a square lattice, such as the cells of a flat grid.
struct Lattice {
  static constexpr Node none = ~Node{0};

  double spacing = 0.0;  ///< between neighbours, metres
  /// By viewpoint: the neighbours in the row before it and in the row behind, then in the column
  /// before it and in the column behind; `none` where there is none.
  std::vector<std::array<Node, 4>> neighbours{};
};

/// The navigation graph of one building: viewpoint ids, positions and edges. A scan may have
/// *ready distances*, which are then taken in place of the lengths of shortest paths. If it has
/// them and no edges, any two viewpoints at a finite distance are adjacent.
///
/// In a directed scan an edge leads one way, so d(a, b), the way from a to b, may differ from d(b,
/// a), and either may be +inf alone. All others are the same in both directions. Metrics measure as
/// a walker goes: along the path's steps, and from the query's viewpoints to the reference's.
///
/// A *marched* scan is a directed one on a lattice. Its distances are no lengths of paths: d(a, b)
/// is the value at a of scikit-fmm's second-order fast marching from b. Its edges join neighbours
/// on the lattice; distances in hops are counted along them.
///
/// A scan does not change after its construction, so any number of threads may read it. It can be
/// moved but not copied. Batches refer to scans by pointer: a scan must outlive them and must not
/// be moved meanwhile.
class WARPATH_EXPORT Scan {
 public:
  /// Builds the graph.
  /// @param viewpoints distinct ids; the position in this list is the `Node`.
  /// @param positions metres, z up, one per viewpoint; or empty: then positions() are zeros, and
  ///   edges without a weight have a length in hops only.
  /// @param edges each pair of viewpoints at most once; in a directed scan, once in each direction.
  /// @pre Edges name existing viewpoints and join different ones; weights are finite and >= 0.
  ///   (Readers of files see to it: they refuse an edge from a viewpoint to itself, and do not read
  ///   the diagonal of connectivity files.)
  Scan(std::string id, std::vector<std::string> viewpoints,
       std::vector<std::array<double, 3>> positions, std::span<const Edge> edges);
  /// Builds a scan with ready distances. (GraphStore::add checks what it is given.)
  /// @param distances [size()][size()], metres, from the row's viewpoint to the column's; +inf:
  ///   there is no path. An edge without a weight is as long as the distance of its ends.
  ///   If the two directions of any differ by more than 1e-6 m, or in whether there is a path, the
  ///   scan is directed, and each edge that leads both ways counts as two. Empty: there are none.
  /// @param is_directed edges lead from `from` to `to` only
  /// @pre 0 on the diagonal, nowhere NaN or negative
  Scan(std::string id, std::vector<std::string> viewpoints,
       std::vector<std::array<double, 3>> positions, std::span<const Edge> edges,
       std::vector<double> distances, bool is_directed = false);

  /// Builds a marched scan.
  /// @param positions as above
  /// @pre the lattice has neighbours for each viewpoint, and a spacing above 0. The neighbours are
  ///   viewpoints, and neighbours in turn: the one in the row behind has this one in the row before
  ///   it.
  static Scan marched(std::string id, std::vector<std::string> viewpoints,
                      std::vector<std::array<double, 3>> positions, Lattice lattice);

  // The index has views into the ids, which survive a move but not a copy.
  Scan(const Scan&) = delete;
  Scan& operator=(const Scan&) = delete;
  Scan(Scan&&) = default;
  Scan& operator=(Scan&&) = default;

  const std::string& id() const { return id_; }
  /// Returns the number of viewpoints.
  std::size_t size() const { return viewpoints_.size(); }
  /// Tells whether distances and edges may differ by direction.
  bool is_directed() const { return is_directed_; }
  /// Returns the number of edges, each counted once; of a directed scan, in each direction.
  std::size_t edge_count() const { return neighbours_.size() / (is_directed_ ? 1 : 2); }
  /// Returns the id of a viewpoint. @pre n < size()
  const std::string& viewpoint(Node n) const { return viewpoints_[n]; }
  /// Returns the positions in metres, one per viewpoint.
  std::span<const std::array<double, 3>> positions() const { return positions_; }
  /// Tells whether positions were given.
  bool has_positions() const { return has_positions_; }

  /// Finds a viewpoint by its id; returns nothing if the scan has no such viewpoint.
  std::optional<Node> find(std::string_view viewpoint) const;

  /// Returns the viewpoints to which an edge leads from n; none if there are ready distances only.
  /// @pre n < size()
  std::span<const Node> neighbours(Node n) const;
  /// Returns the ready distances, [size()][size()]; empty: they are the lengths of shortest paths.
  std::span<const double> distances() const { return distances_; }
  /// Returns the lattice of a marched scan; null: it is none.
  const Lattice* lattice() const { return lattice_ ? &*lattice_ : nullptr; }
  /// Tells whether the scan has ready distances and no edges.
  bool has_distances_only() const { return !distances_.empty() && neighbours_.empty(); }

  /// Tells whether an edge leads from a to b, or, without edges, whether their ready distance is
  /// finite. @pre a, b < size()
  bool adjacent(Node a, Node b) const;
  /// Computes the lengths of the edges to `neighbours(n)`, for all n one after the other: `2 *
  /// edge_count()` values, or `edge_count()` of a directed scan, in metres, or 1 each if `distance`
  /// is hops.
  /// @throws InputError for an edge that has neither a weight nor positions at its ends, and for
  ///   hops where there are ready distances and no edges.
  std::vector<double> edge_lengths(Distance distance) const;
  /// Returns where the edges of n begin in the result of `edge_lengths`. @pre n < size()
  std::size_t first_edge(Node n) const { return first_edge_[n]; }

  /// Lists the viewpoints that are adjacent to none, in either direction. They are accepted, but no
  /// path leads to or from them.
  std::vector<Node> isolated() const;

 private:
  std::string id_;
  std::vector<std::string> viewpoints_;
  std::vector<std::array<double, 3>> positions_;
  bool has_positions_, is_directed_;
  std::vector<std::size_t> first_edge_;  // CSR, size() + 1
  std::vector<Node> neighbours_;
  std::vector<double> given_weight_;  // NaN if the Euclidean length is used
  std::vector<double> distances_;
  std::optional<Lattice> lattice_;
  std::unordered_map<std::string_view, Node> index_;  // views into viewpoints_
};

}  // namespace warpath
