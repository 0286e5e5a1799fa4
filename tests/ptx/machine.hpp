#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "tests/ptx/memory.hpp"
#include "tests/ptx/profile.hpp"
#include "tests/ptx/program.hpp"

// Executes kernels on the host, a thread after the other: each until it ends or waits for others.
// Blocks run one after the other, too. It stops with a Fault at
//   - accesses outside of device, shared or parameter memory, and misaligned ones;
//   - reads of device or shared memory that nobody wrote (of registers that nobody set: not);
//   - races in shared and global memory (see Shadow), also between blocks;
//   - barriers that part of a warp does not reach, lanes that wait for others that never come,
//     masks without the lane itself, shuffles from lanes that take no part.
// Asynchronous copies arrive when they are waited for, no sooner.

namespace warpath::testing::ptx {

struct Block;

struct Thread {
  enum class State { running, yields, waits_for_warp, waits_for_block, ended };

  Block* block = nullptr;
  std::uint64_t* slots = nullptr;
  std::uint16_t index = 0;  ///< in its block
  State state = State::running;
  std::uint32_t pc = 0;
  const Instruction* at = nullptr;  ///< where it waits
  bool carry = false;
  std::uint32_t time = 0;        ///< barriers so far, of its block and of its warp
  std::uint32_t block_time = 0;  ///< behind the last one of its block
  /// What it knows of its warp by the warp's barriers: all that lane k did before that time of k's.
  std::array<std::uint32_t, 32> seen{};

  struct Copy {
    std::uint64_t to, from;
    std::size_t bytes;
    bool is_committed;
  };
  std::vector<Copy> copies;  ///< under way

  std::uint64_t instructions = 0;  ///< so far, without moves
  std::vector<Visit> visits;       ///< of shared and global memory, where they are profiled

  unsigned lane() const { return index % 32; }
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
  bool holds(int predicate) const { return slots[predicate] != 0; }
  /// At a barrier. @throws Fault where there are more than a Mark can tell apart.
  void advance() {
    if (++time >> 21 != 0) throw Fault("passes too many barriers");
  }
};

struct Block {
  std::uint32_t serial, first_of_launch;  ///< numbers over all launches
  std::vector<Thread> threads;
  std::vector<unsigned char> parameters, shared;
  std::vector<bool> is_shared_written;
  Shadow shared_shadow;
  GlobalMemory& global;
  bool is_profiled;

  /// @throws Fault outside of it, at an odd address, in a race, and where what is read was never
  ///   written.
  void* touch_shared(std::uint64_t at, std::size_t bytes, Access access, const Thread& thread);
  /// @throws Fault outside of it.
  const void* parameter(std::uint64_t at, std::size_t bytes) const;
};

/// The values of a kernel's parameters, each at its offset.
using Parameters = std::vector<unsigned char>;

/// @param arguments as a launch of the CUDA runtime takes them.
Parameters pack(const Kernel& kernel, void** arguments);

struct LaunchShape {
  unsigned blocks, threads;
  std::size_t dynamic_shared = 0;
};

class Machine {
 public:
  /// @param seed of the order in which threads come to their turn.
  explicit Machine(std::uint64_t seed = 1) : seed_(seed), random_(seed) {}

  GlobalMemory memory;
  Profile* profile = nullptr;  ///< what kernels do is added to it

  /// @throws Fault naming kernel, block, thread, instruction and seed.
  void run(const Kernel& kernel, const LaunchShape& shape, Parameters parameters);

 private:
  std::uint64_t seed_;
  std::mt19937_64 random_;
  std::uint32_t blocks_ = 0;  // so far
};

}  // namespace warpath::testing::ptx
