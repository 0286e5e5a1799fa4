#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "tests/fake_cudart/capture.hpp"
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
thread_local Configuration configuration;

// Maps addresses of the host functions that launch kernels to the kernels' mangled names.
std::map<const void*, std::string>& kernel_names() {
  static std::map<const void*, std::string> names;
  return names;
}

// Holds what a device knows of a kernel: the bytes of dynamic shared memory that
// cudaFuncSetAttribute allowed.
using OfDevice = std::pair<int, const void*>;
std::map<OfDevice, int>& shared_limits() {
  static std::map<OfDevice, int> limits;
  return limits;
}

// Holds the kernels that each device has loaded.
std::set<OfDevice>& loaded() {
  static std::set<OfDevice> kernels;
  return kernels;
}

// Loads a kernel at its first use on the current device, which a stream that captures refuses.
cudaError_t load(const void* function) {
  const OfDevice kernel{current_device(), function};
  if (loaded().contains(kernel)) return cudaSuccess;
  if (const auto code = refuse_if_captured(Disturbance::forbidden, current_device())) return code;
  loaded().insert(kernel);
  return cudaSuccess;
}

bool can_launch(const void* function, const ptx::Kernel& kernel, const ptx::LaunchShape& shape) {
  const auto limit = shared_limits().find({current_device(), function});
  const std::size_t max_shared =
      limit == shared_limits().end() ? 48 * 1024 - kernel.static_shared : limit->second;
  return shape.blocks > 0 && shape.threads > 0 && shape.threads <= kernel.max_threads &&
         shape.dynamic_shared <= max_shared;
}

// Does nothing after a kernel has failed.
void execute(int device, const ptx::Kernel& kernel, const ptx::LaunchShape& shape,
             const ptx::Parameters& parameters) {
  if (!cudart().fault.empty()) return;
  try {
    machine(device).profile = cudart().profile;
    machine(device).run(kernel, shape, parameters);
  } catch (const ptx::Fault& fault) {
    cudart().fault = fault.what();
  }
}

}  // namespace

void warpath::testing::unload_kernels() {
  loaded().clear();
}

extern "C" {

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  const Call call("cudaFuncGetAttributes");
  const ptx::Kernel* kernel = program().find(kernel_names()[function]);
  if (kernel == nullptr) return fail(cudaErrorInvalidDeviceFunction);
  if (const auto code = load(function)) return code;
  std::memset(attributes, 0, sizeof *attributes);
  attributes->maxThreadsPerBlock = static_cast<int>(kernel->max_threads);
  attributes->sharedSizeBytes = kernel->static_shared;
  attributes->numRegs = cudart().registers;
  attributes->ptxVersion = attributes->binaryVersion = 90;
  return call.code();
}
cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  const Call call("cudaFuncSetAttribute");
  if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
    shared_limits()[{current_device(), function}] = value;
  }
  return call.code();
}
// Uses the limits of an H100.
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int threads,
                                                          std::size_t shared_bytes) {
  const Call call("cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  const int by_shared = static_cast<int>(233472 / (shared_bytes + 1024));
  *blocks = std::min({2048 / threads, 65536 / (cudart().registers * threads), by_shared});
  return call.code();
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
  const Call call("cudaLaunchKernel");
  if (call.fails()) return call.code();
  const std::string& name = kernel_names()[function];
  const ptx::Kernel* kernel = program().find(name);
  if (kernel == nullptr) return fail(cudaErrorInvalidDeviceFunction);
  const ptx::LaunchShape shape{config->gridDim.x, config->blockDim.x, config->dynamicSmemBytes};
  if (!can_launch(function, *kernel, shape)) return fail(cudaErrorInvalidValue);
  if (const auto code = load(function)) return code;
  const int device = current_device();
  FakeStreams::Work work = [device, kernel, shape,
                            parameters = ptx::pack_parameters(*kernel, arguments)] {
    if (cudart().executes_kernels) execute(device, *kernel, shape, parameters);
  };
  if (const auto code = enqueue(config->stream, std::move(work))) return code;
  cudart().launches.push_back({name, shape.blocks, shape.threads, shape.dynamic_shared, device});
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

void** __cudaRegisterFatBinary(void* binary) {
  static void* handle = nullptr;
  fat_binaries().push_back(binary);
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
