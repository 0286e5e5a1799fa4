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
  constexpr std::uintptr_t page = std::uintptr_t{2} << 20;
  const auto begin = reinterpret_cast<std::uintptr_t>(list.data());
  const std::uintptr_t first = (begin + page - 1) / page * page;
  const std::uintptr_t end = (begin + list.capacity() * sizeof(T)) / page * page;
  // Where the system has none, all stays as it is.
  if (first < end)
    static_cast<void>(::madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE));
#endif
}

}  // namespace warpath::base
