#pragma once

#include "kernels/bodies/reward_rollouts.hpp"

// Begins, extends, ends and scores running episodes, each with one thread.

namespace warpath::kernels {

/// Returns the memory of an episode. Without strips the rows are known to the compiler.
/// @tparam Rows EpisodeRows, or PointEpisodeRows for points
template <class L, int K, bool Strips, class Rows = EpisodeRows<L, K>>
WARPATH_HD EpisodeMemory<L> memory_of(const EpisodesView& episodes, std::uint32_t e) {
  return {episodes.memory + e, episodes.count, Strips ? episodes.rows : K, Rows::axes};
}

/// Adds a viewpoint to an episode and returns the reward of the move.
/// @param given the distance to the goal; null: from the tables
template <class L, int K, unsigned Quantities, bool Strips>
WARPATH_HD typename L::F add_viewpoint(const EpisodesView& episodes, std::uint32_t e,
                                       typename L::I node, const float* given) {
  const EpisodeMemory<L> memory = memory_of<L, K, Strips>(episodes, e);
  EpisodeRows<L, K> rows(episodes.rewards.tables, memory);
  const typename L::F goal = given != nullptr ? *given : rows.goal(node);
  return step_episode<L, K, Quantities & reward_all>(memory, rows, node, goal, true,
                                                     episodes.rewards.rules);
}

/// Begins the episode of entry k anew.
template <class L, int K, unsigned Quantities, bool Strips>
WARPATH_HD void reset_episode(const ResetView& view, std::uint32_t k) {
  const RewardTablesView& rewards = view.episodes.rewards;
  const std::uint32_t e = view.episode.exist() ? view.episode[k] : k, r = view.reference[k];
  const RewardReference reference = rewards.references[r];
  const EpisodeMemory<L> memory = memory_of<L, K, Strips>(view.episodes, e);
  store_reference(rewards, reference, memory);
  memory.set(reference_field(memory.rows, memory.axes), static_cast<int>(r));
  const std::uint32_t start =
      view.start.exist() ? view.start.small(k) : rewards.nodes[reference.first];
  add_viewpoint<L, K, Quantities, Strips>(
      view.episodes, e, static_cast<int>(start),
      view.distance_to_goal == nullptr ? nullptr : view.distance_to_goal + k);
}

/// Adds a viewpoint to episode e, if it is active.
template <class L, int K, unsigned Quantities, bool Strips>
WARPATH_HD void step_one_episode(const StepView& view, std::uint32_t e) {
  typename L::F reward = 0.0f;
  if (view.active == nullptr || view.active[e] != 0) {
    reward = add_viewpoint<L, K, Quantities, Strips>(
        view.episodes, e, static_cast<int>(view.nodes.small(e)),
        view.distance_to_goal == nullptr ? nullptr : view.distance_to_goal + e);
  }
  view.reward[e] = reward;
}

/// Reads the rows of an episode strip by strip and stores nothing. That is enough to add one
/// viewpoint, whose values come from the same pass.
template <class L, int K, unsigned Quantities>
struct ReadRows {
  static constexpr bool in_strips = true;
  const EpisodeMemory<L>& memory;
  const int strips;
  RowState<L, K> state;

  WARPATH_HD RowState<L, K>& load(int s) {
    StoredRows<L, K, Quantities> stored{memory, true, strips, {}};
    return state = stored.load(s);
  }
  WARPATH_HD void store(int, const RowState<L, K>&) const {}
};

/// Gives the last viewpoint of an episode once more.
template <class L, class Rows>
struct RepeatedViewpoint {
  const EpisodeMemory<L>& memory;
  const Rows& rows;

  WARPATH_HD typename Rows::Node node(int) const { return rows.last(); }
  WARPATH_HD typename L::F goal(int, const typename Rows::Node&) const {
    return memory.real(episode_goal_distance);
  }
};

/// Rewards the end of episode e, if it ends. @tparam Rows as for memory_of
template <class L, int K, unsigned Quantities, bool Strips, class Rows = EpisodeRows<L, K>>
WARPATH_HD void finish_episode(const FinishView& view, std::uint32_t e) {
  const RewardTablesView& rewards = view.episodes.rewards;
  typename L::F reward = 0.0f;
  if (view.mask == nullptr || view.mask[e] != 0) {
    const bool stopped = view.stopped == nullptr || view.stopped[e] != 0;
    const EpisodeMemory<L> memory = memory_of<L, K, Strips, Rows>(view.episodes, e);
    PrefixValues<L> last = memory.values();
    if (rewards.rules.stop_repeats_node && stopped) {
      ReadRows<L, K, Quantities> store{memory, memory.rows / K, {}};
      Rows rows(rewards.tables, memory);
      RepeatedViewpoint<L, Rows> path{memory, rows};
      const PrefixValues<L> repeated = extend_episode<L, K, Quantities & reward_all>(
                                           memory, store, rows, path, 1, rewards.rules, false)
                                           .values;
      last.ndtw = repeated.ndtw;
      last.cls = repeated.cls;
    }
    reward = end_reward<L, Quantities & reward_all>(last, stopped, rewards.rules);
  }
  view.reward[e] = reward;
}

/// Gives the viewpoints of a continuation.
template <class L, class Rows>
struct Continuation {
  const Rows& rows;
  const Integers path;

