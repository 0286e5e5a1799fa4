#pragma once

#include "host/core/cpu/kernel_rows.hpp"

// Scores one pair with all lanes.

namespace warpath::cpu {
namespace {

using namespace kernels;

constexpr int long_lanes = 32, long_rows = 2;

template <bool Edges>
void long_kernel(const KernelArguments& arguments, const LongTask& task, std::size_t p,
                 Workspace& workspace, const ResultView& out) {
  using L = SimdLanes<long_lanes>;
  constexpr int K = long_rows, W = long_lanes;
  const int n = task.inputs.n, m = task.inputs.m, strips = strips_of_rows(n, W * K);
  const ReversedColumns<W, 1> columns(m);
  auto* reference = static_cast<int*>(workspace.rows(sizeof(int) * W * K * strips));
  auto* query = static_cast<int*>(workspace.query(sizeof(int) * columns.entries()));
  stage_rows<W, K>(task.reference, n, strips, task.table.pad, W, reference);
  stage_columns(task.query, m, 0, columns, query);
  const GatherTable<L> table{arguments.distance, L::integer(static_cast<int>(task.table.base)),
                             L::integer(task.table.pitch)};
  TableRows<L, K, int> rows{{reference, {}}, table};
  sweep_and_write<L, K, 1, quantity_all, Edges, true>(rows, LongQuery<L>{query, columns},
                                                      in_all_lanes<L>(task.inputs), arguments,
                                                      workspace, m + 1, out, p);
}

void score_long(const KernelArguments& arguments, const LongTask& task, std::size_t p,
                Workspace& workspace, const ResultView& out) {
  const bool edges = arguments.rules.edit_unit == EditUnit::edges;
  (edges ? long_kernel<true> : long_kernel<false>)(arguments, task, p, workspace, out);
}

}  // namespace
}  // namespace warpath::cpu
