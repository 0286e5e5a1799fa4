#pragma once

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstdint>
#include <span>

#include "warpath/paths.hpp"

// Rows of a batch, and blocks of rows that threads take one after the other.

namespace warpath::cuda {

/// Names rows of a batch, ascending: those of a list, or, without a list, `first` and all that
/// follow.
struct Rows {
  std::span<const std::uint32_t> listed;
  std::uint32_t first;
  std::size_t count;

  std::size_t size() const { return count; }
  std::uint32_t operator[](std::size_t k) const {
    return listed.empty() ? first + static_cast<std::uint32_t>(k) : listed[k];
  }
  Rows part(std::size_t begin, std::size_t size) const {
    if (listed.empty()) return {{}, first + static_cast<std::uint32_t>(begin), size};
    return {listed.subspan(begin, size), 0, size};
  }
};

/// Number of elements that one thread takes at a time.
inline constexpr std::uint32_t block_elements = 8192;

constexpr std::uint32_t block_count(std::uint32_t elements) {
  return (elements + block_elements - 1) / block_elements;
}

/// Calls body(block, begin, end) for all blocks of `elements` elements, on all threads.
template <class Body>
void for_each_block(std::uint32_t elements, Body body) {
  // The caller may hold a lock, which no other task of this thread must wait for meanwhile.
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(0u, block_count(elements), [&](std::uint32_t block) {
      const std::uint32_t begin = block * block_elements;
      body(block, begin, std::min(begin + block_elements, elements));
    });
  });
}

/// Copies the nodes of paths path_of(begin) … path_of(end − 1), one path after the other. Paths
/// that are neighbours in the set are copied together.
template <class Id, class PathOf>
void copy_nodes(const warpath::PathView<Node>& paths, std::uint32_t begin, std::uint32_t end,
                PathOf path_of, Id* to) {
  for (std::uint32_t k = begin; k < end;) {
    const std::uint32_t first = path_of(k);
    std::uint32_t last = first;
    while (++k < end && path_of(k) == last + 1) ++last;
    to = std::transform(paths.elements.data() + paths.offsets[first],
                        paths.elements.data() + paths.offsets[last + std::size_t{1}], to,
                        [](Node n) { return static_cast<Id>(n); });
  }
}

}  // namespace warpath::cuda
