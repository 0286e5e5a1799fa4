#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "host/core/cpu/reward_kernels.hpp"
#include "host/core/rewards/reward_tables.hpp"
#include "warpath/views.hpp"
#include "warpath/watch.hpp"

namespace warpath::cpu {

struct CpuKernels;

/// Rewards finished rollouts and running episodes with vector kernels, as many side by side as a
/// register has lanes. Results have the same bits for any thread count and instruction set.
/// Implements Rewards and RewardTracker, whose header says the rest.
class Rewarder {
 public:
  /// @param tables must outlive the object
  /// @param threads 0: all cores
  /// @param kernels null: chosen_kernels()
  explicit Rewarder(const rewards::RewardTables& tables, int threads = 0,
                    const CpuKernels* kernels = nullptr);

  const rewards::RewardTables& tables() const { return tables_; }
  int lanes() const;

  /// @pre the batch has been checked
  void compute(const Batch& batch, const RewardArrays& out, const Watch& watch = {}) const;

  /// Calls body(first, end) for blocks that cover the numbers below `count`, on this object's
  /// threads; at once if there is but one block.
  void for_blocks(std::size_t count,
                  const std::function<void(std::size_t, std::size_t)>& body) const;

  const RewardArguments& arguments() const { return arguments_; }
  /// Returns the same with the quantities that wanted arrays need besides.
  RewardArguments arguments_for(const RewardArrays& out) const;
  /// Returns those that finished rollouts need.
  unsigned quantities_of_rollouts(const RewardArguments& arguments, const RewardArrays& out) const;
  const RewardKernels& kernels() const;
  const CpuKernels& all_kernels() const { return kernels_; }

 private:
  const rewards::RewardTables& tables_;
  const CpuKernels& kernels_;
  int threads_;
  RewardArguments arguments_;
};

}  // namespace warpath::cpu
