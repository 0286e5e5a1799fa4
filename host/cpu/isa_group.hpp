#pragma once

#include "host/cpu/isa_rows.hpp"

// One pair per lane: a group of pairs side by side, with a kernel for each common |R|.

namespace warpath::cpu {
namespace {

using namespace kernels;

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

}  // namespace
}  // namespace warpath::cpu
