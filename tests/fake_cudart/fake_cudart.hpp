#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "ptx/profile.hpp"

// Defines a fake CUDA runtime: the calls that warpath and the toolkit's templates make, linked in
// place of the real runtime, so that the launchers and RealDevice run unchanged without a GPU.
// Device memory is host memory. Copies, fills and kernels stay in their streams until something
// waits for them, and are then done in some order of the streams, which WARPATH_SEED repeats. The
// PTX emulator (tests/ptx_emulator) executes the kernels. Any number of threads may make calls.
//
// There are several devices, each with streams, events and memory of its own. The runtime refuses
// what a real one refuses, and where documentation leaves that open, more:
// * kernels, fills and copies on a stream of another than the current device (a real runtime copies
//   there), or in memory of another device, and copies from or to host memory that is not pinned
//   (a real runtime waits for them);
// * while a stream captures a graph, what would break the capture (see capture.hpp).

namespace warpath::testing {

struct KernelLaunch {
  std::string kernel;  ///< mangled name
  unsigned blocks, threads;
  std::size_t shared_bytes;
  int device;
};

/// Controls the fake runtime and records its calls.
struct FakeCudart {
  // Properties of each fake device. It is small, so that each block has several parts of the work.
  int devices = 32, multiprocessors = 1, registers = 128;

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
  // Resources that were not released: their devices, or the bytes of pinned memory.
  std::map<void*, int> device_memory, streams, events;
  std::map<void*, std::size_t> pinned_memory;
  std::size_t graphs = 0;  ///< graphs, also instantiated ones, that were not destroyed

  /// Clears the records, and the calling thread's last error and mode of captures, and sets which
  /// call fails. Resources that were not released stay recorded.
  void begin(int failing = -1, int with_code = 0, bool sticky = false);
  /// Returns how many calls of that name were recorded.
  std::size_t count(const std::string& call) const;
  std::size_t leaks() const {
    return device_memory.size() + pinned_memory.size() + streams.size() + events.size() + graphs;
  }
};

FakeCudart& cudart();

/// The calling thread's current device. Tests of launchers set any number.
int& current_device();

/// Leaves an error behind on the calling thread, as a failing call of other code does.
void leave_error(int code);

/// Forgets which kernels were started: each is loaded anew at its next use, which a stream that
/// captures refuses.
void unload_kernels();

}  // namespace warpath::testing
