#pragma once

#include <cstdint>

#include "kernels/views/pairs.hpp"
#include "kernels/views/points.hpp"
#include "kernels/views/shapes.hpp"

// Starts kernels from the host. This is plain C++: callers need no CUDA header. All pointers of a
// view point to the device's memory. No call allocates, waits, or uses the default stream unless
// told to.
//
// Each call returns 0 or a cudaError_t; it is cudaErrorInvalidValue if no such kernel is compiled
// (see tile_rows). Results are valid when the stream has finished.

struct CUstream_st;

namespace warpath::kernels {

/// Stands for cudaStream_t.
using Stream = CUstream_st*;

/// Scores pairs in tiles of `rows` rows. @pre shared_floats() of view.max_scan is at most
/// max_shared_floats.
[[nodiscard]] int score_tiles(const TileView& view, TileKernel kernel, QuantitySet set, int rows,
                              Stream stream);

/// Scores pairs of any length in a shape with a border, or of up to 16 viewpoints in one without.
/// `alignment` and `goal` run the kernels of all quantities.
[[nodiscard]] int score_groups(const GroupView& view, GroupShape shape, QuantitySet set,
                               Stream stream);
/// Scores pairs of any length in slices of one scan each, in a shape that has_shared_table_kernel,
/// in sets as score_groups. @pre shared_floats() of TileKernel::shared_table and view.max_scan is
/// at most max_shared_floats; view.groups has borders for shared_group_threads() / lanes groups.
[[nodiscard]] int score_group_slices(const GroupSliceView& view, GroupShape shape, QuantitySet set,
                                     Stream stream);
/// Scores continuous paths in a shape with a border; see point_quantity_set.
[[nodiscard]] int score_points(const PointView& view, GroupShape shape, QuantitySet set,
                               Stream stream);

/// Writes to `floats` how many floats of shared memory a block may have on the current device.
[[nodiscard]] int max_shared_floats(unsigned& floats);

}  // namespace warpath::kernels
