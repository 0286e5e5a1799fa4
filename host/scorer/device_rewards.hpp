#pragma once

#include <span>

#include "host/cuda/resident_rewards.hpp"
#include "host/rewards/reward_tables.hpp"
#include "warpath/device_rewards.hpp"

namespace warpath {

struct DeviceRewards::State {
  State(cuda::Device& on, std::span<const Scan* const> scans, const PathSet& references,
        std::span<const std::uint32_t> scan_of, const RewardSettings& settings,
        const DeviceRewardOptions& options)
      : device(on),
        tables(scans, references, scan_of, settings, options.goals, options.graphs.get()),
        resident(on, tables) {}

  cuda::Device& device;
  const rewards::RewardTables tables;
  cuda::ResidentRewards resident;
};

namespace scorer {

/// Refuses a convention whose threshold kernels cannot score points with. @throws InputError
void check_points_fit(const Convention& convention);
/// Refuses a longest reference of points that no tracker has room for. @throws InputError
void check_max_reference_length(std::uint32_t points);

}  // namespace scorer
}  // namespace warpath
