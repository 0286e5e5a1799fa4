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
  const float* distance;
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
    return L::gather(distance, a * pitch + base + b);
  }
};

// A whole group on one reference: its distances to a viewpoint are one row of a table of its own, so
// a load for each lane and a transpose take the place of K look-ups.
//   lane 0:  row of its viewpoint  a0 a1 a2 …            a0 b0 c0 …  row 0 of the reference
//   lane 1:  row of its viewpoint  b0 b1 b2 …    ->      a1 b1 c1 …  row 1
template <class L, int K>
struct SharedRows {
  const float *table, *distance;
  const int* staged;  // the queries, as in StagedQuery
  int column_number;
  typename L::I base, pitch;

  WARPATH_HD void load(const typename L::I&, int) {}
  WARPATH_HD void column(const typename L::I& node, typename L::F (&d)[K]) {
    const int* ids = staged + static_cast<std::size_t>(column_number++) * L::Lanes;
    L::template load_transposed<K>(table, ids, shared_pitch, d);
    (void)node;
  }
  WARPATH_HD typename L::F between(const typename L::I& a, const typename L::I& b) const {
    return L::gather(distance, a * pitch + base + b);
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

// The longest of a group's lengths.
template <class L>
int longest_of(const std::int32_t* lengths) {
  int longest = 0;
  for (int l = 0; l < L::Lanes; ++l) longest = lengths[l] > longest ? lengths[l] : longest;
  return longest;
}

// Ids transposed to [row or column][lane]: padding in front of the rows, the last viewpoint repeated
// behind the columns.
template <class L>
void stage_rows(const Tasks& tasks, std::size_t p, int rows, int* r) {
  for (int l = 0; l < L::Lanes; ++l) {
    const int n = tasks.n[p + l], pad = tasks.pad[p + l];
    const Node* reference = tasks.reference[p + l];
    int* to = r + l;
    for (int i = n; i < rows; ++i, to += L::Lanes) *to = pad;
    for (int i = 0; i < n; ++i, to += L::Lanes) *to = static_cast<int>(reference[i]);
  }
}
template <class L>
void stage_columns(const Tasks& tasks, std::size_t p, int columns, int* q) {
  for (int l = 0; l < L::Lanes; ++l) {
    const int m = tasks.m[p + l];
    const Node* query = tasks.query[p + l];
    int* to = q + l;
    for (int j = 0; j < m; ++j, to += L::Lanes) *to = static_cast<int>(query[j]);
    const int last = static_cast<int>(query[m - 1]);
    for (int j = m; j < columns; ++j, to += L::Lanes) *to = last;
  }
}

template <class L>
WARPATH_HD PairTerms<L> terms_of(const Tasks& tasks, std::size_t p) {
  return {L::load(tasks.n + p),
          L::load(tasks.m + p),
          L::load(tasks.reference_length + p),
          L::load(tasks.cls_query_length + p),
          L::load(tasks.cls_reference_length + p),
          L::load(tasks.start_to_goal + p),
          L::load(tasks.task_success + p)};
}

template <class L, int K, unsigned Want, bool Edges, bool Strips>
void group_kernel(const Job& job, const Tasks& tasks, std::size_t p, int longest,
                  Workspace& workspace, const Outputs& out) {
  const int strips = Strips ? (longest + K - 1) / K : 1;
  const int columns = longest_of<L>(tasks.m + p);
  const std::size_t lanes = L::Lanes;
  auto* r = static_cast<int*>(workspace.rows(lanes * strips * K * sizeof(int)));
  auto* q = static_cast<int*>(workspace.query(lanes * columns * sizeof(int)));
  stage_rows<L>(tasks, p, strips * K, r);
  stage_columns<L>(tasks, p, columns, q);
  TableRows<L, K> rows{job.distance, r, L::load(tasks.base + p),
                       L::load(tasks.pitch + p), {}};
  sweep_and_finish<L, K, 1, Want, Edges, Strips>(rows, StagedQuery<L, 1>{q, 0, 0},
                                                 terms_of<L>(tasks, p), job, workspace,
                                                 lanes * (columns + 1), out, p);
}

template <class L, int K, unsigned Want, bool Edges>
void shared_kernel(const Job& job, const Tasks& tasks, std::size_t p, const float* table,
                   Workspace& workspace, const Outputs& out) {
  const int columns = longest_of<L>(tasks.m + p);
  auto* q = static_cast<int*>(workspace.query(sizeof(int) * L::Lanes * columns));
  stage_columns<L>(tasks, p, columns, q);
  SharedRows<L, K> rows{table, job.distance, q, 0, L::load(tasks.base + p), L::load(tasks.pitch + p)};
  sweep_and_finish<L, K, 1, Want, Edges, false>(rows, StagedQuery<L, 1>{q, 0, 0},
                                                terms_of<L>(tasks, p), job, workspace, 0, out, p);
}

using GroupKernel = void (*)(const Job&, const Tasks&, std::size_t, int, Workspace&,
                             const Outputs&);
using SharedKernel = void (*)(const Job&, const Tasks&, std::size_t, const float*, Workspace&,
                              const Outputs&);
using GroupLanes = SimdLanes<1, vector_bytes / 4>;

// The number of rows that a group's longest reference takes: exact where lengths are common, since
// two rows too many cost a tenth; longer ones go in strips of 20.
constexpr int row_shapes[] = {4, 5, 6, 7, 8, 10, 12, 14, 16, 20};
constexpr int shape_count = sizeof row_shapes / sizeof *row_shapes;

constexpr unsigned want_five = want_dtw | want_coverage | want_deviation;

template <unsigned Want, bool Edges>
GroupKernel group_kernel_of(int shape) {
  using L = GroupLanes;
  static constexpr GroupKernel kernels[] = {
      group_kernel<L, 4, Want, Edges, false>,  group_kernel<L, 5, Want, Edges, false>,
      group_kernel<L, 6, Want, Edges, false>,  group_kernel<L, 7, Want, Edges, false>,
      group_kernel<L, 8, Want, Edges, false>,  group_kernel<L, 10, Want, Edges, false>,
      group_kernel<L, 12, Want, Edges, false>, group_kernel<L, 14, Want, Edges, false>,
      group_kernel<L, 16, Want, Edges, false>, group_kernel<L, 20, Want, Edges, false>,
      group_kernel<L, 20, Want, Edges, true>};
  return kernels[shape];
}

template <unsigned Want, bool Edges>
SharedKernel shared_kernel_of(int longest) {
  using L = GroupLanes;
  const int rows = shared_shape(longest);
  return rows == 8    ? shared_kernel<L, 8, Want, Edges>
         : rows == 12 ? shared_kernel<L, 12, Want, Edges>
                      : shared_kernel<L, 16, Want, Edges>;
}

// Calls `pick` with the first compiled mask that covers the request, and whether symbols are edges.
template <class Pick>
auto covering(const Job& job, Pick pick) {
  const bool edges = job.rules.edit_unit == EditUnit::edges;
  if ((job.want & ~want_goal) == 0) return pick.template operator()<want_goal, true>();
  if ((job.want & ~want_dtw) == 0) return pick.template operator()<want_dtw, true>();
  if ((job.want & ~want_five) == 0) return pick.template operator()<want_five, true>();
  if ((job.want & ~want_edits) == 0) {
    return edges ? pick.template operator()<want_edits, true>()
                 : pick.template operator()<want_edits, false>();
  }
  return edges ? pick.template operator()<want_all, true>()
               : pick.template operator()<want_all, false>();
}

void score_group(const Job& job, const Tasks& tasks, std::size_t p, Workspace& workspace,
                 const Outputs& out) {
  const int longest = longest_of<GroupLanes>(tasks.n + p);
  int shape = 0;
  while (shape < shape_count && row_shapes[shape] < longest) ++shape;
  const GroupKernel kernel = covering(job, [&]<unsigned Want, bool Edges>() {
    return group_kernel_of<Want, Edges>(shape);
  });
  kernel(job, tasks, p, longest, workspace, out);
}

void score_shared(const Job& job, const Tasks& tasks, std::size_t p, const float* table,
                  Workspace& workspace, const Outputs& out) {
  const SharedKernel kernel = covering(job, [&]<unsigned Want, bool Edges>() {
    return shared_kernel_of<Want, Edges>(tasks.n[p]);
  });
  kernel(job, tasks, p, table, workspace, out);
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

template <bool Edges>
void long_kernel(const Job& job, const Tasks& tasks, std::size_t p, Workspace& workspace,
                 const Outputs& out) {
  using L = LongLanes;
  constexpr int K = long_rows, W = L::W;
  const int n = tasks.n[p], m = tasks.m[p];
  const int strips = (n + W * K - 1) / (W * K), stride = m + 2 * W - 2, end = m + W - 2;
  auto* r = static_cast<int*>(workspace.rows(sizeof(int) * W * K * strips));
  for (int s = 0; s < strips; ++s) {
    for (int i = 0; i < K; ++i) {
      for (int l = 0; l < W; ++l) {
        const int index = row_index<L, K>(strips, s, i, l, n);
        r[(static_cast<std::size_t>(s) * K + i) * W + l] =
            index < 0 ? tasks.pad[p] : static_cast<int>(tasks.reference[p][index]);
      }
    }
  }
  auto* q = static_cast<int*>(workspace.query(sizeof(int) * stride));
  for (int k = 0; k < stride; ++k) q[k] = static_cast<int>(tasks.query[p][clamped(end - k, m)]);
  TableRows<L, K> rows{job.distance, r, L::integer(tasks.base[p]),
                       L::integer(tasks.pitch[p]), {}};
  const PairTerms<L> terms{L::integer(n),
                           L::integer(m),
                           L::real(tasks.reference_length[p]),
                           L::real(tasks.cls_query_length[p]),
                           L::real(tasks.cls_reference_length[p]),
                           L::real(tasks.start_to_goal[p]),
                           L::real(tasks.task_success[p])};
  sweep_and_finish<L, K, 1, want_all, Edges, true>(rows, StagedQuery<L, 1>{q, stride, end}, terms,
                                                   job, workspace, m + 1, out, p);
}

void score_long(const Job& job, const Tasks& tasks, std::size_t p, Workspace& workspace,
                const Outputs& out) {
  (job.rules.edit_unit == EditUnit::edges ? long_kernel<true> : long_kernel<false>)(
      job, tasks, p, workspace, out);
}

template <unsigned Want, bool Edges>
void point_kernel(const Job& job, const PointTask& task, std::size_t p, Workspace& workspace,
                  const Outputs& out) {
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
  const auto reference_length = L::real(task.reference_length);
  const PairTerms<L> terms{L::integer(task.n), L::integer(task.m), reference_length, {}, {},
                           L::real(task.start_to_goal), L::real(task.task_success)};
  sweep_and_finish<L, K, 1, Want, Edges, true>(rows, PointQuery<L, 1>{q, stride, end}, terms, job,
                                               workspace, task.m + 1, out, p);
}

void score_points(const Job& job, const PointTask& task, std::size_t p, Workspace& workspace,
                  const Outputs& out) {
  if ((job.want & ~want_dtw) == 0) return point_kernel<want_dtw, true>(job, task, p, workspace, out);
  (job.rules.edit_unit == EditUnit::edges ? point_kernel<want_all, true>
                                          : point_kernel<want_all, false>)(job, task, p, workspace,
                                                                           out);
}

constexpr Isa make_isa(const char* name) {
  return {name, GroupLanes::Lanes, score_group,
          GroupLanes::can_transpose ? score_shared : nullptr, score_long, score_points};
}

}  // namespace
}  // namespace warpath::cpu
