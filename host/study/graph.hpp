#pragma once

#include "host/study/random.hpp"
#include "host/study/study.hpp"

namespace warpath::study {

/// A connected scan "study". Node (i, j) has the index i * side + j, the id "n<i>_<j>" and lies
/// within zeta of (i, j) along each axis; nodes within reach of one another share an edge.
/// @throws UsageError where no draw is connected.
Scan draw_scan(const Options& options, Random& random);

}  // namespace warpath::study
