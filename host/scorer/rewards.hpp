#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

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

/// Refuses points that kernels cannot take. @throws InputError that names what the path belongs to
/// @param kind,number of that: "rollout", 3
void check_points(const float* points, std::size_t count, std::string_view kind,
                  std::uint32_t number);

/// Refuses a reference that is empty, runs backwards or is longer than it may be. @throws as above
void check_reference_length(const kernels::PathLayout& layout, std::uint32_t path,
                            std::uint32_t max_length, std::string_view kind, std::uint32_t number);

}  // namespace scorer
}  // namespace warpath
