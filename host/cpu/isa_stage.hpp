#pragma once

#include "host/cpu/isa_rows.hpp"

// Paths of a group, one after the other in memory, laid side by side: [k][lane].

namespace warpath::cpu {
namespace {

using namespace kernels;

// V lanes at a time are a square of registers:
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

}  // namespace
}  // namespace warpath::cpu
