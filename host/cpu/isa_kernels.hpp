#pragma once

#include "host/cpu/isa.hpp"
#include "kernels/lanes/simd_lanes.hpp"

// The generic body behind each of avx512.cpp, avx2.cpp and portable.cpp: staging of ids in the order
// in which the sweep reads them, distance sources, and the choice of shapes.

namespace warpath::cpu {
namespace {

using namespace kernels;

// ---------------------------------------------------------------- distance sources

// Rows of the scans' tables. Ids are staged, rows already padded and aligned to the end.
template <class L, int K>
struct TableRows {
  const float *distance, *step;
  const int* staged;  // [strip][K][Lanes]
  typename L::I base, pitch;
  typename L::I row[K];

  WARPATH_HD void load(const typename L::I&, int strip) {
    WARPATH_UNROLL for (int i = 0; i < K; ++i) {
      row[i] = L::load(staged + (static_cast<std::size_t>(strip) * K + i) * L::Lanes);
    }
  }
  WARPATH_HD void column(const typename L::I& node, typename L::F (&d)[K]) const {
    const auto at = node * pitch + base;
    WARPATH_UNROLL for (int i = 0; i < K; ++i) d[i] = L::gather(distance, at + row[i]);
  }
  WARPATH_HD typename L::F between(const typename L::I& a, const typename L::I& b) const {
    return L::gather(step, a * pitch + base + b);
  }
};

// Columns of one query per lane: [column][lane]. All lanes on one query: the columns reversed, so
// that what the lanes see in one step lies side by side.
//   step t:  lane 0 sees column t, lane 1 column t − 1, …    memory: … t+1  t  t−1  t−2 …
//                                                                           ^ step t reads from here
template <class L, int C>
struct StagedQuery {
  const int* staged;
  int stride, end;

  WARPATH_HD typename L::I node(int t, int c) const {
    if constexpr (L::W == 1) {
      return L::load(staged + (static_cast<std::size_t>(t) * C + c) * L::Lanes);
    } else {
      return L::load(staged + c * stride + end - t);
    }
  }
};

template <class L>
struct Point {
  typename L::F x, y, z;
};

template <class L>
WARPATH_HD typename L::F euclid(const Point<L>& a, const Point<L>& b) {
  const auto dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
  return L::sqrt(L::fma(dx, dx, L::fma(dy, dy, dz * dz)));
}

// Continuous paths. Rows of padding lie at infinity.
template <class L, int K>
struct PointRows {
  const float* staged;  // [strip][K][axis][Lanes]
  Point<L> row[K];

  WARPATH_HD void load(const typename L::I&, int strip) {
    WARPATH_UNROLL for (int i = 0; i < K; ++i) {
      const float* p = staged + (static_cast<std::size_t>(strip) * K + i) * 3 * L::Lanes;
      row[i] = {L::load(p), L::load(p + L::Lanes), L::load(p + 2 * L::Lanes)};
    }
  }
  WARPATH_HD void column(const Point<L>& q, typename L::F (&d)[K]) const {
    WARPATH_UNROLL for (int i = 0; i < K; ++i) d[i] = euclid<L>(row[i], q);
  }
  WARPATH_HD typename L::F between(const Point<L>& a, const Point<L>& b) const {
    return euclid<L>(a, b);
  }
};

template <class L, int C>
struct PointQuery {
  const float* staged;  // as StagedQuery with all lanes on one query, three axes for each c
  int stride, end;

  WARPATH_HD Point<L> node(int t, int c) const {
    const float* p = staged + c * 3 * stride + end - t;
    return {L::load(p), L::load(p + stride), L::load(p + 2 * stride)};
  }
};

// ---------------------------------------------------------------- results

template <class L>
struct Writer {
  const Outputs& out;
  std::size_t p;

