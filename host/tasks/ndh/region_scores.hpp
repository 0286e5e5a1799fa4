#pragma once

#include "host/evaluation/goal_measures.hpp"

namespace warpath {

/// Returns the metrics of NDH that a dataset has what they need for: a region (OGP) or the
/// planner's goal (OPE, OPSR).
MetricSet region_metrics(const Inputs& inputs);

/// Computes GP and OGP towards the nearest viewpoint of the region, and the errors towards the
/// planner's goal, as CVDN's tasks/NDH/eval.py does. An item without a region keeps its GP; one
/// without a planner's path gets no OPE.
void score_region(const TaskPair& one);

}  // namespace warpath
