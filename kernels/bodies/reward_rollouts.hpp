#pragma once

#include "kernels/rewards/episode.hpp"
#include "kernels/rewards/point_episode.hpp"
#include "kernels/rewards/reward_rollout.hpp"
#include "kernels/views/rewards.hpp"

// Rewards a finished rollout with one thread, whatever the length of its reference.

namespace warpath::kernels {

/// Returns SPL's length of an ideal path for a rollout of viewpoints, which begins at entry
/// `first`.
WARPATH_HD float ideal_length(const RolloutsView& view, std::uint32_t k, std::size_t first) {
  const RewardTablesView& rewards = view.rewards;
  const std::uint32_t r = view.reference(k);
  const RewardReference reference = rewards.references[r];
  const float start = view.distance_to_goal != nullptr
                          ? view.distance_to_goal[first]
                          : rewards.tables.goal[reference.goal + view.queries.nodes.small(first)];
  return ideal_length(view.of_reference.spl_length_of(r), reference.length, start, rewards.rules);
}

/// Reads the viewpoints of a rollout, and looks up or reads their distances to the goal. Behind the
/// last viewpoint, it gives the last one again.
template <class L, class Rows>
struct RolloutInTurn {
  const Rows& rows;
  const RolloutsView& view;
  const std::uint32_t k;
  const std::size_t first;  ///< entry
  const IntegerArray path;
  const float* given;
  const int last;

  WARPATH_HD typename L::I node(int t) const {
    return static_cast<typename L::I>(path.small(static_cast<std::size_t>(t < last ? t : last)));
  }
  WARPATH_HD typename L::F goal(int t, typename L::I viewpoint) const {
    return given != nullptr ? given[t < last ? t : last] : rows.goal(viewpoint);
  }
  WARPATH_HD float ideal() const { return ideal_length(view, k, first); }
};

/// Writes the results of a rollout to its part of the arrays.
/// @tparam Prefixes also the values of prefixes
template <class L, bool Prefixes>
struct RolloutWriter {
  const RolloutsView& view;
  const std::size_t first;

  WARPATH_HD bool wants_prefixes() const {
    return Prefixes && (view.goal != nullptr || view.ndtw != nullptr || view.cls != nullptr);
  }
  WARPATH_HD void reward(int t, typename L::F value) const { view.reward[first + t] = value; }
  WARPATH_HD void end(int m, typename L::F move, typename L::F end) const {
    if (m > 1) reward(m - 2, move);
    reward(m - 1, end);
  }
  WARPATH_HD void prefix(int t, const PrefixValues<L>& values, bool is_live = true) const {
    if constexpr (!Prefixes) return;
    write(view.goal, t, values.goal, is_live);
    write(view.ndtw, t, values.ndtw, is_live);
    write(view.cls, t, values.cls, is_live);
  }
  /// Writes zeros to column t and every `step`-th behind it, up to `end`.
  WARPATH_HD void clear(std::uint32_t t, std::uint32_t end, std::uint32_t step = 1) const {
    for (; t < end; t += step) {
      reward(static_cast<int>(t), 0.0f);
      prefix(static_cast<int>(t), {0.0f, 0.0f, 0.0f, 0.0f});
    }
  }

