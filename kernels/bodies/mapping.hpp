#pragma once

#include <cstdint>

#include "kernels/host_device.hpp"
#include "kernels/views/pairs.hpp"

// Tells a thread which part of the work it does, from the four numbers that identify it. Any size
// of grid is correct: after each part, a thread takes the part that lies one grid further.

namespace warpath::kernels {

struct ThreadId {
  std::uint32_t block, blocks;    ///< blockIdx.x, gridDim.x
  std::uint32_t thread, threads;  ///< threadIdx.x, blockDim.x; a multiple of 32 threads
};

/// Names parts first, first + step, first + 2 step, …
struct StridedRange {
  std::uint32_t first, step;
};

/// Returns the slices that a block takes. (A run of neighbours would load fewer tables, but keeping
/// its end costs the sweep up to 16 registers.)
WARPATH_HD StridedRange slices_of(const ThreadId& t) {
  return {t.block, t.blocks};
}

/// Returns the tiles of the block's slice that a warp takes; each thread takes one lane of them.
///   slice:  tile 0  tile 1  tile 2  tile 3  tile 4 …      (block of 96 threads)
///           warp 0  warp 1  warp 2  warp 0  warp 1 …
WARPATH_HD StridedRange tiles_of(const ThreadId& t) {
  return {t.thread / tile_pairs, t.threads / tile_pairs};
}
WARPATH_HD std::uint32_t lane_of(const ThreadId& t) {
  return t.thread % tile_pairs;
}

/// Returns the pairs that a group of W threads takes, whichever block it belongs to.
template <int W>
WARPATH_HD StridedRange pairs_of(const ThreadId& t) {
  return {(t.block * t.threads + t.thread) / W, t.blocks * t.threads / W};
}

/// Returns the pairs of its block's slice that a group of W threads takes.
template <int W>
WARPATH_HD StridedRange pairs_of_slice(const ThreadId& t) {
  return {t.thread / W, t.threads / W};
}

/// Returns the pairs that a whole block takes, one at a time; the second function returns the
/// strips of each pair that a group of W threads takes.
WARPATH_HD StridedRange pairs_of_block(const ThreadId& t) {
  return {t.block, t.blocks};
}
template <int W>
WARPATH_HD StridedRange strips_of(const ThreadId& t) {
  return {t.thread / W, t.threads / W};
}

}  // namespace warpath::kernels
