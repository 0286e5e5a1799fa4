#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "warpath/graph.hpp"

/// The synthetic environment of the nDTW paper (Ilharco et al. 2019, section 4.1) with made-up
/// agents: an example that needs no download. A seed gives the same study, and the same bytes in
/// its files, on every platform.
namespace warpath::synthetic {

using Path = std::vector<Node>;

struct Agent {
  std::string name;
  std::vector<Path> paths;  ///< one per item; item p * instructions + k is instruction k of path p
};

struct Study {
  Scan scan;
  double threshold_m = 0.0;      ///< 1.33 x the mean length of an edge
  std::vector<Path> references;  ///< shortest paths through 3 to 6 waypoints
  int instructions = 0;          ///< per reference
  std::vector<Agent> agents;     ///< follower, shortest, noisy, random, stop
};

/// The defaults are the paper's graph, and a dataset of 900 items.
struct Options {
  std::uint64_t seed = 1;
  int side = 15;         ///< the graph has side x side nodes, 2 to 100 a side
  double zeta = 0.3;     ///< metres by which a node may lie off its grid place, along x and y
  double reach = 1.4;    ///< metres; two nodes at most this far apart share an edge
  int paths = 300;       ///< references
  int instructions = 3;  ///< per reference
};

/// @throws UsageError where the options allow no connected graph, or no paths on it.
Study make_study(const Options& options);

/// Writes the graph (Matterport3DSimulator connectivity), the dataset (R2R) and one EvalAI
/// submission per agent into the folder, which is made where it is missing. A list of the files
/// with the hashes of their contents, `.warpath-demo`, lets a later call know them.
/// @param force replace files that no call of this wrote, or that were changed since.
/// @returns the files, each with the folder in front.
/// @throws UsageError where there is such a file and `force` is not given.
/// @throws InputError where a file can't be written; none is left in part.
std::vector<std::string> write_study(const Study& study, const std::string& folder,
                                     bool force = false);

}  // namespace warpath::synthetic
