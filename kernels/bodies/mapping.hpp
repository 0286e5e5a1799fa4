#pragma once

#include <cstdint>

#include "kernels/host_device.hpp"
#include "kernels/views.hpp"

// Which part of the work a thread takes, from the four numbers that tell it who it is. Any grid is
// right: whoever is done with a part goes on to the part that lies a grid further.

namespace warpath::kernels {

struct ThreadId {
  std::uint32_t block, blocks;    ///< blockIdx.x, gridDim.x
  std::uint32_t thread, threads;  ///< threadIdx.x, blockDim.x; a multiple of 32 threads
};

/// QuantitySet first, first + step, first + 2 step, …
struct StridedRange {
  std::uint32_t first, step;
};

/// A block takes slices. (A run of neighbours would load fewer tables, but keeping its end costs
/// the sweep up to 16 registers.)
WARPATH_HD StridedRange slices_of(const ThreadId& t) {
  return {t.block, t.blocks};
}

/// A warp takes tiles of its block's slice, a thread a lane of them.
///   slice:  tile 0  tile 1  tile 2  tile 3  tile 4 …      (block of 96 threads)
///           warp 0  warp 1  warp 2  warp 0  warp 1 …
WARPATH_HD StridedRange tiles_of(const ThreadId& t) {
  return {t.thread / tile_pairs, t.threads / tile_pairs};
}
WARPATH_HD std::uint32_t lane_of(const ThreadId& t) {
  return t.thread % tile_pairs;
}

/// A group of W threads takes pairs, whatever block it lies in.
template <int W>
WARPATH_HD StridedRange pairs_of(const ThreadId& t) {
  return {(t.block * t.threads + t.thread) / W, t.blocks * t.threads / W};
}

/// Or a whole block takes pairs, one at a time, and its groups of W threads take strips of each.
WARPATH_HD StridedRange pairs_of_block(const ThreadId& t) {
  return {t.block, t.blocks};
}
template <int W>
WARPATH_HD StridedRange strips_of(const ThreadId& t) {
  return {t.thread / W, t.threads / W};
}

}  // namespace warpath::kernels
