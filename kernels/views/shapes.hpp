#pragma once

#include <cstdint>

#include "kernels/host_device.hpp"
#include "kernels/sweep/layout.hpp"
#include "kernels/sweep/quantities.hpp"

// Lists the kernel shapes that are compiled, and chooses the shape for a pair.

namespace warpath::kernels {

/// Says how the kernels with one thread per pair read the distances of a slice.
enum class TileKernel {
  shared_table,         ///< the scan's table in shared memory
  plain_table,          ///< the scan's table in global memory, if it is too large for shared memory
  shared_reference,     ///< all pairs of a slice have one reference, whose own table is in shared
                        ///< memory
  replicated_reference  ///< the same with replicated rows, which take more memory and less time
};
/// Tells whether all pairs of a slice have one reference.
constexpr bool has_one_reference(TileKernel kernel) {
  return kernel == TileKernel::shared_reference || kernel == TileKernel::replicated_reference;
}

/// Lists the rows K of the compiled tile kernels. Two padded rows cost a tenth of the time.
template <int... K>
struct RowList {
  static constexpr int size = sizeof...(K);
  static constexpr bool has(int rows) { return ((rows == K) || ...); }
  /// Returns how many of the list are smaller.
  static WARPATH_CONSTEXPR int index_of(int rows) { return ((K < rows) + ...); }
  /// Returns number `index` of the list.
  static WARPATH_CONSTEXPR int at(std::uint32_t index) {
    std::uint32_t k = 0;
    int rows = 0;
    ((k++ == index ? rows = K : 0), ...);
    return rows;
  }
  /// Returns the smallest K >= n; 0 if there is none.
  static WARPATH_CONSTEXPR int min_rows_for(int n) {
    int rows = 0;
    ((rows == 0 && n <= K ? rows = K : 0), ...);
    return rows;
  }
};
using FineRows = RowList<6, 8, 10, 12, 14, 16, 20, 24, 32>;
using CoarseRows = RowList<8, 12, 16, 20>;
using GoalRows = RowList<1>;

/// Returns K of the kernel for references of up to `longest` viewpoints; 0 if they go to groups.
/// The goal needs only the last row, so its kernel takes any length.
WARPATH_CONSTEXPR int tile_rows(TileKernel kernel, QuantitySet set, int longest) {
  if (set == QuantitySet::goal) return kernel == TileKernel::plain_table ? 1 : 0;
  if (kernel != TileKernel::shared_table) return CoarseRows::min_rows_for(longest);
  return FineRows::min_rows_for(longest);
}

/// Returns the floats of shared memory per block that a tile kernel needs for scans of up to that
/// many viewpoints. @param known uses_known_columns of its quantities
WARPATH_CONSTEXPR unsigned shared_floats(TileKernel kernel, int rows, unsigned viewpoints,
                                         bool known = true) {
  switch (kernel) {
    case TileKernel::shared_table:
      return table_entries(viewpoints);
    case TileKernel::shared_reference:
      return viewpoints * 4 * own_table_pitch(rows);
    case TileKernel::replicated_reference:
      return viewpoints * 4 * row_copies * replicated_units(rows, known);
    case TileKernel::plain_table:
      break;
  }
  return 0;
}

/// Names the shapes with several threads per pair: lanes x rows per lane. Shapes with a border take
/// any length, in strips.
enum class GroupShape {
  lanes_4,   ///< 4 x 4, no strips: |R| <= 16, for batches too small to fill the device otherwise
  lanes_8,   ///< 8 x 8
  lanes_32,  ///< 32 x 16, two columns per step
  chain,     ///< the same with all warps of a block, each with its own strips
};
/// Returns the lanes of a group with a border of its own.
constexpr int group_lanes(GroupShape shape) {
  return shape == GroupShape::lanes_4 ? 4 : shape == GroupShape::lanes_8 ? 8 : 32;
}
inline constexpr unsigned group_threads = 256;  ///< maximum, of a block
constexpr bool has_border(GroupShape shape) {
  return shape != GroupShape::lanes_4;
}

/// Tells whether a shape has a second kernel, with the scan's table in shared memory. Four lanes
/// have too few cells, and references for chains are too rare.
WARPATH_CONSTEXPR bool has_shared_table_kernel(GroupShape shape) {
  return shape == GroupShape::lanes_8 || shape == GroupShape::lanes_32;
}

/// Maximum of threads in a block of those kernels, by the lanes of a group. As many as the
/// registers allow: a large table leaves room for one block.
constexpr unsigned shared_group_threads(int lanes) {
  return lanes == 32 ? 384 : 512;
}

/// Longer references go to whole blocks, a strip per warp: a single warp would make all others
/// wait.
inline constexpr int max_for_warp = 4096;

/// Returns the shape for references of n viewpoints. From 33 viewpoints on nearly all of eight
/// lanes are busy, from about 300 on nearly all of a warp. There is no shape of 4 lanes for
/// `points`.
WARPATH_CONSTEXPR GroupShape group_shape(int n, bool points) {
  if (n <= 16 && !points) return GroupShape::lanes_4;
  if (n <= 256) return GroupShape::lanes_8;
  return n <= max_for_warp ? GroupShape::lanes_32 : GroupShape::chain;
}

}  // namespace warpath::kernels
