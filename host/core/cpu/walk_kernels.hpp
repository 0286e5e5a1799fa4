#pragma once

#include "host/core/cpu/kernel_rows.hpp"

// Makes random walks and scores them side by side, one per lane. All walks of a call have one
// reference, whose own table gives the distances.

namespace warpath::cpu {
namespace {

using namespace kernels;

using WalkLanes = SimdLanes<1, vector_bytes / 4>;
using WalkChoices = ExactChoices<WalkLanes, ScalarLanes>;

WalkNumbers<WalkLanes> numbers_of(const WalkTask& task, std::size_t first) {
  return {WalkLanes::load(task.numbers + first), task.walks.high, task.walks.seed};
}

void draw_walk_steps(const WalkTask& task, std::size_t count, std::uint32_t* steps) {
  using L = WalkLanes;
  WalkChoices choices;
  for (std::size_t k = 0; k < count; k += L::Lanes) {
    const WalkNumbers<L> walks = numbers_of(task, k);
    L::B words[4];
    draw_words<L>(walks, 0, 0, words);
    L::store(steps + k, L::to_bits(draw_steps<L>(walks, *task.steps, words[0], choices)));
  }
}

template <int K, bool Strips>
auto walk_rows(const WalkTask& task) {
  using L = WalkLanes;
  if constexpr (Strips) {
    using Rows = SharedStripRows<L, K>;
    return WalkRows<L, Rows>{Rows(task.reference, strips_of_rows(task.inputs.n, K))};
  } else {
    return WalkRows<L, SharedRows<L, K>>{SharedRows<L, K>(task.reference)};
  }
}

template <int K, QuantitySet set, bool Strips>
void walk_kernel(const KernelArguments& arguments, const WalkTask& task, std::size_t groups,
                 Workspace& workspace, const ResultView& out) {
  using L = WalkLanes;
  auto rows = walk_rows<K, Strips>(task);
  PairInputs<L> inputs = in_all_lanes<L>(task.inputs);
  const std::size_t max_size = task.steps->steps[task.steps->kinds - 1] + std::size_t{2};
  for (std::size_t g = 0; g < groups; ++g) {
    WalkQuery<L, WalkChoices> query(task.graph, numbers_of(task, g * L::Lanes), *task.steps,
                                    task.start);
    inputs.m = query.size();
    sweep_and_write<L, K, 1, quantities_of(set), compares_edges(set), Strips>(
        rows, query, inputs, arguments, workspace, L::Lanes * max_size, out, g * L::Lanes);
  }
}

using WalkKernel = void (*)(const KernelArguments&, const WalkTask&, std::size_t, Workspace&,
                            const ResultView&);

template <QuantitySet set, int... shapes>
WalkKernel walk_kernel_of(int n, std::integer_sequence<int, shapes...>) {
  // Only distances to the goal are asked for: no other row is needed, however many there are.
  if constexpr (set == QuantitySet::goal) return walk_kernel<1, set, false>;
  static constexpr WalkKernel kernels[] = {walk_kernel<walk_shapes[shapes], set, false>...};
  for (int shape = 0; shape < walk_shape_count; ++shape) {
    if (n <= walk_shapes[shape]) return kernels[shape];
  }
  return walk_kernel<walk_strip, set, true>;
}

template <QuantitySet set>
WalkKernel walk_kernel_of(int n) {
  return walk_kernel_of<set>(n, std::make_integer_sequence<int, walk_shape_count>());
}

WalkKernel walk_kernel_of(const Rules& rules, int n) {
  using enum QuantitySet;
  switch (quantity_set_covering(rules.quantities, rules.edit_unit)) {
    case goal:
      return walk_kernel_of<goal>(n);
    case dtw:
      return walk_kernel_of<dtw>(n);
    case alignment:
      return walk_kernel_of<alignment>(n);
    case all_edges:
      return walk_kernel_of<all_edges>(n);
    default:
      return walk_kernel_of<all_viewpoints>(n);
  }
}

void score_walks(const KernelArguments& arguments, const WalkTask& task, std::size_t groups,
                 Workspace& workspace, const ResultView& out) {
  walk_kernel_of(arguments.rules, task.inputs.n)(arguments, task, groups, workspace, out);
}

}  // namespace
}  // namespace warpath::cpu