 private:
  WARPATH_HD void write(float* array, int t, float value, bool is_live) const {
    if (array != nullptr && is_live) array[first + t] = value;
  }
};

/// Returns what is laid out of a reference whose first viewpoints are left out.
template <class L>
WARPATH_HD RewardReference rest_of(const RewardTablesView& rewards,
                                   const RewardReference& reference, int prefix) {
  if (prefix == 0) return reference;
  RewardReference rest = reference;
  const int left_out = rows_left_out(prefix, reference.size);
  rest.size -= left_out;
  rest.first += static_cast<std::uint32_t>(left_out);
  const std::uint16_t* nodes = rewards.nodes + rest.first;
  Sum<L> length{0.0f, 0.0f};
  for (int i = 1; i < rest.size; ++i) {
    length.add(L::gather(rewards.tables.distance,
                         nodes[i - 1] * reference.pitch + reference.base + nodes[i]));
  }
  rest.length = length.high;
  return rest;
}

/// Writes a reference and an episode without viewpoints into the memory of a lane.
template <class L>
WARPATH_HD void store_reference(const RewardTablesView& rewards, const RewardReference& reference,
                                const EpisodeMemory<L>& memory) {
  const std::uint16_t* nodes = rewards.nodes + reference.first;
  const int n = reference.size, pad = memory.rows - n;
  for (int field = 0; field < episode_scalars; ++field) memory.set(field, 0);
  memory.set(episode_reference_size, n);
  memory.set(episode_base, reference.base);
  memory.set(episode_pitch, reference.pitch);
  memory.set(episode_goal, reference.goal);
  memory.set(episode_reference_length, reference.length);
  memory.set(episode_corner, empty_prefix<L>(n, memory.rows).corner);
  for (int i = 0; i < memory.rows; ++i) {
    memory.set(memory.row_field(i), i < pad ? reference.pad : int{nodes[i < pad ? 0 : i - pad]});
  }
  clear_stored_rows<L, 1>(memory, n);
}

/// Gives the points of a path, and their distances to the goal. Behind the last point, it gives the
/// last one again.
template <class L, class Goal, class Ideal>
struct PointPath {
  const float* points;
  const float* given;  ///< distances to the goal; null: goal(point) tells
  const int last;
  const bool flat;
  const Goal goal_of;
  const Ideal ideal_of;

