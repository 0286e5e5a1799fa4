#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/core/batch/distance_tables.hpp"
#include "host/core/batch/large_scans.hpp"
#include "host/core/rewards/goal_tables.hpp"
#include "kernels/lanes/scalar_lanes.hpp"
#include "kernels/rewards/episode_memory.hpp"
#include "warpath/paths.hpp"
#include "warpath/reward_settings.hpp"

namespace warpath::rewards {

/// Holds what the rewards of all rollouts share: the references, and distances between viewpoints
/// and to the goals. Both back ends read it.
struct RewardTables {
  std::vector<const Scan*> scans;
  PathSet references;
  std::vector<std::uint32_t> scan_of;
  RewardSettings settings;
  batch::DistanceTables distances;
  GoalTables goals;
  std::vector<float> lengths;  ///< PL of each reference

  /// @param graphs keeps tables for those that come after; null: nothing does
  /// @throws InputError as the constructor of Rewards
  RewardTables(std::span<const Scan* const> scans, const PathSet& references,
               std::span<const std::uint32_t> scan_of, const RewardSettings& settings,
               const PathSet& goals, const GraphStore* graphs = nullptr);

  /// Takes a part of a batch on a large scan. Its rollouts must bring distances to their goals.
  /// @throws InputError for a setting that cannot be used
  RewardTables(const batch::PartOnLargeScan& part, const RewardSettings& settings);

  std::uint32_t viewpoints(std::uint32_t reference) const {
    return static_cast<std::uint32_t>(scans[scan_of[reference]]->size());
  }
  int max_reference_length() const;

 private:
  void measure_references();
};

/// Writes a reference into the memory of a lane, and nothing else: all that a finished rollout
/// reads.
/// @param prefix viewpoints that nDTW and CLS leave out
void place_reference(const RewardTables& tables, std::uint32_t reference, int prefix,
                     const kernels::EpisodeMemory<kernels::ScalarLanes>& memory);
/// Writes a reference and an episode without viewpoints into the memory of a lane.
void store_reference(const RewardTables& tables, std::uint32_t reference, int prefix,
                     const kernels::EpisodeMemory<kernels::ScalarLanes>& memory);

/// Returns how the settings measure distances between points.
kernels::PointMeasure point_measure(const RewardSettings& settings);
/// Writes x, y and z of a point, as lanes read them, to to[0], to[stride] and to[2 stride].
/// @param flat distances ignore z
void stage_point(const float* point, bool flat, float* to, std::size_t stride);

}  // namespace warpath::rewards
