#pragma once

#include "kernels/rewards/reward_rollout.hpp"
#include "kernels/rewards/reward_views.hpp"

// Rewards a finished rollout with one thread.

namespace warpath::kernels {

/// Holds a viewpoint of a rollout, and what is looked up for it.
template <class L, int K, unsigned Quantities>
struct LoadedViewpoint {
  typename L::F d[K];       ///< to the reference's viewpoints, in their rows
  typename L::F step;       ///< from the viewpoint before
  typename L::F goal;       ///< to the goal
  std::uint32_t low, high;  ///< bytes of the number of the viewpoint behind the next
};

/// Loads the viewpoints of a rollout ahead of the work, because a small batch leaves a scheduler
/// with one warp, which waits for every load:
///
///     rows of viewpoint t, values of t − 1   distances of t + 1   number of t + 3
template <class L, int K, unsigned Quantities>
class RolloutAhead {
  using F = typename L::F;
  using I = typename L::I;

 public:
  using Viewpoint = LoadedViewpoint<L, K, Quantities>;

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
    before_ = static_cast<I>(path_.small(0));
  }

  /// Prepares the first two viewpoints to be loaded.
  WARPATH_HD void start(Viewpoint& first, Viewpoint& second) const {
    read(0, first);
    read(1, second);
  }

  WARPATH_HD F goal(int, const Viewpoint& viewpoint) const { return viewpoint.goal; }

  /// Looks up what viewpoint t needs, whose number came with viewpoint t − 2.
  /// @param viewpoint holds that one
  WARPATH_HD void load(int t, Viewpoint& viewpoint) {
    const I node = static_cast<I>(viewpoint.low | viewpoint.high << 8);
    const I first = node * pitch_ + base_;
    read(t + 2, viewpoint);
    WARPATH_UNROLL for (int i = 0; i < K; ++i) {
      viewpoint.d[i] = L::gather(tables_.distance, first + row_[i]);
    }
    if constexpr (Quantities & quantity_length) {
      viewpoint.step = L::gather(tables_.distance, before_ * pitch_ + base_ + node);
    }
    viewpoint.goal = given_ != nullptr ? given_[at(t)] : L::gather(tables_.goal, goal_ + node);
    before_ = node;
  }

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
  // Reads the number of viewpoint t, in parts: what is done with them would wait for them.
  WARPATH_HD void read(int t, Viewpoint& viewpoint) const {
    path_.read_small(at(t), viewpoint.low, viewpoint.high);
  }
  const EpisodeTables& tables_;
  const Integers path_;
  const float* const given_;
  const int last_;
  const I base_, pitch_, goal_;
  I row_[K], before_;
};

/// Reads the viewpoints of a rollout of `size` of them.
template <class L, class Rows>
struct RolloutInTurn {
  using Viewpoint = typename L::I;
  const Rows& rows;
  const Integers path;
  const float* given;
  const int size;

  WARPATH_HD void start(Viewpoint&, Viewpoint&) const {}
  WARPATH_HD void load(int t, Viewpoint& viewpoint) const {
    viewpoint = static_cast<Viewpoint>(path.small(t < size ? t : size - 1));
  }
  WARPATH_HD typename L::F goal(int t, Viewpoint viewpoint) const {
    return given != nullptr ? given[t] : rows.goal(viewpoint);
  }
};

/// Writes the results of a rollout to its part of the arrays.
/// @tparam Prefixes also the values of prefixes @tparam View RolloutsView, or that of points
template <class L, bool Prefixes, class View = RolloutsView>
struct RolloutWriter {
  const View& view;
  const std::size_t first;

  WARPATH_HD void reward(int t, typename L::F value) const { view.reward[first + t] = value; }
  WARPATH_HD void prefix(int t, const PrefixValues<L>& values) const {
    if constexpr (!Prefixes) return;
    write(view.goal, t, values.goal);
    write(view.ndtw, t, values.ndtw);
    write(view.cls, t, values.cls);
  }
  /// Writes zeros from column t on, up to `end`.
  WARPATH_HD void clear(std::uint32_t t, std::uint32_t end) const {
    for (; t < end; ++t) {
      reward(static_cast<int>(t), 0.0f);
      prefix(static_cast<int>(t), {0.0f, 0.0f, 0.0f, 0.0f});
    }
  }

