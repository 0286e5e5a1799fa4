#pragma once

#include <cstdint>

#include "kernels/bodies/shapes.hpp"
#include "kernels/views.hpp"

// How the host starts the kernels. Plain C++: whoever includes this needs no CUDA header. All
// pointers of a view are the device's. Nothing here allocates, waits, or runs on the default stream
// unless told to.

struct CUstream_st;

namespace warpath::kernels {

/// A cudaStream_t.
using Stream = CUstream_st*;

/// Each call returns 0 or a cudaError_t; invalid value where no such kernel is compiled (see
/// tile_rows). Results are there when the stream has done its work.

/// Pairs in tiles of `rows` rows. @pre shared_floats() of view.max_scan fits: see
/// max_shared_floats.
[[nodiscard]] int score_tiles(const TileView& view, TileKernel kernel, QuantitySet parts, int rows,
                              Stream stream);

/// Pairs of any length in a shape with a border, else of up to 16 viewpoints. `five` and `goal` are
/// made by the kernels of all parts.
[[nodiscard]] int score_groups(const GroupView& view, GroupShape shape, QuantitySet parts,
                               Stream stream);
/// Continuous paths, in a shape with a border; see point_quantity_set.
[[nodiscard]] int score_points(const PointView& view, GroupShape shape, QuantitySet parts,
                               Stream stream);

/// Lays paths out in tiles.
[[nodiscard]] int pack_tiles(const PackView<std::uint8_t>& view, Stream stream);
[[nodiscard]] int pack_tiles(const PackView<std::uint16_t>& view, Stream stream);

/// Floats of shared memory that a block may have on the current device.
[[nodiscard]] int max_shared_floats(unsigned& floats);

}  // namespace warpath::kernels
