#pragma once

#include <type_traits>

#include "kernels/bodies/reward_rollouts.hpp"

// Begins, extends, ends and scores running episodes, each with one thread.

namespace warpath::kernels {

/// Reads the reference of an episode: its viewpoints or its points.
template <class L, int K, unsigned Quantities>
using RowsOfEpisode =
    std::conditional_t<is_of_points<Quantities>, PointEpisodeRows<L, K>, EpisodeRows<L, K>>;

/// Returns the memory of an episode. Without strips the rows are known to the compiler.
template <class L, int K, unsigned Quantities, bool Strips>
WARPATH_HD EpisodeMemory<L> memory_of(const EpisodesView& episodes, std::uint32_t e) {
  return {episodes.memory + e, episodes.count, Strips ? episodes.rows : K,
          RowsOfEpisode<L, K, Quantities>::axes};
}

/// Adds a viewpoint to an episode and returns the reward of the move.
/// @param given the distance to the goal; null: from the tables
template <class L, int K, unsigned Quantities, bool Strips>
WARPATH_HD float add_element(const EpisodesView& episodes, std::uint32_t e, int viewpoint,
                             const float* given) {
  const EpisodeMemory<L> memory = memory_of<L, K, Quantities, Strips>(episodes, e);
  EpisodeRows<L, K> rows(episodes.rewards.tables, memory);
  const float goal = given != nullptr ? *given : rows.goal(viewpoint);
  return step_episode<L, K, Quantities & reward_all>(memory, rows, viewpoint, goal, true,
                                                     episodes.rewards.rules);
}

/// Adds a point to an episode and returns the reward of the move.
/// @param given the distance to the goal; null: it is measured
template <class L, int K, unsigned Quantities, bool Strips>
WARPATH_HD float add_element(const EpisodesView& episodes, std::uint32_t e, const float* point,
                             const float* given) {
  const PointMeasure& measure = episodes.rewards.measure;
  const EpisodeMemory<L> memory = memory_of<L, K, Quantities, Strips>(episodes, e);
  PointEpisodeRows<L, K> rows(episodes.rewards.tables, memory);
  const float goal = given != nullptr ? *given : point_goal_distance<L>(point, memory, measure);
  return step_episode<L, K, Quantities & reward_all>(
      memory, rows, staged_point<L>(point, measure.flat), goal, true, episodes.rewards.rules);
}

/// Returns element i of an array of viewpoints or points.
template <unsigned Quantities>
WARPATH_HD auto element_of(const PositionArray& elements, std::uint32_t i) {
  if constexpr (is_of_points<Quantities>)
    return elements.points + 3 * std::size_t{i};
  else
    return static_cast<int>(elements.nodes.small(i));
}

/// Writes the new reference of entry k, and an episode without elements, into the memory of a lane.
/// Returns whether the episode begins: not without a reference's points.
template <class L, unsigned Quantities>
WARPATH_HD bool begin_entry(const ResetView& view, std::uint32_t k,
                            const EpisodeMemory<L>& memory) {
  const RewardTablesView& rewards = view.episodes.rewards;
  const int field = reference_field(memory.rows, memory.axes);
  const int prefix = view.of_reference.prefix_of(k);
  if constexpr (is_of_points<Quantities>) {
    const auto n = static_cast<int>(view.references.length(k));
    store_points<L>(view.references.points_of(k), n, prefix, rewards.measure.flat, memory);
    memory.set(field, n > 0 ? reference_of_points : 0);
    return n > 0;
  } else {
    const std::uint32_t r = view.reference[k];
    const RewardReference whole = rewards.references[r];
    store_reference(rewards, rest_of<L>(rewards, whole, prefix), memory);
    memory.set(episode_prefix, left_out_code(prefix, whole.size));
    memory.set(field, static_cast<int>(r));
    return true;
  }
}

/// Returns PL of entry k's new reference.
template <unsigned Quantities>
WARPATH_HD float new_reference_length(const ResetView& view, std::uint32_t k) {
  const RewardTablesView& rewards = view.episodes.rewards;
  if constexpr (is_of_points<Quantities>)
    return static_cast<float>(
        length_of(view.references.points_of(k), view.references.length(k), rewards.measure.flat));
  else
    return rewards.references[view.reference[k]].length;
}

/// Returns the first element of entry k's new reference.
template <unsigned Quantities>
WARPATH_HD auto first_of_reference(const ResetView& view, std::uint32_t k) {
  const RewardTablesView& rewards = view.episodes.rewards;
  if constexpr (is_of_points<Quantities>)
    return view.references.points_of(k);
  else
    return int{rewards.nodes[rewards.references[view.reference[k]].first]};
}

/// Begins the episode of entry k anew.
template <class L, int K, unsigned Quantities, bool Strips>
WARPATH_HD void reset_episode(const ResetView& view, std::uint32_t k) {
  const std::uint32_t e = view.episode.exist() ? view.episode[k] : k;
  const auto memory = memory_of<L, K, Quantities, Strips>(view.episodes, e);
  if (!begin_entry<L, Quantities>(view, k, memory)) return;
  const bool has_start =
      is_of_points<Quantities> ? view.start.points != nullptr : view.start.nodes.exist();
  add_element<L, K, Quantities, Strips>(
      view.episodes, e,
      has_start ? element_of<Quantities>(view.start, k) : first_of_reference<Quantities>(view, k),
      view.distance_to_goal == nullptr ? nullptr : view.distance_to_goal + k);
  const RewardRules& rules = view.episodes.rewards.rules;
  if (rules.final_spl == 0.0f) return;
  memory.set(episode_ideal_length, ideal_length(view.of_reference.spl_length_of(k),
                                                new_reference_length<Quantities>(view, k),
                                                memory.real(episode_goal_distance), rules));
}

/// Adds an element to episode e, if it is active.
template <class L, int K, unsigned Quantities, bool Strips>
WARPATH_HD void step_one_episode(const StepView& view, std::uint32_t e) {
  float reward = 0.0f;
  if (view.active == nullptr || view.active[e] != 0) {
    reward = add_element<L, K, Quantities, Strips>(
        view.episodes, e, element_of<Quantities>(view.next, e),
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
  /// Nothing is left out where a last element is repeated.
  WARPATH_HD void clear(bool, int) const {}
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

/// Rewards the end of episode e, if it ends.
template <class L, int K, unsigned Quantities, bool Strips>
WARPATH_HD void finish_episode(const FinishView& view, std::uint32_t e) {
  using Rows = RowsOfEpisode<L, K, Quantities>;
  const RewardTablesView& rewards = view.episodes.rewards;
  typename L::F reward = 0.0f;
  if (view.mask == nullptr || view.mask[e] != 0) {
    const bool stopped = view.stopped == nullptr || view.stopped[e] != 0;
    const EpisodeMemory<L> memory = memory_of<L, K, Quantities, Strips>(view.episodes, e);
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
    reward =
        end_reward<L, Quantities & reward_all>(last, stopped, memory.spl_lengths(), rewards.rules);
  }
  view.reward[e] = reward;
}

/// Gives the viewpoints of a continuation.
template <class L, class Rows>
struct Continuation {
  const Rows& rows;
  const IntegerArray path;

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

/// Scores continuation p, of `size` > 0 elements.
template <class L, int K, unsigned Quantities, bool Strips>
WARPATH_HD Extension<L> score_continuation(const ExtensionsView& view, std::uint32_t p, int size) {
  const EpisodesView& episodes = view.episodes;
  const EpisodeMemory<L> memory =
      memory_of<L, K, Quantities, Strips>(episodes, p / view.candidates);
  RowsOfEpisode<L, K, Quantities> rows(episodes.rewards.tables, memory);
  const auto score = [&](auto path) {
    return extension_of<L, K, Quantities, Strips>(memory, rows, path, size, episodes.rewards.rules,
                                                  view.goal != nullptr, view.memory + p,
                                                  std::size_t{episodes.count} * view.candidates);
  };
  if constexpr (is_of_points<Quantities>) {
    const PointMeasure& measure = episodes.rewards.measure;
    return score(point_path<L>(
        view.paths.points_of(p), nullptr, size, measure.flat,
        [&](const float* point) { return point_goal_distance<L>(point, memory, measure); },
        [] { return 0.0f; }));  // SPL is that of an end
  } else {
    return score(Continuation<L, EpisodeRows<L, K>>{rows, view.paths.path(p)});
  }
}

/// Writes what continuation p leads to. One without elements has no values.
template <class L, int K, unsigned Quantities, bool Strips>
WARPATH_HD void score_extension(const ExtensionsView& view, std::uint32_t p) {
  const auto size = static_cast<int>(view.paths.length(p));
  const float none = __builtin_nanf("");
  Extension<L> result{{none, none, none, none}, none};
  if (size > 0) result = score_continuation<L, K, Quantities, Strips>(view, p, size);
  if (view.reward != nullptr) view.reward[p] = result.reward;
  if (view.goal != nullptr) view.goal[p] = result.values.goal;
  if (view.ndtw != nullptr) view.ndtw[p] = result.values.ndtw;
  if (view.cls != nullptr) view.cls[p] = result.values.cls;
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
