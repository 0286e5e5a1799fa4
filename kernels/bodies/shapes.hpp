#pragma once

#include "kernels/host_device.hpp"
#include "kernels/sweep/layout.hpp"
#include "kernels/sweep/quantities.hpp"

// Which shapes of kernels are compiled, and which of them a pair goes to.

namespace warpath::kernels {

/// Says how the kernels that give a thread to each pair reach the distances of a slice.
enum class TileKernel {
  shared_table,     ///< the scan's table in shared memory
  plain_table,      ///< the scan's table in global memory: those too large for the former
  shared_reference  ///< all pairs of a slice have one reference, whose own table is shared
};

/// Lists the rows K of the tile kernels that are compiled. Two rows too many cost a tenth of the
/// time.
template <int... K>
struct RowList {
  static constexpr bool has(int rows) { return ((rows == K) || ...); }
  /// Returns the least K that is not below n; 0: there is none.
  static WARPATH_CONSTEXPR int min_rows_for(int n) {
    int rows = 0;
    ((rows == 0 && n <= K ? rows = K : 0), ...);
    return rows;
  }
};
using FineRows = RowList<6, 8, 10, 12, 14, 16, 20, 24, 32>;
using CoarseRows = RowList<8, 12, 16, 20>;
using GoalRows = RowList<1>;

/// Returns K of the kernel for references of up to `longest` viewpoints; 0: none, they are for
/// groups. The goal needs no row but the last, so its kernel takes any length.
WARPATH_CONSTEXPR int tile_rows(TileKernel kernel, QuantitySet set, int longest) {
  if (set == QuantitySet::goal) return kernel == TileKernel::plain_table ? 1 : 0;
  if (kernel != TileKernel::shared_table) return CoarseRows::min_rows_for(longest);
  return FineRows::min_rows_for(longest);
}

/// Returns the floats of shared memory per block that a tile kernel needs for scans of up to so
/// many viewpoints.
constexpr unsigned shared_floats(TileKernel kernel, int rows, unsigned viewpoints) {
  switch (kernel) {
    case TileKernel::shared_table:
      return viewpoints * table_pitch(viewpoints);
    case TileKernel::shared_reference:
      return viewpoints * 4 * (((rows + 3) / 4) | 1);
    case TileKernel::plain_table:
      break;
  }
  return 0;
}

/// Names the shapes that give several threads to each pair: lanes x rows per lane. Those with a
/// border take any length, in strips.
enum class GroupShape {
  lanes_4,   ///< 4 x 4, no strips: |R| <= 16, batches too small to fill the card otherwise
  lanes_8,   ///< 8 x 8
  lanes_32,  ///< 32 x 16, two columns per step
  chain,     ///< the same by all warps of a block, each with strips of its own
};
/// Returns the lanes of a group with a border of its own.
constexpr int group_lanes(GroupShape shape) {
  return shape == GroupShape::lanes_4 ? 4 : shape == GroupShape::lanes_8 ? 8 : 32;
}
inline constexpr unsigned group_threads = 256;  ///< of a block, at most
constexpr bool has_border(GroupShape shape) {
  return shape != GroupShape::lanes_4;
}

/// References longer than this go to whole blocks: a strip for each warp, and one warp alone would
/// keep all others waiting.
inline constexpr int max_for_warp = 4096;

/// Returns the shape for references of n viewpoints. Eight lanes keep nearly all busy from 33
/// viewpoints on, whole warps from about 300; `points` have no shape of 4 lanes.
WARPATH_CONSTEXPR GroupShape group_shape(int n, bool points) {
  if (n <= 16 && !points) return GroupShape::lanes_4;
  if (n <= 256) return GroupShape::lanes_8;
  return n <= max_for_warp ? GroupShape::lanes_32 : GroupShape::chain;
}

}  // namespace warpath::kernels
