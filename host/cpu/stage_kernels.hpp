#pragma once

#include "host/cpu/kernel_rows.hpp"

// Interleaves the paths of a group, which are stored one after the other: [k][lane]. Transposes the
// rows of a shared reference in the same way.

namespace warpath::cpu {
namespace {

using namespace kernels;

// V lanes at a time form a square of registers, which is transposed:
//   path 0  a0 a1 a2 …           a0 b0 c0 …  position 0
//   path 1  b0 b1 b2 …    ->     a1 b1 c1 …  position 1
template <class L>
WARPATH_HD void stage_square(const Paths& paths, int lane, int k0, StagedNode* out) {
  constexpr int V = L::V;
  using Square = SimdLanes<1, V>;
  typename Square::I rows[V];
  WARPATH_UNROLL for (int l = 0; l < V; ++l) {
    const int begin = paths.front[lane + l] - k0;
    const auto* path = reinterpret_cast<const int*>(paths.path[lane + l]);
    rows[l] = Square::load_between(path - begin, begin, begin + paths.length[lane + l],
                                   Square::integer(static_cast<int>(paths.filler[lane + l])));
  }
  Square::transpose(rows);
  const int rest = paths.positions - k0;
  for (int k = 0; k < (rest < V ? rest : V); ++k) {
    Square::store_ids(out + static_cast<std::size_t>(k0 + k) * L::Lanes + lane, rows[k]);
  }
}

template <class L>
void stage_paths(const Paths& paths, StagedNode* out) {
  for (int k0 = 0; k0 < paths.positions; k0 += L::V) {
    for (int lane = 0; lane < L::Lanes; lane += L::V) stage_square<L>(paths, lane, k0, out);
  }
}

// V rows of the scan's table at V viewpoints form a square, too. The reference's rows are the last
// of shared_shape(n), with +inf in front.
template <class L>
void fill_shared(const float* const* rows, int n, int viewpoints, float* table) {
  constexpr int V = L::V;
  using Square = SimdLanes<1, V>;
  const int front = padding_rows(shared_shape(n), n);
  for (int v = 0; v < viewpoints; v += V) {
    for (int k0 = 0; k0 < shared_pitch; k0 += V) {
      typename Square::I square[V];
      WARPATH_UNROLL for (int k = 0; k < V; ++k) {
        const int i = k0 + k - front;
        const bool real = i >= 0 && i < n;
        square[k] = Square::load_between(reinterpret_cast<const int*>(rows[real ? i : 0] + v), 0,
                                         real ? viewpoints - v : 0, Square::integer(0x7f800000));
      }
      Square::transpose(square);
      WARPATH_UNROLL for (int k = 0; k < V; ++k) {
        Square::store(reinterpret_cast<int*>(table + (v + k) * shared_pitch + k0), square[k]);
      }
    }
  }
}

}  // namespace
}  // namespace warpath::cpu
