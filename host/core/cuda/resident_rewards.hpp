#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/core/cuda/device_tables.hpp"
#include "host/core/rewards/reward_tables.hpp"
#include "kernels/views/checks.hpp"
#include "kernels/views/rewards.hpp"
#include "warpath/metrics.hpp"
#include "warpath/views.hpp"

namespace warpath::cuda {

/// Keeps references, tables and distances to goals on a device and rewards rollouts that lie there.
/// The engine of Rewards on a GPU calls it with arguments that it has checked.
class ResidentRewards {
 public:
  /// Uploads everything and waits.
  /// @throws InputError if a reference is too long, or its length times the threshold too large or
  /// small, for the kernels; CudaError
  ResidentRewards(Device& device, const rewards::RewardTables& tables);
  ResidentRewards(const ResidentRewards&) = delete;
  ResidentRewards& operator=(const ResidentRewards&) = delete;

  std::size_t workspace_bytes(const Batch& batch) const;
  void compute(const Batch& batch, const RewardArrays& out, void* workspace, Stream stream) const;
  /// Tells whether compute writes to the workspace, which may be null otherwise.
  bool writes_workspace(const Batch& batch) const;
  void add_up(const kernels::ReturnsView& view, Stream stream) const;
  void group_advantages(const kernels::GroupsView& view, Stream stream) const;
  void warm_up(Stream stream) const;
  /// Waits and returns what is wrong with the first rollout that cannot be rewarded, if any. Of
  /// points it looks at lengths and numbers only.
  kernels::PairProblem check(const Batch& batch, void* workspace, Stream stream) const;
  /// Looks at coordinates. @pre lengths and numbers are right
  kernels::EpisodeProblem check_points(const Batch& batch, void* workspace, Stream stream) const;
  /// Waits and refuses what no reference can have. @param count of references, or of entries
  /// @throws InputError that names the first
  void check_numbers(const kernels::ReferenceArrays& of_reference, std::uint32_t count,
                     Stream stream) const;
  /// Waits for a check and returns what it has found.
  kernels::EpisodeProblem found_by(const kernels::CheckEpisodesView& view, Stream stream) const;

  Device& device() const { return device_; }
  const RewardSettings& settings() const { return settings_; }
  const kernels::RewardTablesView& view() const { return view_; }
  std::uint32_t references() const { return references_; }
  int max_reference_length() const { return max_reference_length_; }
  /// Returns the kernels for rewards, and for the arrays that are not null besides.
  kernels::RewardShape shape_for(const RewardArrays& out) const;

 private:
  struct Workspace;
  kernels::RewardShape shape_of(const Batch& batch, const RewardArrays& out) const;
  std::size_t fields_in_memory(const Batch& batch) const;
  kernels::PairsView pairs(const Batch& batch) const;
  kernels::PairProblem check(const kernels::CheckView& view, Stream stream) const;

  Device& device_;
  const RewardSettings settings_;
  const std::uint32_t references_;
  const int max_reference_length_;
  const unsigned quantities_;
  DeviceTables tables_;
  DeviceArray<float> goals_;
  DeviceArray<std::uint16_t> nodes_;
  DeviceArray<kernels::RewardReference> reference_;
  DeviceArray<std::uint32_t> offsets_, scan_of_;  // as the check of pairs reads references
  kernels::RewardTablesView view_{};
};

}  // namespace warpath::cuda
