#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "warpath/graph.hpp"

/// Generates the synthetic environment of the nDTW paper (Ilharco et al. 2019, section 4.1) with
/// synthetic agents: an example that needs no download. A seed gives the same study, and the same
/// bytes in its files, on every platform.
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
  int side = 15;         ///< side of the grid, 2 to 100: the graph has side x side nodes
  double zeta = 0.3;     ///< maximum distance of a node from its grid point along x and y, metres
  double reach = 1.4;    ///< two nodes at most this far apart share an edge, metres
  int paths = 300;       ///< number of references
  int instructions = 3;  ///< per reference
};

/// Makes the study.
/// @throws UsageError if the options allow no connected graph, or no paths on it.
Study make_study(const Options& options);

/// Writes the graph (Matterport3DSimulator connectivity), the dataset (R2R) and one EvalAI
/// submission per agent into the folder, which is created if it is missing. It also writes
/// `.warpath-demo`, a list of the files with hashes of their contents, by which a later call
/// recognises them.
/// @param force replaces files that were not written by this function, or were changed since.
/// @returns the files, each with its folder.
/// @throws UsageError if there is such a file and `force` is not given.
/// @throws InputError if a file cannot be written; no file is left incomplete.
std::vector<std::string> write_study(const Study& study, const std::string& folder,
                                     bool force = false);

}  // namespace warpath::synthetic
