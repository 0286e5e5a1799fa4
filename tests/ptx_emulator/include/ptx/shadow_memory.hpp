#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace ptx {

struct Thread;

/// Says what an access does. Volatile and relaxed accesses count as atomic.
enum class AccessKind { read, write, atomic_read, atomic_write, atomic_update };

constexpr bool is_atomic(AccessKind kind) {
  return kind >= AccessKind::atomic_read;
}
constexpr bool reads(AccessKind kind) {
  return kind == AccessKind::read || kind == AccessKind::atomic_read ||
         kind == AccessKind::atomic_update;
}
constexpr bool writes(AccessKind kind) {
  return kind != AccessKind::read && kind != AccessKind::atomic_read;
}

/// Records which thread did an access, and when, by that thread's clock.
struct AccessRecord {
  static constexpr int clock_bits = 21;

  std::uint32_t block = 0;  ///< numbered from 1 over all launches; 0: no access
  std::uint32_t thread : 10 = 0, is_atomic : 1 = 0, clock : clock_bits = 0;
};

/// Finds data races: it keeps the last write and the last read of each byte. Of several reads
/// between two writes only the last one is kept. Accesses of up to 4 bytes are recorded at their
/// first byte only, so that overlapping accesses which begin at different bytes are not compared.
class ShadowMemory {
 public:
  /// @param is_shared whether each block has its own memory, as with shared memory.
  ShadowMemory(std::size_t bytes, bool is_shared);

  /// Records an access to the byte at that offset.
  /// @throws Fault if it races with a recorded one: of another thread, at least one of the two a
  ///   write, not both atomic, and no barrier of the block or the warp between them.
  void access(std::size_t offset, AccessKind kind, const Thread& thread);

 private:
  struct ShadowCell {
    AccessRecord write, read;
  };
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  bool is_ordered(const AccessRecord& record, AccessKind kind, const Thread& thread) const;
  // Cells of whole words lie side by side, because most accesses begin at one.
  std::size_t cell_of(std::size_t offset) const { return offset % 4 * words_ + offset / 4; }

  std::size_t words_;
  std::unique_ptr<ShadowCell[], Free> cells_;  // calloc: untouched pages cost nothing
  bool is_shared_;
};

}  // namespace ptx
