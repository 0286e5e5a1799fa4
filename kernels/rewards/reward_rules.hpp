#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/sweep/quantities.hpp"
#include "kernels/views/rewards.hpp"

// Defines what a move and an end are worth, from the values of the prefixes before and after them.

namespace warpath::kernels {

/// Holds what a prefix of a query is worth by each metric.
template <class L>
struct PrefixValues {
  typename L::F goal;  ///< distance from the last viewpoint to the goal
  typename L::F ndtw, dtw, cls;
};

/// Returns the reward of a move of `length` metres, which leads from one prefix to the next.
template <class L, unsigned Quantities>
WARPATH_HD typename L::F move_reward(const PrefixValues<L>& before, const PrefixValues<L>& after,
                                     typename L::F length, const RewardRules& rules) {
  using F = typename L::F;
  const F zero = L::real(0.0f), one = L::real(1.0f);
  // A lane of its own chooses values: constants that a branch reads come late.
  constexpr bool chooses = std::is_same_v<typename L::M, bool>;
  F slack = L::real(rules.slack);
  if (chooses || rules.slack_per_metre != 0.0f) {
    const F by_length = L::min(slack, length * L::real(rules.slack_per_metre));
    slack = rules.slack_per_metre != 0.0f ? by_length : slack;
  }
  F reward = zero;
  if (rules.goal_gain != GoalGain::none) {
    const F gain = before.goal - after.goal;
    const F most = L::real(rules.max_goal_gain);
    F part = L::max(zero - most, L::min(most, gain));
    if (rules.goal_gain == GoalGain::sign) {
      const F other = L::select(gain < zero, L::real(-1.0f), L::real(rules.tie));
      part = L::select(gain > zero, one, other);
    }
    reward = part * L::real(rules.goal_weight);
    // The difference of two infinite distances is no number, one of them alone is infinite.
    const F finite = gain - gain;
    reward = L::select(finite == zero, reward, L::real(rules.without_goal));
    if (chooses || rules.miss_penalty != 0.0f) {
      auto leaves_goal = (before.goal <= L::real(rules.miss_radius)) & (gain < zero);
      if constexpr (chooses) leaves_goal = leaves_goal && rules.miss_penalty != 0.0f;
      const F penalty = (one - before.goal) * L::real(rules.miss_penalty);
      reward = L::select(leaves_goal, reward - penalty, reward);
    }
  }
  if constexpr (Quantities & quantity_dtw) {
    if (rules.ndtw_weight != 0.0f) {
      reward = reward + (after.ndtw - before.ndtw) * L::real(rules.ndtw_weight);
    }
    if (rules.dtw_weight != 0.0f) {
      reward = reward + (before.dtw - after.dtw) * L::real(rules.dtw_weight);
    }
  }
  if constexpr (Quantities & quantity_coverage) {
    if (rules.cls_weight != 0.0f) {
      reward = reward + (after.cls - before.cls) * L::real(rules.cls_weight);
    }
  }
  return reward + slack;
}

/// Returns the reward of an end.
/// @param stopped the agent stopped; else its time was up
template <class L, unsigned Quantities>
WARPATH_HD typename L::F end_reward(const PrefixValues<L>& last, typename L::M stopped,
                                    const RewardRules& rules) {
  using F = typename L::F;
  F success = L::real(rules.success), other = L::real(rules.failure);
  if (rules.success_closeness != 0.0f) {
    const F closeness = L::real(1.0f) - last.goal / L::real(rules.success_radius);
    success = success + closeness * L::real(rules.success_closeness);
  }
  if constexpr (Quantities & quantity_dtw) {
    if (rules.success_ndtw != 0.0f) success = success + last.ndtw * L::real(rules.success_ndtw);
  }
  F reward = L::select(last.goal < L::real(rules.success_below), success, other);
  if constexpr (Quantities & quantity_dtw) {
    if (rules.final_ndtw != 0.0f) reward = reward + last.ndtw * L::real(rules.final_ndtw);
  }
  if constexpr (Quantities & quantity_coverage) {
    if (rules.final_cls != 0.0f) reward = reward + last.cls * L::real(rules.final_cls);
  }
  return rules.timeout == TimeOut::nothing ? L::select(stopped, reward, L::real(0.0f)) : reward;
}

}  // namespace warpath::kernels
