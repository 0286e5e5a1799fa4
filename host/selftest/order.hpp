#pragma once

#include <cstddef>
#include <vector>

#include "host/synthetic/random.hpp"
#include "warpath/scores.hpp"

namespace warpath::selftest {

/// A batch's rows in another order: row k is row order[k] of before.
using Order = std::vector<std::size_t>;

Order random_order(synthetic::Random& random, std::size_t rows);

/// Scores of reordered pairs in the order of before.
Scores in_order(const Scores& scores, const Order& order);

}  // namespace warpath::selftest
