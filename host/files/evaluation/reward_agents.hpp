#pragma once

#include <string>
#include <vector>

#include "host/files/evaluation/inputs.hpp"
#include "host/files/evaluation/pack.hpp"
#include "host/files/evaluation/reward_pairs.hpp"
#include "warpath/paths.hpp"

namespace warpath::evaluation {

/// Says how predictions are rewarded.
struct RewardRequest {
  RewardSettings settings;
  double discount = 1.0;
  bool strict = false;                   ///< see EvalOptions
  bool all_timed_out = false;            ///< no prediction ends with a stop
  bool group_by_item = false;            ///< compares the predictions of each item
  std::vector<std::string> timed_out{};  ///< ids of the items whose predictions do not
};

/// Holds the rewards of one agent's predictions.
struct RewardedAgent {
  AgentResult agent;  ///< without scores; rows[i].pair is a pair of `batch`
  PairBatch batch;    ///< pair k has query k; its scans are those of the inputs
  /// Of episodes that are not on a grid, in place of the batch's queries: as files have them.
  PointSet positions;
  std::vector<std::uint8_t> stopped;  ///< by pair
  PairRewards rewards;
  /// By pair, if the request groups them: the sum of its rewards, and the advantage among those of
  /// its item, as group_advantages() has by default. NaN for a pair that lacks a reward.
  std::vector<float> total{}, advantage{};

  std::size_t pairs() const { return stopped.size(); }
  bool has_positions() const { return positions.size() > 0; }
  std::size_t first(std::size_t pair) const { return offsets()[pair]; }
  std::size_t last(std::size_t pair) const { return offsets()[pair + 1] - 1; }
  std::size_t size(std::size_t pair) const { return offsets()[pair + 1] - offsets()[pair]; }
  const std::vector<std::uint64_t>& offsets() const {
    return has_positions() ? positions.offsets : batch.queries.offsets;
  }
};

/// Refuses settings that mean nothing for these inputs. @throws InputError, UsageError
void check_reward(const Inputs& inputs, const RewardSettings& settings);

/// Returns how the pairs of a packed run end: over grids the files say where agents stop, and
/// episodes have goals.
RolloutEnds rollout_ends(const Inputs& inputs, const formats::Predictions& predictions,
                         const PackedRun& run, const Convention& convention);

/// Tells whether some reward of a pair has no value.
bool lacks_reward(const RewardedAgent& rewarded, std::size_t pair);
/// Tells whether a query ends where a stop succeeds.
bool is_success(const RewardedAgent& rewarded, std::size_t pair, const RewardSettings& settings);

/// Rewards the predictions of every agent. Items without a prediction, and those whose prediction
/// cannot be rewarded, have no pair; the convention says whether they are refused.
/// @param inputs must outlive the result
/// @throws InputError as Evaluator::evaluate, and for an id of `timed_out` that no item has
std::vector<RewardedAgent> reward_agents(Inputs& inputs, const RewardRequest& request);

}  // namespace warpath::evaluation
