#pragma once

#include "host/files/evaluation/inputs.hpp"
#include "host/files/evaluation/pack_episodes.hpp"

namespace warpath::evaluation {

/// Returns the metrics of an evaluation of continuous episodes: those of paths, SoftSPL and
/// OracleSPL, and collisions where predictions give them.
MetricSet episode_metrics(const Inputs& inputs);

/// Refuses a convention that asks for goal sets, which positions do not have. @throws UsageError
void refuse_goal_sets(const Convention& convention);

/// Refuses a convention that asks for what episodes do not have, or for another plane of distances
/// to the goal that are given. @throws UsageError
void check_episode_convention(const Inputs& inputs, const Convention& convention);

/// Refuses settings that measure straight lines where all distances go over meshes.
/// @throws UsageError
void check_over_meshes(const Inputs& inputs, const Convention& convention);

/// Scores an agent's paths of positions: NE, ONE, SR, OSR, SP and what follows from them by the
/// distances to the goal, as a simulator's evaluator decides, in double precision; the others on
/// the back end.
Scores score_episodes(const Inputs& inputs, const formats::Predictions& predictions,
                      const PackedEpisodes& run, const Convention& convention, Backend backend,
                      const Watch& watch);

}  // namespace warpath::evaluation
