#pragma once

#include "host/cpu/kernel_rows.hpp"

// All lanes on one pair.

namespace warpath::cpu {
namespace {

using namespace kernels;

constexpr int long_lanes = 32, long_rows = 2;
using LongLanes = SimdLanes<long_lanes>;

// Index of the row i of lane l in strip s, rows aligned to the end; negative: padding.
template <class L, int K>
WARPATH_HD int row_index(int strips, int s, int i, int l, int n) {
  return l * K + i + n - (strips - s) * L::W * K;
}
WARPATH_HD int clamped(int j, int m) {
  return j < 0 ? 0 : j < m ? j : m - 1;
}

template <bool Edges>
void long_kernel(const KernelArguments& job, const LongTask& task, std::size_t p,
                 Workspace& workspace, const ResultView& out) {
  using L = LongLanes;
  constexpr int K = long_rows, W = L::W;
  const int n = task.n, m = task.m;
  const int strips = (n + W * K - 1) / (W * K), stride = m + 2 * W - 2, end = m + W - 2;
  auto* r = static_cast<int*>(workspace.rows(sizeof(int) * W * K * strips));
  for (int s = 0; s < strips; ++s) {
    for (int i = 0; i < K; ++i) {
      for (int l = 0; l < W; ++l) {
        const int index = row_index<L, K>(strips, s, i, l, n);
        r[(static_cast<std::size_t>(s) * K + i) * W + l] =
            index < 0 ? task.table.pad : static_cast<int>(task.reference[index]);
      }
    }
  }
  auto* q = static_cast<int*>(workspace.query(sizeof(int) * stride));
  for (int k = 0; k < stride; ++k) q[k] = static_cast<int>(task.query[clamped(end - k, m)]);
  TableRows<L, K, int> rows{
      job.distance, r, L::integer(task.table.base), L::integer(task.table.pitch), {}};
  const PairInputs<L> terms{L::integer(n),
                            L::integer(m),
                            L::real(task.reference_length),
                            L::real(task.cls_query_length),
                            L::real(task.cls_reference_length),
                            L::real(task.start_to_goal),
                            L::real(task.task_success)};
  sweep_and_finish<L, K, 1, quantity_all, Edges, true>(rows, StagedQuery<L, int>{q, end}, terms,
                                                       job, workspace, m + 1, out, p);
}

void score_long(const KernelArguments& job, const LongTask& task, std::size_t p,
                Workspace& workspace, const ResultView& out) {
  (job.rules.edit_unit == EditUnit::edges ? long_kernel<true> : long_kernel<false>)(job, task, p,
                                                                                    workspace, out);
}

}  // namespace
}  // namespace warpath::cpu
