#pragma once

#include "host/cpu/isa_long.hpp"

// Continuous paths: all lanes on one pair, distances from 3-D points.

namespace warpath::cpu {
namespace {

using namespace kernels;

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
  WARPATH_HD typename L::B equal(const Point<L>&, const typename L::F (&d)[K]) const {
    return equal_rows<L>(d);
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
  const PairTerms<L> terms{
      L::integer(task.n),          L::integer(task.m),        reference_length, {}, {},
      L::real(task.start_to_goal), L::real(task.task_success)};
  sweep_and_finish<L, K, 1, Want, Edges, true>(rows, PointQuery<L, 1>{q, stride, end}, terms, job,
                                               workspace, task.m + 1, out, p);
}

void score_points(const Job& job, const PointTask& task, std::size_t p, Workspace& workspace,
                  const Outputs& out) {
  if ((job.rules.want & ~want_dtw) == 0)
    return point_kernel<want_dtw, true>(job, task, p, workspace, out);
  (job.rules.edit_unit == EditUnit::edges
       ? point_kernel<want_all, true>
       : point_kernel<want_all, false>)(job, task, p, workspace, out);
}

}  // namespace
}  // namespace warpath::cpu
