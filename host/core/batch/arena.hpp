#pragma once

#include <tbb/task_arena.h>

#include <algorithm>

namespace warpath::batch {

/// Returns a size for a tbb::task_arena in which that many threads work, 0 for all cores. TBB
/// starts a few hundred threads at most, but an arena has memory for as many as it is asked for,
/// and ends the process where there is none.
inline int arena_size(int threads) {
  constexpr int max_threads_of_tbb = 256;  // or one for each core
  if (threads <= 0) return tbb::task_arena::automatic;
  return std::min(threads, std::max(max_threads_of_tbb, tbb::info::default_concurrency()));
}

}  // namespace warpath::batch
