#pragma once

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <cstddef>

#include "host/core/batch/arena.hpp"

namespace warpath::cpu {

/// Calls body(k) for every k below `count`, on that many threads at most, 0 for all cores. A single
/// piece stays with the calling thread: asking for others takes as long as scoring a few pairs.
template <class Body>
void for_each_piece(std::size_t count, int threads, const Body& body) {
  if (count == 1) return body(std::size_t{0});
  tbb::task_arena arena(batch::arena_size(threads));
  arena.execute([&] { tbb::parallel_for(std::size_t{0}, count, body); });
}

}  // namespace warpath::cpu
