#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "tests/fake_cudart/capture.hpp"
#include "tests/fake_cudart/fake_cudart.hpp"
#include "tests/fake_cudart/state.hpp"

// Calls for memory, copies and fills.

using namespace warpath::testing;

namespace {

// Initial value of memory, by which unwritten memory shows: it is large as a float and as an index.
constexpr int fresh_byte = 0x7b;

cudaError_t allocate(void** memory, std::size_t bytes) {
  if (const auto code = refuse_if_captured(Disturbance::unsafe)) return code;
  *memory = std::aligned_alloc(256, std::max<std::size_t>(bytes + 255, 256) / 256 * 256);
  return *memory == nullptr ? fail(cudaErrorMemoryAllocation) : cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  const Call call("cudaMalloc");
  if (call.fails()) return call.code();
  const cudaError_t allocated = allocate(memory, bytes);
  if (allocated == cudaSuccess) {
    std::memset(*memory, fresh_byte, bytes);
    cudart().device_memory[*memory] = current_device();
    machine(current_device()).memory.add(*memory, bytes);
  }
  return allocated;
}
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  const Call call("cudaMallocHost");
  if (call.fails()) return call.code();
  const cudaError_t allocated = allocate(memory, bytes);
  if (allocated == cudaSuccess) cudart().pinned_memory[*memory] = bytes;
  return allocated;
}
cudaError_t cudaFree(void* memory) {
  const Call call("cudaFree");
  const auto block = cudart().device_memory.find(memory);
  if (block == cudart().device_memory.end()) {
    return memory == nullptr ? call.code() : fail(cudaErrorInvalidValue);
  }
  if (const auto code = refuse_if_captured(Disturbance::forbidden, block->second)) return code;
  finish_device(block->second);
  machine(block->second).memory.remove(memory);
  cudart().device_memory.erase(block);
  std::free(memory);
  return call.code();
}
cudaError_t cudaFreeHost(void* memory) {
  const Call call("cudaFreeHost");
  if (const auto code = refuse_if_captured(Disturbance::forbidden)) return code;
  streams().finish();
  if (cudart().pinned_memory.erase(memory) == 0) return fail(cudaErrorInvalidValue);
  std::free(memory);
  return call.code();
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  const Call call("cudaMemcpyAsync");
  if (call.fails()) return call.code();
  const bool is_upload = kind == cudaMemcpyHostToDevice;
  if (!is_device_memory(is_upload ? to : from, bytes, stream)) return fail(cudaErrorInvalidValue);
  if (!is_pinned_memory(is_upload ? from : to, bytes)) return fail(cudaErrorInvalidHostPointer);
  return enqueue(stream, [=, device = device_of_stream(stream)] {
    std::memcpy(to, from, bytes);
    machine(device).memory.mark_written(to, bytes);
  });
}
cudaError_t cudaMemsetAsync(void* memory, int byte, std::size_t bytes, cudaStream_t stream) {
  const Call call("cudaMemsetAsync");
  if (call.fails()) return call.code();
  if (!is_device_memory(memory, bytes, stream)) return fail(cudaErrorInvalidValue);
  return enqueue(stream, [=, device = device_of_stream(stream)] {
    std::memset(memory, byte, bytes);
    machine(device).memory.mark_written(memory, bytes);
  });
}

}  // extern "C"
