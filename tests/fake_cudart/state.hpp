#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <set>

#include "ptx/machine.hpp"
#include "ptx/program.hpp"
#include "tests/support/fake_streams.hpp"

// Declares the shared state of the fake runtime's calls.

namespace warpath::testing {

/// Returns the machine that executes kernels. Its seed is WARPATH_SEED.
ptx::Machine& machine();

/// Returns the kernels of the PTX files in WARPATH_PTX, a list with colons that is set when the
/// fake is compiled.
ptx::Program& program();

FakeStreams& streams();

/// The error that cudaGetLastError returns next.
extern cudaError_t last_error;

/// Sets the last error and returns it.
cudaError_t fail(int code);

/// Records a call and does some of the streams' work. Returns the error with which the call must
/// fail; releasing calls release nevertheless.
cudaError_t begin_call(const char* name);

/// Counts work on the default stream.
void note_stream(const void* stream);

/// Adds work to a stream. On a stream that was not created it is done at once.
void enqueue(const void* stream, FakeStreams::Work work);

/// Allocates host memory and adds it to `blocks`.
cudaError_t allocate(void** memory, std::size_t bytes, std::set<void*>& blocks);

/// Frees memory of `blocks`; ignores any other.
void release(void* memory, std::set<void*>& blocks);

/// Tells whether that is device memory. If kernels are not executed, tests may use any memory.
bool is_device_memory(const void* memory, std::size_t bytes);

}  // namespace warpath::testing
