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
  DeviceIntegers reference{};             ///< [count]; null: rollout k belongs to reference k
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

}  // namespace warpath
