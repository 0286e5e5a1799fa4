#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

// Memory of the PTX machine: where it ends, and who touched it last.

namespace warpath::testing::ptx {

/// What a kernel must not do.
struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Thread;

/// Volatile and relaxed accesses are atomic too.
enum class Access { read, write, atomic_read, atomic_write, atomic };
constexpr bool is_atomic(Access a) {
  return a >= Access::atomic_read;
}
constexpr bool reads(Access a) {
  return a == Access::read || a == Access::atomic_read || a == Access::atomic;
}
constexpr bool writes(Access a) {
  return a != Access::read && a != Access::atomic_read;
}

/// Who touched a place, and when by its own count of barriers.
struct Mark {
  std::uint32_t block = 0;  ///< numbered over all launches, from 1; 0: nobody
  std::uint32_t thread : 10 = 0, is_atomic : 1 = 0, time : 21 = 0;
};

/// The last write and the last read of each byte; of several reads before a write, only that one.
/// Reads and writes of up to 4 bytes are noted at their first one: what overlaps, but starts
/// elsewhere, is not seen.
class Shadow {
 public:
  /// @param is_shared each block has its own.
  explicit Shadow(std::size_t bytes, bool is_shared);

  /// @throws Fault where it races with what is noted: with another thread's, one of both writing,
  ///   not both atomic, and no barrier, no __syncwarp of both in between.
  void touch(std::size_t at, Access access, const Thread& thread);

 private:
  struct Marks {
    Mark write, read;
  };
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  bool is_ordered(const Mark& mark, Access access, const Thread& now) const;

  std::unique_ptr<Marks[], Free> marks_;  // zero pages until they are touched
  bool is_shared_;
};

/// Device memory: what was allocated, and nothing else.
class GlobalMemory {
 public:
  void add(void* first, std::size_t bytes);
  void remove(void* first);
  bool holds(const void* first, std::size_t bytes) const;
  /// The host's copies and fills: where they write memory of a device, that is now written.
  void note_write(const void* first, std::size_t bytes);

  /// The host's pointer to `bytes` from `address` on.
  /// @throws Fault outside of allocations, at an odd address, in a race, and where what is read was
  ///   never written.
  void* touch(std::uint64_t address, std::size_t bytes, Access access, const Thread& thread);

 private:
  struct Allocation {
    std::uint64_t first, end;
    Shadow shadow;
    std::vector<bool> is_written;
  };
  using Allocations = std::map<std::uint64_t, Allocation>;  // by their ends

  Allocations::const_iterator find(std::uint64_t address, std::size_t bytes) const;
  Allocation& holder(std::uint64_t address, std::size_t bytes);

  Allocations allocations_;
  Allocation* last_ = nullptr;
};

}  // namespace warpath::testing::ptx