  WARPATH_HD void set(Metric m, const typename L::F& value) const {
    float* column = out.column[static_cast<int>(m)];
    if (column == nullptr) return;
    if constexpr (L::W == 1) L::store(column + p, value);
    else column[p] = L::last(value);
  }
  WARPATH_HD void flags(const typename L::B& bits) const {
    if constexpr (L::W == 1) L::store(out.flags + p, bits);
    else out.flags[p] = L::last(bits);
  }
};

template <bool Strips>
Border<Strips> make_border(Workspace& workspace, std::size_t entries) {
  if constexpr (!Strips) return {};
  auto* real = static_cast<float*>(workspace.border(entries * 6 * sizeof(float)));
  auto* word = reinterpret_cast<std::uint32_t*>(real + 4 * entries);
  return {{real, real + entries, word},
          {real + 2 * entries, real + 3 * entries, word + entries}};
}

template <class L, int K, int C, unsigned Want, bool Edges, bool Strips, class Rows, class Query>
WARPATH_HD void sweep_and_finish(Rows& rows, const Query& query, const PairTerms<L>& terms,
                                 const Job& job, Workspace& workspace, std::size_t columns,
                                 const Outputs& out, std::size_t p) {
  const auto border = make_border<Strips>(workspace, columns);
  Sweep<L, K, C, Want, Edges, Rows, Query, Border<Strips>> sweep(
      rows, query, terms.n, terms.m, -1.0f / job.rules.threshold, border);
  const Sums<L> sums = sweep.run();
  Writer<L> writer{out, p};
  Finish<L, Want, Writer<L>>(sums, terms, job.rules, writer).run();
}

// ---------------------------------------------------------------- one pair per lane

// Unused lanes repeat the first pair; their results fall into the slack.
template <class L, class Get>
WARPATH_HD auto lanes_of(const Task* tasks, int count, Get get) {
  using T = decltype(get(tasks[0]));
  alignas(64) T lane[L::Lanes];
  for (int l = 0; l < L::Lanes; ++l) lane[l] = get(tasks[l < count ? l : 0]);
  return L::load(lane);
}

// Ids of the group, transposed to [row or column][lane]; padding in front of the rows, the last
// viewpoint repeated behind the columns.
template <class L, int K>
void stage_group(const Task* tasks, int count, int rows, int columns, int* r, int* q) {
  for (int l = 0; l < L::Lanes; ++l) {
    const Task& task = tasks[l < count ? l : 0];
    int* to = r + l;
    for (int i = task.n; i < rows; ++i, to += L::Lanes) *to = task.table.pad;
    for (int i = 0; i < task.n; ++i, to += L::Lanes) *to = static_cast<int>(task.reference[i]);
    to = q + l;
    for (int j = 0; j < task.m; ++j, to += L::Lanes) *to = static_cast<int>(task.query[j]);
    const int last = static_cast<int>(task.query[task.m - 1]);
    for (int j = task.m; j < columns; ++j, to += L::Lanes) *to = last;
  }
}

template <class L, int K, unsigned Want, bool Edges, bool Strips>
void group_kernel(const Job& job, const Task* tasks, int count, int longest, int columns,
                  Workspace& workspace, const Outputs& out, std::size_t p) {
  const int strips = Strips ? (longest + K - 1) / K : 1;
  const std::size_t lanes = L::Lanes;
  auto* r = static_cast<int*>(workspace.rows(lanes * strips * K * sizeof(int)));
  auto* q = static_cast<int*>(workspace.query(lanes * columns * sizeof(int)));
  stage_group<L, K>(tasks, count, strips * K, columns, r, q);
  TableRows<L, K> rows{job.distance, job.step, r, {}, {}, {}};
  rows.base = lanes_of<L>(tasks, count, [](const Task& t) { return t.table.base; });
  rows.pitch = lanes_of<L>(tasks, count, [](const Task& t) { return t.table.pitch; });
  PairTerms<L> terms;
  terms.n = lanes_of<L>(tasks, count, [](const Task& t) { return t.n; });
  terms.m = lanes_of<L>(tasks, count, [](const Task& t) { return t.m; });
  terms.reference_length = lanes_of<L>(tasks, count, [](const Task& t) { return t.reference_length; });
  terms.start_to_goal = lanes_of<L>(tasks, count, [](const Task& t) { return t.start_to_goal; });
  terms.task_success = lanes_of<L>(tasks, count, [](const Task& t) { return t.task_success; });
  const StagedQuery<L, 1> query{q, 0, 0};
  sweep_and_finish<L, K, 1, Want, Edges, Strips>(rows, query, terms, job, workspace,
                                                 lanes * (columns + 1), out, p);
}

using GroupKernel = void (*)(const Job&, const Task*, int, int, int, Workspace&, const Outputs&,
                             std::size_t);

// The number of rows that a group's longest reference takes: exact where lengths are common, since
// two rows too many cost a tenth; longer ones go in strips of 20.
constexpr int row_shapes[] = {4, 5, 6, 7, 8, 10, 12, 14, 16, 20};
constexpr int shape_count = sizeof row_shapes / sizeof *row_shapes;

// The masks that are compiled; a request takes the first that covers it.
constexpr unsigned want_five = want_dtw | want_coverage | want_deviation;
constexpr unsigned wants[] = {want_goal, want_dtw, want_edits, want_five, want_all};
constexpr int want_count = sizeof wants / sizeof *wants;

template <unsigned Want, bool Edges>
GroupKernel group_kernel_of(int shape) {
  using L = SimdLanes<1, vector_bytes / 4>;
  static constexpr GroupKernel kernels[] = {
      group_kernel<L, 4, Want, Edges, false>,  group_kernel<L, 5, Want, Edges, false>,
      group_kernel<L, 6, Want, Edges, false>,  group_kernel<L, 7, Want, Edges, false>,
      group_kernel<L, 8, Want, Edges, false>,  group_kernel<L, 10, Want, Edges, false>,
      group_kernel<L, 12, Want, Edges, false>, group_kernel<L, 14, Want, Edges, false>,
      group_kernel<L, 16, Want, Edges, false>, group_kernel<L, 20, Want, Edges, false>,
      group_kernel<L, 20, Want, Edges, true>};
  return kernels[shape];
}

GroupKernel find_group_kernel(unsigned want, EditUnit unit, int longest) {
  int shape = 0;
  while (shape < shape_count && row_shapes[shape] < longest) ++shape;
  const bool edges = unit == EditUnit::edges;
  if ((want & ~wants[0]) == 0) return group_kernel_of<wants[0], true>(shape);
  if ((want & ~wants[1]) == 0) return group_kernel_of<wants[1], true>(shape);
  if ((want & ~wants[2]) == 0) {
    return edges ? group_kernel_of<wants[2], true>(shape) : group_kernel_of<wants[2], false>(shape);
  }
  if ((want & ~wants[3]) == 0) return group_kernel_of<wants[3], true>(shape);
  return edges ? group_kernel_of<want_all, true>(shape) : group_kernel_of<want_all, false>(shape);
}

void score_group(const Job& job, const Task* tasks, int count, Workspace& workspace,
                 const Outputs& out, std::size_t p) {
  int longest = 0, columns = 0;
  for (int l = 0; l < count; ++l) {
    longest = tasks[l].n > longest ? tasks[l].n : longest;
    columns = tasks[l].m > columns ? tasks[l].m : columns;
  }
  find_group_kernel(job.want, job.rules.edit_unit, longest)(job, tasks, count, longest, columns,
                                                            workspace, out, p);
}

// ---------------------------------------------------------------- all lanes on one pair

constexpr int long_lanes = 32, long_rows = 2;
using LongLanes = SimdLanes<long_lanes>;

// Index of the row i of lane l in strip s, rows aligned to the end; negative: padding.
template <class L, int K>
WARPATH_HD int row_index(int strips, int s, int i, int l, int n) {
  return l * K + i + n - (strips - s) * L::W * K;
}
WARPATH_HD int clamped(int j, int m) { return j < 0 ? 0 : j < m ? j : m - 1; }

template <class L>
PairTerms<L> one_pair_terms(int n, int m, float reference_length, float start_to_goal,
                            float task_success) {
  return {L::integer(n), L::integer(m), L::real(reference_length), L::real(start_to_goal),
          L::real(task_success)};
}

template <bool Edges>
void long_kernel(const Job& job, const Task& task, Workspace& workspace, const Outputs& out,
                 std::size_t p) {
  using L = LongLanes;
  constexpr int K = long_rows, W = L::W;
  const int strips = (task.n + W * K - 1) / (W * K), stride = task.m + 2 * W - 2;
  auto* r = static_cast<int*>(workspace.rows(sizeof(int) * W * K * strips));
  for (int s = 0; s < strips; ++s) {
    for (int i = 0; i < K; ++i) {
      for (int l = 0; l < W; ++l) {
        const int index = row_index<L, K>(strips, s, i, l, task.n);
        r[(static_cast<std::size_t>(s) * K + i) * W + l] =
            index < 0 ? task.table.pad : static_cast<int>(task.reference[index]);
      }
    }
  }
  const int end = task.m + W - 2;
  auto* q = static_cast<int*>(workspace.query(sizeof(int) * (stride + W)));
  for (int k = 0; k < stride + W; ++k) q[k] = static_cast<int>(task.query[clamped(end - k, task.m)]);
  TableRows<L, K> rows{job.distance, job.step, r, L::integer(task.table.base),
                       L::integer(task.table.pitch), {}};
  const auto terms = one_pair_terms<L>(task.n, task.m, task.reference_length, task.start_to_goal,
                                       task.task_success);
  sweep_and_finish<L, K, 1, want_all, Edges, true>(rows, StagedQuery<L, 1>{q, stride, end}, terms,
                                                   job, workspace, task.m + 1, out, p);
}

void score_long(const Job& job, const Task& task, Workspace& workspace, const Outputs& out,
                std::size_t p) {
  (job.rules.edit_unit == EditUnit::edges ? long_kernel<true> : long_kernel<false>)(
      job, task, workspace, out, p);
}

template <unsigned Want, bool Edges>
void point_kernel(const Job& job, const PointTask& task, Workspace& workspace, const Outputs& out,
                  std::size_t p) {
  using L = LongLanes;
  constexpr int K = long_rows, W = L::W;
  const int strips = (task.n + W * K - 1) / (W * K), stride = task.m + 2 * W - 2;
  const int end = task.m + W - 2;
  auto* r = static_cast<float*>(workspace.rows(sizeof(float) * 3 * W * K * strips));
  auto* q = static_cast<float*>(workspace.query(sizeof(float) * (3 * stride + W)));
  for (int axis = 0; axis < 3; ++axis) {
    for (int s = 0; s < strips; ++s) {
      for (int i = 0; i < K; ++i) {
        for (int l = 0; l < W; ++l) {
          const int index = row_index<L, K>(strips, s, i, l, task.n);
          r[((static_cast<std::size_t>(s) * K + i) * 3 + axis) * W + l] =
              index < 0 ? __builtin_inff() : task.reference[axis][index];
        }
      }
    }
    for (int k = 0; k < stride; ++k) {
      q[axis * stride + k] = task.query[axis][clamped(end - k, task.m)];
    }
  }
  PointRows<L, K> rows{r, {}};
  const auto terms = one_pair_terms<L>(task.n, task.m, task.reference_length, task.start_to_goal,
                                       task.task_success);
  sweep_and_finish<L, K, 1, Want, Edges, true>(rows, PointQuery<L, 1>{q, stride, end}, terms, job,
                                               workspace, task.m + 1, out, p);
}

void score_points(const Job& job, const PointTask& task, Workspace& workspace, const Outputs& out,
                  std::size_t p) {
  if ((job.want & ~want_dtw) == 0) return point_kernel<want_dtw, true>(job, task, workspace, out, p);
  (job.rules.edit_unit == EditUnit::edges ? point_kernel<want_all, true>
                                          : point_kernel<want_all, false>)(job, task, workspace,
                                                                           out, p);
}

constexpr Isa make_isa(const char* name) {
  return {name, vector_bytes / 4, score_group, score_long, score_points};
}

}  // namespace
}  // namespace warpath::cpu
