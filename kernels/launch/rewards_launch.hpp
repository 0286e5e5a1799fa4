#pragma once

#include "kernels/launch/launch.hpp"
#include "kernels/views/checks.hpp"
#include "kernels/views/rewards.hpp"

// Starts the kernels of rewards. As in launch.hpp, each call returns 0 or a cudaError_t and neither
// allocates nor waits. A view without elements starts a kernel that does nothing, which loads it.

namespace warpath::kernels {

/// @pre `shape` is one that reward_shape, or of points point_reward_shape, returns for the
/// references of the view
[[nodiscard]] int reward_rollouts(const RolloutsView& view, const RewardShape& shape,
                                  Stream stream);
[[nodiscard]] int reset_episodes(const ResetView& view, const RewardShape& shape, Stream stream);
[[nodiscard]] int step_episodes(const StepView& view, const RewardShape& shape, Stream stream);
[[nodiscard]] int finish_episodes(const FinishView& view, const RewardShape& shape, Stream stream);
[[nodiscard]] int score_extensions(const ExtensionsView& view, const RewardShape& shape,
                                   Stream stream);

/// Looks for entries with a fault, and describes the first. @pre owners, if any, are 2^32 − 1
[[nodiscard]] int check_episodes(const CheckEpisodesView& view, Stream stream);
[[nodiscard]] int read_episode_values(const EpisodeValuesView& view, Stream stream);
[[nodiscard]] int copy_episodes(const CopyEpisodesView& view, Stream stream);
/// Adds the rewards of all rollouts up.
[[nodiscard]] int add_up_rewards(const ReturnsView& view, Stream stream);
/// Compares rollouts within their groups.
[[nodiscard]] int compare_groups(const GroupsView& view, Stream stream);

}  // namespace warpath::kernels
