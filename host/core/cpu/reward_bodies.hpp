#pragma once

#include <type_traits>
#include <utility>

#include "host/core/cpu/kernel_rows.hpp"
#include "host/core/cpu/reward_kernels.hpp"
#include "kernels/lanes/simd_lanes.hpp"
#include "kernels/rewards/episode.hpp"
#include "kernels/rewards/point_episode.hpp"
#include "kernels/rewards/reward_rollout.hpp"

// Rewards rollouts and episodes side by side, one per lane, with a kernel for each common |R|.

namespace warpath::cpu {
namespace {

using namespace kernels;

using RewardLanes = SimdLanes<1, vector_bytes / 4>;

// Viewpoints of a rollout that are added at once. The cells of a column wait for each other, so two
// columns take little longer than one. Where first ones are left out, they are added one by one.
constexpr int columns_at_once = 2;
static_assert(RewardLanes::Lanes % columns_at_once == 0);

EpisodeMemory<RewardLanes> memory_of(const EpisodeGroup& group) {
  return {group.first, RewardLanes::Lanes, group.rows, group.axes};
}

// Takes distances to references from tables of their own, as SharedRows does; each lane has its
// own.
template <class L, int K>
struct OwnEpisodeRows : EpisodeRows<L, K> {
  SharedRows<L, K> own;
  typename L::I first;

  OwnEpisodeRows(const EpisodeTables& all, const EpisodeMemory<L>& of, const EpisodeGroup& group)
      : EpisodeRows<L, K>(all, of),
        own({group.own, shared_pitch}),
        first(L::load(group.own_first)) {}

  WARPATH_HD void load(const typename L::I&, int) {}
  WARPATH_HD void column(const typename L::I& node, typename L::F (&d)[K]) const {
    own.column(node + first, d);
  }
};

// Reads paths, and their distances to the goal.
template <class L, class Rows>
struct StagedPath {
  using Node = typename Rows::Node;
  const PathColumns& columns;
  const Rows& rows;

  WARPATH_HD Node node(int t) const {
    if constexpr (Rows::axes == 3) {
      const float* p = columns.points + t * 3 * L::Lanes;
      return {L::load(p), L::load(p + L::Lanes), L::load(p + 2 * L::Lanes)};
    } else {
      return L::load(columns.nodes + t * L::Lanes);
    }
  }
  WARPATH_HD typename L::F goal(int t, const Node& node) const {
    if constexpr (Rows::axes == 1) {
      if (columns.goal == nullptr) return rows.goal(node);
    }
    return L::load(columns.goal + t * L::Lanes);
  }
  WARPATH_HD typename L::F ideal() const { return rows.memory.real(episode_ideal_length); }
};

// Writes results to their columns.
template <class L>
struct ColumnWriter {
  const RewardColumns& out;

  WARPATH_HD bool wants_prefixes() const {
    return out.goal != nullptr || out.ndtw != nullptr || out.cls != nullptr;
  }
  WARPATH_HD void reward(int t, const typename L::F& value) const {
    L::store(out.reward + t * L::Lanes, value);
  }
  WARPATH_HD void prefix(int t, const PrefixValues<L>& values, const typename L::M&) const {
    if (out.goal != nullptr) L::store(out.goal + t * L::Lanes, values.goal);
    if (out.ndtw != nullptr) L::store(out.ndtw + t * L::Lanes, values.ndtw);
    if (out.cls != nullptr) L::store(out.cls + t * L::Lanes, values.cls);
  }
  WARPATH_HD void end(const typename L::I& m, const typename L::F& move,
                      const typename L::F& end) const {
    std::int32_t size[L::Lanes];
    float moves[L::Lanes], ends[L::Lanes];
    L::store(size, m);
    L::store(moves, move);
    L::store(ends, end);
    for (int l = 0; l < L::Lanes; ++l) {
      if (size[l] > 1) out.reward[(size[l] - 2) * L::Lanes + l] = moves[l];
      out.reward[(size[l] - 1) * L::Lanes + l] = ends[l];
    }
  }
};

template <int K, unsigned Quantities, template <class, int> class RowsOf, int C = columns_at_once>
struct RewardKernel {
  using L = RewardLanes;
  using Rows = RowsOf<L, K>;

