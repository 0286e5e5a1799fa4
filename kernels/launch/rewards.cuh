#pragma once

#include "kernels/bodies/mapping.hpp"
#include "kernels/launch/grid.cuh"
#include "kernels/launch/rewards_launch.hpp"
#include "kernels/launch/shared_memory.cuh"

// What the sources share that start kernels of rewards.

namespace warpath::kernels {

inline constexpr unsigned reward_threads = 32;

WARPATH_HD std::uint32_t thread_number() {
  const ThreadId me = this_thread();
  return me.block * me.threads + me.thread;
}

/// Starts a kernel with a group of `lanes` threads for each of `count` elements, and one block for
/// none.
template <class View>
int start_threads(void (*kernel)(View), const View& view, std::uint32_t count, Stream stream,
                  unsigned lanes = 1) {
  const unsigned at_once = reward_threads / lanes;
  const unsigned blocks = count == 0 ? 1 : (count - 1) / at_once + 1;
  return start(kernel, view, Grid{blocks, reward_threads}, 0, stream);
}

/// Starts the kernel of a shape, if the set has one. Each set and task has its own source, so that
/// they compile in parallel.
template <RewardSet Set, class View>
int start_shape(const View& view, const RewardShape& shape, Stream stream);

}  // namespace warpath::kernels
