#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_run_length_encode.cuh>

#include "kernels/launch/toolkit.cuh"

namespace warpath::kernels {
namespace {

/// Returns a key without its m_bits.
struct RunOfKey {
  int m_bits;
  __host__ __device__ std::uint64_t operator()(std::uint64_t key) const { return key >> m_bits; }
};

}  // namespace

cudaError_t encode(void* memory, std::size_t& bytes, const RunsView& v, Stream stream) {
  const auto run = thrust::make_transform_iterator(v.key, RunOfKey{v.m_bits});
  return cub::DeviceRunLengthEncode::Encode(memory, bytes, run, v.run_key, v.run_length, v.runs,
                                            static_cast<int>(v.count), stream);
}

}  // namespace warpath::kernels
