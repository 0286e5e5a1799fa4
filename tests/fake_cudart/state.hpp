#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <set>

#include "ptx/machine.hpp"
#include "ptx/program.hpp"
#include "tests/support/fake_streams.hpp"

// What the calls of the fake runtime share.

namespace warpath::testing {

/// Returns the machine that executes kernels. Its seed is WARPATH_SEED.
ptx::Machine& machine();

/// Returns the kernels of the files that WARPATH_PTX named, with colons between them, when the fake
/// was compiled.
ptx::Program& program();

FakeStreams& streams();

/// The error that cudaGetLastError returns next.
extern cudaError_t last_error;

/// Sets the last error and returns it.
cudaError_t fail(int code);

/// Notes a call, and does some of the streams' work. Returns the error with which the call is to
/// fail; calls that release do so even then.
cudaError_t begin_call(const char* name);

/// Counts the work that is put on the default stream.
void note_stream(const void* stream);

/// Puts work on a stream. On one that was not created it is done at once.
void enqueue(const void* stream, FakeStreams::Work work);

/// Allocates memory of the host and adds it to `blocks`.
cudaError_t allocate(void** memory, std::size_t bytes, std::set<void*>& blocks);

/// Frees memory of `blocks`; does nothing for any other.
void release(void* memory, std::set<void*>& blocks);

/// Returns whether that is memory of the device. Where kernels are not executed, tests may give any
/// memory for it.
bool is_device_memory(const void* memory, std::size_t bytes);

}  // namespace warpath::testing
