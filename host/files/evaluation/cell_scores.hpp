#pragma once

#include "host/files/evaluation/inputs.hpp"
#include "host/files/evaluation/pack.hpp"

namespace warpath::evaluation {

/// Scores what is of an episode's goals and stop where its positions were snapped to cells: NE,
/// ONE, SR, OSR, SP, GP and what follows from them are to the nearest goal's cell, and a path
/// without a stop fails where the convention asks for one. Other metrics are finished.
/// @pre inputs.grids
void score_goal_cells(const Inputs& inputs, const formats::Predictions& predictions,
                      const PackedRun& run, const Convention& convention, Scores& scores);

}  // namespace warpath::evaluation
