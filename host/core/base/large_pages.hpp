#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpath::base {

/// Asks the system for large pages behind the room of a list that nothing was written to yet: of
/// small ones each takes a fault, together longer than what is written. Small lists stay as they
/// are.
template <class T>
void take_large_pages(std::vector<T>& list) {
#ifdef MADV_HUGEPAGE
  constexpr std::size_t page = std::size_t{2} << 20;
  const std::size_t bytes = list.capacity() * sizeof(T);
  const std::size_t before = (page - reinterpret_cast<std::uintptr_t>(list.data()) % page) % page;
  if (bytes < before + page) return;
  // Where the system has none, all stays as it is.
  static_cast<void>(::madvise(reinterpret_cast<char*>(list.data()) + before,
                              (bytes - before) / page * page, MADV_HUGEPAGE));
#endif
}

}  // namespace warpath::base