 private:
  WARPATH_HD void write(float* array, int t, float value) const {
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

/// Computes the rewards of a rollout as reward_rollout does for several lanes. The values of a
/// prefix are computed while the next viewpoint is added: both are long chains of instructions, and
/// a small batch leaves a scheduler nothing else to do.
/// @tparam Rollout first as for reward_rollout; load(t) says that viewpoint t will be asked for
/// next
template <class L, int K, unsigned Quantities, class Store, class Rows, class Rollout, class Out>
WARPATH_HD void reward_single_rollout(Store& store, Rows& rows, Rollout& rollout,
                                      const RolloutInputs<L>& inputs, const RewardRules& rules,
                                      Out& out) {
  using F = typename L::F;
  const F zero = L::real(0.0f);
  PrefixState<L> state = empty_prefix<L>(inputs.n, K * store.strips);
  Prefix<L, K, Quantities, Store, Rows> prefix(store, rows, inputs.n, inputs.reference_length,
                                               rules, state);
  typename Rollout::Viewpoint even, odd;  // viewpoints of those numbers
  rollout.start(even, odd);
  rollout.load(0, even);
  rollout.load(1, odd);
  F goal = rollout.goal(0, even), length = zero;  // of the viewpoint that was added last
  prefix.add(even, zero);
  SweepResult<L> sums = prefix.sums();
  PrefixValues<L> before{zero, zero, zero, zero};
  // Adds viewpoint t. The one before it makes room for the next, so that nothing is copied.
  const auto add = [&](int t, const auto& node, auto& other) __attribute__((always_inline)) {
    F step = zero;
    if constexpr (Quantities & quantity_length) step = rows.between(other, node);
    rollout.load(t + 1, other);
    prefix.add(node, step);
    const PrefixValues<L> values = prefix.values(sums, goal);
    const F move = move_reward<L, Quantities>(before, values, length, rules);
    out.reward(t > 1 ? t - 2 : 0, move);  // the first is no move's, and replaced by the next
    out.prefix(t - 1, values);
    goal = rollout.goal(t, node);
    sums = prefix.sums();
    before = values;
    length = step;
  };
  for (int t = 1; t < inputs.m; t += 2) {
    add(t, odd, even);
    if (t + 1 == inputs.m) break;
    add(t + 1, even, odd);
  }
  const PrefixValues<L> values = prefix.values(sums, goal);
  out.prefix(inputs.m - 1, values);
  F move = move_reward<L, Quantities>(before, values, length, rules);
  PrefixValues<L> last = values;
  if (rules.stop_repeats_node && inputs.stopped) {
    // A choice between references would put both viewpoints into memory.
    if (inputs.m % 2 == 0)
      prefix.add(odd, zero);
    else
      prefix.add(even, zero);
    last = prefix.values(goal);
  }
  F end = end_reward<L, Quantities>(last, inputs.stopped, rules);
  if (inputs.m > 1) {
    place_end<L>(rules, true, inputs.stopped, move, end);
    out.reward(inputs.m - 2, move);
  }
  out.reward(inputs.m - 1, end);
}

/// Rewards a rollout whose reference has up to K viewpoints, with its rows in registers.
template <class L, int K, unsigned Quantities, class Writer>
WARPATH_HD void reward_in_registers(const RolloutsView& view, const RewardReference& reference,
                                    std::uint32_t k, const RolloutInputs<L>& inputs,
                                    const RewardRules& rules, Writer& writer) {
  RolloutAhead<L, K, Quantities> rollout(view, reference, k, inputs.m);
  RegisterRows<L, K> store;
  clear_rows<L, K>(inputs.n - K, store.rows);
  reward_single_rollout<L, K, Quantities>(store, rollout, rollout, inputs, rules, writer);
}

/// Rewards a rollout whose reference may have any length, with its rows in memory.
template <class L, int K, unsigned Quantities, class Writer>
WARPATH_HD void reward_in_strips(const RolloutsView& view, const RewardReference& reference,
                                 std::uint32_t k, const RolloutInputs<L>& inputs,
                                 const RewardRules& rules, Writer& writer) {
  using Rows = EpisodeRows<L, K>;
  const EpisodeMemory<L> memory{view.memory + k, view.count, kept_rows(K, true, inputs.n), 1};
  store_reference(view.rewards, reference, memory);
  Rows rows(view.rewards.tables, memory);
  RolloutInTurn<L, Rows> rollout{
      rows, view.queries.path(k),
      view.distance_to_goal == nullptr ? nullptr : view.distance_to_goal + writer.first, inputs.m};
  StoredRows<L, K, Quantities> store{memory, true, memory.rows / K, {}};
  reward_single_rollout<L, K, Quantities>(store, rows, rollout, inputs, rules, writer);
}

/// Computes the rewards of rollout k, if it is active. One without viewpoints has none.
/// @tparam Strips see RewardShape
template <class L, int K, unsigned Quantities, bool Strips>
WARPATH_HD void reward_one_rollout(const RolloutsView& view, std::uint32_t k) {
  const std::uint32_t r = view.reference_of.exist() ? view.reference_of.by_parts(k) : k;
  const std::uint32_t m = view.queries.length(k);
  const bool stopped = view.stopped == nullptr || view.stopped[k] != 0;
  if (view.active != nullptr && view.active[k] == 0) return;
  RolloutWriter<L, (Quantities & quantity_goal) != 0> writer{view, view.queries.layout.begin(k)};
  if (m > 0) {
    const RewardReference reference = view.rewards.references[r];
    const RolloutInputs<L> inputs{.n = reference.size,
                                  .m = static_cast<int>(m),
                                  .reference_length = reference.length,
                                  .stopped = stopped};
    const RewardRules rules = known_rules<Quantities>(view.rewards.rules);
    constexpr unsigned swept = Quantities & reward_all;
    if constexpr (Strips)
      reward_in_strips<L, K, swept>(view, reference, k, inputs, rules, writer);
    else
      reward_in_registers<L, K, swept>(view, reference, k, inputs, rules, writer);
  }
  if (!view.queries.layout.offsets.exist()) writer.clear(m, view.queries.layout.max_length);
}

}  // namespace warpath::kernels
