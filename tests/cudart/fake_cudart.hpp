#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "tests/ptx/profile.hpp"

// The calls of the CUDA runtime that warpath and the toolkit's templates make, linked in place of
// the runtime: so that the launchers and RealDevice run, as they are, where there is no GPU. Memory
// is the host's. Copies, fills and kernels wait in their streams until somebody waits for them, and
// are then done in some order of the streams, which WARPATH_SEED repeats; kernels from their PTX
// (see tests/ptx/machine.hpp).

namespace warpath::testing {

struct KernelLaunch {
  std::string kernel;  ///< as the compiler mangles it
  unsigned blocks, threads;
  std::size_t shared_bytes;
};

struct FakeCudart {
  /// What it pretends to be. A small one, so that blocks have several things to do.
  int devices = 1, device = 0, multiprocessors = 1, registers = 128;

  bool executes_kernels = true;     ///< or only notes them
  ptx::Profile* profile = nullptr;  ///< what kernels do is added to it
  /// What the machine told of a kernel, which then fails as illegal accesses do.
  std::string fault;

  /// The call, counted from 0, that fails with that code; −1: none. Where it is sticky, so do all
  /// behind it.
  int failing_call = -1, code = 0;
  bool is_sticky = false;

  std::vector<std::string> calls;  ///< all but those that ask for errors or their names
  std::vector<KernelLaunch> launches;
  int on_default_stream = 0;                              ///< copies, fills and launches
  std::set<void*> device_memory, pinned_memory, streams;  ///< not given back

  /// Nothing noted, nothing fails; what was not given back stays.
  void begin(int failing = -1, int with_code = 0, bool sticky = false);
  std::size_t leaks() const { return device_memory.size() + pinned_memory.size() + streams.size(); }
};

FakeCudart& cudart();

}  // namespace warpath::testing
