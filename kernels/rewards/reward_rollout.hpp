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
  typename L::I left_out;          ///< see LeftOut; |R| and PL(R) are of the rest
};

/// Puts the reward of an end where the rules want it: with the last move's, in place of it, or into
/// its own column.
/// @param has_move lanes whose rollout has more than one viewpoint
template <class L>
WARPATH_HD void place_end(const RewardRules& rules, typename L::M has_move, typename L::M stopped,
                          typename L::F& move, typename L::F& end) {
  const auto zero = L::real(0.0f);
  const bool adds = rules.end_is_last_move, replaces = rules.timeout == TimeOut::replaces_move;
  const auto added = adds ? move + end : move, own = adds ? zero : end;
  move = L::select(has_move, L::select(stopped, added, replaces ? end : added), move);
  end = L::select(has_move, L::select(stopped, own, replaces ? zero : own), end);
}

/// Adds the steps of columns t … t + C − 1 to the path's length, up to its last viewpoint.
/// @param state of the prefix, which begins anew where first viewpoints are left out
template <int C, class L>
WARPATH_HD void add_walked(Sum<L>& walked, const PrefixState<L>& state,
                           typename L::F left_out_length, typename L::I last_column, int t,
                           const typename L::F (&length)[C]) {
  if constexpr (C == 1) {
    walked.high = L::select(last_column == t, left_out_length + state.length.high, walked.high);
  } else {
    WARPATH_UNROLL for (int c = 0; c < C; ++c) walked.add(last_column >= t + c, length[c]);
  }
}

/// Computes the rewards of all moves and of the end. Column t < m − 1 is the move from viewpoint t
/// to t + 1, column m − 1 is the end. What later columns hold is of no use.
/// @tparam C viewpoints that are added at once
/// @tparam Rollout node(t) gives viewpoint t, goal(t, node) its distance to the goal. Behind a
/// lane's last viewpoint, both give those of the last viewpoint. node() is called once for each
/// column, in order; goal() only where the rules or `Out` need it; ideal() is SPL's length of an
/// ideal path. There are as many columns as the longest lane has, and one more if
/// stop_repeats_node, rounded up to a multiple of C
/// @pre with several viewpoints at once nothing is left out
/// @tparam Out reward(t, value) and prefix(t, values, is_live) are called in order of t, also
/// behind a lane's end; prefix() only if wants_prefixes(). end(m, move, end) comes last and
/// replaces columns m − 2, if m > 1, and m − 1
template <class L, int K, int C, unsigned Quantities, class Store, class Rows, class Rollout,
          class Out>
WARPATH_HD void reward_rollout(Store& store, Rows& rows, Rollout& rollout,
                               const RolloutInputs<L>& inputs, const RewardRules& rules, Out& out) {
  using F = typename L::F;
  using I = typename L::I;
  const F zero = L::real(0.0f);
  PrefixState<L> state = empty_prefix<L>(inputs.n, K * store.strips);
  Prefix<L, K, Quantities, Store, Rows> prefix(store, rows, inputs.n, inputs.reference_length,
                                               rules, state);
  const bool each = rules.rewards_prefixes || out.wants_prefixes();
  const bool each_goal = rules.goal_gain != GoalGain::none || out.wants_prefixes();
  const I last_column = inputs.m - 1;
  // A stop that is scored with the last viewpoint once more is worth what the next column says.
  const I repeats = L::integer(rules.stop_repeats_node ? 1 : 0);
  const I end_column = L::select(inputs.stopped, last_column + repeats, last_column);
  const int columns = L::highest(end_column) + 1;
  PrefixValues<L> before{zero, zero, zero, zero}, last = before;
  F last_move = zero, left_out_length = zero;
  // The path's length at its last viewpoint: behind it, a sum in two floats may still round.
  Sum<L> walked{zero, zero};
  const LeftOut<L> left_out(inputs.left_out);
  auto node_before = rollout.node(0);
  for (int t = 0; t < columns; t += C) {
    decltype(node_before) node[C];
    F length[C], goal[C];
    bool has_end = false;
    WARPATH_UNROLL for (int c = 0; c < C; ++c) {
      node[c] = t + c > 0 ? rollout.node(t + c) : node_before;
      length[c] = zero;
      if constexpr (Quantities & quantity_length) {
        if (t + c > 0) length[c] = rows.between(node_before, node[c]);
      }
      node_before = node[c];
      const bool is_end = L::any(end_column == t + c);
      goal[c] = zero;
      if (each_goal || is_end) goal[c] = rollout.goal(t + c, node[c]);
      has_end = has_end || is_end;
    }
    PrefixValues<L> values[C];
    if constexpr (C == 1) {
      values[0] = prefix.add_counted(left_out, L::integer(t), node[0], length[0], goal[0],
                                     each || has_end, left_out_length);
    } else {
      prefix.add(node, length, goal, each || has_end, values);
    }
    if constexpr (Quantities & quantity_length) {
      if (rules.final_spl != 0.0f)
        add_walked<C>(walked, state, left_out_length, last_column, t, length);
    }
    WARPATH_UNROLL for (int c = 0; c < C; ++c) {
      const auto is_last = last_column == t + c, is_end = end_column == t + c;
      const F move = move_reward<L, Quantities>(before, values[c], length[c], rules);
      last_move = L::select(is_last, move, last_move);
      last.goal = L::select(is_end, values[c].goal, last.goal);
      last.ndtw = L::select(is_end, values[c].ndtw, last.ndtw);
      last.cls = L::select(is_end, values[c].cls, last.cls);
      if (t + c > 0) out.reward(t + c - 1, move);
      if (out.wants_prefixes()) out.prefix(t + c, values[c], inputs.m > t + c);
      before = values[c];
    }
  }
  SplLengths<L> lengths{zero, zero};
  if constexpr (Quantities & quantity_length) {
    if (rules.final_spl != 0.0f) {
      lengths = {rollout.ideal(), walked.high};
    }
  }
  F end = end_reward<L, Quantities>(last, inputs.stopped, lengths, rules);
  place_end<L>(rules, inputs.m > 1, inputs.stopped, last_move, end);
  out.end(inputs.m, last_move, end);
}

}  // namespace warpath::kernels
