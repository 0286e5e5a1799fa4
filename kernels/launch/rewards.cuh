#pragma once

#include "kernels/bodies/mapping.hpp"
#include "kernels/bodies/reward_episodes.hpp"
#include "kernels/bodies/reward_groups.hpp"
#include "kernels/lanes/device_lanes.cuh"
#include "kernels/launch/grid.cuh"
#include "kernels/launch/rewards_launch.hpp"
#include "kernels/launch/shared_memory.cuh"

// Kernels of rewards with K rows; `Strips` says whether references may have more viewpoints.
//   Mapping: a thread has an episode of its own, or a rollout with a reference in strips; of other
//     rollouts each has a group of threads. Neighbours have neighbouring ones. A block is a warp,
//     so that few of them spread over all multiprocessors.
//   Memory: distances are looked up in global memory, at random. Fields of neighbouring episodes
//     lie side by side.
//   Preconditions: those of the views; one dimension of blocks, of reward_threads threads.

namespace warpath::kernels {

inline constexpr unsigned reward_threads = 32;

WARPATH_HD std::uint32_t thread_number() {
  const ThreadId me = this_thread();
  return me.block * me.threads + me.thread;
}

/// Rewards finished rollouts, a group of threads each, which has the rows in registers.
/// Cost: a look-up of each viewpoint of the reference for each of the query, loaded ahead, and
/// shuffles for what moves between rows; a warp waits for its longest query. A group writes
/// neighbouring rewards at once. A stop that repeats the last viewpoint may need one step more.
template <int K, unsigned Quantities>
__global__ void __launch_bounds__(reward_threads, 1)
    reward_rollouts_of_groups(const __grid_constant__ RolloutsView view) {
  const ThreadId me = this_thread();
  const std::uint32_t k = me.block * (me.threads / reward_lanes) + me.thread / reward_lanes;
  if (view.count > 0) {
    reward_rollout_of_group<DeviceLanes<reward_lanes, true>, K, Quantities>(view, k);
  }
}

/// Rewards finished rollouts, a thread each, which has the rows in memory, in strips.
/// Cost: a look-up of each viewpoint of the reference for each of the query; a warp waits for its
/// longest query. Rewards are written one by one, to rows apart.
template <int K, unsigned Quantities>
__global__ void __launch_bounds__(reward_threads, 1)
    reward_rollouts_of_threads(const __grid_constant__ RolloutsView view) {
  const std::uint32_t k = thread_number();
  if (k < view.count) reward_one_rollout<DeviceLanes<1>, K, Quantities>(view, k);
}

/// Begins episodes anew.
/// Cost: a reference's viewpoints are read one by one; all fields of the episode are written.
template <int K, unsigned Quantities, bool Strips>
__global__ void __launch_bounds__(reward_threads, 1)
    reset_episodes_of_threads(const __grid_constant__ ResetView view) {
  const std::uint32_t k = thread_number();
  if (k < view.count) reset_episode<DeviceLanes<1>, K, Quantities, Strips>(view, k);
}

/// Adds a viewpoint to each active episode.
/// Cost: the fields of the episode are read, and its scalars and rows written; a look-up of each
/// viewpoint of the reference.
template <int K, unsigned Quantities, bool Strips>
__global__ void __launch_bounds__(reward_threads, 1)
    step_episodes_of_threads(const __grid_constant__ StepView view) {
  const std::uint32_t e = thread_number();
  if (e < view.episodes.count) step_one_episode<DeviceLanes<1>, K, Quantities, Strips>(view, e);
}

/// Rewards ends. Cost: a few fields of the episode are read; as a step if the last viewpoint is
/// repeated.
template <int K, unsigned Quantities, bool Strips>
__global__ void __launch_bounds__(reward_threads, 1)
    finish_episodes_of_threads(const __grid_constant__ FinishView view) {
  const std::uint32_t e = thread_number();
  if (e < view.episodes.count) finish_episode<DeviceLanes<1>, K, Quantities, Strips>(view, e);
}

/// Scores continuations, a thread each. Cost: as a step for each viewpoint, without writing fields.
template <int K, unsigned Quantities, bool Strips>
__global__ void __launch_bounds__(reward_threads, 1)
    extend_episodes_of_threads(const __grid_constant__ ExtensionsView view) {
  const std::uint32_t p = thread_number();
  if (p < view.episodes.count * view.candidates) {
    score_extension<DeviceLanes<1>, K, Quantities, Strips>(view, p);
  }
}

/// Starts a kernel with a group of `lanes` threads for each of `count` elements, and one block for
/// none.
template <class View>
int start_threads(void (*kernel)(View), const View& view, std::uint32_t count, Stream stream,
                  unsigned lanes = 1) {
  const unsigned at_once = reward_threads / lanes;
  const unsigned blocks = count == 0 ? 1 : (count - 1) / at_once + 1;
  return start(kernel, view, Grid{blocks, reward_threads}, 0, stream);
}

template <int K, unsigned Quantities, bool Strips>
int start_rewards(const RolloutsView& view, Stream stream) {
  if constexpr (Strips)
    return start_threads(reward_rollouts_of_threads<K, Quantities>, view, view.count, stream);
  else
    return start_threads(reward_rollouts_of_groups<K, Quantities>, view, view.count, stream,
                         reward_lanes);
}
template <int K, unsigned Quantities, bool Strips>
int start_rewards(const ResetView& view, Stream stream) {
  return start_threads(reset_episodes_of_threads<K, Quantities, Strips>, view, view.count, stream);
}
template <int K, unsigned Quantities, bool Strips>
int start_rewards(const StepView& view, Stream stream) {
  return start_threads(step_episodes_of_threads<K, Quantities, Strips>, view, view.episodes.count,
                       stream);
}
template <int K, unsigned Quantities, bool Strips>
int start_rewards(const FinishView& view, Stream stream) {
  return start_threads(finish_episodes_of_threads<K, Quantities, Strips>, view, view.episodes.count,
                       stream);
}
template <int K, unsigned Quantities, bool Strips>
int start_rewards(const ExtensionsView& view, Stream stream) {
  return start_threads(extend_episodes_of_threads<K, Quantities, Strips>, view,
                       view.episodes.count * view.candidates, stream);
}

/// Starts the kernel of a shape, if there is one.
template <unsigned Quantities, class View, int... K>
int start_shape(const View& view, const RewardShape& shape, Stream stream, RowList<K...>) {
  if (shape.in_strips) {
    return shape.rows == reward_strip_rows
               ? start_rewards<reward_strip_rows, Quantities, true>(view, stream)
               : cudaErrorInvalidValue;
  }
  int code = cudaErrorInvalidValue;
  ((shape.rows == K ? code = start_rewards<K, Quantities, false>(view, stream) : 0), ...);
  return code;
}

// Start the kernels of one set of quantities. Each set and task has its own file, so that they
// compile in parallel.
int reward_rollouts_ndtw_gain(const RolloutsView& view, const RewardShape& shape, Stream stream);
int reward_rollouts_dtw(const RolloutsView& view, const RewardShape& shape, Stream stream);
int reward_rollouts_all(const RolloutsView& view, const RewardShape& shape, Stream stream);
int reset_episodes_dtw(const ResetView& view, const RewardShape& shape, Stream stream);
int reset_episodes_all(const ResetView& view, const RewardShape& shape, Stream stream);
int step_episodes_dtw(const StepView& view, const RewardShape& shape, Stream stream);
int step_episodes_all(const StepView& view, const RewardShape& shape, Stream stream);
int finish_episodes_dtw(const FinishView& view, const RewardShape& shape, Stream stream);
int finish_episodes_all(const FinishView& view, const RewardShape& shape, Stream stream);
int score_extensions_dtw(const ExtensionsView& view, const RewardShape& shape, Stream stream);
int score_extensions_all(const ExtensionsView& view, const RewardShape& shape, Stream stream);
int finish_episodes_points(const FinishView& view, const RewardShape& shape, Stream stream);

}  // namespace warpath::kernels
