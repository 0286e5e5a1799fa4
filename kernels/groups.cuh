#pragma once

#include "kernels/grid.cuh"
#include "kernels/lanes/device_lanes.cuh"
#include "kernels/score_pair.hpp"
#include "kernels/shared_memory.cuh"

// Several threads to each pair.

namespace warpath::kernels {

/// Mapping: a group of W threads takes pairs; its lane of rank k has rows k K to k K + K − 1 of
///   each strip of W K. The groups of a warp are at different pairs.
/// Memory: paths as they were uploaded; distances of nodes from the table in global memory, those
///   of points from coordinates; a strip leaves its last row in the group's border.
/// Preconditions: |R| <= W K without strips; |Q| <= view.border_columns with; one dimension of
///   blocks and threads, a multiple of 32 threads; no more than view.border_groups groups.
/// Cost: W − 1 steps more than |Q| / C for each strip; the groups of a warp wait for the longest.
template <int W, int K, int C, unsigned Want, bool Edges, bool Strips, class Node>
__global__ void __launch_bounds__(group_threads, 1)
    score_pairs(const __grid_constant__ GroupView<Node> view) {
  const Share pairs = pairs_of<W>(this_thread());
  for (std::uint32_t p = pairs.first; p < view.count; p += pairs.step) {
    score_by_group<DeviceLanes<W>, K, C, Want, Edges, Strips>(view, p, pairs.first);
  }
}

/// Starts a kernel that gives a group of W threads to each pair of a view.
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

template <int W, int K, int C, bool Strips, class Node>
int start_groups(const GroupView<Node>& view, Parts parts, Stream stream) {
  switch (parts) {
    case Parts::dtw:
      return start_groups<W, Strips>(score_pairs<W, K, C, want_only_dtw, true, Strips, Node>, view,
                                     stream);
    case Parts::all_viewpoints:
      return start_groups<W, Strips>(score_pairs<W, K, C, want_all, false, Strips, Node>, view,
                                     stream);
    default:
      return start_groups<W, Strips>(score_pairs<W, K, C, want_all, true, Strips, Node>, view,
                                     stream);
  }
}

}  // namespace warpath::kernels
