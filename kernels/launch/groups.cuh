#pragma once

#include "kernels/bodies/score_pair.hpp"
#include "kernels/lanes/device_lanes.cuh"
#include "kernels/launch/grid.cuh"
#include "kernels/launch/shared_memory.cuh"

// Kernels with several threads per pair.

namespace warpath::kernels {

/// Scores pairs with groups of W threads.
/// Mapping: a group of W threads takes one pair of the view's range at a time; its lane of rank k
///   has rows k K to
///   k K + K − 1 of each strip of W K. The groups of a warp are at different pairs.
/// Memory: paths where the caller has them; distances from the table in global memory; a strip
/// leaves
///   its last row in the group's border.
/// Preconditions: |R| <= W K without strips; |Q| <= view.border_columns with; one dimension of
///   blocks and threads, a multiple of 32 threads; no more than view.border_groups groups.
/// Cost: W − 1 steps more than |Q| / C for each strip; the groups of a warp wait for the longest.
template <int W, int K, int C, unsigned Quantities, bool Edges, bool Strips>
__global__ void __launch_bounds__(group_threads, 1)
    score_pairs(const __grid_constant__ GroupView view) {
  const StridedRange mine = pairs_of<W>(this_thread());
  const EntryRange entries = entries_of(view);
  for (std::uint32_t p = entries.first + mine.first; p < entries.end; p += mine.step) {
    score_by_group<DeviceLanes<W>, K, C, Quantities, Edges, Strips>(view, p, mine.first);
  }
}

/// Scores pairs with whole blocks.
/// Mapping: a block takes pairs of the view's range, one at a time, and its warps take strips of 32
/// K rows in turns,
///   each strip as above (see Chain in sweep.hpp).
/// Memory: as above; a warp's border is read by the next warp.
/// Preconditions: |Q| <= view.border_columns; one dimension of blocks and threads, 64 threads or
///   more; no more warps than view.border_groups.
/// Cost: of each pair, a barrier for every 32 steps, and 64 steps for each warp until all are busy.
template <int K, int C, unsigned Quantities, bool Edges>
__global__ void __launch_bounds__(group_threads, 1)
    score_long_pairs(const __grid_constant__ GroupView view) {
  const ThreadId me = this_thread();
  const StridedRange mine = pairs_of_block(me);
  const EntryRange entries = entries_of(view);
  for (std::uint32_t p = entries.first + mine.first; p < entries.end; p += mine.step) {
    score_by_chain<DeviceLanes<32>, K, C, Quantities, Edges>(view, p, me);
  }
}

/// Starts a kernel that uses a group of W threads for each pair of a view.
template <int W, bool Strips, class View>
int start_groups(void (*kernel)(View), const View& view, Stream stream) {
  if (view.count == 0) return cudaSuccess;
  const auto groups = [](unsigned threads) { return threads / W; };
  Grid grid;
  const cudaError_t code = fill_device(kernel, 0, view.count, groups, grid);
  if (code != cudaSuccess) return code;
  if (Strips) grid.blocks = std::min(grid.blocks, view.border_groups / groups(grid.threads));
  if (grid.blocks == 0) return cudaErrorInvalidValue;
  return start(kernel, view, grid, 0, stream);
}

/// Starts a kernel that uses a whole block for each pair of a view.
template <class View>
int start_chains(void (*kernel)(View), const View& view, Stream stream) {
  if (view.count == 0) return cudaSuccess;
  const auto one = [](unsigned) { return 1u; };
  Grid grid;
  const cudaError_t code = fill_device(kernel, 0, view.count, one, grid, group_threads);
  if (code != cudaSuccess) return code;
  grid.blocks = std::min(grid.blocks, view.border_groups / (grid.threads / 32));
  if (grid.blocks == 0) return cudaErrorInvalidValue;
  return start(kernel, view, grid, 0, stream);
}

}  // namespace warpath::kernels
