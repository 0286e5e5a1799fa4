#pragma once

#include <cstddef>
#include <span>

#include "host/checks/random.hpp"
#include "host/program/synthetic/study.hpp"
#include "warpath/distances.hpp"

namespace warpath::synthetic {

/// Draws paths on a scan, which and whose random numbers outlive it.
class StudyWalker {
 public:
  StudyWalker(const Scan& scan, checks::Random& random);

  /// Draws a path from a random node: 2 to 5 times a node that is two or three edges away, joined
  /// by shortest paths in metres.
  /// @throws UsageError if no node is two or three edges away.
  Path through_waypoints();

  /// Draws such a path from a node.
  Path through_waypoints_from(Node start);

  Path shortest(Node from, Node to) { return metres_.path(from, to); }

  /// Follows the reference, but may step to any neighbour instead; the step after that returns to
  /// the reference at its next viewpoint. So the path may end beside the goal.
  Path noisy(const Path& reference);

  Path random(Node start, std::size_t steps);

  /// Returns the length of the shortest path, metres.
  double between(Node from, Node to) { return metres_.row(from)[to]; }

 private:
  std::size_t draw_moves();
  Path through(Node start, std::size_t moves);
  void go(Path& path, Node to);
  Node neighbour(Node node) { return pick(scan_.neighbours(node)); }
  Node waypoint(Node from);
  Node pick(std::span<const Node> nodes) { return nodes[random_.below(nodes.size())]; }

  const Scan& scan_;
  checks::Random& random_;
  Distances hops_, metres_;
};

}  // namespace warpath::synthetic
