#include "kernels/bodies/statistics.hpp"
#include "kernels/launch/grid.cuh"
#include "kernels/launch/shared_memory.cuh"
#include "kernels/launch/statistics_launch.hpp"

namespace warpath::kernels {
namespace {

/// Adds to words of memory: atomically among the threads of a block for shared words, among all
/// blocks for global words.
struct AtomicMemory {
  using Word = unsigned long long;
  static constexpr unsigned all_lanes = 0xffffffff;

  WARPATH_HD void add(std::uint64_t* word, std::uint64_t x) const {
    atomicAdd(reinterpret_cast<Word*>(word), static_cast<Word>(x));
  }
  WARPATH_HD void raise(std::uint64_t* word, std::uint64_t x) const {
    atomicMax(reinterpret_cast<Word*>(word), static_cast<Word>(x));
  }
  WARPATH_HD void count(std::uint32_t* word) const { atomicAdd(word, 1u); }

  /// Adds the numbers of all lanes; their sum is below 2^32.
  WARPATH_HD void add_number(std::uint64_t* word, std::uint32_t x) const {
    const std::uint32_t sum = __reduce_add_sync(all_lanes, x);
    if (is_first_lane() && sum > 0) add(word, sum);
  }
  /// Adds the parts of all lanes.
  WARPATH_HD void add_parts(ColumnTotals& totals, const PartialStatistics& part) const {
    const std::uint32_t n = __reduce_add_sync(all_lanes, part.n);
    if (n == 0) return;
    const bool overflows = __any_sync(all_lanes, part.overflows != 0) != 0;
    const std::uint32_t least = __reduce_max_sync(all_lanes, part.least);
    const std::uint32_t greatest = __reduce_max_sync(all_lanes, part.greatest);
    add_words(totals.sum, part.sum);
    add_words(totals.squares, part.squares);
    if (!is_first_lane()) return;
    add(&totals.n, n);
    if (overflows) add(&totals.overflows, 1);
    raise(&totals.least, least);
    raise(&totals.greatest, greatest);
  }

 private:
  WARPATH_HD static bool is_first_lane() { return threadIdx.x % 32 == 0; }

  /// Adds the limbs of all lanes. Sums of 16 bits fit into 32:
  ///   limb of each lane:   high 16 bits | low 16 bits
  ///   sum over the warp:   low sums + 65536 · high sums
  WARPATH_HD void add_words(std::uint64_t* word, Int128 x) const {
    WARPATH_UNROLL for (int l = 0; l < 4; ++l) {
      const auto limb = static_cast<std::uint32_t>(x >> 32 * l);
      const std::uint64_t low = __reduce_add_sync(all_lanes, limb & 0xffff);
      const std::uint64_t high = __reduce_add_sync(all_lanes, limb >> 16);
      if (is_first_lane()) add(word + l, low + (high << 16));
    }
  }
};

}  // namespace

/// Adds up a chunk's results.
///
/// Mapping: a block takes slices of columns; a warp of it takes 256 consecutive rows at a time, a
///   thread 8 of them, which it loads together.
/// Memory: values are read once, side by side; counts of the block in shared memory, one atomic
///   addition for each value; for each slice some 12 additions to global memory by each warp, and
///   the counts' by the block.
/// Preconditions: one dimension of blocks and threads, a multiple of 32 threads.
/// Cost: on sm_90 21 instructions for a length, 24 for a fraction, 13 for a small integer, about
///   100 for the flags and counts of a pair, and some 200 for each warp and slice. All metrics of
///   32 pairs take some 510 instructions, 128 cycles of a multiprocessor.
__global__ void aggregate_slices(const __grid_constant__ AggregateView view) {
  __shared__ std::uint32_t cells[block_cells];
  const ThreadId me = this_thread();
  for (std::uint32_t k = me.thread; k < block_cells; k += me.threads) cells[k] = 0;
  const SlicePlan plan = plan_slices(view, me.blocks);
  const StridedRange slices = column_slices_of(me);
  for (std::uint32_t s = slices.first; s < plan.slices(); s += slices.step) {
    const ColumnSlice slice = plan[s];
    __syncthreads();  // all threads see empty cells
    const PartialStatistics partial = add_slice(view, slice, me, cells, AtomicMemory{});
    __syncthreads();  // all threads see the complete cells
    finish_slice(view, slice, me, partial, cells, AtomicMemory{});
  }
}

int aggregate(const AggregateView& view, Stream stream) {
  if (view.count == 0) return cudaSuccess;
  Grid grid;
  const auto one = [](unsigned) { return 1u; };
  const cudaError_t code = fill_device(aggregate_slices, 0, max_slices(view), one, grid, 256);
  return code != cudaSuccess ? code : start(aggregate_slices, view, grid, 0, stream);
}

int can_run_kernels() {
  cudaFuncAttributes attributes{};
  return cudaFuncGetAttributes(&attributes, aggregate_slices);
}

}  // namespace warpath::kernels
