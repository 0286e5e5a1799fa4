#include <cub/warp/warp_reduce.cuh>

#include "kernels/launch/grid.cuh"
#include "kernels/launch/shared_memory.cuh"
#include "kernels/launch/statistics_launch.hpp"

namespace warpath::kernels {
namespace {

/// Adds to words of memory: atomically among the threads of a block for shared words, among all
/// blocks for global words.
struct AtomicMemory {
  using Word = unsigned long long;
  WARPATH_HD void add(std::uint64_t* word, std::uint64_t x) const {
    atomicAdd(reinterpret_cast<Word*>(word), static_cast<Word>(x));
  }
  WARPATH_HD void raise(std::uint64_t* word, std::uint64_t x) const {
    atomicMax(reinterpret_cast<Word*>(word), static_cast<Word>(x));
  }
  WARPATH_HD void count(std::uint32_t* word) const { atomicAdd(word, 1u); }
};

/// Holds a PartialStatistics in words that shuffles can move; CUB would pass 128-bit fields through
/// memory.
struct Words {
  std::uint32_t n, overflows, least, greatest;
  std::uint64_t sum[2], squares[2];

  WARPATH_HD explicit Words(const PartialStatistics& t = {})
      : n(t.n),
        overflows(t.overflows),
        least(t.least),
        greatest(t.greatest),
        sum{low_word(t.sum), high_word(t.sum)},
        squares{low_word(t.squares), high_word(t.squares)} {}
  WARPATH_HD PartialStatistics partial() const {
    return {n, overflows, least, greatest, joined(sum[1], sum[0]), joined(squares[1], squares[0])};
  }
};

struct Merge {
  WARPATH_HD Words operator()(const Words& a, const Words& b) const {
    PartialStatistics both = a.partial();
    both.merge(b.partial());
    return Words(both);
  }
};

/// Returns the sum over all lanes, in lane 0.
WARPATH_HD PartialStatistics add_up_warp(const PartialStatistics& partial) {
  using Reduce = cub::WarpReduce<Words>;
  typename Reduce::TempStorage none;  // 32 lanes need no memory
  return Reduce(none).Reduce(Words(partial), Merge{}).partial();
}

/// Adds up a slice with all threads of a block.
/// @pre cells are 0, but not yet visible to all threads. They are so again afterwards.
WARPATH_HD void aggregate_slice(const AggregateView& view, const ColumnSlice& slice,
                                const ThreadId& me, std::uint32_t* cells) {
  __syncthreads();  // all threads see the empty histogram
  const PartialStatistics partial = add_up_warp(add_slice(view, slice, me, cells, AtomicMemory{}));
  if (lane_of(me) == 0 && partial.n > 0) {
    add_to(view.totals->column[slice.column], partial, AtomicMemory{});
  }
  __syncthreads();  // all threads see the complete histogram
  add_cells(view, slice, me, cells, AtomicMemory{});
}

}  // namespace

/// Adds up a chunk's results.
///
/// Mapping: a block takes slices of columns, thread t of it pairs t, t + threads, … of a slice.
/// Memory: values are read once, side by side; a histogram for the block in shared memory; for each
///   slice 12 additions to global memory by a warp's first lane, and the histogram's by the block.
/// Preconditions: one dimension of blocks and threads, a multiple of 32 threads.
/// Cost: 128-bit shifts and additions, some dozens of instructions for each value.
__global__ void aggregate_slices(const __grid_constant__ AggregateView view) {
  __shared__ std::uint32_t cells[flag_sets];
  const ThreadId me = this_thread();
  const StridedRange slices = column_slices_of(me);
  for (std::uint32_t k = me.thread; k < flag_sets; k += me.threads) cells[k] = 0;
  for (std::uint32_t p = slices.first; p < slice_count(view); p += slices.step) {
    aggregate_slice(view, slice_of(view, p), me, cells);
  }
}

int aggregate(const AggregateView& view, Stream stream) {
  if (view.pairs.count == 0) return cudaSuccess;
  Grid grid;
  const auto one = [](unsigned) { return 1u; };
  const cudaError_t code = fill_device(aggregate_slices, 0, slice_count(view), one, grid);
  return code != cudaSuccess ? code : start(aggregate_slices, view, grid, 0, stream);
}

int can_run_kernels() {
  cudaFuncAttributes attributes{};
  return cudaFuncGetAttributes(&attributes, aggregate_slices);
}

}  // namespace warpath::kernels
