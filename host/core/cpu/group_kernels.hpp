#pragma once

#include <utility>

#include "host/core/cpu/kernel_rows.hpp"
#include "kernels/sweep/sum.hpp"

// Scores a group of pairs side by side, one pair per lane, with a kernel for each common |R|.

namespace warpath::cpu {
namespace {

using namespace kernels;

using GroupLanes = SimdLanes<1, vector_bytes / 4>;

/// Holds a group's fields in registers, and its staged viewpoints.
template <class L>
struct StagedGroup {
  const Group& group;
  const StagedNode *first, *rows, *columns;
  typename L::I n, m;
  GatherTable<L> table;

  WARPATH_HD StagedGroup(const KernelArguments& arguments, const PairGroupData& data, std::size_t g)
      : group(data.groups[g]),
        first(data.ids + group.references),
        rows(first + L::Lanes),
        columns(data.ids + group.queries),
        n(L::load(data.n + g * L::Lanes)),
        m(L::load(data.m + g * L::Lanes)),
        table{arguments.distance, L::load(data.base + g * L::Lanes),
              L::load(data.pitch + g * L::Lanes)} {}

  WARPATH_HD typename L::I row(int i) const { return L::load_ids(rows + i * L::Lanes); }
};

// Returns PL(R), from the rows.
template <class L>
WARPATH_HD typename L::F reference_length(const StagedGroup<L>& staged) {
  Sum<L> length{L::real(0.0f), L::real(0.0f)};
  const int rows = staged.group.rows;
  auto before = staged.row(0);
  for (int i = 1; i < rows; ++i) {
    const auto node = staged.row(i);
    const auto live = staged.n > rows - i;  // not padding: the row before it is a viewpoint
    const auto entry = L::select(live, staged.table.row(before) + node, staged.table.base);
    length.add(live, staged.table.at(entry));
    before = node;
  }
  return length.high;
}

template <class L, unsigned Quantities>
WARPATH_HD PairInputs<L> inputs_of(const KernelArguments& arguments, const PairGroupData& data,
                                   std::size_t g, const StagedGroup<L>& staged) {
  const std::size_t p = g * L::Lanes;
  PairInputs<L> inputs{staged.n, staged.m, {}, {}, {}, {}, {}};
  const auto start = L::load_ids(staged.first), goal = staged.row(staged.group.rows - 1);
  inputs.start_to_goal = staged.table.at(start, goal);
  if constexpr ((Quantities & quantity_reference) != 0) {
    // The kernel computes more than was asked for; without that request the length is not measured.
    inputs.reference_length = L::real(0.0f);
    if (arguments.rules.quantities & quantity_reference)
      inputs.reference_length = reference_length(staged);
  }
  inputs.cls_query_length = L::load(data.cls_query_length + p);
  inputs.cls_reference_length = L::load(data.cls_reference_length + p);
  inputs.task_success = L::load(data.task_success + p);
  return inputs;
}

template <class L, int K, unsigned Quantities>
WARPATH_HD auto group_rows(const StagedGroup<L>& staged) {
  if constexpr (Quantities == quantity_edits)
    return IdRows<L, K>{{staged.rows, {}}};
  else
    return TableRows<L, K, StagedNode>{{staged.rows, {}}, staged.table};
}

template <class L, int K, QuantitySet set, bool Strips>
void group_kernel(const KernelArguments& arguments, const PairGroupData& data, std::size_t g,
                  Workspace& workspace, const ResultView& out) {
  constexpr unsigned quantities = quantities_of(set);
  const StagedGroup<L> staged(arguments, data, g);
  const auto inputs = inputs_of<L, quantities>(arguments, data, g, staged);
  const GroupQuery<L> query{staged.columns};
  const std::size_t border = L::Lanes * static_cast<std::size_t>(staged.group.columns + 1);
  auto rows = group_rows<L, K, quantities>(staged);
  sweep_and_write<L, K, 1, quantities, compares_edges(set), Strips>(
      rows, query, inputs, arguments, workspace, border, out, g * L::Lanes);
}

template <class L>
void goal_kernel(const KernelArguments& arguments, const PairGroupData& data, std::size_t g,
                 Workspace& workspace, const ResultView& out) {
  constexpr unsigned quantities = quantities_of(QuantitySet::goal);
  const StagedGroup<L> staged(arguments, data, g);
  const auto inputs = inputs_of<L, quantities>(arguments, data, g, staged);
  const StagedNode* goals = staged.rows + (staged.group.rows - 1) * L::Lanes;
  TableRows<L, 1, StagedNode> rows{{goals, {}}, staged.table};
  sweep_and_write<L, 1, 1, quantities, true, false>(rows, GroupQuery<L>{staged.columns}, inputs,
                                                    arguments, workspace, 0, out, g * L::Lanes);
}

template <class L, int K, QuantitySet set>
void shared_kernel(const KernelArguments& arguments, const PairGroupData& data, std::size_t g,
                   const float* table, Workspace& workspace, const ResultView& out) {
  constexpr unsigned quantities = quantities_of(set);
  const StagedGroup<L> staged(arguments, data, g);
  const auto inputs = inputs_of<L, quantities>(arguments, data, g, staged);
  SharedPairRows<L, K> rows{{{table, shared_pitch}}, staged.table};
  sweep_and_write<L, K, 1, quantities, compares_edges(set), false>(
      rows, GroupQuery<L>{staged.columns}, inputs, arguments, workspace, 0, out, g * L::Lanes);
}

using GroupKernel = void (*)(const KernelArguments&, const PairGroupData&, std::size_t, Workspace&,
                             const ResultView&);
using SharedKernel = void (*)(const KernelArguments&, const PairGroupData&, std::size_t,
                              const float*, Workspace&, const ResultView&);

template <QuantitySet set, int... shapes>
GroupKernel group_kernel_of(int shape, std::integer_sequence<int, shapes...>) {
  using L = GroupLanes;
  static constexpr GroupKernel kernels[] = {
      group_kernel<L, row_shapes[shapes], set, false>...,
      group_kernel<L, row_shapes[shape_strips - 1], set, true>};
  return kernels[shape];
}
template <QuantitySet set>
GroupKernel group_kernel_of(int shape) {
  // Only distances to the goal are asked for: no other row is needed, however many there are.
  if constexpr (set == QuantitySet::goal) return goal_kernel<GroupLanes>;
  return group_kernel_of<set>(shape, std::make_integer_sequence<int, shape_strips>());
}

template <QuantitySet set>
SharedKernel shared_kernel_of(int longest) {
  using L = GroupLanes;
  const int rows = shared_shape(longest);
  return rows == 8    ? shared_kernel<L, 8, set>
         : rows == 12 ? shared_kernel<L, 12, set>
                      : shared_kernel<L, 16, set>;
}

// Calls `pick` with the smallest compiled set that covers the request.
template <class Pick>
auto with_covering_set(const Rules& rules, Pick pick) {
  using enum QuantitySet;
  switch (quantity_set_covering(rules.quantities, rules.edit_unit, true)) {
    case goal:
      return pick.template operator()<goal>();
    case dtw:
      return pick.template operator()<dtw>();
    case alignment:
      return pick.template operator()<alignment>();
    case edits_edges:
      return pick.template operator()<edits_edges>();
    case edits_viewpoints:
      return pick.template operator()<edits_viewpoints>();
    case all_edges:
      return pick.template operator()<all_edges>();
    case all_viewpoints:
      break;
  }
  return pick.template operator()<all_viewpoints>();
}

void score_group(const KernelArguments& arguments, const PairGroupData& data, std::size_t g,
                 Workspace& workspace, const ResultView& out) {
  const GroupKernel kernel = with_covering_set(arguments.rules, [&]<QuantitySet set>() {
    return group_kernel_of<set>(data.groups[g].shape);
  });
  kernel(arguments, data, g, workspace, out);
}

void score_shared(const KernelArguments& arguments, const PairGroupData& data, std::size_t g,
                  const float* table, Workspace& workspace, const ResultView& out) {
  const SharedKernel kernel = with_covering_set(arguments.rules, [&]<QuantitySet set>() {
    return shared_kernel_of<set>(data.n[g * GroupLanes::Lanes]);
  });
  kernel(arguments, data, g, table, workspace, out);
}

}  // namespace
}  // namespace warpath::cpu
