#pragma once

#include <vector>

#include "host/checks/grid.hpp"
#include "host/checks/pairs.hpp"
#include "host/core/reference/reference.hpp"

namespace warpath::testing {

using checks::Grid;
using checks::make_scan;

/// Returns the scores of one pair by the reference back end.
inline Scores score_pair(const Scan& scan, const std::vector<Node>& reference,
                         const std::vector<Node>& query, const Convention& convention = {}) {
  return reference::score(checks::pair_of(scan, reference, query), convention);
}

}  // namespace warpath::testing
