#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <tuple>

#include "kernels/launch/launch.hpp"

// Chooses how many blocks of how many threads to start: as many warps as fit onto the device at
// once.

namespace warpath::kernels {

/// Maximum of threads in a block of the kernels with one thread per pair: it leaves each thread 128
/// or 168 registers. With the 1 behind it in __launch_bounds__, ptxas does not squeeze kernels
/// below 64 or 40 registers by spilling.
template <int K>
constexpr int tile_threads = K < 20 ? 512 : 384;

struct Grid {
  unsigned blocks = 0, threads = 0;
};

/// Asks the runtime for the grid with as many warps of a kernel as fit onto the device at once. Of
/// equally good block sizes it takes the smallest, from `min_threads` on.
inline cudaError_t ask_for_grid(const void* kernel, int device, std::size_t shared_bytes,
                                int min_threads, Grid& grid) {
  int multiprocessors = 0, max_shared = 0, resident = 0;
  cudaFuncAttributes attributes{};
  cudaError_t code =
      cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (code == cudaSuccess) {
    code = cudaDeviceGetAttribute(&max_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  }
  if (code == cudaSuccess) code = cudaFuncGetAttributes(&attributes, kernel);
  if (code == cudaSuccess) {
    // Allows the maximum of a block, because the limit also holds for later, larger launches.
    code = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                max_shared - static_cast<int>(attributes.sharedSizeBytes));
  }
  for (int threads = min_threads; code == cudaSuccess && threads <= attributes.maxThreadsPerBlock;
       threads += 32) {
    int blocks = 0;
    code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_bytes);
    if (blocks * threads <= resident) continue;
    resident = blocks * threads;
    grid = {static_cast<unsigned>(blocks * multiprocessors), static_cast<unsigned>(threads)};
  }
  return code == cudaSuccess && grid.threads == 0 ? cudaErrorLaunchOutOfResources : code;
}

/// Finds the grid of a kernel that uses `shared_bytes` per block. `parts` is the amount of work,
/// and `per_block` says how many parts a block of that many threads takes at once. The runtime is
/// asked once per kernel, device and number of bytes, not at every launch.
template <class Kernel, class PerBlock>
cudaError_t fill_device(Kernel* kernel, std::size_t shared_bytes, std::uint32_t parts,
                        PerBlock per_block, Grid& grid, int min_threads = 128) {
  static std::map<std::tuple<Kernel*, int, std::size_t>, Grid> known;
  static std::mutex known_guard;
  int device = 0;
  cudaError_t code = cudaGetDevice(&device);
  if (code != cudaSuccess) return code;
  const auto key = std::tuple(kernel, device, shared_bytes);
  const std::lock_guard lock(known_guard);
  if (const auto found = known.find(key); found != known.end()) {
    grid = found->second;
  } else {
    code = ask_for_grid(reinterpret_cast<const void*>(kernel), device, shared_bytes, min_threads,
                        grid);
    if (code != cudaSuccess) return code;
    known[key] = grid;
  }
  const std::uint32_t at_once = per_block(grid.threads);
  grid.blocks = std::min(grid.blocks, (parts + at_once - 1) / at_once);
  return cudaSuccess;
}

/// Starts `kernel` with a view as its parameter.
template <class View>
cudaError_t start(void (*kernel)(View), const View& view, const Grid& grid,
                  std::size_t shared_bytes, Stream stream) {
  kernel<<<grid.blocks, grid.threads, shared_bytes, stream>>>(view);
  return cudaGetLastError();
}

}  // namespace warpath::kernels
