#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>

#include "tests/fake_cudart/fake_cudart.hpp"
#include "tests/fake_cudart/state.hpp"

// Calls that register kernels, ask for their limits and launch them.

using namespace warpath::testing;

namespace {

// Holds what <<<>>> passes to the following launch.
struct Configuration {
  dim3 grid, block;
  std::size_t shared_bytes;
  cudaStream_t stream;
};
Configuration configuration;

// Maps addresses of the host functions that launch kernels to the kernels' mangled names.
std::map<const void*, std::string>& kernel_names() {
  static std::map<const void*, std::string> names;
  return names;
}

// Maps kernels to the bytes of dynamic shared memory that cudaFuncSetAttribute allowed.
std::map<const void*, int>& shared_limits() {
  static std::map<const void*, int> limits;
  return limits;
}

bool can_launch(const void* function, const ptx::Kernel& kernel, const ptx::LaunchShape& shape) {
  const auto limit = shared_limits().find(function);
  const std::size_t max_shared =
      limit == shared_limits().end() ? 48 * 1024 - kernel.static_shared : limit->second;
  return shape.blocks > 0 && shape.threads > 0 && shape.threads <= kernel.max_threads &&
         shape.dynamic_shared <= max_shared;
}

// Does nothing after a kernel has failed.
void execute(const ptx::Kernel& kernel, const ptx::LaunchShape& shape,
             const ptx::Parameters& parameters) {
  if (!cudart().fault.empty()) return;
  try {
    machine().profile = cudart().profile;
    machine().run(kernel, shape, parameters);
  } catch (const ptx::Fault& fault) {
    cudart().fault = fault.what();
  }
}

}  // namespace

extern "C" {

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  const ptx::Kernel* kernel = program().find(kernel_names()[function]);
  if (kernel == nullptr) return fail(cudaErrorInvalidDeviceFunction);
  std::memset(attributes, 0, sizeof *attributes);
  attributes->maxThreadsPerBlock = static_cast<int>(kernel->max_threads);
  attributes->sharedSizeBytes = kernel->static_shared;
  attributes->numRegs = cudart().registers;
  attributes->ptxVersion = attributes->binaryVersion = 90;
  return begin_call("cudaFuncGetAttributes");
}
cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) shared_limits()[function] = value;
  return begin_call("cudaFuncSetAttribute");
}
// Uses the limits of an H100.
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int threads,
                                                          std::size_t shared_bytes) {
  const int by_shared = static_cast<int>(233472 / (shared_bytes + 1024));
  *blocks = std::min({2048 / threads, 65536 / (cudart().registers * threads), by_shared});
  return begin_call("cudaOccupancyMaxActiveBlocksPerMultiprocessor");
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void* function, int threads, std::size_t shared_bytes, unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared_bytes);
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes,
                                     CUstream_st* stream) {
  configuration = {grid, block, shared_bytes, stream};
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes,
                                       void* stream) {
  *grid = configuration.grid;
  *block = configuration.block;
  *shared_bytes = configuration.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = configuration.stream;
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void*>(function));
  return cudaSuccess;
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                void** arguments) {
  note_stream(config->stream);
  const cudaError_t code = begin_call("cudaLaunchKernel");
  if (code != cudaSuccess) return code;
  const std::string& name = kernel_names()[function];
  const ptx::Kernel* kernel = program().find(name);
  if (kernel == nullptr) return fail(cudaErrorInvalidDeviceFunction);
  const ptx::LaunchShape shape{config->gridDim.x, config->blockDim.x, config->dynamicSmemBytes};
  if (!can_launch(function, *kernel, shape)) return fail(cudaErrorInvalidValue);
  cudart().launches.push_back({name, shape.blocks, shape.threads, shape.dynamic_shared});
  if (!cudart().executes_kernels) return cudaSuccess;
  enqueue(config->stream, [kernel, shape, parameters = ptx::pack_parameters(*kernel, arguments)] {
    execute(*kernel, shape, parameters);
  });
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared_bytes, cudaStream_t stream) {
  const cudaLaunchConfig_t config{.gridDim = grid,
                                  .blockDim = block,
                                  .dynamicSmemBytes = shared_bytes,
                                  .stream = stream,
                                  .attrs = nullptr,
                                  .numAttrs = 0};
  return cudaLaunchKernelExC(&config, kernel, arguments);
}

void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int) {}
void __cudaRegisterFunction(void**, const char* function, char*, const char* name, int, uint3*,
                            uint3*, dim3*, dim3*, int*) {
  kernel_names()[function] = name;
}

}  // extern "C"
