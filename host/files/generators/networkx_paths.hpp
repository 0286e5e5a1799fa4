#pragma once

#include <optional>
#include <span>
#include <vector>

#include "host/core/graph/search.hpp"
#include "warpath/distances.hpp"

namespace warpath::generators {

/// Finds shortest paths as networkx's Dijkstra does: among equally long paths to a viewpoint it
/// keeps the one whose last step leaves the viewpoint that was settled first, and viewpoints are
/// settled by distance, then in the order in which they were reached. One thread at a time may use
/// an object.
class NetworkxPaths {
 public:
  /// @param distances must outlive the object.
  explicit NetworkxPaths(Distances& distances) : distances_(distances) {}

  /// Appends the viewpoints of a shortest path, both ends included.
  /// @pre a path leads there: d(from, to) is finite.
  void append(Node from, Node to, std::vector<Node>& path);

 private:
  std::optional<Node> only_parent(std::span<const double> distance, Node n) const;
  const std::vector<Node>& parents_from(Node source);

  Distances& distances_;
  std::optional<Node> source_;  // of parents_
  std::vector<Node> parents_;
};

}  // namespace warpath::generators
