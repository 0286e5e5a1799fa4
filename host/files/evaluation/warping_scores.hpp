#pragma once

#include <array>
#include <span>

#include "host/core/definitions/metric_traits.hpp"
#include "warpath/convention.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"

namespace warpath::evaluation {

/// Writes what a convention asks for beyond exact DTW, which no back end has: DTW, nDTW and SDTW by
/// FastDTW, and nDTW as a mean of Gaussians. Pairs are scored on all cores, in double precision; an
/// unreachable pair is left as it is.
/// @param scores of the pairs, complete but for these
/// @pre the batch is as scorer.hpp asks
void score_warpings(const PairBatchView& batch, const Convention& convention, Scores& scores);

/// Writes that for row `row`, a pair of continuous paths.
/// @param success that SDTW takes
void score_warping(std::span<const std::array<double, 3>> reference,
                   std::span<const std::array<double, 3>> query, double success,
                   const Convention& convention, Scores& scores, std::size_t row);

}  // namespace warpath::evaluation
