#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "ptx/profile.hpp"

// A fake CUDA runtime: the calls that warpath and the toolkit's templates make, linked in place of
// the runtime, so that the launchers and RealDevice run as they are where there is no GPU. Memory
// of the device is the host's. Copies, fills and kernels wait in their streams until somebody waits
// for them, and are then done in some order of the streams, which WARPATH_SEED repeats. The PTX
// emulator (tests/ptx_emulator) executes the kernels.

namespace warpath::testing {

struct KernelLaunch {
  std::string kernel;  ///< its mangled name
  unsigned blocks, threads;
  std::size_t shared_bytes;
};

/// Controls the fake runtime, and says what was called.
struct FakeCudart {
  // What it claims to be: a small device, so that blocks have several things to do.
  int devices = 1, device = 0, multiprocessors = 1, registers = 128;

  bool executes_kernels = true;     ///< or only notes them
  ptx::Profile* profile = nullptr;  ///< where not null, what kernels do is added to it
  /// What a kernel did that it must not do. From then on, calls fail as behind an illegal access.
  std::string fault;

  int failing_call = -1;   ///< the call, counted from 0, that fails; −1: none
  int code = 0;            ///< the error with which it fails
  bool is_sticky = false;  ///< whether all calls behind it fail too

  std::vector<std::string> calls;  ///< all but those that ask for errors or their names
  std::vector<KernelLaunch> launches;
  int on_default_stream = 0;  ///< copies, fills and launches
  // What was not given back.
  std::set<void*> device_memory, pinned_memory, streams;

  /// Forgets what was noted and sets which call fails. What was not given back stays.
  void begin(int failing = -1, int with_code = 0, bool sticky = false);
  std::size_t leaks() const { return device_memory.size() + pinned_memory.size() + streams.size(); }
};

FakeCudart& cudart();

}  // namespace warpath::testing
