#include "src/memory/checked_access.hpp"
#include "src/thread.hpp"

// Checks memory that belongs to one block: shared memory and parameters.

namespace ptx {

void* Block::access_shared(std::uint64_t offset, std::size_t bytes, AccessKind kind,
                           const Thread& thread) {
  if (offset > shared.size() || bytes > shared.size() - offset) {
    throw Fault("is outside of shared memory");
  }
  if (offset % bytes != 0) throw Fault("is not aligned");
  check_access(offset, bytes, kind, thread, shared_shadow, is_shared_written);
  return &shared[offset];
}

const void* Block::parameter(std::uint64_t offset, std::size_t bytes) const {
  if (offset > parameters.size() || bytes > parameters.size() - offset) {
    throw Fault("is outside of the parameters");
  }
  return &parameters[offset];
}

}  // namespace ptx
