#pragma once

#include "kernels/bodies/score_walks.hpp"
#include "kernels/lanes/device_lanes.cuh"
#include "kernels/launch/grid.cuh"
#include "kernels/launch/shared_memory.cuh"
#include "kernels/launch/walks_launch.hpp"
#include "kernels/views/shapes.hpp"

// Kernels that make random walks while they sweep them. For all but repeat_walks:
//   Mapping: a block takes slices, all walks of which have one reference; its threads sort them by
//     their number of steps; a warp takes 32 that follow each other, a thread one of them: K rows
//     in registers, two columns per step.
//   Memory: the reference's own table and the scan's edges in shared memory, filled unless they are
//     there; results go to the walks' slots, side by side.
//   Preconditions: |R| <= K, |Q| below 65,536, scans of fewer than 65,536 viewpoints and with a
//     symmetric table; all numbers have one upper half; view.block_bytes of dynamic shared memory;
//     one dimension of blocks and threads, a multiple of 32 threads.
//   Cost: a slice costs the filling of its table, five barriers and the sort, so slices should have
//     hundreds of walks; lanes wait for the longest of 32 neighbours in the sort.

namespace warpath::kernels {

/// The threads of a block, and what they share.
struct DeviceBlock {
  WARPATH_HD void sync() const { __syncthreads(); }
  WARPATH_HD std::uint32_t next(std::uint32_t* word) const { return atomicAdd(word, 1u); }
};

template <int K, unsigned Quantities, bool Edges, bool Replicated>
WARPATH_HD void score_walks_of_block(const WalkView& view) {
  __shared__ WalkOrder order;
  score_walk_slices<DeviceLanes<1>, K, Quantities, Edges, Replicated, 32>(
      view, this_thread(), shared_memory(), order, DeviceBlock{});
}

/// Scores walks from replicated rows: look-ups of 16 bytes without bank conflicts. An edge of 8
/// bytes is read for each step, at random.
template <int K, unsigned Quantities, bool Edges>
__global__ void __launch_bounds__(tile_threads<K>, 1)
    score_walks_in_replicated_rows(const __grid_constant__ WalkView view) {
  score_walks_of_block<K, Quantities, Edges, true>(view);
}

/// Scores walks from plain rows, for scans whose replicated rows do not fit into a block: a look-up
/// of 16 bytes takes ten cycles of a warp instead of four, because of bank conflicts.
template <int K, unsigned Quantities, bool Edges>
__global__ void __launch_bounds__(tile_threads<K>, 1)
    score_walks_in_plain_rows(const __grid_constant__ WalkView view) {
  score_walks_of_block<K, Quantities, Edges, false>(view);
}

/// Makes and scores noted walks once more, a thread each. Distances and edges are looked up in
/// global memory. There is about one such walk of 10^8.
template <int K, unsigned Quantities, bool Edges>
__global__ void __launch_bounds__(128, 1) repeat_walks(const __grid_constant__ WalkView view) {
  const ThreadId me = this_thread();
  const std::uint32_t count = *view.noted_count;
  for (std::uint32_t i = me.block * me.threads + me.thread; i < count;
       i += me.blocks * me.threads) {
    score_noted_walk<DeviceLanes<1>, K, Quantities, Edges, 32>(view, i);
  }
}

/// Starts the kernel with K rows.
template <QuantitySet set, int K>
int start_walks(const WalkView& view, bool replicated, Stream stream) {
  constexpr unsigned Quantities = quantities_of(set);
  constexpr bool Edges = compares_edges(set);
  if (view.first_slice == view.end_slice) return cudaSuccess;
  const auto kernel = replicated ? score_walks_in_replicated_rows<K, Quantities, Edges>
                                 : score_walks_in_plain_rows<K, Quantities, Edges>;
  const std::size_t bytes = view.block_bytes;
  Grid grid;
  const auto one = [](unsigned) { return 1u; };
  const cudaError_t code = fill_device(kernel, bytes, view.end_slice - view.first_slice, one, grid);
  return code != cudaSuccess ? code : start(kernel, view, grid, bytes, stream);
}

/// Starts the kernel with `rows` rows, if there is one.
template <QuantitySet set, int... K>
int start_walks(const WalkView& view, bool replicated, int rows, Stream stream, RowList<K...>) {
  int code = cudaErrorInvalidValue;
  ((rows == K ? code = start_walks<set, K>(view, replicated, stream) : 0), ...);
  return code;
}

/// Starts the kernel for noted walks; nearly always it finds none.
template <QuantitySet set>
int start_repeat(const WalkView& view, Stream stream) {
  constexpr int K = CoarseRows::at(CoarseRows::size - 1);
  const auto kernel = repeat_walks<K, quantities_of(set), compares_edges(set)>;
  return start(kernel, view, Grid{8, 128}, 0, stream);
}

// Start the kernels of one set. Each set has its own file, so that they compile in parallel.
int score_walks_alignment(const WalkView& view, bool replicated, int rows, Stream stream);
int score_walks_all_edges(const WalkView& view, bool replicated, int rows, Stream stream);
int score_walks_all_viewpoints(const WalkView& view, bool replicated, int rows, Stream stream);
int repeat_walks_alignment(const WalkView& view, Stream stream);
int repeat_walks_all_edges(const WalkView& view, Stream stream);
int repeat_walks_all_viewpoints(const WalkView& view, Stream stream);

}  // namespace warpath::kernels
