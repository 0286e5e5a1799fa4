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

/// A viewpoint's dense index within its scan.
using Node = std::uint32_t;

/// An undirected edge; `weight` in metres, or absent to take the Euclidean length.
struct Edge {
  Node from, to;
  std::optional<double> weight{};
};

/// The navigation graph of one building.
class WARPATH_EXPORT Scan {
 public:
  /// @param positions metres, one per viewpoint, z up; or none at all: then positions() are zeros,
  ///   and edges without a weight have a length in hops only.
  /// @pre edges name viewpoints by index; each pair once; weights finite and >= 0.
  Scan(std::string id, std::vector<std::string> viewpoints,
       std::vector<std::array<double, 3>> positions, std::span<const Edge> edges);

  // The index has views into the ids, which survive a move but not a copy.
  Scan(const Scan&) = delete;
  Scan& operator=(const Scan&) = delete;
  Scan(Scan&&) = default;
  Scan& operator=(Scan&&) = default;

  const std::string& id() const { return id_; }
  std::size_t size() const { return viewpoints_.size(); }
  std::size_t edge_count() const { return neighbours_.size() / 2; }
  const std::string& viewpoint(Node n) const { return viewpoints_[n]; }
  std::span<const std::array<double, 3>> positions() const { return positions_; }

  /// The index of a viewpoint id, or nothing where this scan has no such viewpoint.
  std::optional<Node> find(std::string_view viewpoint) const;

  std::span<const Node> neighbours(Node n) const;
  bool adjacent(Node a, Node b) const;
  /// Lengths of the edges to `neighbours(n)` for all n in turn, `2 * edge_count()` values.
  /// @throws InputError for an edge that has neither a weight nor positions at its ends.
  std::vector<double> edge_lengths(Distance distance) const;
  std::size_t first_edge(Node n) const { return first_edge_[n]; }

  /// Viewpoints without any edge; accepted, but no distance leads to or from them.
  std::vector<Node> isolated() const;

 private:
  std::string id_;
  std::vector<std::string> viewpoints_;
  std::vector<std::array<double, 3>> positions_;
  bool has_positions_;
  std::vector<std::size_t> first_edge_;  // CSR, size() + 1
  std::vector<Node> neighbours_;
  std::vector<double> given_weight_;                  // NaN where the Euclidean length counts
  std::unordered_map<std::string_view, Node> index_;  // views into viewpoints_
};

}  // namespace warpath
