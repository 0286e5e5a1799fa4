#pragma once

#include <cstdint>
#include <vector>

#include "host/cpu/rewards.hpp"
#include "host/rewards/reward_tables.hpp"
#include "kernels/bodies/device_batch.hpp"
#include "warpath/rewards.hpp"

namespace warpath {

struct Rewards::State {
  State(std::span<const Scan* const> scans, const PathSet& references,
        std::span<const std::uint32_t> scan_of, const RewardSettings& settings,
        const RewardOptions& options)
      : tables(scans, references, scan_of, settings, options.goals),
        rewarder(tables, options.threads) {}

  rewards::RewardTables tables;
  cpu::Rewarder rewarder;
};

namespace scorer {

/// Refuses points that kernels cannot take. @throws InputError that names the item
/// @param item what the path belongs to: "rollout 3"
void check_points(const float* points, std::size_t count, const std::string& item);

}  // namespace scorer
}  // namespace warpath
