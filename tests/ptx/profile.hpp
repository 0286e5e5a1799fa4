#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

// What kernels executed by the PTX machine ask of a GPU's memory, counted and not timed.

namespace warpath::testing::ptx {

enum class Direction { load, store };
enum class Where { shared, global };

/// A thread's access.
struct Visit {
  std::uint32_t pc;
  Where where;
  Direction direction;
  std::uint64_t address;
  std::size_t bytes;
};

struct Traffic {
  std::uint64_t requests = 0;  ///< of a warp
  /// Shared memory: cycles by bank conflicts, the most words that lie in one of the 32 banks; of
  /// accesses of 8 or 16 bytes, half or a quarter of the warp at a time. Global memory: lines of
  /// 128 bytes.
  std::uint64_t wavefronts = 0;
  std::uint64_t sectors = 0;  ///< of 32 bytes, of global memory
};

/// Sums over launches of one kernel.
struct KernelProfile {
  std::uint64_t instructions = 0;  ///< of PTX, by all threads, without moves between registers
  std::map<Where, std::map<Direction, Traffic>> traffic;

  /// @param lanes the accesses of a warp's lanes, each in its order. Those that the lanes do by the
  ///   same instruction for the same time count as one request: as if they never parted.
  void add_warp(const std::vector<std::vector<Visit>>& lanes);
};

/// By name.
using Profile = std::map<std::string, KernelProfile>;

}  // namespace warpath::testing::ptx
