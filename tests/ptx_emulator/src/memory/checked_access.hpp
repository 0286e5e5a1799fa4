#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include "ptx/fault.hpp"
#include "ptx/shadow_memory.hpp"

namespace ptx {

/// Records an access and checks that the bytes it reads were written.
/// @param is_written for each byte of the memory 1 once it was written, and before 0.
/// @throws Fault in a data race, and for a read of bytes that were never written.
inline void check_access(std::size_t offset, std::size_t bytes, AccessKind kind,
                         const Thread& thread, ShadowMemory& shadow,
                         std::vector<unsigned char>& is_written) {
  for (std::size_t k = 0; k < bytes; k += 4) shadow.access(offset + k, kind, thread);
  unsigned char* const marks = is_written.data() + offset;
  if (reads(kind)) {
    unsigned char all_written = 1;
    for (std::size_t k = 0; k < bytes; ++k) all_written &= marks[k];
    if (all_written == 0) throw Fault("was never written");
  }
  if (writes(kind)) std::memset(marks, 1, bytes);
}

}  // namespace ptx
