#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>

#include "host/cpu/rewards.hpp"
#include "host/rewards/reward_tables.hpp"
#include "kernels/views/checks.hpp"
#include "warpath/rewards.hpp"

namespace warpath {

/// Keeps references that set_references replaces as a whole. Several threads may use it.
struct Rewards::State {
  /// References with their tables, which do not change.
  struct Standing {
    Standing(const State& state, std::span<const Scan* const> scans, const PathSet& references,
             std::span<const std::uint32_t> scan_of, const PathSet& goals)
        : tables(scans, references, scan_of, state.settings, goals, state.graphs.get()),
          rewarder(tables, state.threads) {}

    rewards::RewardTables tables;
    cpu::Rewarder rewarder;
  };

  State(std::span<const Scan* const> scans, const PathSet& references,
        std::span<const std::uint32_t> scan_of, const RewardSettings& with,
        const RewardOptions& options);

  /// Returns the references of now; who holds them may go on with them.
  std::shared_ptr<const Standing> standing() const;
  void set_references(std::span<const Scan* const> scans, const PathSet& references,
                      std::span<const std::uint32_t> scan_of, const PathSet& goals);

  const RewardSettings settings;
  const int threads;
  const std::shared_ptr<const GraphStore> graphs;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Standing> standing_;
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
