#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "ptx/kernel.hpp"
#include "src/thread.hpp"

namespace ptx {

/// Runs the threads of one block until all have ended.
class BlockScheduler {
 public:
  BlockScheduler(const Kernel& kernel, Block& block, std::mt19937_64& random);

  /// Runs the block.
  /// @throws Fault that names kernel, block, thread and instruction.
  void run();

 private:
  bool any_thread_is(Thread::State state) const;
  bool all_threads_are(Thread::State state) const;
  bool run_thread(Thread& thread);
  bool release_block_barrier();
  void check_barrier_of_warp(std::size_t first) const;
  bool run_collectives(std::size_t first);
  std::vector<Thread*> arrived_lanes(const Thread& thread, std::uint32_t mask, std::size_t first);
  std::size_t end_of_warp(std::size_t first) const;
  [[noreturn]] void report_deadlock() const;
  std::string position_of(const Thread& thread) const;

  const Kernel& kernel_;
  Block& block_;
  std::mt19937_64& random_;
  std::vector<unsigned> order_;
};

}  // namespace ptx
