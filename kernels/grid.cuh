#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/launch.hpp"

// How many blocks of how many threads: as many warps as fit onto the device at once, no more.

namespace warpath::kernels {

struct Grid {
  unsigned blocks = 0, threads = 0;
};

/// The grid of a kernel that uses `shared_bytes` per block. `parts` and `per_block` say how much
/// work there is: parts, and how many of them a block of so many threads takes at once. Of sizes
/// that fill the device alike the smallest is taken, from `least_threads` on.
template <class Kernel, class PerBlock>
cudaError_t fill_device(Kernel* kernel, std::size_t shared_bytes, std::uint32_t parts,
                        PerBlock per_block, Grid& grid, int least_threads = 128) {
  int device = 0, multiprocessors = 0, resident = 0;
  cudaFuncAttributes attributes{};
  cudaError_t code = cudaGetDevice(&device);
  if (code == cudaSuccess) {
    code = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  }
  if (code == cudaSuccess) {
    code = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                static_cast<int>(shared_bytes));
  }
  if (code == cudaSuccess) code = cudaFuncGetAttributes(&attributes, kernel);
  for (int threads = least_threads; code == cudaSuccess && threads <= attributes.maxThreadsPerBlock;
       threads += 32) {
    int blocks = 0;
    code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_bytes);
    if (blocks * threads <= resident) continue;
    resident = blocks * threads;
    grid = {static_cast<unsigned>(blocks * multiprocessors), static_cast<unsigned>(threads)};
  }
  if (code == cudaSuccess && grid.threads == 0) code = cudaErrorLaunchOutOfResources;
  if (code != cudaSuccess) return code;
  const std::uint32_t at_once = per_block(grid.threads);
  grid.blocks = std::min(grid.blocks, (parts + at_once - 1) / at_once);
  return cudaSuccess;
}

/// Starts `kernel` on a view.
template <class View>
cudaError_t start(void (*kernel)(View), const View& view, const Grid& grid,
                  std::size_t shared_bytes, Stream stream) {
  kernel<<<grid.blocks, grid.threads, shared_bytes, stream>>>(view);
  return cudaGetLastError();
}

}  // namespace warpath::kernels
