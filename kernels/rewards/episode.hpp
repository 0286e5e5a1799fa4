#pragma once

#include "kernels/rewards/episode_memory.hpp"
#include "kernels/rewards/prefix.hpp"
#include "kernels/views/rewards.hpp"

// Extends running episodes, one per lane, by a viewpoint each, and scores continuations of them
// without a change.

namespace warpath::kernels {

/// Takes distances from the tables of the episodes' scans.
template <class L, int K>
struct EpisodeRows {
  using F = typename L::F;
  using I = typename L::I;
  using Node = I;
  static constexpr int axes = 1;

  const EpisodeTables& tables;
  const EpisodeMemory<L>& memory;
  I base, pitch, row[K];

  WARPATH_HD EpisodeRows(const EpisodeTables& all, const EpisodeMemory<L>& of)
      : tables(all), memory(of), base(of.integer(episode_base)), pitch(of.integer(episode_pitch)) {}

  WARPATH_HD void load(const I&, int strip) {
    WARPATH_UNROLL for (int i = 0; i < K; ++i) {
      row[i] = memory.integer(memory.row_field(strip * K + i));
    }
  }
  WARPATH_HD void column(const Node& node, F (&d)[K]) const {
    const I first = node * pitch + base;
    WARPATH_UNROLL for (int i = 0; i < K; ++i) d[i] = L::gather(tables.distance, first + row[i]);
  }
  WARPATH_HD F between(const Node& a, const Node& b) const {
    return L::gather(tables.distance, a * pitch + base + b);
  }
  WARPATH_HD F goal(const Node& node) const {
    return L::gather(tables.goal, memory.integer(episode_goal) + node);
  }
  WARPATH_HD Node last() const { return memory.integer(episode_node); }
  WARPATH_HD void keep(typename L::M live, const Node& node) const {
    memory.set_where(live, episode_node, node);
  }
};

/// Adds a viewpoint to the episodes of `live` and returns the rewards of the moves that lead there;
/// 0 for an episode's first viewpoint.
/// @param goal distance from the viewpoint to the goal
template <class L, int K, unsigned Quantities, class Rows>
WARPATH_HD typename L::F step_episode(const EpisodeMemory<L>& memory, Rows& rows,
                                      const typename Rows::Node& node, typename L::F goal,
                                      typename L::M live, const RewardRules& rules) {
  using F = typename L::F;
  using I = typename L::I;
  const I size = memory.integer(episode_size);
  const auto is_move = size > 0;
  const PrefixValues<L> before = memory.values();
  PrefixState<L> state = memory.prefix();
  F length = L::real(0.0f);
  if constexpr (Quantities & quantity_length) {
    length = L::select(is_move, rows.between(rows.last(), node), length);
  }
  StoredRows<L, K, Quantities> store{memory, live, memory.rows / K, {}};
  Prefix<L, K, Quantities, StoredRows<L, K, Quantities>, Rows> prefix(
      store, rows, memory.integer(episode_reference_size), memory.real(episode_reference_length),
      rules, state);
  F counted = length;
  const auto begins = live & LeftOut<L>(memory.integer(episode_prefix)).ends_before(size);
  if (L::any(begins)) {
    memory.set_where(begins, episode_prefix_length, prefix.begin_anew(begins, counted));
  }
  PrefixValues<L> values = prefix.add(node, counted, goal, true);
  rows.keep(live, node);
  memory.set_where(live, episode_size, size + 1);
  // It is read again, for registers are few.
  LeftOut<L>(memory.integer(episode_prefix)).settle(memory.integer(episode_size), values);
  memory.set_where(live, episode_goal_distance, values.goal);
  memory.set_where(live, episode_ndtw, values.ndtw);
  memory.set_where(live, episode_dtw, values.dtw);
  memory.set_where(live, episode_cls, values.cls);
  memory.set_where(live, episode_length_high, state.length.high);
  memory.set_where(live, episode_length_low, state.length.low);
  memory.set_where(live, episode_corner, state.corner);
  const F reward = move_reward<L, Quantities>(before, values, length, rules);
  return L::select(live & is_move, reward, L::real(0.0f));
}

/// Holds what a continuation leads to.
template <class L>
struct Extension {
  PrefixValues<L> values;
  typename L::F reward;  ///< of its moves, added up
};

/// Scores continuations of the episodes, whose memory it only reads.
/// @param store holds the episodes' rows and may change
/// @param size viewpoints of each lane's continuation, at least 1
/// @param path node(t) is viewpoint t of it, goal(t, node) its distance to the goal
/// @param wants_goal whether the result needs the distance to the goal; else it has 0 unless the
/// rules have a goal gain
template <class L, int K, unsigned Quantities, class Store, class Rows, class Path>
WARPATH_HD Extension<L> extend_episode(const EpisodeMemory<L>& memory, Store& store, Rows& rows,
                                       Path& path, typename L::I size, const RewardRules& rules,
                                       bool wants_goal) {
  using F = typename L::F;
  PrefixState<L> state = memory.prefix();
  Prefix<L, K, Quantities, Store, Rows> prefix(store, rows, memory.integer(episode_reference_size),
                                               memory.real(episode_reference_length), rules, state);
  Extension<L> result{memory.values(), L::real(0.0f)};
  const typename L::I first = memory.integer(episode_size);
  const LeftOut<L> left_out(memory.integer(episode_prefix));
  F left_out_length = L::real(0.0f);  // nobody asks for it
  const bool each_goal = wants_goal || rules.goal_gain != GoalGain::none;
  auto before = rows.last();
  for (int t = 0; t < L::highest(size); ++t) {
    const auto node = path.node(t);
    F length = L::real(0.0f);
    if constexpr (Quantities & quantity_length) length = rows.between(before, node);
    F goal = L::real(0.0f);
    if (each_goal) goal = path.goal(t, node);
    const PrefixValues<L> values =
        prefix.add_counted(left_out, first + t, node, length, goal, true, left_out_length);
    const F reward = move_reward<L, Quantities>(result.values, values, length, rules);
    const auto live = size > t;
    result.reward = L::select(live, result.reward + reward, result.reward);
    result.values = {L::select(live, values.goal, result.values.goal),
                     L::select(live, values.ndtw, result.values.ndtw),
                     L::select(live, values.dtw, result.values.dtw),
                     L::select(live, values.cls, result.values.cls)};
    before = node;
  }
  return result;
}

}  // namespace warpath::kernels
