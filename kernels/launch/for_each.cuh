#pragma once

#include <cuda_runtime_api.h>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/system_error.h>

#include <cstdint>

#include "kernels/launch/launch.hpp"

namespace warpath::kernels {

/// Calls `body` of one view for each element; Thrust calls this. It is a parameter of Thrust's
/// kernel, so that all threads read it from constant memory. The parameters of a kernel are 4 KB at
/// the most.
template <auto body, class View>
struct BodyOf {
  static_assert(sizeof(View) <= 4000);
  View view;
  __device__ void operator()(std::uint32_t i) const { body(view, i); }
};

/// Starts body(view, i) for all i < `count`, neighbours side by side. Allocates and waits for
/// nothing: a for_each needs no memory of its own. (Thrust's sorts and scans do, so that
/// pack_pairs.cu has CUB's, which take what they are given.)
template <auto body, class View>
cudaError_t start_for_each(const View& view, std::uint32_t count, Stream stream) {
  if (count == 0) return cudaSuccess;
  int device = 0;
  // Thrust calls it an invalid device where there is none, or no driver.
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
