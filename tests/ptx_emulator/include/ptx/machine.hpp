#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "ptx/fault.hpp"
#include "ptx/global_memory.hpp"
#include "ptx/kernel.hpp"
#include "ptx/profile.hpp"

namespace ptx {

/// Holds the values of a kernel's parameters, each at its offset.
using Parameters = std::vector<unsigned char>;

/// Packs parameters.
/// @param arguments pointers to the values, as a launch of the CUDA runtime takes them.
Parameters pack_parameters(const Kernel& kernel, void** arguments);

struct LaunchShape {
  unsigned blocks, threads;
  std::size_t dynamic_shared = 0;  ///< bytes of each block
};

/// Executes kernels on the host. Blocks run one after the other. The threads of a block take turns
/// in random order, each until it ends or waits for others.
class Machine {
 public:
  /// @param seed decides the order in which threads take turns.
  explicit Machine(std::uint64_t seed = 1) : seed_(seed), random_(seed) {}

  GlobalMemory memory;
  Profile* profile = nullptr;  ///< if not null, collects what kernels do

  /// Executes a kernel.
  /// @throws Fault for a forbidden action; its text names kernel, block, thread, instruction and
  /// seed.
  void run(const Kernel& kernel, const LaunchShape& shape, Parameters parameters);

 private:
  std::uint64_t seed_;
  std::mt19937_64 random_;
  std::uint32_t block_count_ = 0;     // of all launches so far
  std::vector<std::uint64_t> slots_;  // of a block's threads, kept because new pages take long
};

}  // namespace ptx
