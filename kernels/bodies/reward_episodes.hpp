#pragma once

#include "kernels/bodies/reward_rollouts.hpp"

// Begins, extends, ends and scores running episodes, each with one thread.

namespace warpath::kernels {

/// Returns the memory of an episode. Without strips the rows are known to the compiler.
template <class L, int K, bool Strips>
WARPATH_HD EpisodeMemory<L> memory_of(const EpisodesView& episodes, std::uint32_t e) {
  return {episodes.memory + e, episodes.count, Strips ? episodes.rows : K, 1};
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
  memory.set(reference_field(memory.rows), static_cast<int>(r));
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

/// Reads the rows of an episode, strip by strip, and keeps what one more viewpoint changes only
/// until the next strip. That is enough for a viewpoint that repeats the last one, which changes no
/// minimum.
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
template <class L>
struct RepeatedViewpoint {
  const EpisodeMemory<L>& memory;

  WARPATH_HD typename L::I node(int) const { return memory.integer(episode_node); }
  WARPATH_HD typename L::F goal(int, typename L::I) const {
    return memory.real(episode_goal_distance);
  }
};

/// Rewards the end of episode e, if it ends.
template <class L, int K, unsigned Quantities, bool Strips>
WARPATH_HD void finish_episode(const FinishView& view, std::uint32_t e) {
  const RewardTablesView& rewards = view.episodes.rewards;
  typename L::F reward = 0.0f;
  if (view.mask == nullptr || view.mask[e] != 0) {
    const bool stopped = view.stopped == nullptr || view.stopped[e] != 0;
    const EpisodeMemory<L> memory = memory_of<L, K, Strips>(view.episodes, e);
    PrefixValues<L> last = memory.values();
    if (rewards.rules.stop_repeats_node && stopped) {
      ReadRows<L, K, Quantities> store{memory, memory.rows / K, {}};
      EpisodeRows<L, K> rows(rewards.tables, memory);
      RepeatedViewpoint<L> path{memory};
      const PrefixValues<L> repeated =
          extend_episode<L, K, Quantities & reward_all>(memory, store, rows, path, 1, rewards.rules)
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

/// Scores a continuation of episode e. @pre it has a viewpoint
/// @param scratch as an EpisodeMemory has it, for references in strips
template <class L, int K, unsigned Quantities, bool Strips>
WARPATH_HD Extension<L> extension_of(const EpisodesView& episodes, std::uint32_t e,
                                     const Integers& path, int size, float* scratch,
                                     std::size_t stride) {
  const RewardRules& rules = episodes.rewards.rules;
  const EpisodeMemory<L> memory = memory_of<L, K, Strips>(episodes, e);
  using Rows = EpisodeRows<L, K>;
  Rows rows(episodes.rewards.tables, memory);
  Continuation<L, Rows> continuation{rows, path};
  if constexpr (Strips) {
    const EpisodeMemory<L> copy{scratch, stride, memory.rows, 1};
    copy_rows<L>(memory, copy);
    StoredRows<L, K, Quantities> store{copy, true, memory.rows / K, {}};
    return extend_episode<L, K, Quantities & reward_all>(memory, store, rows, continuation, size,
                                                         rules);
  } else {
    RegisterRows<L, K> store;
    load_rows<L, K, Quantities>(memory, store.rows);
    return extend_episode<L, K, Quantities & reward_all>(memory, store, rows, continuation, size,
                                                         rules);
  }
}

/// Scores continuation p. One without viewpoints has no values.
template <class L, int K, unsigned Quantities, bool Strips>
WARPATH_HD void score_extension(const ExtensionsView& view, std::uint32_t p) {
  const float none = __builtin_nanf("");
  Extension<L> result{{none, none, none, none}, none};
  const auto size = static_cast<int>(view.paths.length(p));
  if (size > 0) {
    result = extension_of<L, K, Quantities, Strips>(
        view.episodes, p / view.candidates, view.paths.path(p), size, view.memory + p,
        std::size_t{view.episodes.count} * view.candidates);
  }
  if (view.reward != nullptr) view.reward[p] = result.reward;
  if (view.goal != nullptr) view.goal[p] = result.values.goal;
  if (view.ndtw != nullptr) view.ndtw[p] = result.values.ndtw;
  if (view.cls != nullptr) view.cls[p] = result.values.cls;
}

/// Writes the values of episode e.
template <class L>
WARPATH_HD void write_values(const EpisodeValuesView& view, std::uint32_t e) {
  const EpisodesView& all = view.episodes;
  const PrefixValues<L> values = EpisodeMemory<L>{all.memory + e, all.count, all.rows, 1}.values();
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
