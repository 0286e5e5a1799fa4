#include "ptx/shadow_memory.hpp"

#include <new>
#include <string>

#include "src/thread.hpp"

namespace ptx {
namespace {

std::string describe(const AccessRecord& record, const Thread& thread) {
  const std::string other = "thread " + std::to_string(record.thread);
  return record.block == thread.block->number ? other : other + " of another block";
}

}  // namespace

ShadowMemory::ShadowMemory(std::size_t bytes, bool is_shared)
    : words_(bytes / 4 + 1),
      cells_(static_cast<ShadowCell*>(std::calloc(4 * words_, sizeof(ShadowCell)))),
      is_shared_(is_shared) {
  if (cells_ == nullptr) throw std::bad_alloc();
}

bool ShadowMemory::is_ordered(const AccessRecord& record, AccessKind kind,
                              const Thread& thread) const {
  const Block& block = *thread.block;
  if (record.block < block.first_of_launch) return true;
  if (record.is_atomic && is_atomic(kind)) return true;
  if (record.block != block.number) return is_shared_;
  const Thread& other = block.threads[record.thread];
  if (&other == &thread || record.clock < other.block_clock) return true;
  return other.index / warp_size == thread.index / warp_size &&
         record.clock < thread.seen_clocks[other.lane()];
}

void ShadowMemory::access(std::size_t offset, AccessKind kind, const Thread& thread) {
  ShadowCell& cell = cells_[cell_of(offset)];
  if (!is_ordered(cell.write, kind, thread)) {
    throw Fault("races with a write by " + describe(cell.write, thread));
  }
  if (writes(kind) && !is_ordered(cell.read, kind, thread)) {
    throw Fault("races with a read by " + describe(cell.read, thread));
  }
  AccessRecord& record = writes(kind) ? cell.write : cell.read;
  record.block = thread.block->number;
  record.thread = thread.index;
  record.is_atomic = is_atomic(kind);
  record.clock = thread.clock;
}

}  // namespace ptx
