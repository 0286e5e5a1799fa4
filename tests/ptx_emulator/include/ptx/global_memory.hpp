#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "ptx/shadow_memory.hpp"

namespace ptx {

/// Checks accesses to device memory. The memory itself is the host's; the addresses are its
/// pointers.
class GlobalMemory {
 public:
  /// Registers host memory as an allocation whose bytes all count as unwritten.
  void add(void* first, std::size_t bytes);
  void remove(void* first);
  /// Returns whether those bytes lie in one allocation.
  bool holds(const void* first, std::size_t bytes) const;
  /// Marks bytes as written, after a copy or fill by the host. Does nothing outside of allocations.
  void mark_written(const void* first, std::size_t bytes);

  /// Checks and records a thread's access. Returns the host's pointer to that address.
  /// @throws Fault outside of allocations, at an address that is not a multiple of `bytes`, in a
  ///   data race, and for a read of bytes that were never written.
  void* access(std::uint64_t address, std::size_t bytes, AccessKind kind, const Thread& thread);

 private:
  struct Allocation {
    std::uint64_t first, end;
    ShadowMemory shadow;
    std::vector<unsigned char> is_written;  // see check_access
  };
  using Allocations = std::map<std::uint64_t, Allocation>;  // by their ends

  Allocations::const_iterator find(std::uint64_t address, std::size_t bytes) const;
  Allocation& allocation_of(std::uint64_t address, std::size_t bytes);

  Allocations allocations_;
  // The allocation of the last access to each page, or to one whose number has the same remainder.
  static constexpr std::size_t page_bytes = 4096;
  std::array<Allocation*, 256> last_used_{};
};

}  // namespace ptx
