#pragma once

#include <cstddef>

#include "host/synthetic/random.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"

// Made-up continuous paths, for `warpath selftest` and `warpath bench`.

namespace warpath::synthetic {

/// Pairs of every length class from single points to over 4096, a kernel's every shape among them:
/// paths that meet and that do not, near copies, repeats, shared references, far from the origin.
/// @param task_success also makes up a task success per pair, some of them unknown.
PointBatch adversarial_point_pairs(Random& random, std::size_t pairs, bool task_success);

/// What a benchmark times: walks of n and m points in steps of a quarter of a metre within one
/// building. They have no point in common, as an agent's path and a recorded one rarely have.
struct WalkShape {
  std::size_t reference, query;  ///< points
};
PointBatch point_walks(Random& random, const WalkShape& shape, std::size_t pairs);

}  // namespace warpath::synthetic
