#pragma once

#include <type_traits>

#include "kernels/bodies/reward_episodes.hpp"
#include "kernels/bodies/reward_groups.hpp"
#include "kernels/lanes/device_lanes.cuh"
#include "kernels/launch/rewards.cuh"

// Kernels of rewards with K rows; `Strips` says whether references may have more elements. An
// element is a viewpoint, or a point where Quantities has reward_of_points.
//   Mapping: a thread has an episode of its own, or a rollout of points or with a reference in
//     strips; of other rollouts each has a group of threads. Neighbours have neighbouring ones. A
//     block is a warp, so that few of them spread over all multiprocessors.
//   Memory: distances are looked up in global memory, at random; points are read where they lie, x,
//     y and z of one thread side by side. Fields of neighbouring episodes lie side by side.
//   Preconditions: those of the views; one dimension of blocks, of reward_threads threads.
//   Cost of points: a square root in single precision for each distance between points, in double
//     for each step of a reference and for each distance to the goal that is not given.

namespace warpath::kernels {

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

/// Rewards finished rollouts, a thread each. Its rows are in memory if in strips, or in registers.
/// Cost: a distance from each element of the reference to each of the query; a warp waits for its
/// longest query. Rewards are written one by one, to rows apart.
template <int K, unsigned Quantities, bool Strips>
__global__ void __launch_bounds__(reward_threads, 1)
    reward_rollouts_of_threads(const __grid_constant__ RolloutsView view) {
  const std::uint32_t k = thread_number();
  if (k < view.count) reward_one_rollout<DeviceLanes<1>, K, Quantities, Strips>(view, k);
}

/// Begins episodes anew.
/// Cost: a reference's viewpoints are read one by one, points twice; all fields of the episode are
/// written.
template <int K, unsigned Quantities, bool Strips>
__global__ void __launch_bounds__(reward_threads, 1)
    reset_episodes_of_threads(const __grid_constant__ ResetView view) {
  const std::uint32_t k = thread_number();
  if (k < view.count) reset_episode<DeviceLanes<1>, K, Quantities, Strips>(view, k);
}

/// Adds an element to each active episode.
/// Cost: the fields of the episode are read, and its scalars and rows written; a distance from each
/// element of the reference.
template <int K, unsigned Quantities, bool Strips>
__global__ void __launch_bounds__(reward_threads, 1)
    step_episodes_of_threads(const __grid_constant__ StepView view) {
  const std::uint32_t e = thread_number();
  if (e < view.episodes.count) step_one_episode<DeviceLanes<1>, K, Quantities, Strips>(view, e);
}

/// Rewards ends. Cost: a few fields of the episode are read; as a step if the last element is
/// repeated.
template <int K, unsigned Quantities, bool Strips>
__global__ void __launch_bounds__(reward_threads, 1)
    finish_episodes_of_threads(const __grid_constant__ FinishView view) {
  const std::uint32_t e = thread_number();
  if (e < view.episodes.count) finish_episode<DeviceLanes<1>, K, Quantities, Strips>(view, e);
}

/// Scores continuations, a thread each. Cost: as a step for each element, without writing fields.
template <int K, unsigned Quantities, bool Strips>
__global__ void __launch_bounds__(reward_threads, 1)
    extend_episodes_of_threads(const __grid_constant__ ExtensionsView view) {
  const std::uint32_t p = thread_number();
  if (p < view.episodes.count * view.candidates) {
    score_extension<DeviceLanes<1>, K, Quantities, Strips>(view, p);
  }
}

template <int K, unsigned Quantities, bool Strips>
int start_rewards(const RolloutsView& view, Stream stream) {
  if constexpr (Strips || is_of_points<Quantities>)
    return start_threads(reward_rollouts_of_threads<K, Quantities, Strips>, view, view.count,
                         stream);
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

/// Lists the rows of a set's kernels. References of points are long, so they have one shape.
template <RewardSet Set>
using RowsOfSet =
    std::conditional_t<Set == RewardSet::points, RowList<reward_strip_rows>, RewardRows>;

template <unsigned Quantities, class View, int... K>
int start_rows(const View& view, const RewardShape& shape, Stream stream, RowList<K...>) {
  if (shape.in_strips) {
    return shape.rows == reward_strip_rows
               ? start_rewards<reward_strip_rows, Quantities, true>(view, stream)
               : cudaErrorInvalidValue;
  }
  int code = cudaErrorInvalidValue;
  ((shape.rows == K ? code = start_rewards<K, Quantities, false>(view, stream) : 0), ...);
  return code;
}

template <RewardSet Set, class View>
int start_shape(const View& view, const RewardShape& shape, Stream stream) {
  return start_rows<quantities_of(Set)>(view, shape, stream, RowsOfSet<Set>{});
}

}  // namespace warpath::kernels
