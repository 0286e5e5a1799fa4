#pragma once

#include <cstddef>

#include "host/checks/synthetic/random.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"

// Makes synthetic continuous paths, for `warpath selftest` and `warpath bench`.

namespace warpath::synthetic {

/// Makes pairs of every length class, from single points to over 4096, for every kernel shape:
/// paths that meet and that do not, near copies, repeats, shared references, paths far from the
/// origin.
/// @param task_success also generates a task success per pair, some of them unknown.
PointBatch adversarial_point_pairs(Random& random, std::size_t pairs, bool task_success);

/// Describes a benchmark's pairs: walks in steps of a quarter of a metre within one building. The
/// two paths have no point in common, as an agent's path and a recorded one rarely have.
struct WalkShape {
  std::size_t reference, query;  ///< points
};
PointBatch point_walks(Random& random, const WalkShape& shape, std::size_t pairs);

}  // namespace warpath::synthetic
