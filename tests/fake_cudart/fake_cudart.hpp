#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "ptx/profile.hpp"

// Defines a fake CUDA runtime: the calls that warpath and the toolkit's templates make, linked in
// place of the real runtime, so that the launchers and RealDevice run unchanged without a GPU.
// Device memory is host memory. Copies, fills and kernels stay in their streams until something
// waits for them, and are then done in some order of the streams, which WARPATH_SEED repeats. The
// PTX emulator (tests/ptx_emulator) executes the kernels.

namespace warpath::testing {

struct KernelLaunch {
  std::string kernel;  ///< mangled name
  unsigned blocks, threads;
  std::size_t shared_bytes;
};

/// Controls the fake runtime and records its calls.
struct FakeCudart {
  // Properties of the fake device. It is small, so that each block has several parts of the work.
  int devices = 1, device = 0, multiprocessors = 1, registers = 128;

  bool executes_kernels = true;     ///< if false, launches are only recorded
  ptx::Profile* profile = nullptr;  ///< if not null, collects what kernels do
  /// Forbidden action of a kernel. From then on calls fail as after an illegal access.
  std::string fault;

  int failing_call = -1;   ///< number of the call that fails, from 0; −1: none
  int code = 0;            ///< the error with which it fails
  bool is_sticky = false;  ///< whether all later calls fail too

  std::vector<std::string> calls;  ///< all except those that ask for errors or their names
  std::vector<KernelLaunch> launches;
  int on_default_stream = 0;  ///< copies, fills and launches
  // Resources that were not released.
  std::set<void*> device_memory, pinned_memory, streams;

  /// Clears the records and sets which call fails. Resources that were not released stay recorded.
  void begin(int failing = -1, int with_code = 0, bool sticky = false);
  std::size_t leaks() const { return device_memory.size() + pinned_memory.size() + streams.size(); }
};

FakeCudart& cudart();

}  // namespace warpath::testing
