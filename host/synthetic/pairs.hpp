#pragma once

#include <string>
#include <vector>

#include "host/synthetic/random.hpp"
#include "warpath/graph.hpp"
#include "warpath/paths.hpp"

// Made-up scans and pairs, for `warpath selftest` and `warpath bench`.

namespace warpath::synthetic {

/// A batch and the scans that it points to.
struct SyntheticBatch {
  std::vector<Scan> scans;
  PairBatch batch;
};

/// Lengths of paths, in viewpoints, both ends included.
struct LengthRange {
  std::size_t low, high;
};

/// A random geometric graph over three floors, all of it connected.
Scan random_scan(Random& random, std::string id, std::size_t viewpoints);

/// The same with what real scans surprise by: viewpoints that coincide, and one in 20 isolated.
Scan adversarial_scan(Random& random, std::string id, std::size_t viewpoints);

/// Pairs of every length class from single viewpoints to over 1000 a side, on adversarial scans of
/// 1 to 300 viewpoints: walks, jumps, near copies, repeats, unreachable ones, shared references.
/// @param task_success also makes up a task success per pair, some of them unknown.
SyntheticBatch adversarial_pairs(Random& random, std::size_t pairs, bool task_success);

/// What a benchmark times: paths of uniformly random viewpoints, the worst case for table lookups.
struct Shape {
  std::string name;
  LengthRange reference, query;
  std::size_t viewpoints;
  std::size_t queries_per_reference = 1;
};

SyntheticBatch uniform_pairs(Random& random, const Shape& shape, std::size_t pairs);

}  // namespace warpath::synthetic
