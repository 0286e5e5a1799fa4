#pragma once

#include "host/checks/random.hpp"
#include "host/program/synthetic/study.hpp"

namespace warpath::synthetic {

/// Draws a connected scan "study". Node (i, j) has the index i * side + j and the id "n<i>_<j>",
/// and lies within zeta of (i, j) along each axis. Nodes within reach of one another share an edge.
/// @throws UsageError if no draw is connected.
Scan draw_scan(const Options& options, checks::Random& random);

/// Returns the success threshold of the environment: 1.33 x the mean length of an edge, metres.
double threshold_of(const Scan& scan);

}  // namespace warpath::synthetic
