#include <cuda_runtime_api.h>

#include <cstring>

#include "tests/fake_cudart/fake_cudart.hpp"
#include "tests/fake_cudart/state.hpp"

// Calls for memory, streams, copies and fills.

using namespace warpath::testing;

namespace {

// Initial value of memory, by which unwritten memory shows: it is large as a float and as an index.
constexpr int fresh_byte = 0x7b;

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  const cudaError_t code = begin_call("cudaMalloc");
  if (code != cudaSuccess) return code;
  const cudaError_t allocated = allocate(memory, bytes, cudart().device_memory);
  if (allocated == cudaSuccess) {
    std::memset(*memory, fresh_byte, bytes);
    machine().memory.add(*memory, bytes);
  }
  return allocated;
}
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  const cudaError_t code = begin_call("cudaMallocHost");
  return code != cudaSuccess ? code : allocate(memory, bytes, cudart().pinned_memory);
}
cudaError_t cudaFree(void* memory) {
  streams().finish();
  machine().memory.remove(memory);
  release(memory, cudart().device_memory);
  return begin_call("cudaFree");
}
cudaError_t cudaFreeHost(void* memory) {
  streams().finish();
  release(memory, cudart().pinned_memory);
  return begin_call("cudaFreeHost");
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  const cudaError_t code = begin_call("cudaStreamCreateWithFlags");
  if (code != cudaSuccess) return code;
  void* address = nullptr;
  allocate(&address, 1, cudart().streams);
  streams().add(address);
  *stream = static_cast<cudaStream_t>(address);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  streams().remove(stream);
  release(stream, cudart().streams);
  return begin_call("cudaStreamDestroy");
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (streams().has(stream)) streams().finish(stream);
  return begin_call("cudaStreamSynchronize");
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  note_stream(stream);
  const cudaError_t code = begin_call("cudaMemcpyAsync");
  if (code != cudaSuccess) return code;
  const bool is_upload = kind == cudaMemcpyHostToDevice;
  if (!is_device_memory(is_upload ? to : from, bytes)) return fail(cudaErrorInvalidValue);
  enqueue(stream, [=] {
    std::memcpy(to, from, bytes);
    machine().memory.mark_written(to, bytes);
  });
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* memory, int byte, std::size_t bytes, cudaStream_t stream) {
  note_stream(stream);
  const cudaError_t code = begin_call("cudaMemsetAsync");
  if (code != cudaSuccess) return code;
  if (!is_device_memory(memory, bytes)) return fail(cudaErrorInvalidValue);
  enqueue(stream, [=] {
    std::memset(memory, byte, bytes);
    machine().memory.mark_written(memory, bytes);
  });
  return cudaSuccess;
}

}  // extern "C"