  // Tells whether the rows, if any are needed, are kept in registers.
  static bool has_registers(const EpisodeGroup& group) {
    return (Quantities & (quantity_dtw | quantity_coverage)) == 0 || group.rows == K;
  }

  static Rows rows_of(const RewardArguments& arguments, const EpisodeGroup& group,
                      const EpisodeMemory<L>& memory) {
    if constexpr (std::is_same_v<Rows, OwnEpisodeRows<L, K>>) {
      return Rows(arguments.tables, memory, group);
    } else {
      return Rows(arguments.tables, memory);
    }
  }

  static void reward_rollouts(const RewardArguments& arguments, const EpisodeGroup& group,
                              const PathColumns& columns, const std::int32_t* stopped,
                              const RewardColumns& out) {
    const auto memory = memory_of(group);
    const RolloutInputs<L> inputs{memory.integer(episode_reference_size), L::load(columns.size),
                                  memory.real(episode_reference_length), L::load(stopped),
                                  memory.integer(episode_prefix)};
    Rows rows = rows_of(arguments, group, memory);
    StagedPath<L, Rows> path{columns, rows};
    ColumnWriter<L> writer{out};
    if (has_registers(group)) {
      RegisterRows<L, K> store;
      clear_rows<L, K>(inputs.n - K, store.rows);
      kernels::reward_rollout<L, K, C, Quantities>(store, rows, path, inputs, arguments.rules,
                                                   writer);
    } else {
      clear_stored_rows<L, K>(memory, inputs.n);
      StoredRows<L, K, Quantities> store{memory, L::integer(-1), group.rows / K, {}};
      kernels::reward_rollout<L, K, C, Quantities>(store, rows, path, inputs, arguments.rules,
                                                   writer);
    }
  }

  static void step(const RewardArguments& arguments, const EpisodeGroup& group,
                   const PathColumns& columns, const std::int32_t* live, float* reward) {
    const auto memory = memory_of(group);
    Rows rows(arguments.tables, memory);
    const StagedPath<L, Rows> path{columns, rows};
    const auto node = path.node(0);
    L::store(reward, step_episode<L, K, Quantities>(memory, rows, node, path.goal(0, node),
                                                    L::load(live), arguments.rules));
  }

