#pragma once

#include "kernels/sweep/sweep.hpp"
#include "warpath/convention.hpp"

// The kernels that are compiled, and which of them a pair goes to. Plain C++ for the host.

namespace warpath::kernels {

/// What a kernel makes: the masks that are compiled.
enum class QuantitySet { goal, dtw, alignment, all_edges, all_viewpoints };

// PL(R) comes with the reference and costs nothing.
inline constexpr unsigned quantity_goal_and_length =
    quantity_goal | quantity_length | quantity_reference;
inline constexpr unsigned quantity_only_dtw = quantity_dtw | quantity_reference;
inline constexpr unsigned quantity_alignment =
    quantity_dtw | quantity_coverage | quantity_deviation | quantity_reference;

/// The least that covers the request. @param quantities bits of Quantity
constexpr QuantitySet quantity_set_covering(unsigned quantities, EditUnit unit) {
  if ((quantities & ~quantity_goal_and_length) == 0) return QuantitySet::goal;
  if ((quantities & ~quantity_only_dtw) == 0) return QuantitySet::dtw;
  if ((quantities & ~quantity_alignment) == 0) return QuantitySet::alignment;
  return unit == EditUnit::edges ? QuantitySet::all_edges : QuantitySet::all_viewpoints;
}

/// The parts that continuous paths are swept for; the others come with the pair. Goal: there is no
/// sweep. @param edits_known ED comes with the pair, too.
constexpr QuantitySet point_quantity_set(unsigned quantities, EditUnit unit, bool edits_known) {
  constexpr unsigned by_pair = quantity_goal | quantity_length | quantity_reference;
  return quantity_set_covering(quantities & ~(edits_known ? by_pair | quantity_edits : by_pair),
                               unit);
}

/// How the kernels that give a thread to each pair reach the distances of a slice.
enum class TileKernel {
  shared_table,     ///< the scan's table in shared memory
  plain_table,      ///< the scan's table in global memory: those too large for the former
  shared_reference  ///< all pairs of a slice have one reference, whose own table is shared
};

/// Rows of the tile kernels that are compiled. Two rows too many cost a tenth of the time.
template <int... K>
struct RowList {
  static constexpr bool has(int rows) { return ((rows == K) || ...); }
  static constexpr int min_rows_for(int n) {
    int rows = 0;
    ((rows == 0 && n <= K ? rows = K : 0), ...);
    return rows;
  }
};
using FineRows = RowList<6, 8, 10, 12, 14, 16, 20, 24, 32>;
using CoarseRows = RowList<8, 12, 16, 20>;
using GoalRows = RowList<1>;

/// K of the kernel for references of up to `longest` viewpoints; 0: none, they are for groups. The
/// goal needs no row but the last, so its kernel takes any length.
constexpr int tile_rows(TileKernel kernel, QuantitySet parts, int longest) {
  if (parts == QuantitySet::goal) return kernel == TileKernel::plain_table ? 1 : 0;
  if (kernel != TileKernel::shared_table) return CoarseRows::min_rows_for(longest);
  return FineRows::min_rows_for(longest);
}

/// Floats of shared memory per block that a tile kernel needs for scans of up to that size.
constexpr unsigned shared_floats(TileKernel kernel, int rows, unsigned viewpoints) {
  switch (kernel) {
    case TileKernel::shared_table:
      return viewpoints * ((viewpoints + 1) | 1);
    case TileKernel::shared_reference:
      return viewpoints * 4 * (((rows + 3) / 4) | 1);
    case TileKernel::plain_table:
      break;
  }
  return 0;
}

/// Several threads to each pair: lanes x rows per lane. Those with a border take any length, in
/// strips.
enum class GroupShape {
  lanes_4,   ///< 4 x 4, no strips: |R| <= 16, batches too small to fill the card otherwise
  lanes_8,   ///< 8 x 8
  lanes_32,  ///< 32 x 16, two columns per step
  chain,     ///< the same by all warps of a block, each with strips of its own
};
/// Lanes of a group with a border of its own.
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

/// For references of that length. Eight lanes keep nearly all busy from 33 viewpoints on, whole
/// warps from about 300; `points` have no shape of 4 lanes.
constexpr GroupShape group_shape(int n, bool points) {
  if (n <= 16 && !points) return GroupShape::lanes_4;
  if (n <= 256) return GroupShape::lanes_8;
  return n <= max_for_warp ? GroupShape::lanes_32 : GroupShape::chain;
}

}  // namespace warpath::kernels
