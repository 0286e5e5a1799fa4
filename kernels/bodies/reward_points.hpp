#pragma once

#include "kernels/bodies/reward_episodes.hpp"
#include "kernels/rewards/episode.hpp"
#include "kernels/rewards/point_episode.hpp"

// Rewards finished rollouts and running episodes in continuous space, each with one thread. A point
// takes the place of a viewpoint: what is not said here is as in reward_rollouts.hpp and
// reward_episodes.hpp.

namespace warpath::kernels {

/// Gives the points of a path, and their distances to the goal. Behind the last point, it gives the
/// last one again.
template <class L, class Goal>
struct PointPath {
  const float* points;
  const float* given;  ///< distances to the goal; null: goal(point) tells
  const int last;
  const bool flat;
  const Goal goal_of;

  WARPATH_HD int at(int t) const { return t < last ? t : last; }
  WARPATH_HD Point<L> node(int t) const { return staged_point<L>(points + 3 * at(t), flat); }
  WARPATH_HD float goal(int t, const Point<L>&) const {
    return given != nullptr ? given[at(t)] : goal_of(points + 3 * at(t));
  }
};
template <class L, class Goal>
WARPATH_HD PointPath<L, Goal> point_path(const float* points, const float* given, int size,
                                         bool flat, const Goal& goal) {
  return {points, given, size - 1, flat, goal};
}

/// Rewards a rollout of m > 0 points against a reference of n > 0.
template <class L, int K, unsigned Quantities, bool Strips, class Writer>
WARPATH_HD void reward_points(const PointRolloutsView& view, std::uint32_t k, std::uint32_t r,
                              const RolloutInputs<L>& inputs, Writer& writer) {
  const PointMeasure& measure = view.rewards.measure;
  const float* reference = view.references.path(r);
  const float* goal = reference + 3 * (inputs.n - 1);
  auto path = point_path<L>(
      view.queries.path(k),
      view.distance_to_goal == nullptr ? nullptr : view.distance_to_goal + writer.first, inputs.m,
      measure.flat, [&](const float* point) { return point_goal_distance(point, goal, measure); });
  PointReferenceRows<L, K> rows{reference, measure.flat, {}};
  if constexpr (Strips) {
    const EpisodeMemory<L> memory{view.memory + k, view.count, view.rows, 0};
    clear_stored_rows<L, K>(memory, inputs.n);
    StoredRows<L, K, Quantities> store{memory, true, memory.rows / K, {}};
    reward_rollout<L, K, 1, Quantities>(store, rows, path, inputs, view.rewards.rules, writer);
  } else {
    RegisterRows<L, K> store;
    clear_rows<L, K>(inputs.n - K, store.rows);
    reward_rollout<L, K, 1, Quantities>(store, rows, path, inputs, view.rewards.rules, writer);
  }
}

/// Computes the rewards of rollout k, if it is active. One without points, or against a reference
/// without any, has none.
template <class L, int K, unsigned Quantities, bool Strips>
WARPATH_HD void reward_one_point_rollout(const PointRolloutsView& view, std::uint32_t k) {
  if (view.active != nullptr && view.active[k] == 0) return;
  const std::uint32_t r = view.reference_of.exist() ? view.reference_of[k] : k;
  const std::uint32_t m = view.queries.length(k), n = view.references.length(r);
  RolloutWriter<L, true, PointRolloutsView> writer{view, view.queries.layout.begin(k)};
  std::uint32_t written = 0;
  if (m > 0 && n > 0) {
    const double length = length_of(view.references.path(r), n, view.rewards.measure.flat);
    const RolloutInputs<L> inputs{.n = static_cast<int>(n),
                                  .m = static_cast<int>(m),
                                  .reference_length = static_cast<float>(length),
                                  .stopped = view.stopped == nullptr || view.stopped[k] != 0};
    reward_points<L, K, Quantities & reward_all, Strips>(view, k, r, inputs, writer);
    written = m;
  }
  writer.clear(written, view.queries.layout.offsets.exist() ? m : view.queries.layout.max_length);
}

/// Adds a point to an episode and returns the reward of the move.
/// @param given the distance to the goal; null: it is measured
template <class L, int K, unsigned Quantities, bool Strips>
WARPATH_HD float add_point(const EpisodesView& episodes, std::uint32_t e, const float* point,
                           const float* given) {
  using Rows = PointEpisodeRows<L, K>;
  const PointMeasure& measure = episodes.rewards.measure;
  const EpisodeMemory<L> memory = memory_of<L, K, Strips, Rows>(episodes, e);
  Rows rows(episodes.rewards.tables, memory);
  const float goal = given != nullptr ? *given : point_goal_distance<L>(point, memory, measure);
  return step_episode<L, K, Quantities & reward_all>(
      memory, rows, staged_point<L>(point, measure.flat), goal, true, episodes.rewards.rules);
}

/// Begins the episode of entry k anew. Without a reference's points it has not begun.
template <class L, int K, unsigned Quantities, bool Strips>
WARPATH_HD void reset_point_episode(const PointResetView& view, std::uint32_t k) {
  const std::uint32_t e = view.episode.exist() ? view.episode[k] : k;
  const std::uint32_t n = view.references.length(k);
  const float* reference = view.references.path(k);
  const auto memory = memory_of<L, K, Strips, PointEpisodeRows<L, K>>(view.episodes, e);
  store_points<L>(reference, static_cast<int>(n), view.episodes.rewards.measure.flat, memory);
  memory.set(reference_field(memory.rows, memory.axes), n > 0 ? reference_of_points : 0);
  if (n == 0) return;
  add_point<L, K, Quantities, Strips>(
      view.episodes, e, view.start != nullptr ? view.start + 3 * std::size_t{k} : reference,
      view.distance_to_goal == nullptr ? nullptr : view.distance_to_goal + k);
}

/// Adds a point to episode e, if it is active.
template <class L, int K, unsigned Quantities, bool Strips>
WARPATH_HD void step_one_point_episode(const PointStepView& view, std::uint32_t e) {
  float reward = 0.0f;
  if (view.active == nullptr || view.active[e] != 0) {
    reward = add_point<L, K, Quantities, Strips>(
        view.episodes, e, view.points + 3 * std::size_t{e},
        view.distance_to_goal == nullptr ? nullptr : view.distance_to_goal + e);
  }
  view.reward[e] = reward;
}

/// Rewards the end of episode e, if it ends.
template <class L, int K, unsigned Quantities, bool Strips>
WARPATH_HD void finish_point_episode(const FinishView& view, std::uint32_t e) {
  finish_episode<L, K, Quantities, Strips, PointEpisodeRows<L, K>>(view, e);
}

/// Scores continuation p.
template <class L, int K, unsigned Quantities, bool Strips>
WARPATH_HD void score_point_extension(const PointExtensionsView& view, std::uint32_t p) {
  const auto size = static_cast<int>(view.paths.length(p));
  write_extension<L>(view, p, size, [&](std::uint32_t e) {
    using Rows = PointEpisodeRows<L, K>;
    const PointMeasure& measure = view.episodes.rewards.measure;
    const EpisodeMemory<L> memory = memory_of<L, K, Strips, Rows>(view.episodes, e);
    Rows rows(view.episodes.rewards.tables, memory);
    auto path = point_path<L>(
        view.paths.path(p), nullptr, size, measure.flat,
        [&](const float* point) { return point_goal_distance<L>(point, memory, measure); });
    return extension_of<L, K, Quantities, Strips>(
        memory, rows, path, size, view.episodes.rewards.rules, view.goal != nullptr,
        view.memory + p, std::size_t{view.episodes.count} * view.candidates);
  });
}

}  // namespace warpath::kernels
