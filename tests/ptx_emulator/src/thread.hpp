#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "ptx/fault.hpp"
#include "ptx/global_memory.hpp"
#include "ptx/kernel.hpp"
#include "ptx/profile.hpp"

// Defines the state of threads and blocks.

namespace ptx {

struct Block;

inline constexpr unsigned warp_size = 32;

struct Thread {
  enum class State { running, yields, waits_for_warp, waits_for_block, ended };

  /// Holds an asynchronous copy from global to shared memory that has not arrived.
  struct Copy {
    std::uint64_t to, from;
    std::size_t bytes;
    bool is_committed;
  };

  Block* block = nullptr;
  std::uint64_t* slots = nullptr;  ///< see Instruction
  std::uint16_t index = 0;         ///< in its block
  State state = State::running;
  std::uint32_t pc = 0;
  const Instruction* waits_at = nullptr;  ///< while it waits
  bool carry = false;

  /// Number of barriers that it has passed, of its block and of its warp.
  std::uint32_t clock = 0;
  /// Its clock after the last barrier of its block: all threads see what it did before.
  std::uint32_t block_clock = 0;
  /// Its view of the warp: it sees all that lane k did before k's clock was seen_clocks[k].
  std::array<std::uint32_t, warp_size> seen_clocks{};

  std::vector<Copy> copies;
  std::uint64_t instructions = 0;      ///< executed so far, without moves between registers
  std::vector<MemoryAccess> accesses;  ///< to shared and global memory, if they are profiled

  unsigned lane() const { return index % warp_size; }
  template <class T>
  T get(int slot) const {
    T value;
    std::memcpy(&value, &slots[slot], sizeof value);
    return value;
  }
  template <class T>
  void set(int slot, T value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    slots[slot] = bits;
  }
  bool is_true(int predicate) const { return slots[predicate] != 0; }
  /// Counts a barrier. @throws Fault if the clock does not fit into an AccessRecord.
  void advance_clock() {
    if (++clock >> AccessRecord::clock_bits != 0) throw Fault("passes too many barriers");
  }
};

struct Block {
  std::uint32_t number, first_of_launch;  ///< numbers from 1 over all launches
  std::vector<Thread> threads;
  std::vector<unsigned char> parameters, shared;
  std::vector<unsigned char> is_shared_written;  ///< see check_access
  ShadowMemory shared_shadow;
  GlobalMemory& global;
  bool is_profiled;

  /// Checks and records a thread's access. Returns the host's pointer to that address.
  /// @throws Fault as GlobalMemory::access.
  void* access_shared(std::uint64_t offset, std::size_t bytes, AccessKind kind,
                      const Thread& thread);
  /// Returns the host's pointer to parameters. @throws Fault outside of them.
  const void* parameter(std::uint64_t offset, std::size_t bytes) const;
};

}  // namespace ptx
