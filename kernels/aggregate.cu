#include "kernels/aggregate_launch.hpp"
#include "kernels/grid.cuh"
#include "kernels/shared_memory.cuh"

namespace warpath::kernels {
namespace {

/// Threads of one block add to shared words, those of all blocks to global ones.
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

WARPATH_HD Int128 from_lane_behind(Int128 x, int distance) {
  const auto low = static_cast<unsigned long long>(x);
  const auto high = static_cast<unsigned long long>(x >> 64);
  return Int128{__shfl_down_sync(0xffffffffu, high, distance)} << 64 |
         __shfl_down_sync(0xffffffffu, low, distance);
}

/// The tally of all lanes, in lane 0; the others' are worth nothing.
///
///   lane       0     1     2     3     4     5     6     7  …     (of 32; drawn: the last 3 steps)
///   4 behind   0+4   1+5   2+6   3+7
///   2 behind   0246  1357
///   1 behind   all
WARPATH_HD Tally add_up_warp(Tally tally) {
  for (int behind = 16; behind > 0; behind /= 2) {
    Tally other;
    other.n = __shfl_down_sync(0xffffffffu, tally.n, behind);
    other.overflows = __shfl_down_sync(0xffffffffu, tally.overflows, behind);
    other.least = __shfl_down_sync(0xffffffffu, tally.least, behind);
    other.greatest = __shfl_down_sync(0xffffffffu, tally.greatest, behind);
    other.sum = from_lane_behind(tally.sum, behind);
    other.squares = from_lane_behind(tally.squares, behind);
    tally.merge(other);
  }
  return tally;
}

/// @pre places are 0, but not yet seen by all threads; so they are again behind it.
WARPATH_HD void aggregate_piece(const AggregateView& view, const Piece& piece, const ThreadId& me,
                                std::uint32_t* places) {
  __syncthreads();  // the histogram is empty
  const Tally tally = add_up_warp(tally_piece(view, piece, me, places, AtomicMemory{}));
  if (lane_of(me) == 0 && tally.n > 0) {
    add_to(view.totals->column[piece.column], tally, AtomicMemory{});
  }
  __syncthreads();  // the histogram is whole
  add_places(view, piece, me, places, AtomicMemory{});
}

}  // namespace

/// Mapping: a block takes pieces of columns, a thread every so many pairs of a piece.
/// Memory: values are read once, side by side; a histogram for the block in shared memory; for each
///   piece 12 additions to global memory by a warp's first lane, and the histogram's by the block.
/// Preconditions: one dimension of blocks and threads, a multiple of 32 threads.
/// Cost: 128-bit shifts and additions, some dozens of instructions for each value.
__global__ void aggregate_pieces(const __grid_constant__ AggregateView view) {
  __shared__ std::uint32_t places[flag_sets];
  const ThreadId me = this_thread();
  const Share pieces = pieces_of(me);
  for (std::uint32_t k = me.thread; k < flag_sets; k += me.threads) places[k] = 0;
  for (std::uint32_t p = pieces.first; p < piece_count(view); p += pieces.step) {
    aggregate_piece(view, piece_of(view, p), me, places);
  }
}

int aggregate(const AggregateView& view, Stream stream) {
  if (view.pairs.count == 0) return cudaSuccess;
  Grid grid;
  const auto one = [](unsigned) { return 1u; };
  const cudaError_t code = fill_device(aggregate_pieces, 0, piece_count(view), one, grid);
  return code != cudaSuccess ? code : start(aggregate_pieces, view, grid, 0, stream);
}

int can_run_kernels() {
  cudaFuncAttributes attributes{};
  return cudaFuncGetAttributes(&attributes, aggregate_pieces);
}

}  // namespace warpath::kernels
