#pragma once

#include "kernels/bodies/reward_points.hpp"
#include "kernels/launch/rewards.cuh"

// Kernels of rewards in continuous space: mapping and preconditions are those of rewards.cuh. There
// are K = 16 rows, for references are long; `Strips` says whether they may have more points.
//   Memory: points are read where they lie, x, y and z of one thread side by side. Fields of
//     neighbouring episodes lie side by side.
//   Cost: a square root in single precision for each pair of a reference's and a query's point, in
//     double for each step of a reference, and for each point of a query whose distance to the goal
//     is not given.

namespace warpath::kernels {

/// Holds ends of episodes in continuous space.
struct PointFinishView {
  FinishView ends;
};

/// Rewards finished rollouts. A thread's rows are in registers, or in memory if in strips.
/// Cost: a warp waits for its longest query; references in strips are read once for each point of
/// the query.
template <int K, unsigned Quantities, bool Strips>
__global__ void __launch_bounds__(reward_threads, 1)
    reward_point_rollouts_of_threads(const __grid_constant__ PointRolloutsView view) {
  const std::uint32_t k = thread_number();
  if (k < view.count) {
    reward_one_point_rollout<DeviceLanes<1>, K, Quantities, Strips>(view, k);
  }
}

/// Begins episodes anew. Cost: a reference's points are read twice, all fields are written.
template <int K, unsigned Quantities, bool Strips>
__global__ void __launch_bounds__(reward_threads, 1)
    reset_point_episodes_of_threads(const __grid_constant__ PointResetView view) {
  const std::uint32_t k = thread_number();
  if (k < view.count) reset_point_episode<DeviceLanes<1>, K, Quantities, Strips>(view, k);
}

/// Adds a point to each active episode.
/// Cost: the fields of the episode are read, and its scalars and rows written.
template <int K, unsigned Quantities, bool Strips>
__global__ void __launch_bounds__(reward_threads, 1)
    step_point_episodes_of_threads(const __grid_constant__ PointStepView view) {
  const std::uint32_t e = thread_number();
  if (e < view.episodes.count) {
    step_one_point_episode<DeviceLanes<1>, K, Quantities, Strips>(view, e);
  }
}

/// Rewards ends. Cost: a few fields of the episode are read; as a step if the last point is
/// repeated.
template <int K, unsigned Quantities, bool Strips>
__global__ void __launch_bounds__(reward_threads, 1)
    finish_point_episodes_of_threads(const __grid_constant__ PointFinishView view) {
  const std::uint32_t e = thread_number();
  if (e < view.ends.episodes.count) {
    finish_point_episode<DeviceLanes<1>, K, Quantities, Strips>(view.ends, e);
  }
}

/// Scores continuations, a thread each. Cost: as a step for each point, without writing fields.
template <int K, unsigned Quantities, bool Strips>
__global__ void __launch_bounds__(reward_threads, 1)
    extend_point_episodes_of_threads(const __grid_constant__ PointExtensionsView view) {
  const std::uint32_t p = thread_number();
  if (p < view.episodes.count * view.candidates) {
    score_point_extension<DeviceLanes<1>, K, Quantities, Strips>(view, p);
  }
}

template <int K, unsigned Quantities, bool Strips>
int start_rewards(const PointRolloutsView& view, Stream stream) {
  return start_threads(reward_point_rollouts_of_threads<K, Quantities, Strips>, view, view.count,
                       stream);
}
template <int K, unsigned Quantities, bool Strips>
int start_rewards(const PointResetView& view, Stream stream) {
  return start_threads(reset_point_episodes_of_threads<K, Quantities, Strips>, view, view.count,
                       stream);
}
template <int K, unsigned Quantities, bool Strips>
int start_rewards(const PointStepView& view, Stream stream) {
  return start_threads(step_point_episodes_of_threads<K, Quantities, Strips>, view,
                       view.episodes.count, stream);
}
template <int K, unsigned Quantities, bool Strips>
int start_rewards(const PointFinishView& view, Stream stream) {
  return start_threads(finish_point_episodes_of_threads<K, Quantities, Strips>, view,
                       view.ends.episodes.count, stream);
}
template <int K, unsigned Quantities, bool Strips>
int start_rewards(const PointExtensionsView& view, Stream stream) {
  return start_threads(extend_point_episodes_of_threads<K, Quantities, Strips>, view,
                       view.episodes.count * view.candidates, stream);
}

/// Starts the kernel of a shape of points, if it is one.
template <class View>
int start_points(const View& view, const RewardShape& shape, Stream stream) {
  constexpr unsigned quantities = quantities_of(RewardSet::points);
  if (shape.set != RewardSet::points || shape.rows != reward_strip_rows) {
    return cudaErrorInvalidValue;
  }
  return shape.in_strips ? start_rewards<reward_strip_rows, quantities, true>(view, stream)
                         : start_rewards<reward_strip_rows, quantities, false>(view, stream);
}

}  // namespace warpath::kernels