  WARPATH_HD typename L::I node(int t) const { return static_cast<typename L::I>(path.small(t)); }
  WARPATH_HD typename L::F goal(int, const typename L::I& node) const { return rows.goal(node); }
};

/// Scores a continuation of an episode. @pre it has a viewpoint
/// @param scratch an EpisodeMemory without axes, for references in strips
template <class L, int K, unsigned Quantities, bool Strips, class Rows, class Path>
WARPATH_HD Extension<L> extension_of(const EpisodeMemory<L>& memory, Rows& rows, Path& continuation,
                                     int size, const RewardRules& rules, bool wants_goal,
                                     float* scratch, std::size_t stride) {
  if constexpr (Strips) {
    const EpisodeMemory<L> copy{scratch, stride, memory.rows, 0};
    copy_rows<L>(memory, copy);
    StoredRows<L, K, Quantities> store{copy, true, memory.rows / K, {}};
    return extend_episode<L, K, Quantities & reward_all>(memory, store, rows, continuation, size,
                                                         rules, wants_goal);
  } else {
    RegisterRows<L, K> store;
    load_rows<L, K, Quantities>(memory, store.rows);
    return extend_episode<L, K, Quantities & reward_all>(memory, store, rows, continuation, size,
                                                         rules, wants_goal);
  }
}

/// Writes what continuation p leads to. One without viewpoints, of size 0, has no values.
/// @param score(episode) returns it
template <class L, class View, class Score>
WARPATH_HD void write_extension(const View& view, std::uint32_t p, int size, const Score& score) {
  const float none = __builtin_nanf("");
  Extension<L> result{{none, none, none, none}, none};
  if (size > 0) result = score(p / view.candidates);
  if (view.reward != nullptr) view.reward[p] = result.reward;
  if (view.goal != nullptr) view.goal[p] = result.values.goal;
  if (view.ndtw != nullptr) view.ndtw[p] = result.values.ndtw;
  if (view.cls != nullptr) view.cls[p] = result.values.cls;
}

/// Scores continuation p.
template <class L, int K, unsigned Quantities, bool Strips>
WARPATH_HD void score_extension(const ExtensionsView& view, std::uint32_t p) {
  const auto size = static_cast<int>(view.paths.length(p));
  write_extension<L>(view, p, size, [&](std::uint32_t e) {
    using Rows = EpisodeRows<L, K>;
    const EpisodeMemory<L> memory = memory_of<L, K, Strips>(view.episodes, e);
    Rows rows(view.episodes.rewards.tables, memory);
    Continuation<L, Rows> continuation{rows, view.paths.path(p)};
    return extension_of<L, K, Quantities, Strips>(
        memory, rows, continuation, size, view.episodes.rewards.rules, view.goal != nullptr,
        view.memory + p, std::size_t{view.episodes.count} * view.candidates);
  });
}

/// Writes the values of episode e.
template <class L>
WARPATH_HD void write_values(const EpisodeValuesView& view, std::uint32_t e) {
  const EpisodesView& all = view.episodes;
  const PrefixValues<L> values =
      EpisodeMemory<L>{all.memory + e, all.count, all.rows, all.axes}.values();
  if (view.goal != nullptr) view.goal[e] = values.goal;
  if (view.ndtw != nullptr) view.ndtw[e] = values.ndtw;
  if (view.cls != nullptr) view.cls[e] = values.cls;
}

/// Copies the episode of entry k.
WARPATH_HD void copy_episode(const CopyEpisodesView& view, std::uint32_t k) {
  const float* from = view.from + (view.from_episode.exist() ? view.from_episode[k] : k);
  float* to = view.to + (view.to_episode.exist() ? view.to_episode[k] : k);
  for (int field = 0; field < view.fields; ++field) {
    to[field * view.to_stride] = from[field * view.from_stride];
  }
}

}  // namespace warpath::kernels
