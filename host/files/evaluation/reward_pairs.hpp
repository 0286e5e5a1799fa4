#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpath/paths.hpp"
#include "warpath/reward_settings.hpp"
#include "warpath/scores.hpp"
#include "warpath/views.hpp"

namespace warpath::evaluation {

/// Holds the rewards of the queries of a batch, one entry for each of their viewpoints, laid out as
/// `PairBatch::queries` are: column t of a query is queries.offsets[query] + t.
struct PairRewards {
  PairRewards() = default;
  explicit PairRewards(std::size_t entries)
      : reward(entries), returns(entries), distance_to_goal(entries), ndtw(entries), cls(entries) {}

  /// Returns what Rewards writes: all but the returns.
  RewardArrays arrays();
  /// Adds the rewards of paths that lie one after the other up to returns.
  void add_up(std::span<const std::uint64_t> offsets, double discount);

  std::vector<float> reward;            ///< see Rewards
  std::vector<float> returns;           ///< the discounted sum from there to the end
  std::vector<float> distance_to_goal;  ///< of each viewpoint
  std::vector<float> ndtw, cls;         ///< of the prefix that ends there
};

/// Says how the queries of a batch end, by pair.
struct RolloutEnds {
  std::vector<std::uint8_t> stopped;  ///< 0: its time was up
  PathSet goals{};  ///< viewpoints, the reference's last if there is none; empty: of all pairs
  /// By viewpoint or position of the queries, in place of those that would be found; empty: none.
  std::vector<float> distance_to_goal{};
};

/// Returns the layout of paths that lie one after the other.
Layout layout_of(std::span<const std::uint64_t> offsets);

/// Rewards every query of a batch whose pair k has query k.
/// @param whole_entries of the tables of whole scans together, which small scans get: by default
///   1 GiB. Of other scans only distances that pairs need are found. The bits are the same
/// @throws InputError as Rewards does
PairRewards reward_pairs(const PairBatch& batch, const RewardSettings& settings,
                         const RolloutEnds& ends, double discount,
                         std::size_t whole_entries = std::size_t{1} << 28);

/// Returns what is to be said of a query that was rewarded. @param last its last entry
Status status_of(const PairRewards& rewards, std::size_t last);

}  // namespace warpath::evaluation
