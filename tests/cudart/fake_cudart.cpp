#include "tests/cudart/fake_cudart.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <sstream>
#include <string_view>
#include <utility>

#include "tests/ptx/machine.hpp"
#include "tests/support/fake_streams.hpp"

namespace warpath::testing {

FakeCudart& cudart() {
  static FakeCudart only;
  return only;
}

namespace {

cudaError_t last_error = cudaSuccess;

struct Configuration {
  dim3 grid, block;
  std::size_t shared_bytes;
  cudaStream_t stream;
};
Configuration configuration;

// By the address of the host's function of that name.
std::map<const void*, std::string>& kernel_names() {
  static std::map<const void*, std::string> names;
  return names;
}

// Bytes of dynamic shared memory that were allowed.
std::map<const void*, int>& shared_limits() {
  static std::map<const void*, int> limits;
  return limits;
}

// For the tests to draw theirs from, too, and to print.
std::uint64_t seed() {
  static const std::uint64_t only = [] {
    if (std::getenv("WARPATH_SEED") == nullptr) {
      setenv("WARPATH_SEED", std::to_string(std::random_device{}()).c_str(), 0);
    }
    return std::stoull(std::getenv("WARPATH_SEED"));
  }();
  return only;
}

ptx::Machine& machine() {
  static ptx::Machine only(seed());
  return only;
}

FakeStreams& streams() {
  static FakeStreams only(seed());
  return only;
}

// The files that are named, with colons between them, when it is compiled.
ptx::Program& program() {
  static ptx::Program only = [] {
    ptx::Program read;
    std::istringstream files(WARPATH_PTX);
    for (std::string file; std::getline(files, file, ':');) read.add_file(file);
    return read;
  }();
  return only;
}

cudaError_t failed(int code) {
  return last_error = static_cast<cudaError_t>(code);
}

// Every call comes here first. Those that release do so even where they fail.
cudaError_t call(const char* name) {
  FakeCudart& c = cudart();
  const int number = static_cast<int>(c.calls.size());
  streams().do_some();
  c.calls.emplace_back(name);
  if (number == c.failing_call) return failed(c.code);
  const bool is_broken = c.is_sticky && c.failing_call >= 0 && number > c.failing_call;
  if (!c.fault.empty()) return failed(cudaErrorIllegalAddress);
  return is_broken ? failed(c.code) : cudaSuccess;
}

void note_stream(const void* stream) {
  if (stream == nullptr) ++cudart().on_default_stream;
}

cudaError_t get(void** memory, std::size_t bytes, std::set<void*>& blocks) {
  *memory = std::aligned_alloc(256, std::max<std::size_t>(bytes + 255, 256) / 256 * 256);
  if (*memory == nullptr) return failed(cudaErrorMemoryAllocation);
  blocks.insert(*memory);
  return cudaSuccess;
}

// At once on a stream that nobody made.
void put_off(const void* stream, FakeStreams::Work work) {
  streams().has(stream) ? streams().push(stream, std::move(work)) : work();
}

// Who only notes kernels may give any memory for a device's.
bool is_devices(const void* memory, std::size_t bytes) {
  return !cudart().executes_kernels || machine().memory.holds(memory, bytes);
}

// What was not written shows: as a float it is large, as an index too.
constexpr int fresh_byte = 0x7b;

void release(void* memory, std::set<void*>& blocks) {
  if (blocks.erase(memory) > 0) std::free(memory);
}

bool can_start(const void* function, const ptx::Kernel& kernel, const ptx::LaunchShape& shape) {
  const auto limit = shared_limits().find(function);
  const std::size_t most_shared =
      limit == shared_limits().end() ? 48 * 1024 - kernel.static_shared : limit->second;
  return shape.blocks > 0 && shape.threads > 0 && shape.threads <= kernel.most_threads &&
         shape.dynamic_shared <= most_shared;
}

// The kernel fails as one does that reads where it must not.
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

void FakeCudart::begin(int failing, int with_code, bool sticky) {
  failing_call = failing;
  code = with_code;
  fault.clear();
  is_sticky = sticky;
  calls.clear();
  launches.clear();
  on_default_stream = 0;
  last_error = cudaSuccess;
}

}  // namespace warpath::testing

using namespace warpath::testing;

extern "C" {

// ---------------------------------------------------------------- device

cudaError_t cudaGetDevice(int* device) {
  *device = cudart().device;
  return call("cudaGetDevice");
}
cudaError_t cudaSetDevice(int) {
  return call("cudaSetDevice");
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = cudart().devices;
  return call("cudaGetDeviceCount");
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = 13000;
  return call("cudaDriverGetVersion");
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return call("cudaRuntimeGetVersion");
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  std::memset(properties, 0, sizeof *properties);
  std::strcpy(properties->name, "a made-up GPU");
  properties->major = 9;
  return call("cudaGetDeviceProperties");
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
      *value = cudart().multiprocessors;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = 227 * 1024;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = 9;
      break;
    case cudaDevAttrMaxGridDimX:
      *value = 0x7fffffff;
      break;
    default:
      *value = 0;
  }
  return call("cudaDeviceGetAttribute");
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* all) {
  *free = *all = std::size_t{1} << 30;
  return call("cudaMemGetInfo");
}
cudaError_t cudaDeviceSynchronize() {
  streams().finish();
  return call("cudaDeviceSynchronize");
}

// ---------------------------------------------------------------- errors

cudaError_t cudaGetLastError() {
  return std::exchange(last_error, cudaSuccess);
}
cudaError_t cudaPeekAtLastError() {
  return last_error;
}
const char* cudaGetErrorName(cudaError_t code) {
  return code == cudaErrorMemoryAllocation ? "cudaErrorMemoryAllocation" : "cudaErrorOfTheFake";
}
const char* cudaGetErrorString(cudaError_t) {
  return cudart().fault.empty() ? "the fake was told to fail" : cudart().fault.c_str();
}

// ---------------------------------------------------------------- memory and streams

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  const cudaError_t code = call("cudaMalloc");
  if (code != cudaSuccess) return code;
  const cudaError_t got = get(memory, bytes, cudart().device_memory);
  if (got == cudaSuccess) {
    std::memset(*memory, fresh_byte, bytes);
    machine().memory.add(*memory, bytes);
  }
  return got;
}
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  const cudaError_t code = call("cudaMallocHost");
  return code != cudaSuccess ? code : get(memory, bytes, cudart().pinned_memory);
}
cudaError_t cudaFree(void* memory) {
  streams().finish();
  machine().memory.remove(memory);
  release(memory, cudart().device_memory);
  return call("cudaFree");
}
cudaError_t cudaFreeHost(void* memory) {
  streams().finish();
  release(memory, cudart().pinned_memory);
  return call("cudaFreeHost");
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  const cudaError_t code = call("cudaStreamCreateWithFlags");
  if (code != cudaSuccess) return code;
  void* made = nullptr;
  get(&made, 1, cudart().streams);
  streams().add(made);
  *stream = static_cast<cudaStream_t>(made);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  streams().remove(stream);
  release(stream, cudart().streams);
  return call("cudaStreamDestroy");
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (streams().has(stream)) streams().finish(stream);
  return call("cudaStreamSynchronize");
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  note_stream(stream);
  const cudaError_t code = call("cudaMemcpyAsync");
  if (code != cudaSuccess) return code;
  const bool is_upload = kind == cudaMemcpyHostToDevice;
  if (!is_devices(is_upload ? to : from, bytes)) return failed(cudaErrorInvalidValue);
  put_off(stream, [=] {
    std::memcpy(to, from, bytes);
    machine().memory.note_write(to, bytes);
  });
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* memory, int byte, std::size_t bytes, cudaStream_t stream) {
  note_stream(stream);
  const cudaError_t code = call("cudaMemsetAsync");
  if (code != cudaSuccess) return code;
  if (!is_devices(memory, bytes)) return failed(cudaErrorInvalidValue);
  put_off(stream, [=] {
    std::memset(memory, byte, bytes);
    machine().memory.note_write(memory, bytes);
  });
  return cudaSuccess;
}

