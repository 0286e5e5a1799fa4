#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>

#include "kernels/launch/toolkit.cuh"

namespace warpath::kernels {
namespace {

/// Returns a key without its m_bits.
struct RunOfKey {
  int m_bits;
  __host__ __device__ std::uint64_t operator()(std::uint64_t key) const { return key >> m_bits; }
};

/// Reads element i of integers of any width.
struct ElementOf {
  IntegerArray all;
  __device__ std::uint32_t operator()(std::uint32_t i) const { return all[i]; }
};

// Columns and rows add up as one number: neither sum reaches 2^32, and CUB's scan exchanges numbers
// of 8 bytes with one access.
struct WordOfTile {
  __host__ __device__ std::uint64_t operator()(const TileStart& t) const {
    return std::uint64_t{t.row} << 32 | t.column;
  }
};
struct TileOfWord {
  __host__ __device__ TileStart operator()(std::uint64_t word) const {
    return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32)};
  }
};

}  // namespace

cudaError_t sort(void* memory, std::size_t& bytes, const SortView& v, Stream stream) {
  return cub::DeviceRadixSort::SortPairs(memory, bytes, v.key, v.sorted_key, v.pair, v.sorted_pair,
                                         v.count, 0, v.bits, stream);
}

cudaError_t encode(void* memory, std::size_t& bytes, const RunsView& v, Stream stream) {
  const auto run = thrust::make_transform_iterator(v.key, RunOfKey{v.m_bits});
  return cub::DeviceRunLengthEncode::Encode(memory, bytes, run, v.run_key, v.run_length, v.runs,
                                            static_cast<int>(v.count), stream);
}

cudaError_t sum(void* memory, std::size_t& bytes, const LengthSumView& v, Stream stream) {
  const auto counts =
      thrust::make_transform_iterator(thrust::make_counting_iterator(0u), ElementOf{v.counts});
  return cub::DeviceScan::InclusiveSum(memory, bytes, counts, v.sums + 1, v.count, stream);
}

cudaError_t sum(void* memory, std::size_t& bytes, const TileSumView& v, Stream stream) {
  const auto sizes = thrust::make_transform_iterator(v.sizes, WordOfTile{});
  const auto starts = thrust::make_transform_output_iterator(v.starts + 1, TileOfWord{});
  return cub::DeviceScan::InclusiveSum(memory, bytes, sizes, starts, v.count, stream);
}

}  // namespace warpath::kernels
