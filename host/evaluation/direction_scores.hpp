#pragma once

#include "host/evaluation/goal_measures.hpp"

namespace warpath {

/// Returns the metrics of SOON: RGS, SFPL, HE, EE and PE.
MetricSet direction_metrics();

/// Tells whether an agent says anywhere where the target is. The metrics of an agent that does not
/// have no value.
bool names_directions(const Predictions& predictions);

/// Computes the metrics of SOON, as SOON-EvalAI-Starters' main.py does, of a pair whose success and
/// SPL are computed already. HE and EE have a value where the query ends at a viewpoint with a box,
/// PE where RGS is 1 besides.
/// @param boxes one for each of the pair's goals
/// @param direction of the target as the agent names it; none: RGS and SFPL are 0
void score_direction(const GoalPair& pair, std::span<const TargetBox> boxes,
                     const std::optional<Direction>& direction, std::size_t k,
                     const Convention& convention, Scores& scores);

}  // namespace warpath
