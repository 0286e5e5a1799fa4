#pragma once

#include "host/evaluation/goal_measures.hpp"

namespace warpath {

/// Returns RGS, SFPL, HE, EE and PE.
MetricSet direction_metrics(const Inputs& inputs);

/// Tells whether an agent says anywhere where the target is. The metrics of an agent that does not
/// have no value.
bool names_directions(const Predictions& predictions);

/// Computes the metrics of SOON, as SOON-EvalAI-Starters' main.py does, of a pair whose success and
/// SPL are computed already. HE and EE have a value where the query ends at a viewpoint with a box,
/// PE where RGS is 1 besides. Where the agent names no direction, RGS and SFPL are 0.
void score_direction(const TaskPair& one);

}  // namespace warpath
