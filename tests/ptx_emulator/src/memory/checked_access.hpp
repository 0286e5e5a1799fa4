#pragma once

#include <cstddef>
#include <vector>

#include "ptx/fault.hpp"
#include "ptx/shadow_memory.hpp"

namespace ptx {

/// Records an access and checks that the bytes it reads were written.
/// @param is_written one entry per byte of the memory.
/// @throws Fault in a data race, and for a read of bytes that were never written.
inline void check_access(std::size_t offset, std::size_t bytes, AccessKind kind,
                         const Thread& thread, ShadowMemory& shadow,
                         std::vector<bool>& is_written) {
  for (std::size_t k = 0; k < bytes; k += 4) shadow.access(offset + k, kind, thread);
  for (std::size_t k = offset; k < offset + bytes; ++k) {
    if (reads(kind) && !is_written[k]) throw Fault("was never written");
    if (writes(kind)) is_written[k] = true;
  }
}

}  // namespace ptx
