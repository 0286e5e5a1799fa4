#pragma once

#include "host/core/cpu/kernel_rows.hpp"
#include "kernels/bodies/point_rows.hpp"
#include "kernels/metrics/point_formulas.hpp"

// Scores continuous paths, all lanes on one pair. Distances come from 3-D points.

namespace warpath::cpu {
namespace {

using namespace kernels;

/// Defines the shape of a kernel: W lanes of K rows, C columns in a step.
template <int W_, int K_, int C_>
struct PointShape {
  using L = SimdLanes<W_>;
  static constexpr int W = W_, K = K_, C = C_, strip = W * K;
};

template <class Shape, bool Ids>
auto staged_point_rows(const PointTask& task, int strips, Workspace& workspace) {
  constexpr int W = Shape::W, K = Shape::K;
  const std::size_t entries = static_cast<std::size_t>(Shape::strip) * strips;
  auto* staged = static_cast<float*>(workspace.rows(sizeof(float) * (Ids ? 4 : 3) * entries));
  for (int axis = 0; axis < 3; ++axis) {
    stage_rows<W, K>(task.reference[axis], task.n, strips, padding_coordinate, 3 * W,
                     staged + axis * W);
  }
  auto* ids = reinterpret_cast<int*>(staged + 3 * entries);
  if constexpr (Ids) stage_rows<W, K>(task.reference_id, task.n, strips, -1, W, ids);
  return PointRows<typename Shape::L, K, Ids>{staged, ids, {}, {}};
}

template <class Shape, bool Ids>
auto staged_point_query(const PointTask& task, Workspace& workspace) {
  constexpr int C = Shape::C;
  const ReversedColumns<Shape::W, C> columns(task.m);
  const std::size_t stride = columns.entries(), entries = C * stride;
  auto* staged = static_cast<float*>(workspace.query(sizeof(float) * (Ids ? 4 : 3) * entries));
  auto* ids = reinterpret_cast<int*>(staged + 3 * entries);
  for (int c = 0; c < C; ++c) {
    for (int axis = 0; axis < 3; ++axis) {
      stage_columns(task.query[axis], task.m, c, columns, staged + (3 * c + axis) * stride);
    }
    if constexpr (Ids) stage_columns(task.query_id, task.m, c, columns, ids + c * stride);
  }
  return PointQuery<typename Shape::L, C, Ids>{staged, ids, columns};
}

// Holds the results of the sweep; all else comes with the task.
template <class Shape, unsigned Swept, bool Edges>
SweepResult<typename Shape::L> sweep_points(const KernelArguments& arguments, const PointTask& task,
                                            Workspace& workspace) {
  using L = typename Shape::L;
  constexpr bool ids = Swept & quantity_edits;
  auto rows = staged_point_rows<Shape, ids>(task, strips_of_rows(task.n, Shape::strip), workspace);
  const auto query = staged_point_query<Shape, ids>(task, workspace);
  const auto border = make_border<true>(workspace, task.m + Shape::C);
  return Sweep<L, Shape::K, Shape::C, Swept, Edges, decltype(rows), decltype(query), Border<true>>(
             rows, query, L::integer(task.n), L::integer(task.m), -1.0f / arguments.rules.threshold,
             border)
      .run();
}

template <class Shape, QuantitySet set>
void point_kernel(const KernelArguments& arguments, const PointTask& task, std::size_t p,
                  Workspace& workspace, const ResultView& out) {
  using L = typename Shape::L;
  constexpr unsigned swept_quantities = swept_of(set);
  SweepResult<L> swept{};
  if constexpr (swept_quantities != 0) {
    swept = sweep_points<Shape, swept_quantities, compares_edges(set)>(arguments, task, workspace);
  }
  Writer<L> writer{out, p};
  write_point_metrics<L, swept_quantities>(swept, task, arguments.rules, writer);
}

using PointKernel = void (*)(const KernelArguments&, const PointTask&, std::size_t, Workspace&,
                             const ResultView&);

// Chooses the number of rows in a strip: more make each cell cheaper, but the last strip is padded
// to its full size. The weights are measured times of strips of 2, 4 and 8 rows per lane.
template <QuantitySet set>
PointKernel point_kernel_of(int n) {
  constexpr int V = vector_bytes / 4;
  constexpr int C =
      set == QuantitySet::dtw ? 2 : 1;  // DTW alone leaves enough registers for a second column
  const auto cost = [n](int rows, int weight) { return strips_of_rows(n, V * rows) * weight; };
  const int small = cost(2, 3), middle = cost(4, 4), large = cost(8, 7);
  if (large <= small && large <= middle) return point_kernel<PointShape<V, 8, C>, set>;
  if (middle <= small) return point_kernel<PointShape<V, 4, C>, set>;
  return point_kernel<PointShape<V, 2, 1>, set>;
}

PointKernel point_kernel_of(const Rules& rules, const PointTask& task) {
  using enum QuantitySet;
  switch (point_quantity_set(rules.quantities, rules.edit_unit, task.edits >= 0)) {
    case dtw:
      return point_kernel_of<dtw>(task.n);
    case alignment:
      return point_kernel_of<alignment>(task.n);
    case all_edges:
      return point_kernel_of<all_edges>(task.n);
    case all_viewpoints:
      return point_kernel_of<all_viewpoints>(task.n);
    default:  // no sweep
      return point_kernel<PointShape<vector_bytes / 4, 2, 1>, goal>;
  }
}

void score_points(const KernelArguments& arguments, const PointTask& task, std::size_t p,
                  Workspace& workspace, const ResultView& out) {
  point_kernel_of(arguments.rules, task)(arguments, task, p, workspace, out);
}

}  // namespace
}  // namespace warpath::cpu
