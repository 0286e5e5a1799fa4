#pragma once

#include <type_traits>

#include "kernels/rewards/prefix.hpp"

// Rewards finished rollouts, one per lane: all prefixes of a rollout cost one sweep.

namespace warpath::kernels {

/// Holds what a lane's rollout has besides its viewpoints.
template <class L>
struct RolloutInputs {
  typename L::I n, m;              ///< |R|, |Q|
  typename L::F reference_length;  ///< PL(R)
  typename L::M stopped;           ///< the agent stopped; else its time was up
};

/// Puts the reward of an end where the rules want it: with the last move's, in place of it, or into
/// its own column.
/// @param is_end lanes whose rollout ends here, after a move
template <class L>
WARPATH_HD void place_end(const RewardRules& rules, typename L::M is_end, typename L::M stopped,
                          typename L::F& move, typename L::F& end) {
  const auto zero = L::real(0.0f);
  const bool adds = rules.end_is_last_move, replaces = rules.timeout == TimeOut::replaces_move;
  const auto added = adds ? move + end : move, own = adds ? zero : end;
  move = L::select(is_end, L::select(stopped, added, replaces ? end : added), move);
  end = L::select(is_end, L::select(stopped, own, replaces ? zero : own), end);
}

/// Computes the rewards of all moves and of the end: column t < m − 1 is the move from viewpoint t
/// to t + 1, column m − 1 the end, and later columns are 0.
/// @tparam Rollout node(t) is viewpoint t, goal(t, node) its distance to the goal; each is asked
/// for once and in order, also behind a lane's last viewpoint if another lane has more
/// @tparam Out reward(t, value) and prefix(t, values, is_live) take the results, in order of t;
/// wants_prefixes() tells whether the second is needed
template <class L, int K, unsigned Quantities, class Store, class Rows, class Rollout, class Out>
WARPATH_HD void reward_rollout(Store& store, Rows& rows, Rollout& rollout,
                               const RolloutInputs<L>& inputs, const RewardRules& rules, Out& out) {
  using F = typename L::F;
  using M = typename L::M;
  const F zero = L::real(0.0f);
  PrefixState<L> state = empty_prefix<L>(inputs.n, K * store.strips);
  Prefix<L, K, Quantities, Store, Rows> prefix(store, rows, inputs.n, inputs.reference_length,
                                               rules, state);
  const bool each = rules.rewards_prefixes || out.wants_prefixes();
  const int columns = L::highest(inputs.m);
  auto node = rollout.node(0);
  PrefixValues<L> before{zero, zero, zero, zero};
  F reward = zero;  // of the previous column
  for (int t = 0; t < columns; ++t) {
    F length = zero;
    if (t > 0) {
      const auto next = rollout.node(t);
      if constexpr (Quantities & quantity_length) length = rows.between(node, next);
      node = next;
    }
    prefix.add(node, length);
    const M is_end = inputs.m == t + 1, is_live = inputs.m > t;
    const F goal = rollout.goal(t, node);
    PrefixValues<L> values{goal, zero, zero, zero};
    if (each || L::any(is_end)) values = prefix.values(goal);
    F move = L::select(is_live, move_reward<L, Quantities>(before, values, length, rules), reward);
    F end = zero;
    if (L::any(is_end)) {
      PrefixValues<L> last = values;
      if (rules.stop_repeats_node) {
        prefix.repeat_where(is_end & inputs.stopped, node);
        const auto repeated = prefix.values(goal);
        last.ndtw = L::select(inputs.stopped, repeated.ndtw, last.ndtw);
        last.cls = L::select(inputs.stopped, repeated.cls, last.cls);
      }
      end = L::select(is_end, end_reward<L, Quantities>(last, inputs.stopped, rules), zero);
      if (t > 0) place_end<L>(rules, is_end, inputs.stopped, move, end);
    }
    if (t > 0) out.reward(t - 1, move);
    if (out.wants_prefixes()) out.prefix(t, values, is_live);
    reward = end;
    before = values;
  }
  out.reward(columns - 1, reward);
}

}  // namespace warpath::kernels
