#pragma once

#include <cstdint>

#include "kernels/bodies/shapes.hpp"
#include "kernels/views.hpp"

// Starts kernels for the host. Plain C++: whoever includes this needs no CUDA header. All pointers
// of a view are the device's. Nothing here allocates, waits, or runs on the default stream unless
// told to.
//
// Each call returns 0 or a cudaError_t, and cudaErrorInvalidValue where no such kernel is compiled
// (see tile_rows). Results are there when the stream has done its work.

struct CUstream_st;

namespace warpath::kernels {

/// Is a cudaStream_t.
using Stream = CUstream_st*;

/// Scores pairs in tiles of `rows` rows. @pre shared_floats() of view.max_scan fits: see
/// max_shared_floats.
[[nodiscard]] int score_tiles(const TileView& view, TileKernel kernel, QuantitySet set, int rows,
                              Stream stream);

/// Scores pairs of any length in a shape with a border, else of up to 16 viewpoints. `alignment`
/// and `goal` are made by the kernels of all quantities.
[[nodiscard]] int score_groups(const GroupView& view, GroupShape shape, QuantitySet set,
                               Stream stream);
/// Scores continuous paths, in a shape with a border; see point_quantity_set.
[[nodiscard]] int score_points(const PointView& view, GroupShape shape, QuantitySet set,
                               Stream stream);

/// Lays paths out in tiles.
[[nodiscard]] int pack_tiles(const PackView<std::uint8_t>& view, Stream stream);
[[nodiscard]] int pack_tiles(const PackView<std::uint16_t>& view, Stream stream);

/// Returns in `floats` how many of them a block may have in shared memory on the current device.
[[nodiscard]] int max_shared_floats(unsigned& floats);

}  // namespace warpath::kernels
