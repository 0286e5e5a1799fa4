#pragma once

#include "host/cpu/kernel_rows.hpp"
#include "kernels/bodies/point_rows.hpp"

// Continuous paths: all lanes on one pair, distances from 3-D points.

namespace warpath::cpu {
namespace {

using namespace kernels;

/// A kernel's shape: W lanes of K rows, C columns in a step.
template <int W, int K, int C>
struct PointShape {
  using L = SimdLanes<W>;
  static constexpr int rows = K, columns = C, strip = W * K;
};

// Rows aligned to the end; lane l of a strip has its rows K * l … K * l + K − 1. Entry i of lane l
// goes to staged[i * pitch + l].
template <class T, class Shape>
void stage_point_rows(const T* reference, int n, int strips, T padding, int pitch, T* staged) {
  constexpr int K = Shape::rows, W = Shape::L::W;
  int index = n - strips * Shape::strip;  // negative: padding
  for (int s = 0; s < strips; ++s, staged += static_cast<std::size_t>(K) * pitch) {
    for (int l = 0; l < W; ++l) {
      for (int i = 0; i < K; ++i, ++index) {
        staged[static_cast<std::size_t>(i) * pitch + l] = index < 0 ? padding : reference[index];
      }
    }
  }
}

// Every C-th column from number c on, reversed; columns outside repeat the first or last point.
template <class T, class Shape>
void stage_point_columns(const T* query, int m, int c, int stride, T* staged) {
  constexpr int C = Shape::columns, W = Shape::L::W;
  int j = C * (stride - W) + c, k = 0;
  for (; j >= m; j -= C) staged[k++] = query[m - 1];
  for (; j >= 0; j -= C) staged[k++] = query[j];
  while (k < stride) staged[k++] = query[0];
}

template <class Shape, bool Ids>
auto staged_point_rows(const PointTask& task, int strips, Workspace& workspace) {
  using L = typename Shape::L;
  constexpr int K = Shape::rows, W = L::W;
  const std::size_t entries = static_cast<std::size_t>(Shape::strip) * strips;
  auto* staged = static_cast<float*>(workspace.rows(sizeof(float) * (Ids ? 4 : 3) * entries));
  for (int axis = 0; axis < 3; ++axis) {
    stage_point_rows<float, Shape>(task.reference[axis], task.n, strips, __builtin_inff(), 3 * W,
                                   staged + axis * W);
  }
  auto* ids = reinterpret_cast<int*>(staged + 3 * entries);
  if constexpr (Ids) stage_point_rows<int, Shape>(task.reference_id, task.n, strips, -1, W, ids);
  return PointRows<L, K, Ids>{staged, ids, {}};
}

template <class Shape, bool Ids>
auto staged_point_query(const PointTask& task, Workspace& workspace) {
  using L = typename Shape::L;
  constexpr int C = Shape::columns, W = L::W;
  const int steps = (task.m + C - 1) / C, stride = steps + 2 * W - 2;
  const std::size_t entries = static_cast<std::size_t>(C) * stride;
  auto* staged = static_cast<float*>(workspace.query(sizeof(float) * (Ids ? 4 : 3) * entries));
  auto* ids = reinterpret_cast<int*>(staged + 3 * entries);
  for (int c = 0; c < C; ++c) {
    for (int axis = 0; axis < 3; ++axis) {
      stage_point_columns<float, Shape>(task.query[axis], task.m, c, stride,
                                        staged + (3 * c + axis) * stride);
    }
    if constexpr (Ids) {
      stage_point_columns<int, Shape>(task.query_id, task.m, c, stride, ids + c * stride);
    }
  }
  return PointQuery<L, C, Ids>{staged, ids, stride, steps + W - 2};
}

// What the sweep makes; the goal's distances and PL come with the task.
template <class Shape, unsigned Swept, bool Edges>
SweepResult<typename Shape::L> sweep_points(const KernelArguments& job, const PointTask& task,
                                            Workspace& workspace) {
  using L = typename Shape::L;
  constexpr bool ids = Swept & quantity_edits;
  const int strips = (task.n + Shape::strip - 1) / Shape::strip;
  auto rows = staged_point_rows<Shape, ids>(task, strips, workspace);
  const auto query = staged_point_query<Shape, ids>(task, workspace);
  const auto border = make_border<true>(workspace, task.m + Shape::columns);
  return Sweep<L, Shape::rows, Shape::columns, Swept, Edges, decltype(rows), decltype(query),
               Border<true>>(rows, query, L::integer(task.n), L::integer(task.m),
                             -1.0f / job.rules.threshold, border)
      .run();
}

template <class Shape, unsigned Swept, bool Edges>
void point_kernel(const KernelArguments& job, const PointTask& task, std::size_t p,
                  Workspace& workspace, const ResultView& out) {
  using L = typename Shape::L;
  SweepResult<L> sums{};
  if constexpr (Swept != 0) sums = sweep_points<Shape, Swept, Edges>(job, task, workspace);
  sums.goal = L::real(task.goal);
  sums.nearest = L::real(task.nearest);
  sums.first = L::real(task.first);
  sums.length = {L::real(task.query_length), L::real(0.0f)};
  if constexpr (!(Swept & quantity_edits)) sums.edits = L::integer(task.edits);
  const auto length = L::real(task.reference_length);
  const PairInputs<L> terms{L::integer(task.n),          L::integer(task.m),        length, {}, {},
                            L::real(task.start_to_goal), L::real(task.task_success)};
  Writer<L> writer{out, p};
  MetricFormulas<L, Swept | quantity_goal | quantity_length | quantity_edits | quantity_reference,
                 Writer<L>>(sums, terms, job.rules, writer)
      .run();
}

using PointKernel = void (*)(const KernelArguments&, const PointTask&, std::size_t, Workspace&,
                             const ResultView&);

// Rows in a strip: more make each cell cheaper, but the last strip is padded to the full. The
// weights are those of strips of 2, 4 and 8 rows per lane as measured.
template <unsigned Swept, bool Edges>
PointKernel point_kernel_of(int n) {
  constexpr int V = vector_bytes / 4;
  constexpr int C =
      Swept == quantity_dtw ? 2 : 1;  // DTW alone leaves registers for a second column
  const auto cost = [n](int rows, int weight) { return (n + V * rows - 1) / (V * rows) * weight; };
  const int small = cost(2, 3), middle = cost(4, 4), large = cost(8, 7);
  if (large <= small && large <= middle) return point_kernel<PointShape<V, 8, C>, Swept, Edges>;
  if (middle <= small) return point_kernel<PointShape<V, 4, C>, Swept, Edges>;
  return point_kernel<PointShape<V, 2, 1>, Swept, Edges>;
}

PointKernel point_kernel_of(const KernelArguments& job, const PointTask& task) {
  constexpr unsigned five = quantity_dtw | quantity_coverage | quantity_deviation;
  if ((job.rules.quantities & quantity_edits) && task.edits < 0) {
    return job.rules.edit_unit == EditUnit::edges
               ? point_kernel_of<five | quantity_edits, true>(task.n)
               : point_kernel_of<five | quantity_edits, false>(task.n);
  }
  if (job.rules.quantities & (quantity_coverage | quantity_deviation))
    return point_kernel_of<five, true>(task.n);
  if (job.rules.quantities & quantity_dtw) return point_kernel_of<quantity_dtw, true>(task.n);
  return point_kernel<PointShape<vector_bytes / 4, 2, 1>, 0, true>;
}

void score_points(const KernelArguments& job, const PointTask& task, std::size_t p,
                  Workspace& workspace, const ResultView& out) {
  point_kernel_of(job, task)(job, task, p, workspace, out);
}

}  // namespace
}  // namespace warpath::cpu
