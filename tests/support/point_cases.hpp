#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "warpath/scorer.hpp"

namespace warpath::testing {

using PointWalk = std::vector<std::array<double, 3>>;

/// Makes random continuous paths: steps of a quarter of a metre that sometimes stand still or
/// repeat, and queries that follow the reference for a while, exactly or within a nanometre.
class RandomPoints {
 public:
  explicit RandomPoints(std::uint64_t seed) : random_(seed) {}

  /// Adds pairs with lengths from 1; every fifth pair has the reference of the one before.
  void add_pairs(std::size_t count, std::size_t max_reference, std::size_t max_query);
  void add_pair(std::size_t n, std::size_t m);
  PointBatch& batch() { return batch_; }

 private:
  double metres(double range);
  PointWalk walk(std::array<double, 3> start, std::size_t points);
  PointWalk query_of(const PointWalk& reference, std::size_t points);

  std::mt19937_64 random_;
  PointBatch batch_;
};

void add(PointSet& paths, const PointWalk& path);
/// Returns a batch of one pair.
PointBatch pair_of(const PointWalk& reference, const PointWalk& query);
/// Returns the pairs of `batch` in another order: row k is row order[k] of the original.
PointBatch reordered(const PointBatch& batch, const std::vector<std::uint32_t>& order);

/// Moves queries so that none has a point in common with any reference, though they almost touch.
void move_apart(PointBatch& batch);

/// Returns scores computed by plain loops over a table of single-precision distances: what the CPU
/// back end must return to the last bit.
Scores score_plainly(const PointBatch& batch, const Convention& convention);

}  // namespace warpath::testing