// ---------------------------------------------------------------- kernels

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  const ptx::Kernel* kernel = program().find(kernel_names()[function]);
  if (kernel == nullptr) return failed(cudaErrorInvalidDeviceFunction);
  std::memset(attributes, 0, sizeof *attributes);
  attributes->maxThreadsPerBlock = static_cast<int>(kernel->most_threads);
  attributes->sharedSizeBytes = kernel->static_shared;
  attributes->numRegs = cudart().registers;
  attributes->ptxVersion = attributes->binaryVersion = 90;
  return call("cudaFuncGetAttributes");
}
cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) shared_limits()[function] = value;
  return call("cudaFuncSetAttribute");
}
// Of an H100's limits.
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int threads,
                                                          std::size_t shared_bytes) {
  const int by_shared = static_cast<int>(233472 / (shared_bytes + 1024));
  *blocks = std::min({2048 / threads, 65536 / (cudart().registers * threads), by_shared});
  return call("cudaOccupancyMaxActiveBlocksPerMultiprocessor");
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
  const cudaError_t code = call("cudaLaunchKernel");
  if (code != cudaSuccess) return code;
  const std::string& name = kernel_names()[function];
  const ptx::Kernel* kernel = program().find(name);
  if (kernel == nullptr) return failed(cudaErrorInvalidDeviceFunction);
  const ptx::LaunchShape shape{config->gridDim.x, config->blockDim.x, config->dynamicSmemBytes};
  if (!can_start(function, *kernel, shape)) return failed(cudaErrorInvalidValue);
  cudart().launches.push_back({name, shape.blocks, shape.threads, shape.dynamic_shared});
  if (!cudart().executes_kernels) return cudaSuccess;
  put_off(config->stream, [kernel, shape, parameters = pack(*kernel, arguments)] {
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
