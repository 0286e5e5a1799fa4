#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "ptx/machine.hpp"
#include "ptx/program.hpp"
#include "tests/support/fake_streams.hpp"

// Declares the shared state of the fake runtime's calls.

namespace warpath::testing {

/// Returns the machine that executes a device's kernels and checks its memory. Its seed is
/// WARPATH_SEED.
ptx::Machine& machine(int device);

/// Lists what the program has registered with __cudaRegisterFatBinary.
std::vector<const void*>& fat_binaries();

/// Returns the kernels of the PTX in the fat binaries.
ptx::Program& program();

/// Holds the streams of all devices.
FakeStreams& streams();

/// The error that cudaGetLastError returns next on this thread.
extern thread_local cudaError_t last_error;

/// Sets the last error and returns it.
cudaError_t fail(int code);

/// Stands at the beginning of every call: records it, does some of the streams' work, and keeps
/// other threads out until the call returns.
class Call {
 public:
  explicit Call(const char* name);

  /// Returns the error with which the call must fail; releasing calls release nevertheless.
  cudaError_t code() const { return code_; }
  bool fails() const { return code_ != cudaSuccess; }

 private:
  const std::lock_guard<std::recursive_mutex> lock_;
  cudaError_t code_ = cudaSuccess;
};

/// Returns a stream's device; of streams that were not created, the current device.
int device_of_stream(const void* stream);

/// Adds work to a stream, or to the graph that it captures. Refuses streams of other devices, and
/// the default stream during a capture; on the default stream, work is done at once.
cudaError_t enqueue(const void* stream, FakeStreams::Work work);

/// Waits for all work of a device.
void finish_device(int device);

/// Returns a new random number.
std::uint64_t next_seed();

/// Tells whether those bytes are the memory of a stream's device. If kernels are not executed,
/// tests may use any memory.
bool is_device_memory(const void* memory, std::size_t bytes, const void* stream);
bool is_pinned_memory(const void* memory, std::size_t bytes);

}  // namespace warpath::testing
