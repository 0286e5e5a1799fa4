#pragma once

#include <cuda_runtime_api.h>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/system_error.h>

#include <cstdint>

#include "kernels/launch/launch.hpp"

namespace warpath::kernels {

/// Calls `body` of one view for each element; Thrust calls this. The view is a parameter of
/// Thrust's kernel, so all threads read it from constant memory. Parameters of a kernel are limited
/// to 4 KB.
template <auto body, class View>
struct BodyOf {
  static_assert(sizeof(View) <= 4000);
  View view;
  __device__ void operator()(std::uint32_t i) const { body(view, i); }
};

/// Starts body(view, i) for all i < `count`, neighbouring threads on neighbouring elements. It
/// neither allocates nor waits: Thrust's for_each needs no memory. (Thrust's sorts and scans do, so
/// toolkit.cuh has those of CUB, which take a given buffer.)
template <auto body, class View>
cudaError_t start_for_each(const View& view, std::uint32_t count, Stream stream) {
  if (count == 0) return cudaSuccess;
  int device = 0;
  // Thrust reports "invalid device" if there is no device or no driver.
  if (const cudaError_t code = cudaGetDevice(&device); code != cudaSuccess) return code;
  try {
    thrust::for_each_n(thrust::cuda::par_nosync.on(stream), thrust::make_counting_iterator(0u),
                       count, BodyOf<body, View>{view});
  } catch (const thrust::system_error& e) {
    return static_cast<cudaError_t>(e.code().value());
  }
  return cudaGetLastError();
}

}  // namespace warpath::kernels
