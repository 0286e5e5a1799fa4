#pragma once

#include "kernels/rewards/reward_rollout.hpp"
#include "kernels/rewards/reward_views.hpp"

// Rewards a finished rollout with one thread.

namespace warpath::kernels {

/// Holds a viewpoint of a rollout, and what is looked up for it.
template <class L, int K, unsigned Quantities>
struct LoadedViewpoint {
  typename L::F d[K];  ///< to the reference's viewpoints, in their rows
  typename L::F step;  ///< from the viewpoint before
  typename L::F goal;  ///< to the goal
};

/// Loads the viewpoints of a rollout ahead of the work, because a small batch leaves a scheduler
/// with one warp, which waits for every load. When viewpoint t is asked for:
///
///     work t   distances of t + 1   number of viewpoint t + 2
template <class L, int K, unsigned Quantities>
class RolloutAhead {
  using F = typename L::F;
  using I = typename L::I;
  using Viewpoint = LoadedViewpoint<L, K, Quantities>;

 public:
  WARPATH_HD RolloutAhead(const RolloutsView& view, const RewardReference& reference,
                          std::uint32_t rollout, int size)
      : tables_(view.rewards.tables),
        path_(view.queries.path(rollout)),
        given_(view.distance_to_goal == nullptr
                   ? nullptr
                   : view.distance_to_goal + view.queries.layout.begin(rollout)),
        last_(size - 1),
        base_(reference.base),
        pitch_(reference.pitch),
        goal_(reference.goal) {
    const std::uint16_t* nodes = view.rewards.nodes + reference.first;
    const int pad = K - reference.size;
    WARPATH_UNROLL for (int i = 0; i < K; ++i) {
      row_[i] = i < pad ? I{reference.pad} : I{nodes[i < pad ? 0 : i - pad]};
    }
    before_ = id_ = id(0);
    look_up(0);
    id_ = id(1);
  }

  WARPATH_HD Viewpoint node(int t) {
    const Viewpoint now = next_;
    look_up(t + 1);
    id_ = id(t + 2);
    return now;
  }
  WARPATH_HD F goal(int, const Viewpoint& viewpoint) const { return viewpoint.goal; }

  // What the prefix asks for.
  WARPATH_HD void load(const I&, int) const {}
  WARPATH_HD void column(const Viewpoint& viewpoint, F (&d)[K]) const {
    WARPATH_UNROLL for (int i = 0; i < K; ++i) d[i] = viewpoint.d[i];
  }
  WARPATH_HD F between(const Viewpoint&, const Viewpoint& viewpoint) const {
    return viewpoint.step;
  }

 private:
  // Returns viewpoint t; behind the last one, the last.
  WARPATH_HD int at(int t) const { return t < last_ ? t : last_; }
  WARPATH_HD I id(int t) const { return static_cast<I>(path_.small(at(t))); }
  // Looks up distances of viewpoint t, whose number has come.
  WARPATH_HD void look_up(int t) {
    const I first = id_ * pitch_ + base_;
    WARPATH_UNROLL for (int i = 0; i < K; ++i) {
      next_.d[i] = L::gather(tables_.distance, first + row_[i]);
    }
    if constexpr (Quantities & quantity_length) {
      next_.step = L::gather(tables_.distance, before_ * pitch_ + base_ + id_);
    }
    next_.goal = given_ != nullptr ? given_[at(t)] : L::gather(tables_.goal, goal_ + id_);
    before_ = id_;
  }

  const EpisodeTables& tables_;
  const Integers path_;
  const float* const given_;
  const int last_;
  const I base_, pitch_, goal_;
  I row_[K], id_, before_;
  Viewpoint next_;
};

/// Reads the viewpoints of a rollout when they are asked for.
template <class L, class Rows>
struct RolloutInTurn {
  const Rows& rows;
  const Integers path;
  const float* given;

  WARPATH_HD typename L::I node(int t) const { return static_cast<typename L::I>(path.small(t)); }
  WARPATH_HD typename L::F goal(int t, const typename L::I& node) const {
    return given != nullptr ? given[t] : rows.goal(node);
  }
};

/// Writes the results of a rollout to its part of the arrays.
template <class L>
struct RolloutWriter {
  const RolloutsView& view;
  const std::size_t first;

