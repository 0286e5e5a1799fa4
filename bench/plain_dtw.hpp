#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace warpath::bench {

/// Computes DTW as one would without this library: one row of the matrix, one pair after the other.
/// @param distance distance(i, j) is that from viewpoint i of the reference to j of the query
/// @param row memory that calls share
template <class Distance>
float plain_dtw(std::size_t reference_size, std::size_t query_size, const Distance& distance,
                std::vector<float>& row) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  row.assign(reference_size, inf);
  for (std::size_t j = 0; j < query_size; ++j) {
    float diagonal = j == 0 ? 0.0f : inf, above = inf;
    for (std::size_t i = 0; i < reference_size; ++i) {
      const float best = std::min(std::min(above, row[i]), diagonal);
      diagonal = row[i];
      row[i] = above = distance(i, j) + best;
    }
  }
  return row.back();
}

}  // namespace warpath::bench
