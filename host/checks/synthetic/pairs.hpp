#pragma once

#include <string>
#include <vector>

#include "host/checks/synthetic/random.hpp"
#include "warpath/graph.hpp"
#include "warpath/paths.hpp"

// Makes synthetic scans and pairs, for `warpath selftest` and `warpath bench`.

namespace warpath::synthetic {

/// Holds a batch and the scans that it points to.
struct SyntheticBatch {
  std::vector<Scan> scans;
  PairBatch batch;
};

/// Limits path lengths, in viewpoints, both ends included.
struct LengthRange {
  std::size_t low, high;
};

/// Makes a connected random geometric graph over three floors.
Scan random_scan(Random& random, std::string id, std::size_t viewpoints);

/// Makes a graph with the difficulties of real scans: viewpoints that coincide, and one in 20
/// isolated.
Scan adversarial_scan(Random& random, std::string id, std::size_t viewpoints);

/// Makes pairs of every length class, from single viewpoints to over 1000 per path, on adversarial
/// scans of 1 to 300 viewpoints: walks, jumps, near copies, repeats, unreachable pairs, shared
/// references.
/// @param task_success also generates a task success per pair, some of them unknown.
SyntheticBatch adversarial_pairs(Random& random, std::size_t pairs, bool task_success);

/// Describes a benchmark's pairs: paths of uniformly random viewpoints, the worst case for
/// look-ups.
struct Shape {
  std::string name;
  LengthRange reference, query;
  std::size_t viewpoints;
  std::size_t queries_per_reference = 1;
};

SyntheticBatch uniform_pairs(Random& random, const Shape& shape, std::size_t pairs);

}  // namespace warpath::synthetic
