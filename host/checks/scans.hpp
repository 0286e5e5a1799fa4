#pragma once

#include <string>
#include <vector>

#include "host/checks/random.hpp"
#include "warpath/graph.hpp"
#include "warpath/paths.hpp"

// Synthetic scans, and walks on them.

namespace warpath::checks {

/// Makes a connected random geometric graph over three floors.
Scan random_scan(Random& random, std::string id, std::size_t viewpoints);

/// Makes a connected random geometric graph on one floor, with about 4 neighbours per viewpoint and
/// 2.2 m per edge. Viewpoint ids have 32 hexadecimal digits, like Matterport's.
Scan level_scan(Random& random, std::string id, std::size_t viewpoints);

/// Makes a graph with the difficulties of real scans: viewpoints that coincide, and one in 20
/// isolated. @param reach viewpoints this close share an edge, metres
Scan adversarial_scan(Random& random, std::string id, std::size_t viewpoints, double reach = 3.0);

/// Returns a directed scan made from another: some of its edges lead one way, those of others have
/// a length of their own in each direction.
Scan make_directed(Random& random, const Scan& scan);

/// How a walk goes on.
struct WalkKind {
  double stay = 0.0;          ///< probability that a step stays where it is
  double jump = 0.0;          ///< probability that a step leads to any viewpoint
  bool may_turn_back = true;  ///< otherwise only where no other edge leads on
};

/// Returns a walk along edges, which stays where none leads on.
std::vector<Node> walk(Random& random, const Scan& scan, Node start, std::size_t nodes,
                       const WalkKind& kind = {});

/// Appends a path and returns its number.
template <class T, class Path>
std::uint32_t add_path(PathStore<T>& paths, const Path& path) {
  paths.elements.insert(paths.elements.end(), path.begin(), path.end());
  return paths.end_path();
}

/// Returns a set of these paths.
inline PathSet path_set(const std::vector<std::vector<Node>>& paths) {
  PathSet set;
  for (const std::vector<Node>& path : paths) add_path(set, path);
  return set;
}

}  // namespace warpath::checks
