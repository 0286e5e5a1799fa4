#pragma once

#include <cstddef>
#include <vector>

#include "host/checks/random.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"

namespace warpath::checks {

/// Order of a batch's rows: row k is row order[k] of the original.
using Order = std::vector<std::size_t>;

Order random_order(Random& random, std::size_t rows);

/// Returns the pairs of the batch in that order, which may leave pairs out and repeat them.
PairBatch reordered(const PairBatch& batch, const Order& order);
PointBatch reordered(const PointBatch& batch, const Order& order);

/// Returns scores of reordered pairs in the original order; columns that are empty stay so.
Scores in_order(const Scores& scores, const Order& order);

}  // namespace warpath::checks
