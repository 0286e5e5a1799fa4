#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/metrics/metric_formulas.hpp"
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

/// Holds the lengths that SPL compares, metres.
template <class L>
struct SplLengths {
  typename L::F ideal, walked;
};

/// Returns SPL's length of an ideal path. A given one is never below the distance from the start,
/// as in ETP-R1 and BudVLN.
/// @param given −1: none is @param reference PL(R) @param start the distance from there to the goal
WARPATH_HD float ideal_length(float given, float reference, float start, const RewardRules& rules) {
  if (given >= 0.0f) return given > start ? given : start;
  return rules.metrics.spl_length == SplLength::reference ? reference : start;
}

/// Tells whether an end succeeds.
template <class L>
WARPATH_HD typename L::M succeeds(typename L::F goal, typename L::M stopped,
                                  const RewardRules& rules) {
  const auto is_near = goal < L::real(rules.success_below);
  return rules.success_needs_stop ? is_near & stopped : is_near;
}

/// Returns the reward of an end.
/// @param stopped the agent stopped; else its time was up
/// @param lengths read where the quantities have lengths
template <class L, unsigned Quantities>
WARPATH_HD typename L::F end_reward(const PrefixValues<L>& last, typename L::M stopped,
                                    const SplLengths<L>& lengths, const RewardRules& rules) {
  using F = typename L::F;
  F success = L::real(rules.success), other = L::real(rules.failure);
  if (rules.success_closeness != 0.0f) {
    const F closeness = L::real(1.0f) - last.goal / L::real(rules.success_radius);
    success = success + closeness * L::real(rules.success_closeness);
  }
  if constexpr (Quantities & quantity_dtw) {
    if (rules.success_ndtw != 0.0f) success = success + last.ndtw * L::real(rules.success_ndtw);
  }
  if constexpr (Quantities & quantity_length) {
    if (rules.final_spl != 0.0f) {
      const F walked = settled<L>(lengths.walked), ideal = settled<L>(lengths.ideal);
      const F spl =
          spl_value<L>(L::real(1.0f), ideal, walked, rules.metrics, [](const auto&, Flag) {});
      // An infinite length leaves no number.
      const F nothing = (walked - walked) + (ideal - ideal);
      success = success + (spl + nothing) * L::real(rules.final_spl);
    }
  }
  F reward = L::select(succeeds<L>(last.goal, stopped, rules), success, other);
  if constexpr (Quantities & quantity_dtw) {
    if (rules.final_ndtw != 0.0f) reward = reward + last.ndtw * L::real(rules.final_ndtw);
  }
  if constexpr (Quantities & quantity_coverage) {
    if (rules.final_cls != 0.0f) reward = reward + last.cls * L::real(rules.final_cls);
  }
  if (rules.final_distance != 0.0f) {
    const F nearness = L::real(1.0f) - last.goal / L::real(rules.distance_scale);
    // An infinite distance leaves no number.
    reward = reward + (nearness + (last.goal - last.goal)) * L::real(rules.final_distance);
  }
  return rules.timeout == TimeOut::nothing ? L::select(stopped, reward, L::real(0.0f)) : reward;
}

}  // namespace warpath::kernels
