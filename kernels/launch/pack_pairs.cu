#include <algorithm>
#include <cub/block/block_scan.cuh>
#include <limits>

#include "kernels/bodies/device_batch.hpp"
#include "kernels/bodies/pack_pairs.hpp"
#include "kernels/bodies/plan_runs.hpp"
#include "kernels/bodies/prepare_points.hpp"
#include "kernels/launch/for_each.cuh"
#include "kernels/launch/pack_pairs_launch.hpp"
#include "kernels/launch/shared_memory.cuh"
#include "kernels/launch/toolkit.cuh"

namespace warpath::kernels {
namespace {

// The toolkit's run-length encoding counts with int.
constexpr std::uint32_t too_many = std::numeric_limits<int>::max();

bool is_usable(std::uint32_t count, const Scratch& scratch) {
  return count < too_many && scratch.memory != nullptr;
}

}  // namespace

int scratch_bytes(std::uint32_t count, std::size_t& bytes) {
  bytes = 0;
  if (count >= too_many) return cudaErrorInvalidValue;
  std::size_t sorting = 0, encoding = 0, lengths = 0, tiles = 0;
  // A sort by all bits needs the most memory.
  cudaError_t code = sort(nullptr, sorting, {{}, {}, {}, {}, count, 64}, nullptr);
  if (code == cudaSuccess) code = encode(nullptr, encoding, {{}, count, 0, {}, {}, {}}, nullptr);
  if (code == cudaSuccess) code = sum(nullptr, lengths, LengthSumView{{}, {}, count}, nullptr);
  if (code == cudaSuccess) code = sum(nullptr, tiles, TileSumView{{}, {}, count}, nullptr);
  if (code == cudaSuccess) bytes = std::max({sorting, encoding, lengths, tiles, std::size_t{1}});
  return code;
}

int sort_pairs(const SortView& view, Scratch scratch, Stream stream) {
  if (!is_usable(view.count, scratch)) return cudaErrorInvalidValue;
  return sort(scratch.memory, scratch.bytes, view, stream);
}

int find_runs(const RunsView& view, Scratch scratch, Stream stream) {
  if (!is_usable(view.count, scratch)) return cudaErrorInvalidValue;
  return encode(scratch.memory, scratch.bytes, view, stream);
}

int exclusive_sum(const LengthSumView& view, Scratch scratch, Stream stream) {
  if (!is_usable(view.count, scratch)) return cudaErrorInvalidValue;
  const cudaError_t code = cudaMemsetAsync(view.sums, 0, sizeof *view.sums, stream);
  return code != cudaSuccess ? code : sum(scratch.memory, scratch.bytes, view, stream);
}

int exclusive_sum(const TileSumView& view, Scratch scratch, Stream stream) {
  if (!is_usable(view.count, scratch)) return cudaErrorInvalidValue;
  const cudaError_t code = cudaMemsetAsync(view.starts, 0, sizeof *view.starts, stream);
  return code != cudaSuccess ? code : sum(scratch.memory, scratch.bytes, view, stream);
}

// For all kernels below:
//   Mapping: a thread takes elements; neighbouring threads take neighbouring elements.
//   Preconditions: what the views say.

/// Memory: a thread reads its reference's viewpoints one after the other and looks their distances
///   up in global memory, all of it scattered; terms are written side by side, 16 bytes each.
/// Cost: |R| dependent look-ups; once for each reference, so of no weight.
int make_all_terms(const TermsView& view, Stream stream) {
  return start_for_each<make_terms>(view, view.count, stream);
}

/// Memory: a thread reads a reference twice, one viewpoint after the other, and writes it to its
///   row, both scattered; terms as above.
/// Cost: as above, and those reads.
int store_references(const StoreView& view, Stream stream) {
  return start_for_each<store_reference>(view, view.count, stream);
}

/// Memory: a thread reads both paths of a pair several times and writes their points, all
/// scattered. Cost: a square root in double for each point of a path; with ids |R| (|R| + |Q|)
/// comparisons.
int prepare_all_points(const PreparePointsView& view, Stream stream) {
  return start_for_each<prepare_points>(view, view.count, stream);
}

/// Memory: a thread reads a whole query, scattered; an atomic minimum for each bad pair.
/// Cost: |Q| reads of one lane after the other; for batches that are being debugged.
int check_pairs(const CheckView& view, Stream stream) {
  if (view.pairs.count == 0) return cudaSuccess;
  cudaError_t code = cudaMemsetAsync(view.first_bad, 0xff, sizeof *view.first_bad, stream);
  if (code == cudaSuccess) code = start_for_each<check_pair>(view, view.pairs.count, stream);
  return code != cudaSuccess ? code : start_for_each<describe_problem>(view, 1, stream);
}

/// Memory: pairs are read and keys written side by side; three scattered reads of a reference's
///   offsets and scan.
/// Cost: those reads, 8 bytes in and 12 out.
int make_all_keys(const KeyView& view, Stream stream) {
  return start_for_each<make_key>(view, view.pairs.count, stream);
}

/// Memory: a binary search of the runs, whose first steps all threads share; pairs are read
///   scattered, for they are in sorted order; slots are written side by side within a run.
/// Cost: log2(runs) dependent reads, from the caches, and three scattered ones.
int place_all_pairs(const PlaceView& view, Stream stream) {
  return start_for_each<place_pair>(view, view.pairs.count, stream);
}

/// Memory: reads are scattered, one path per thread; writes are consecutive.
/// Cost: a read and a write for each id.
int pack_tiles(const PackView& view, Stream stream) {
  return start_for_each<pack_slot>(view, view.tiles * tile_pairs, stream);
}

namespace {

constexpr unsigned plan_threads = 512;

/// Gives plan_runs the block's barrier, atomic additions and CUB's sums.
struct WholeBlock {
  using Scan = cub::BlockScan<RunPlace, plan_threads>;
  typename Scan::TempStorage& memory;

  WARPATH_HD void add(std::uint32_t* word, std::uint32_t x) const { atomicAdd(word, x); }
  WARPATH_HD void sync() const { __syncthreads(); }
  WARPATH_HD RunPlace exclusive_sum(const RunPlace& x, RunPlace& total) const {
    __syncthreads();  // the memory is free again
    RunPlace sum{};
    Scan(memory).ExclusiveScan(
        x, sum, RunPlace{}, [](const RunPlace& a, const RunPlace& b) { return a + b; }, total);
    return sum;
  }
};

}  // namespace

/// Plans where runs go.
/// Mapping: one block; a thread takes runs, then slices.
/// Memory: runs are read and written side by side; a slice is found by a binary search of the runs.
/// Preconditions: a block of plan_threads threads.
/// Cost: some microseconds for up to 512 runs, most of it waiting. There is up to one for each scan
///   and K, or for each reference that many queries share.
__global__ void __launch_bounds__(plan_threads, 1)
    plan_runs_of_block(const __grid_constant__ PlanView view) {
  __shared__ TilesOfKernel tiles;
  __shared__ typename WholeBlock::Scan::TempStorage memory;
  plan_runs(view, this_thread(), tiles, WholeBlock{memory});
}

int plan_all_runs(const PlanView& view, Stream stream) {
  plan_runs_of_block<<<1, plan_threads, 0, stream>>>(view);
  return cudaGetLastError();
}

}  // namespace warpath::kernels
