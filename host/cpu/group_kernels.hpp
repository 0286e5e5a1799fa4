#pragma once

#include <utility>

#include "host/cpu/kernel_rows.hpp"

// One pair per lane: a group of pairs side by side, with a kernel for each common |R|.

namespace warpath::cpu {
namespace {

using namespace kernels;

using GroupLanes = SimdLanes<1, vector_bytes / 4>;

constexpr unsigned quantity_navigation = quantity_goal | quantity_length;
constexpr unsigned quantity_alignment = quantity_dtw | quantity_coverage | quantity_deviation;

/// A group as registers and as the staged viewpoints behind them.
template <class L>
struct StagedGroup {
  const Group& group;
  const StagedNode *first, *rows, *columns;
  typename L::I n, m, base, pitch;

  WARPATH_HD StagedGroup(const PairGroupData& tasks, std::size_t g)
      : group(tasks.groups[g]),
        first(tasks.ids + group.references),
        rows(first + L::Lanes),
        columns(tasks.ids + group.queries),
        n(L::load(tasks.n + g * L::Lanes)),
        m(L::load(tasks.m + g * L::Lanes)),
        base(L::load(tasks.base + g * L::Lanes)),
        pitch(L::load(tasks.pitch + g * L::Lanes)) {}

  WARPATH_HD typename L::I row(int i) const { return L::load_ids(rows + i * L::Lanes); }
};

// PL(R), from the rows.
template <class L>
WARPATH_HD typename L::F reference_length(const KernelArguments& job,
                                          const StagedGroup<L>& staged) {
  Sum<L> length{L::real(0.0f), L::real(0.0f)};
  const int rows = staged.group.rows;
  auto before = staged.row(0);
  for (int i = 1; i < rows; ++i) {
    const auto node = staged.row(i);
    const auto live = staged.n > rows - i;  // the row before is no padding
    const auto at = L::select(live, before * staged.pitch + node, L::integer(0));
    length.add(live, L::gather(job.distance, at + staged.base));
    before = node;
  }
  return length.high;
}

template <class L, unsigned Quantities>
WARPATH_HD PairInputs<L> terms_of(const KernelArguments& job, const PairGroupData& tasks,
                                  std::size_t g, const StagedGroup<L>& staged) {
  const std::size_t p = g * L::Lanes;
  PairInputs<L> terms{staged.n, staged.m, {}, {}, {}, {}, {}};
  const auto start = L::load_ids(staged.first), goal = staged.row(staged.group.rows - 1);
  terms.start_to_goal = L::gather(job.distance, start * staged.pitch + staged.base + goal);
  if constexpr ((Quantities & quantity_reference) != 0) {
    // Nobody may have asked for it: this kernel covers more than the request.
    terms.reference_length = L::real(0.0f);
    if (job.rules.quantities & quantity_reference)
      terms.reference_length = reference_length(job, staged);
  }
  terms.cls_query_length = L::load(tasks.cls_query_length + p);
  terms.cls_reference_length = L::load(tasks.cls_reference_length + p);
  terms.task_success = L::load(tasks.task_success + p);
  return terms;
}

template <class L, int K, unsigned Quantities, bool Edges, bool Strips>
void group_kernel(const KernelArguments& job, const PairGroupData& tasks, std::size_t g,
                  Workspace& workspace, const ResultView& out) {
  const StagedGroup<L> staged(tasks, g);
  const auto terms = terms_of<L, Quantities>(job, tasks, g, staged);
  const StagedQuery<L, StagedNode> query{staged.columns};
  const std::size_t border = L::Lanes * static_cast<std::size_t>(staged.group.columns + 1);
  if constexpr (Quantities == quantity_edits) {
    IdRows<L, K> rows{staged.rows, {}};
    sweep_and_finish<L, K, 1, Quantities, Edges, Strips>(rows, query, terms, job, workspace, border,
                                                         out, g * L::Lanes);
  } else {
    TableRows<L, K, StagedNode> rows{job.distance, staged.rows, staged.base, staged.pitch, {}};
    sweep_and_finish<L, K, 1, Quantities, Edges, Strips>(rows, query, terms, job, workspace, border,
                                                         out, g * L::Lanes);
  }
}

template <class L>
void navigation_kernel(const KernelArguments& job, const PairGroupData& tasks, std::size_t g,
                       Workspace& workspace, const ResultView& out) {
  const StagedGroup<L> staged(tasks, g);
  const auto terms = terms_of<L, quantity_navigation>(job, tasks, g, staged);
  const StagedNode* goals = staged.rows + (staged.group.rows - 1) * L::Lanes;
  TableRows<L, 1, StagedNode> rows{job.distance, goals, staged.base, staged.pitch, {}};
  sweep_and_finish<L, 1, 1, quantity_navigation, true, false>(
      rows, StagedQuery<L, StagedNode>{staged.columns}, terms, job, workspace, 0, out,
      g * L::Lanes);
}

template <class L, int K, unsigned Quantities, bool Edges>
void shared_kernel(const KernelArguments& job, const PairGroupData& tasks, std::size_t g,
                   const float* table, Workspace& workspace, const ResultView& out) {
  const StagedGroup<L> staged(tasks, g);
  const auto terms = terms_of<L, Quantities>(job, tasks, g, staged);
  SharedRows<L, K> rows{table, job.distance, staged.columns, staged.base, staged.pitch};
  sweep_and_finish<L, K, 1, Quantities, Edges, false>(rows,
                                                      StagedQuery<L, StagedNode>{staged.columns},
                                                      terms, job, workspace, 0, out, g * L::Lanes);
}

using GroupKernel = void (*)(const KernelArguments&, const PairGroupData&, std::size_t, Workspace&,
                             const ResultView&);
using SharedKernel = void (*)(const KernelArguments&, const PairGroupData&, std::size_t,
                              const float*, Workspace&, const ResultView&);

template <unsigned Quantities, bool Edges, int... shapes>
GroupKernel group_kernel_of(int shape, std::integer_sequence<int, shapes...>) {
  using L = GroupLanes;
  static constexpr GroupKernel kernels[] = {
      group_kernel<L, row_shapes[shapes], Quantities, Edges, false>...,
      group_kernel<L, row_shapes[shape_strips - 1], Quantities, Edges, true>};
  return kernels[shape];
}
template <unsigned Quantities, bool Edges>
GroupKernel group_kernel_of(int shape) {
  // What asks for distances to the goal only needs no other row, however many there are.
  if constexpr (Quantities == quantity_navigation) return navigation_kernel<GroupLanes>;
  return group_kernel_of<Quantities, Edges>(shape, std::make_integer_sequence<int, shape_strips>());
}

template <unsigned Quantities, bool Edges>
SharedKernel shared_kernel_of(int longest) {
  using L = GroupLanes;
  const int rows = shared_shape(longest);
  return rows == 8    ? shared_kernel<L, 8, Quantities, Edges>
         : rows == 12 ? shared_kernel<L, 12, Quantities, Edges>
                      : shared_kernel<L, 16, Quantities, Edges>;
}

// Calls `pick` with the first compiled mask that covers the request, and whether symbols are edges.
template <class Pick>
auto covering(const KernelArguments& job, Pick pick) {
  const bool edges = job.rules.edit_unit == EditUnit::edges;
  const auto covers = [&](unsigned mask) { return (job.rules.quantities & ~mask) == 0; };
  if (covers(quantity_navigation)) return pick.template operator()<quantity_navigation, true>();
  if (covers(quantity_dtw)) return pick.template operator()<quantity_dtw, true>();
  if (covers(quantity_alignment)) return pick.template operator()<quantity_alignment, true>();
  if (covers(quantity_edits)) {
    return edges ? pick.template operator()<quantity_edits, true>()
                 : pick.template operator()<quantity_edits, false>();
  }
  return edges ? pick.template operator()<quantity_all, true>()
               : pick.template operator()<quantity_all, false>();
}

void score_group(const KernelArguments& job, const PairGroupData& tasks, std::size_t g,
                 Workspace& workspace, const ResultView& out) {
  const GroupKernel kernel = covering(job, [&]<unsigned Quantities, bool Edges>() {
    return group_kernel_of<Quantities, Edges>(tasks.groups[g].shape);
  });
  kernel(job, tasks, g, workspace, out);
}

void score_shared(const KernelArguments& job, const PairGroupData& tasks, std::size_t g,
                  const float* table, Workspace& workspace, const ResultView& out) {
  const SharedKernel kernel = covering(job, [&]<unsigned Quantities, bool Edges>() {
    return shared_kernel_of<Quantities, Edges>(tasks.n[g * GroupLanes::Lanes]);
  });
  kernel(job, tasks, g, table, workspace, out);
}

}  // namespace
}  // namespace warpath::cpu
