#pragma once

#include <cstddef>
#include <cstdint>

#include "host/cuda/resident_rewards.hpp"
#include "warpath/device_rewards.hpp"

namespace warpath::cuda {

/// Extends running episodes whose state lies in the caller's memory. Implements
/// DeviceRewardTracker, whose header says the rest. Arguments have been checked.
class ResidentTracker {
 public:
  /// @param wanted its arrays that are not null are those that `values` and `score_extensions` may
  /// be asked for
  ResidentTracker(const ResidentRewards& rewards, std::uint32_t episodes, void* memory,
                  const RewardArrays& wanted);

  /// Returns the bytes of `memory` that episodes take.
  static std::size_t bytes(const ResidentRewards& rewards, std::uint32_t episodes);

  std::uint32_t episodes() const { return view_.count; }
  /// Tells whether CLS can be asked for; nDTW always can.
  bool keeps_cls() const { return shape_.set == kernels::RewardSet::all; }
  std::size_t workspace_bytes(std::uint32_t candidates) const;
  void warm_up(Stream stream) const;
  void reset(const EpisodeStarts& starts, Stream stream) const;
  void step(const kernels::Integers& nodes, const std::uint8_t* active,
            const float* distance_to_goal, float* rewards, Stream stream) const;
  void finish(const std::uint8_t* stopped, const std::uint8_t* mask, float* rewards,
              Stream stream) const;
  void score_extensions(std::uint32_t candidates, const kernels::PathsView& paths,
                        const RewardArrays& out, void* workspace, Stream stream) const;
  void values(const RewardArrays& out, Stream stream) const;
  void fork(std::uint32_t count, const kernels::Integers& from, const kernels::Integers& to,
            void* workspace, Stream stream) const;

 private:
  const ResidentRewards& rewards_;
  const kernels::RewardShape shape_;
  kernels::EpisodesView view_;
};

}  // namespace warpath::cuda
