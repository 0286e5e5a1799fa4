#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <limits>

#include "kernels/launch/for_each.cuh"
#include "kernels/launch/pack_pairs_launch.hpp"

namespace warpath::kernels {
namespace {

/// Returns a key without its m_bits.
struct RunOfKey {
  int m_bits;
  __host__ __device__ std::uint64_t operator()(std::uint64_t key) const { return key >> m_bits; }
};

// Calls of the toolkit. With a null buffer they return the bytes they need and do nothing else.

cudaError_t sort(void* memory, std::size_t& bytes, const SortView& v, Stream stream) {
  return cub::DeviceRadixSort::SortPairs(memory, bytes, v.key, v.sorted_key, v.pair, v.sorted_pair,
                                         v.count, 0, v.bits, stream);
}

cudaError_t encode(void* memory, std::size_t& bytes, const RunsView& v, Stream stream) {
  const auto run = thrust::make_transform_iterator(v.key, RunOfKey{v.m_bits});
  return cub::DeviceRunLengthEncode::Encode(memory, bytes, run, v.run_key, v.run_length, v.runs,
                                            static_cast<int>(v.count), stream);
}

cudaError_t sum(void* memory, std::size_t& bytes, const std::uint32_t* counts, std::uint32_t* sums,
                std::uint32_t count, Stream stream) {
  return cub::DeviceScan::InclusiveSum(memory, bytes, counts, sums + 1, count, stream);
}

// The toolkit's run-length encoding counts with int.
constexpr std::uint32_t too_many = std::numeric_limits<int>::max();

bool is_usable(std::uint32_t count, const Scratch& scratch) {
  return count < too_many && scratch.memory != nullptr;
}

}  // namespace

int scratch_bytes(std::uint32_t count, std::size_t& bytes) {
  bytes = 0;
  if (count >= too_many) return cudaErrorInvalidValue;
  std::size_t sorting = 0, encoding = 0, summing = 0;
  // A sort by all bits needs the most memory.
  cudaError_t code = sort(nullptr, sorting, {{}, {}, {}, {}, count, 64}, nullptr);
  if (code == cudaSuccess) code = encode(nullptr, encoding, {{}, count, 0, {}, {}, {}}, nullptr);
  if (code == cudaSuccess) code = sum(nullptr, summing, nullptr, nullptr, count, nullptr);
  if (code == cudaSuccess) bytes = std::max({sorting, encoding, summing, std::size_t{1}});
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

int exclusive_sum(const std::uint32_t* counts, std::uint32_t* sums, std::uint32_t count,
                  Scratch scratch, Stream stream) {
  if (!is_usable(count, scratch)) return cudaErrorInvalidValue;
  const cudaError_t code = cudaMemsetAsync(sums, 0, sizeof *sums, stream);
  if (code != cudaSuccess) return code;
  return sum(scratch.memory, scratch.bytes, counts, sums, count, stream);
}

// For all kernels below:
//   Mapping: a thread takes elements; neighbouring threads take neighbouring elements.
//   Preconditions: what the views say.

/// Memory: a thread reads its reference's viewpoints one after the other and looks their distances
///   up in global memory, all of it scattered; terms are written side by side, 16 bytes each.
/// Cost: |R| dependent look-ups; once for each reference, so of no weight.
int make_all_terms(const TermsView<std::uint8_t>& view, Stream stream) {
  return start_for_each<make_terms<std::uint8_t>>(view, view.count, stream);
}
int make_all_terms(const TermsView<std::uint16_t>& view, Stream stream) {
  return start_for_each<make_terms<std::uint16_t>>(view, view.count, stream);
}

/// Memory: 2 bytes are read and 4 written per element, consecutively.
int widen_all_lengths(const LengthsView& view, Stream stream) {
  return start_for_each<widen_length>(view, view.count, stream);
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

}  // namespace warpath::kernels
