#pragma once

#include <cstdint>

#include "warpath/device_batch.hpp"

// Views batches of rollouts for rewards. For Rewards and RewardTracker all pointers point to host
// memory, for DeviceRewards and DeviceRewardTracker to memory of one device.

namespace warpath {

/// Views finished rollouts: rollout k is query k, against one of the references.
struct RolloutBatch {
  std::uint32_t count = 0;
  DevicePaths queries{};
  DeviceIntegers reference{};  ///< [count]; null: rollout k is of reference k, of as many of them
  const std::uint8_t* active = nullptr;   ///< [count], 0: left out, nothing is written; null: none
  const std::uint8_t* stopped = nullptr;  ///< [count], 0: its time was up; null: all stopped
  /// By viewpoint of the queries and laid out as they are: distances to the goal in metres or hops,
  /// such as the geodesic ones of a simulator; null: those of the navigation graph.
  const float* distance_to_goal = nullptr;
};

/// Views finished rollouts as RolloutBatch does, in continuous space.
struct PointRolloutBatch {
  std::uint32_t count = 0;
  DevicePoints queries{}, references{};
  DeviceIntegers reference{};
  std::uint32_t reference_count = 0;  ///< paths of `references`, if `reference` is given
  const std::uint8_t* active = nullptr;
  const std::uint8_t* stopped = nullptr;
  const float* distance_to_goal = nullptr;  ///< null: Euclidean, to the reference's last point
};

/// Names the arrays for the rewards of a batch. Each is laid out as the queries are: n viewpoints
/// have n entries, and rows are 0 behind them, up to max_length.
///
///     viewpoints   q0   q1   q2   q3   .        rewards of 4 viewpoints in rows of 5
///     rewards      q0→1 q1→2 q2→3 end  0
///     nDTW         q0   q0–1 q0–2 q0–3 0        of the prefix that ends there
struct RewardArrays {
  float* reward = nullptr;            ///< must be given
  float* distance_to_goal = nullptr;  ///< of each viewpoint; null: not wanted, as the next two
  float* ndtw = nullptr;              ///< of each prefix against the whole reference
  float* cls = nullptr;
};

/// Views rewards of rollouts to be added up to returns and advantages. With R(n) = V(n) =
/// bootstrap and A(n) = 0 behind the last of a rollout's n rewards:
///
///     R(t) = r(t) + discount · R(t + 1)
///     A(t) = r(t) + discount · V(t + 1) − V(t) + discount · decay · A(t + 1)
///
/// A is the generalized advantage estimate of Schulman et al. 2016, Eq. 16, with γ = discount and
/// λ = decay; A + V are its targets of the values.
struct ReturnsBatch {
  std::uint32_t count = 0;
  DeviceLayout layout{};                 ///< of all arrays by reward; that of the queries
  const std::uint8_t* active = nullptr;  ///< [count], 0: left out, nothing is written; null: none
  const float* reward = nullptr;         ///< by reward, as RewardArrays::reward
  const float* value = nullptr;          ///< by reward: V(t), the critic's; null: 0
  /// [count]: V behind the last reward, for rollouts whose time was up; null: 0.
  const float* bootstrap = nullptr;
  double discount = 1.0, decay = 1.0;  ///< from 0 to 1
  float* returns = nullptr;            ///< by reward; null: not wanted, as the next
  float* advantage = nullptr;
};

}  // namespace warpath