  WARPATH_HD int at(int t) const { return t < last ? t : last; }
  WARPATH_HD Point<L> node(int t) const { return staged_point<L>(points + 3 * at(t), flat); }
  WARPATH_HD float goal(int t, const Point<L>&) const {
    return given != nullptr ? given[at(t)] : goal_of(points + 3 * at(t));
  }
  WARPATH_HD float ideal() const { return ideal_of(); }
};
template <class L, class Goal, class Ideal>
WARPATH_HD PointPath<L, Goal, Ideal> point_path(const float* points, const float* given, int size,
                                                bool flat, const Goal& goal, const Ideal& ideal) {
  return {points, given, size - 1, flat, goal, ideal};
}

/// Returns where the given distances to the goal of a rollout begin; null if none are given.
WARPATH_HD const float* given_distances(const RolloutsView& view, std::size_t first) {
  return view.distance_to_goal == nullptr ? nullptr : view.distance_to_goal + first;
}

/// Rewards a rollout of m > 0 viewpoints, with its rows in memory.
template <class L, int K, unsigned Quantities, bool Strips, class Writer>
WARPATH_HD void reward_viewpoints(const RolloutsView& view, const RewardReference& reference,
                                  std::uint32_t k, const RolloutInputs<L>& inputs,
                                  const RewardRules& rules, Writer& writer) {
  static_assert(Strips, "other references have a group each");
  using Rows = EpisodeRows<L, K>;
  const EpisodeMemory<L> memory{view.memory + k, view.count, kept_rows(K, true, inputs.n), 1};
  store_reference(view.rewards, reference, memory);
  Rows rows(view.rewards.tables, memory);
  RolloutInTurn<L, Rows> rollout{
      rows,        view, k, writer.first, view.queries.path(k), given_distances(view, writer.first),
      inputs.m - 1};
  StoredRows<L, K, Quantities> store{memory, true, memory.rows / K, {}};
  reward_rollout<L, K, 1, Quantities>(store, rows, rollout, inputs, rules, writer);
}

/// Returns SPL's length of an ideal path for a rollout of points whose start is so far from its
/// goal.
WARPATH_HD float ideal_length_of_points(const RolloutsView& view, std::uint32_t k, float start) {
  const std::uint32_t r = view.reference(k);
  const auto length = static_cast<float>(length_of(
      view.references.points_of(r), view.references.length(r), view.rewards.measure.flat));
  return ideal_length(view.of_reference.spl_length_of(r), length, start, view.rewards.rules);
}

/// Rewards a rollout of m > 0 points against a reference of n > 0.
template <class L, int K, unsigned Quantities, bool Strips, class Writer>
WARPATH_HD void reward_points(const RolloutsView& view, const float* reference, std::uint32_t k,
                              const RolloutInputs<L>& inputs, const RewardRules& rules,
                              Writer& writer) {
  const PointMeasure& measure = view.rewards.measure;
  const float* goal = reference + 3 * (inputs.n - 1);
  const float* const points = view.queries.points_of(k);
  const float* const given = given_distances(view, writer.first);
  const auto goal_of = [&](const float* point) {
    return point_goal_distance(point, goal, measure);
  };
  auto path = point_path<L>(points, given, inputs.m, measure.flat, goal_of, [&] {
    return ideal_length_of_points(view, k, given != nullptr ? *given : goal_of(points));
  });
  PointReferenceRows<L, K> rows{reference, measure.flat, {}};
  if constexpr (Strips) {
    const EpisodeMemory<L> memory{view.memory + k, view.count, kept_rows(K, true, inputs.n), 0};
    clear_stored_rows<L, K>(memory, inputs.n);
    StoredRows<L, K, Quantities> store{memory, true, memory.rows / K, {}};
    reward_rollout<L, K, 1, Quantities>(store, rows, path, inputs, rules, writer);
  } else {
    RegisterRows<L, K> store;
    clear_rows<L, K>(inputs.n - K, store.rows);
    reward_rollout<L, K, 1, Quantities>(store, rows, path, inputs, rules, writer);
  }
}

/// Computes the rewards of rollout k, if it is active. One without elements, or against a reference
/// without points, has none.
template <class L, int K, unsigned Quantities, bool Strips>
WARPATH_HD void reward_one_rollout(const RolloutsView& view, std::uint32_t k) {
  if (view.active != nullptr && view.active[k] == 0) return;
  const std::uint32_t r = view.reference(k);
  const std::uint32_t m = view.queries.length(k);
  RolloutWriter<L, (Quantities & quantity_goal) != 0> writer{view, view.queries.layout.begin(k)};
  RolloutInputs<L> inputs{.n = 0,
                          .m = static_cast<int>(m),
                          .reference_length = 0.0f,
                          .stopped = view.stopped == nullptr || view.stopped[k] != 0,
                          .left_out = 0};
  const int prefix = view.of_reference.prefix_of(r);
  const RewardRules rules = known_rules<Quantities>(view.rewards.rules);
  if (m > 0) {
    if constexpr (is_of_points<Quantities>) {
      const auto n = static_cast<int>(view.references.length(r));
      if (n > 0) {
        const int left_out = rows_left_out(prefix, n);
        const float* reference = view.references.points_of(r) + 3 * left_out;
        inputs.n = n - left_out;
        inputs.left_out = left_out_code(prefix, n);
        inputs.reference_length = static_cast<float>(
            length_of(reference, static_cast<std::uint32_t>(inputs.n), view.rewards.measure.flat));
        reward_points<L, K, Quantities & reward_all, Strips>(view, reference, k, inputs, rules,
                                                             writer);
      }
    } else {
      const RewardReference whole = view.rewards.references[r];
      const RewardReference reference = rest_of<L>(view.rewards, whole, prefix);
      inputs.n = reference.size;
      inputs.left_out = left_out_code(prefix, whole.size);
      inputs.reference_length = reference.length;
      reward_viewpoints<L, K, Quantities & reward_all, Strips>(view, reference, k, inputs, rules,
                                                               writer);
    }
  }
  writer.clear(inputs.n > 0 ? m : 0,
               view.queries.layout.offsets.exist() ? m : view.queries.layout.max_length);
}

}  // namespace warpath::kernels
