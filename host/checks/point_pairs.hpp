#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/checks/random.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"

// Pairs of synthetic continuous paths.

namespace warpath::checks {

/// Makes pairs of every length class, from single points to over 4096, for every kernel shape:
/// paths that meet and that do not, near copies, repeats, shared references, paths far from the
/// origin.
/// @param task_success also generates a task success per pair, some of them unknown.
PointBatch adversarial_point_pairs(Random& random, std::size_t pairs, bool task_success);

using PointPath = std::vector<std::array<double, 3>>;

/// Makes pairs as above, with lengths as they are asked for.
class RandomPoints {
 public:
  explicit RandomPoints(std::uint64_t seed) : random_(seed) {}

  /// Adds pairs with lengths from 1; every fifth pair has the reference of the one before.
  void add_pairs(std::size_t count, std::size_t max_reference, std::size_t max_query);
  void add_pair(std::size_t reference, std::size_t query);
  PointBatch& batch() { return batch_; }

 private:
  Random random_;
  PointBatch batch_;
};

/// Returns a batch of one pair.
PointBatch pair_of(const PointPath& reference, const PointPath& query);

/// Moves queries so that none has a point in common with any reference, though they almost touch.
void move_apart(PointBatch& batch);

/// Describes a benchmark's pairs: walks in steps of a quarter of a metre within one building. The
/// two paths have no point in common, as an agent's path and a recorded one rarely have.
struct WalkShape {
  std::size_t reference, query;  ///< points
};
PointBatch point_walks(Random& random, const WalkShape& shape, std::size_t pairs);

/// Rounds coordinates to floats, as which they lie on a device.
void round_to_floats(PointBatch& batch);

}  // namespace warpath::checks
