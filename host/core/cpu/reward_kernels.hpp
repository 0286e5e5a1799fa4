#pragma once

#include <cstdint>

#include "kernels/views/rewards.hpp"

// Separates the rewards of the CPU back end, compiled for any CPU, from their kernels, compiled
// once for each instruction set; see cpu_kernels.hpp.

namespace warpath::cpu {

/// Numbers of rows that kernels are compiled for. Longer references are cut into strips of the last
/// number.
#ifdef WARPATH_FEW_SHAPES  // a quick build, see WARPATH_QUICK
inline constexpr int reward_shapes[] = {8, 16};
#else
inline constexpr int reward_shapes[] = {4, 6, 8, 10, 12, 14, 16};
#endif
inline constexpr int reward_strip = 16;
/// Returns the rows of whole strips that references of up to n points are kept in, and those of
/// viewpoints of which first ones may be left out.
constexpr int strip_rows(int n) {
  return (n + reward_strip - 1) / reward_strip * reward_strip;
}
/// Returns the rows that references of up to n viewpoints are kept in.
constexpr int reward_rows(int n) {
  for (const int rows : reward_shapes) {
    if (n <= rows) return rows;
  }
  return strip_rows(n);
}

/// Holds what all groups of a call share.
struct RewardArguments {
  kernels::EpisodeTables tables;
  kernels::RewardRules rules;
  unsigned quantities;  ///< bits of Quantity that the rules, or what is asked for, need
  bool leave_out;       ///< rollouts may leave first elements out, see kernels::LeftOut
};

/// Holds the episodes of a group: an EpisodeMemory whose lanes are one register's.
struct EpisodeGroup {
  float* first;
  int rows;  ///< of reward_rows
  int axes;  ///< 1, or 3 for continuous paths
  /// Tables of the lanes' references, and the row of each lane's viewpoint 0; see OwnTables. Null:
  /// distances are gathered from the scans' tables.
  const float* own = nullptr;
  const std::int32_t* own_first = nullptr;
};

/// Holds the paths of a group, interleaved: [t][lane].
struct PathColumns {
  const std::int32_t* size;   ///< viewpoints of each lane's path
  const std::int32_t* nodes;  ///< viewpoints; null for continuous paths
  const float* points;        ///< of those: [t][axis][lane]
  const float* goal;          ///< distances to the goal; null: taken from the tables
};

/// Says where the results of a group go, interleaved: [t][lane]. All but `reward` may be null.
struct RewardColumns {
  float *reward, *goal, *ndtw, *cls;
};

/// Holds the kernels of rewards of one instruction set.
struct RewardKernels {
  /// `interleave` transposes rows of 4-byte values, one row for each lane, to columns [t][lane];
  /// `separate` transposes columns to rows. @param pitch values of a row, a multiple of the lanes
  void (*interleave)(const void* rows, std::size_t pitch, void* columns);
  void (*separate)(const void* columns, std::size_t pitch, void* rows);
  /// Rewards finished rollouts. Paths and results have as many columns as the longest path has
  /// viewpoints, and one more if the rules have stop_repeats_node, rounded up to a multiple of the
  /// lanes. Behind its end a path repeats its last viewpoint, and results are of no use.
  /// @param stopped −1 or 0 for each lane
  void (*reward_rollouts)(const RewardArguments&, const EpisodeGroup&, const PathColumns&,
                          const std::int32_t* stopped, const RewardColumns&);
  /// Adds a viewpoint to each lane's episode where `live` is −1, not where it is 0.
  void (*step)(const RewardArguments&, const EpisodeGroup&, const PathColumns&,
               const std::int32_t* live, float* reward);
  /// Scores continuations, of at least one viewpoint each. Results are one for each lane.
  /// @param scratch a group of its own, for references in strips; null if there are none
  void (*extend)(const RewardArguments&, const EpisodeGroup&, const PathColumns&, float* scratch,
                 const RewardColumns&);
};

/// These exist as those of CpuKernels do.
extern const RewardKernels avx512_rewards, avx2_rewards, portable_rewards;

}  // namespace warpath::cpu
