#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "host/core/cpu/kernel_rows.hpp"

// Interleaves the paths of a group, which are stored one after the other: [k][lane]. Transposes the
// rows of a shared reference in the same way.

namespace warpath::cpu {
namespace {

using namespace kernels;

// V lanes at a time form a square of registers, which is transposed:
//   path 0  a0 a1 a2 …           a0 b0 c0 …  position 0
//   path 1  b0 b1 b2 …    ->     a1 b1 c1 …  position 1
// Also sets the sign bit of a lane of `beyond` if a viewpoint v does not exist in its scan: if v,
// or the last viewpoint minus v, is negative.
template <class Square>
WARPATH_HD void stage_square(const Paths& paths, int lane, int k0, int lanes, StagedNode* out,
                             typename Square::I& beyond) {
  constexpr int V = Square::V;
  typename Square::I rows[V];
  WARPATH_UNROLL for (int l = 0; l < V; ++l) {
    const int begin = paths.front[lane + l] - k0;
    const auto* path = reinterpret_cast<const int*>(paths.path[lane + l]);
    const int end = begin + paths.length[lane + l];
    rows[l] = Square::load_between(path - begin, begin, end,
                                   Square::integer(static_cast<int>(paths.filler[lane + l])));
    const auto real = Square::load_between(path - begin, begin, end, Square::integer(0));
    const int last = static_cast<int>(paths.viewpoints[lane + l]) - 1;
    beyond = beyond | real | (Square::integer(last) - real);
  }
  Square::transpose(rows);
  const int rest = paths.positions - k0;
  for (int k = 0; k < (rest < V ? rest : V); ++k) {
    Square::store_ids(out + static_cast<std::size_t>(k0 + k) * lanes + lane, rows[k]);
  }
}

template <class Square>
bool stage_squares(const Paths& paths, int lanes, StagedNode* out) {
  auto beyond = Square::integer(0);
  for (int k0 = 0; k0 < paths.positions; k0 += Square::V) {
    for (int lane = 0; lane < lanes; lane += Square::V) {
      stage_square<Square>(paths, lane, k0, lanes, out, beyond);
    }
  }
  int signs[Square::V];
  Square::store(signs, beyond);
  int any = 0;
  for (const int sign : signs) any |= sign;
  return any >= 0;
}

// Short paths would leave most of a square of 16 empty.
template <class L>
bool stage_paths(const Paths& paths, StagedNode* out) {
  if constexpr (L::V == 16) {
    if (paths.positions <= 8) return stage_squares<SimdLanes<1, 8>>(paths, L::Lanes, out);
  }
  return stage_squares<SimdLanes<1, L::V>>(paths, L::Lanes, out);
}

// V rows of the scan's table at V viewpoints form a square, too. The reference's rows are the last
// of the pitch, with +inf in front.
template <int V>
void fill_shared_squares(const float* const* rows, int n, int viewpoints, int pitch, float* table) {
  using Square = SimdLanes<1, V>;
  static constexpr auto infinite = [] {
    std::array<int, V> values{};
    values.fill(0x7f800000);
    return values;
  }();
  const int front = padding_rows(pitch, n);
  for (int k0 = 0; k0 < pitch; k0 += V) {
    const int* from[V];
    std::ptrdiff_t step[V];
    for (int k = 0; k < V; ++k) {
      const int i = k0 + k - front;
      const bool real = i >= 0 && i < n;
      from[k] = real ? reinterpret_cast<const int*>(rows[i]) : infinite.data();
      step[k] = real ? 1 : 0;
    }
    for (int v = 0; v < viewpoints; v += V) {
      typename Square::I square[V];
      const bool whole = v + V <= viewpoints;
      WARPATH_UNROLL for (int k = 0; k < V; ++k) {
        const int* p = from[k] + step[k] * v;
        square[k] = whole ? Square::load(p)
                          : Square::load_between(p, 0, viewpoints - v, Square::integer(0x7f800000));
      }
      Square::transpose(square);
      WARPATH_UNROLL for (int k = 0; k < V; ++k) {
        Square::store(reinterpret_cast<int*>(table + (v + k) * pitch + k0), square[k]);
      }
    }
  }
}

template <class L>
void fill_shared(const float* const* rows, int n, int viewpoints, int pitch, float* table) {
  if constexpr (L::V == 16) {
    if (pitch % 16 == 0) return fill_shared_squares<16>(rows, n, viewpoints, pitch, table);
  }
  constexpr int V = std::min(L::V, shared_unit);
  fill_shared_squares<V>(rows, n, viewpoints, pitch, table);
}

}  // namespace
}  // namespace warpath::cpu
