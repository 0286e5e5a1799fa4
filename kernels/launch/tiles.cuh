#pragma once

#include <type_traits>

#include "kernels/bodies/score_pair.hpp"
#include "kernels/lanes/device_lanes.cuh"
#include "kernels/launch/grid.cuh"
#include "kernels/launch/shared_memory.cuh"

// Kernels with one thread per pair. For all of them:
//   Mapping: a block takes slices, a warp takes tiles of them in turn, which goes on from slice to
//     slice, a thread one lane: a whole pair, K rows in registers, two columns per step.
//   Memory: ids straight from global memory, side by side; results scattered to their rows.
//   Preconditions: |R| <= K (any |R| where Quantities needs no row but the last), |Q| below 65,536;
//     one dimension of blocks and threads, a multiple of 32 threads.
//   Cost: lanes of a tile wait for its longest query.

namespace warpath::kernels {

/// Scores with the scan's table in shared memory, loaded unless the block's previous slice had it.
/// The look-up for each cell bounds the speed: 3.5 cycles of a warp, because of bank conflicts.
template <int K, unsigned Quantities, bool Edges>
__global__ void __launch_bounds__(tile_threads<K>, 1)
    score_in_shared_table(const __grid_constant__ TileView view) {
  const ThreadId me = this_thread();
  const StridedRange slices = slices_of(me), tiles = tiles_of(me);
  std::uint32_t wanted = wanted_columns(view.batch.results);
  WARPATH_KEEP(wanted);
  Loaded loaded;
  const LaunchRange range = *view.range;
  std::uint32_t t = tiles.first;
  for (std::uint32_t s = range.first_slice + slices.first; s < range.end_slice; s += slices.step) {
    const Slice slice = view.slices[s];
    const SharedTable table = load_table(view.batch, slice.scan, loaded);
    for (; t < slice.count; t += tiles.step) {
      score_by_table<DeviceLanes<1>, K, Quantities, Edges>(view, table, slice.first + t,
                                                           lane_of(me), wanted);
    }
    t -= slice.count;
  }
}

/// Scores with the scan's table in global memory, which is slower because of L1 look-ups. It is for
/// scans whose table does not fit into shared memory, and for the goal, which needs too few
/// distances to load a table.
template <int K, unsigned Quantities, bool Edges>
__global__ void __launch_bounds__(tile_threads<K>, 1)
    score_in_plain_table(const __grid_constant__ TileView view) {
  const ThreadId me = this_thread();
  const StridedRange slices = slices_of(me), tiles = tiles_of(me);
  std::uint32_t wanted = wanted_columns(view.batch.results);
  WARPATH_KEEP(wanted);
  const LaunchRange range = *view.range;
  std::uint32_t t = tiles.first;
  for (std::uint32_t s = range.first_slice + slices.first; s < range.end_slice; s += slices.step) {
    const Slice slice = view.slices[s];
    const PlainTable table = plain_table(view.batch, slice.scan);
    for (; t < slice.count; t += tiles.step) {
      score_by_table<DeviceLanes<1>, K, Quantities, Edges>(view, table, slice.first + t,
                                                           lane_of(me), wanted);
    }
    t -= slice.count;
  }
}

/// Scores slices whose pairs all have one reference, with its own table in shared memory, filled
/// unless it is there by viewpoints * K look-ups. One load of 16 bytes serves four cells. Steps of
/// the query are looked up in global memory.
template <int K, unsigned Quantities, bool Edges>
__global__ void __launch_bounds__(tile_threads<K>, 1)
    score_shared_reference(const __grid_constant__ TileView view) {
  const ThreadId me = this_thread();
  const StridedRange slices = slices_of(me), tiles = tiles_of(me);
  std::uint32_t wanted = wanted_columns(view.batch.results);
  WARPATH_KEEP(wanted);
  Loaded loaded;
  const LaunchRange range = *view.range;
  std::uint32_t t = tiles.first;
  for (std::uint32_t s = range.first_slice + slices.first; s < range.end_slice; s += slices.step) {
    const Slice slice = view.slices[s];
    const Quad* own = load_reference<K>(view, slice, loaded);
    const PlainTable table = plain_table(view.batch, slice.scan);
    for (; t < slice.count; t += tiles.step) {
      score_by_reference<DeviceLanes<1>, K, Quantities, Edges>(view, own, table, slice.first + t,
                                                               lane_of(me), wanted);
    }
    t -= slice.count;
  }
}

/// Scores slices whose pairs all have one reference, from replicated rows in shared memory:
/// look-ups of 16 bytes without bank conflicts. A slice fills 128 bytes for each four rows of a
/// viewpoint, and 128 more for what depends on reference and viewpoint alone, which pays from about
/// 64 queries on. Steps of the query are looked up in global memory.
template <int K, unsigned Quantities, bool Edges>
__global__ void __launch_bounds__(tile_threads<K>, 1)
    score_replicated_reference(const __grid_constant__ TileView view) {
  const ThreadId me = this_thread();
  const StridedRange slices = slices_of(me), tiles = tiles_of(me);
  std::uint32_t wanted = wanted_columns(view.batch.results);
  WARPATH_KEEP(wanted);
  Loaded loaded;
  const LaunchRange range = *view.range;
  std::uint32_t t = tiles.first;
  for (std::uint32_t s = range.first_slice + slices.first; s < range.end_slice; s += slices.step) {
    const Slice slice = view.slices[s];
    const Quad* own = load_replicated_rows<K, Quantities>(view, slice, loaded);
    const PlainTable table = plain_table(view.batch, slice.scan);
    for (; t < slice.count; t += tiles.step) {
      score_by_replicated_rows<DeviceLanes<1>, K, Quantities, Edges>(
          view, own, table, slice.first + t, lane_of(me), wanted);
    }
    t -= slice.count;
  }
}

/// Starts the kernel with K rows, if there is one.
template <QuantitySet set, int K>
int start_tiles(const TileView& view, TileKernel kind, Stream stream) {
  constexpr unsigned Quantities = quantities_of(set);
  constexpr bool Edges = compares_edges(set);
  void (*kernel)(TileView) = nullptr;
  if constexpr (set != QuantitySet::goal) {
    if (kind == TileKernel::shared_table) kernel = score_in_shared_table<K, Quantities, Edges>;
  }
  if constexpr (CoarseRows::has(K)) {
    if (kind == TileKernel::shared_reference) kernel = score_shared_reference<K, Quantities, Edges>;
    if (kind == TileKernel::replicated_reference) {
      kernel = score_replicated_reference<K, Quantities, Edges>;
    }
  }
  if constexpr (CoarseRows::has(K) || set == QuantitySet::goal) {
    if (kind == TileKernel::plain_table) kernel = score_in_plain_table<K, Quantities, Edges>;
  }
  if (kernel == nullptr) return cudaErrorInvalidValue;
  if (view.max_slices == 0) return cudaSuccess;
  static_assert(4 * ReferenceRows<K>::units == shared_floats(TileKernel::shared_reference, K, 1));
  const std::size_t bytes =
      sizeof(float) * shared_floats(kind, K, view.max_scan, uses_known_columns(Quantities));
  Grid grid;
  const auto one = [](unsigned) { return 1u; };
  const cudaError_t code = fill_device(kernel, bytes, view.max_slices, one, grid);
  return code != cudaSuccess ? code : start(kernel, view, grid, bytes, stream);
}

/// Starts the kernel with `rows` rows, if there is one.
template <QuantitySet set, int... K>
int start_tiles(const TileView& view, TileKernel kind, int rows, Stream stream, RowList<K...>) {
  int code = cudaErrorInvalidValue;
  ((rows == K ? code = start_tiles<set, K>(view, kind, stream) : 0), ...);
  return code;
}

/// Names the rows of a set's kernels.
template <QuantitySet set>
using TileRowsOf = std::conditional_t<set == QuantitySet::goal, GoalRows, FineRows>;

// Starts the kernels of one set. Each set has its own file, so that they compile in parallel.
int score_tiles_goal(const TileView& view, TileKernel kind, int rows, Stream stream);
int score_tiles_dtw(const TileView& view, TileKernel kind, int rows, Stream stream);
int score_tiles_alignment(const TileView& view, TileKernel kind, int rows, Stream stream);
int score_tiles_all_edges(const TileView& view, TileKernel kind, int rows, Stream stream);
int score_tiles_all_viewpoints(const TileView& view, TileKernel kind, int rows, Stream stream);

}  // namespace warpath::kernels
