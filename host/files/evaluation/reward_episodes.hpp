#pragma once

#include <array>
#include <vector>

#include "host/files/evaluation/inputs.hpp"
#include "host/files/evaluation/pack_episodes.hpp"
#include "host/files/evaluation/reward_pairs.hpp"

// Rewards paths of positions. Distances to the goal are those of evaluations: over meshes or of a
// file. The others are Euclidean, or over meshes, too, where all are.

namespace warpath::evaluation {

/// Refuses settings that ask of episodes for what positions have not, or for distances to the goal
/// of another kind. @throws UsageError
void check_episode_reward(const Inputs& inputs, const RewardSettings& settings);

/// Returns how the paths of a packed run end, with the distance to the goal at each position.
RolloutEnds episode_ends(const Inputs& inputs, const formats::Predictions& predictions,
                         const PackedEpisodes& run, const RewardSettings& settings);

/// Rewards every path of a packed run.
/// @throws InputError as Rewards and measure_pairs() do
PairRewards reward_episodes(const Inputs& inputs, const PackedEpisodes& run,
                            const RewardSettings& settings, const RolloutEnds& ends,
                            double discount);

/// Returns paths of a batch as files have them: with the height where it is there.
PointSet positions_of(const PointSet& paths, const Inputs& inputs, const RewardSettings& settings);

/// Returns the coordinates of paths as rewards take them, [points][3].
std::vector<float> coordinates_of(const PointSet& paths);

/// Returns a batch of the paths of a packed run, of which the arrays have the coordinates.
Batch batch_of(const PointBatch& paths, const std::vector<float>& queries,
               const std::vector<float>& references);

}  // namespace warpath::evaluation
