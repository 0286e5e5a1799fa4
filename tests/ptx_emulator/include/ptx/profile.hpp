#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

// Counts what kernels ask of a GPU's memory. Nothing is timed.

namespace ptx {

enum class Direction { load, store };
enum class MemorySpace { parameter, shared, global };

/// Describes one access of a thread, with all elements of a vector.
struct MemoryAccess {
  std::uint32_t pc;  ///< index into Kernel::code of the next instruction
  MemorySpace space;
  Direction direction;
  std::uint64_t address;
  std::size_t bytes;
};

struct Traffic {
  std::uint64_t requests = 0;  ///< of a warp
  /// Shared memory: cycles, that is, the largest number of words in one of the 32 banks; accesses
  /// of 8 or 16 bytes are served for half or a quarter of the warp at a time. Global memory: lines
  /// of 128 bytes.
  std::uint64_t wavefronts = 0;
  std::uint64_t sectors = 0;  ///< of 32 bytes, of global memory
};

/// Holds sums over the launches of one kernel.
struct KernelProfile {
  std::uint64_t instructions = 0;  ///< of PTX, by all threads, without moves between registers
  std::map<MemorySpace, std::map<Direction, Traffic>> traffic;

  /// Adds the accesses of a warp's lanes, each lane's in their order. The n-th accesses of the
  /// lanes by the same instruction count as one request, as if the lanes had never diverged.
  void add_warp(const std::vector<std::vector<MemoryAccess>>& lanes);
};

/// Profiles by the name of the kernel.
using Profile = std::map<std::string, KernelProfile>;

}  // namespace ptx
