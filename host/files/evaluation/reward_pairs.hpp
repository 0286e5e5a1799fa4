#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpath/paths.hpp"
#include "warpath/reward_settings.hpp"
#include "warpath/scores.hpp"

namespace warpath::evaluation {

/// Holds the rewards of the queries of a batch, one entry for each of their viewpoints, laid out as
/// `PairBatch::queries` are: column t of a query is queries.offsets[query] + t.
struct PairRewards {
  std::vector<float> reward;            ///< see Rewards
  std::vector<float> returns;           ///< the discounted sum from there to the end
  std::vector<float> distance_to_goal;  ///< of each viewpoint
  std::vector<float> ndtw, cls;         ///< of the prefix that ends there
};

/// Rewards every query of a batch whose pair k has query k.
/// @param stopped by query: 0: its time was up
/// @throws InputError as Rewards does
PairRewards reward_pairs(const PairBatch& batch, const RewardSettings& settings,
                         std::span<const std::uint8_t> stopped, double discount);

/// Returns what is to be said of a query that was rewarded. @param last its last entry
Status status_of(const PairRewards& rewards, std::size_t last);

}  // namespace warpath::evaluation