  static void extend(const RewardArguments& arguments, const EpisodeGroup& group,
                     const PathColumns& columns, float* scratch, const RewardColumns& out) {
    const auto memory = memory_of(group);
    Rows rows(arguments.tables, memory);
    const StagedPath<L, Rows> path{columns, rows};
    const auto size = L::load(columns.size);
    Extension<L> result;
    if (has_registers(group)) {
      RegisterRows<L, K> store;
      load_rows<L, K, Quantities>(memory, store.rows);
      result = extend_episode<L, K, Quantities>(memory, store, rows, path, size, arguments.rules,
                                                out.goal != nullptr);
    } else {
      const EpisodeMemory<L> copy{scratch, L::Lanes, group.rows, group.axes};
      copy_rows<L>(memory, copy);
      StoredRows<L, K, Quantities> store{copy, L::integer(-1), group.rows / K, {}};
      result = extend_episode<L, K, Quantities>(memory, store, rows, path, size, arguments.rules,
                                                out.goal != nullptr);
    }
    const ColumnWriter<L> writer{out};
    writer.reward(0, result.reward);
    writer.prefix(0, result.values, size);
  }
};

// Calls `call` with the kernel of a group's rows; returns whether there is one for their number.
template <unsigned Quantities, template <class, int> class RowsOf, class Call>
bool choose_shape(const EpisodeGroup& group, const Call& call) {
  const auto try_shape = [&]<int K>() {
    if (group.rows != K) return false;
    call(RewardKernel<K, Quantities, RowsOf>{});
    return true;
  };
  return [&]<int... s>(std::integer_sequence<int, s...>) {
    return (try_shape.template operator()<reward_shapes[s]>() || ...);
  }
  (std::make_integer_sequence<int, std::size(reward_shapes)>());
}

template <unsigned Quantities, class Call>
void choose_rows(const EpisodeGroup& group, const Call& call) {
  if (choose_shape<Quantities, EpisodeRows>(group, call)) return;
  call(RewardKernel<reward_strip, Quantities, EpisodeRows>{});
}

// The same for tables of the references' own. Few kernels have them: those of nDTW and of all,
// whose lanes transpose.
template <class Call>
bool choose_own_tables(const RewardArguments& arguments, const EpisodeGroup& group,
                       const Call& call) {
  if constexpr (RewardLanes::can_transpose) {
    return (arguments.quantities & reward_cls) != 0
               ? choose_shape<reward_all, OwnEpisodeRows>(group, call)
               : choose_shape<reward_dtw, OwnEpisodeRows>(group, call);
  }
  return false;
}

template <class Call>
void choose_kernel(const RewardArguments& arguments, const EpisodeGroup& group, const Call& call) {
  // Continuous paths are long: they are always cut into strips, and measured whole.
  if (group.axes == 3) return call(RewardKernel<reward_strip, reward_all, PointEpisodeRows>{});
  const bool dtw = arguments.quantities & reward_dtw, cls = arguments.quantities & reward_cls;
  if (dtw && cls) return choose_rows<reward_all>(group, call);
  if (dtw) return choose_rows<reward_dtw>(group, call);
  if (arguments.quantities & quantity_coverage) return choose_rows<reward_cls>(group, call);
  // Without rows there is nothing to keep.
  if (cls) return call(RewardKernel<1, quantity_length, EpisodeRows>{});
  call(RewardKernel<1, 0, EpisodeRows>{});
}

// Transposes `count` squares of V x V values. @param from_row,to_row values from one row of a
// square to the next @param from_square,to_square values from one square to the next
void transpose_squares(const void* from, std::size_t from_row, std::size_t from_square, void* to,
                       std::size_t to_row, std::size_t to_square, std::size_t count) {
  constexpr int V = RewardLanes::V;
  const auto* source = static_cast<const int*>(from);
  auto* target = static_cast<int*>(to);
  for (std::size_t s = 0; s < count; ++s, source += from_square, target += to_square) {
    RewardLanes::I rows[V];
    WARPATH_UNROLL for (int i = 0; i < V; ++i) rows[i] = RewardLanes::load(source + i * from_row);
    RewardLanes::transpose(rows);
    WARPATH_UNROLL for (int i = 0; i < V; ++i) RewardLanes::store(target + i * to_row, rows[i]);
  }
}

void interleave(const void* rows, std::size_t pitch, void* columns) {
  constexpr std::size_t V = RewardLanes::V;
  transpose_squares(rows, pitch, V, columns, V, V * V, pitch / V);
}

void separate(const void* columns, std::size_t pitch, void* rows) {
  constexpr std::size_t V = RewardLanes::V;
  transpose_squares(columns, V, V * V, rows, pitch, V, pitch / V);
}

void reward_rollouts(const RewardArguments& arguments, const EpisodeGroup& group,
                     const PathColumns& columns, const std::int32_t* stopped,
                     const RewardColumns& out) {
  const auto start = [&](auto kernel) {
    kernel.reward_rollouts(arguments, group, columns, stopped, out);
  };
  if (group.own != nullptr && choose_own_tables(arguments, group, start)) return;
  if (!arguments.leave_out) return choose_kernel(arguments, group, start);
  if (group.axes == 3) return start(RewardKernel<reward_strip, reward_all, PointEpisodeRows, 1>{});
  start(RewardKernel<reward_strip, reward_all, EpisodeRows, 1>{});
}

void step_episodes(const RewardArguments& arguments, const EpisodeGroup& group,
                   const PathColumns& columns, const std::int32_t* live, float* reward) {
  choose_kernel(arguments, group,
                [&](auto kernel) { kernel.step(arguments, group, columns, live, reward); });
}

void extend_episodes(const RewardArguments& arguments, const EpisodeGroup& group,
                     const PathColumns& columns, float* scratch, const RewardColumns& out) {
  choose_kernel(arguments, group,
                [&](auto kernel) { kernel.extend(arguments, group, columns, scratch, out); });
}

}  // namespace
}  // namespace warpath::cpu