  WARPATH_HD bool wants_prefixes() const {
    return view.goal != nullptr || view.ndtw != nullptr || view.cls != nullptr;
  }
  WARPATH_HD void reward(int t, typename L::F value) const { view.reward[first + t] = value; }
  WARPATH_HD void prefix(int t, const PrefixValues<L>& values, bool) const {
    write(view.goal, t, values.goal);
    write(view.ndtw, t, values.ndtw);
    write(view.cls, t, values.cls);
  }
  /// Writes zeros from column t on, up to `end`.
  WARPATH_HD void clear(std::uint32_t t, std::uint32_t end) const {
    for (; t < end; ++t) {
      write(view.reward, t, 0.0f);
      write(view.goal, t, 0.0f);
      write(view.ndtw, t, 0.0f);
      write(view.cls, t, 0.0f);
    }
  }

 private:
  WARPATH_HD void write(float* array, std::uint32_t t, float value) const {
    if (array != nullptr) array[first + t] = value;
  }
};

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

/// Rewards a rollout whose reference has up to K viewpoints, with its rows in registers.
template <class L, int K, unsigned Quantities>
WARPATH_HD void reward_in_registers(const RolloutsView& view, const RewardReference& reference,
                                    std::uint32_t k, const RolloutInputs<L>& inputs,
                                    RolloutWriter<L>& writer) {
  RolloutAhead<L, K, Quantities> rollout(view, reference, k, inputs.m);
  RegisterRows<L, K> store;
  clear_rows<L, K>(inputs.n - K, store.rows);
  reward_rollout<L, K, Quantities>(store, rollout, rollout, inputs, view.rewards.rules, writer);
}

/// Rewards a rollout whose reference may have any length, with its rows in memory.
template <class L, int K, unsigned Quantities>
WARPATH_HD void reward_in_strips(const RolloutsView& view, const RewardReference& reference,
                                 std::uint32_t k, const RolloutInputs<L>& inputs,
                                 RolloutWriter<L>& writer) {
  using Rows = EpisodeRows<L, K>;
  const EpisodeMemory<L> memory{view.memory + k, view.count, kept_rows(K, true, inputs.n), 1};
  store_reference(view.rewards, reference, memory);
  Rows rows(view.rewards.tables, memory);
  RolloutInTurn<L, Rows> rollout{
      rows, view.queries.path(k),
      view.distance_to_goal == nullptr ? nullptr : view.distance_to_goal + writer.first};
  StoredRows<L, K, Quantities> store{memory, true, memory.rows / K, {}};
  reward_rollout<L, K, Quantities>(store, rows, rollout, inputs, view.rewards.rules, writer);
}

/// Computes the rewards of rollout k, if it is active. One without viewpoints has none.
/// @tparam Strips see RewardShape
template <class L, int K, unsigned Quantities, bool Strips>
WARPATH_HD void reward_one_rollout(const RolloutsView& view, std::uint32_t k) {
  if (view.active != nullptr && view.active[k] == 0) return;
  const std::uint32_t m = view.queries.length(k);
  RolloutWriter<L> writer{view, view.queries.layout.begin(k)};
  if (m > 0) {
    const std::uint32_t r = view.reference_of.exist() ? view.reference_of[k] : k;
    const RewardReference reference = view.rewards.references[r];
    const RolloutInputs<L> inputs{.n = reference.size,
                                  .m = static_cast<int>(m),
                                  .reference_length = reference.length,
                                  .stopped = view.stopped == nullptr || view.stopped[k] != 0};
    if constexpr (Strips)
      reward_in_strips<L, K, Quantities>(view, reference, k, inputs, writer);
    else
      reward_in_registers<L, K, Quantities>(view, reference, k, inputs, writer);
  }
  if (!view.queries.layout.offsets.exist()) writer.clear(m, view.queries.layout.max_length);
}

}  // namespace warpath::kernels
