#pragma once

#include "host/checks/point_pairs.hpp"
#include "warpath/scorer.hpp"

namespace warpath::testing {

using checks::RandomPoints;

/// Returns scores computed by plain loops over a table of single-precision distances: what the CPU
/// back end must return to the last bit.
Scores score_plainly(const PointBatch& batch, const Convention& convention);

}  // namespace warpath::testing
