#pragma once

#include <cstddef>
#include <cstdint>

#include "host/core/cuda/resident_rewards.hpp"
#include "kernels/views/checks.hpp"
#include "warpath/reward_tracker.hpp"

namespace warpath::cuda {

/// Extends running episodes whose state lies in the caller's memory. Implements
/// DeviceRewardTracker, whose header says the rest. Arguments have been checked.
class ResidentTracker {
 public:
  /// @param wanted its arrays that are not null are those that `values` and `score_extensions` may
  /// be asked for
  ResidentTracker(const ResidentRewards& rewards, std::uint32_t episodes, void* memory,
                  const RewardArrays& wanted);

  /// Makes one for continuous paths. @param max_reference points of the longest reference
  static ResidentTracker of_points(const ResidentRewards& rewards, std::uint32_t episodes,
                                   void* memory, int max_reference);

  /// Return the bytes of `memory` that episodes take.
  static std::size_t bytes(const ResidentRewards& rewards, std::uint32_t episodes);
  static std::size_t bytes_of_points(std::uint32_t episodes, int max_reference);

  std::uint32_t episodes() const { return view_.count; }
  bool has_points() const { return view_.axes == 3; }
  /// Returns the points that a reference may have.
  int max_reference() const { return max_reference_; }
  /// Tells whether CLS can be asked for; nDTW always can.
  bool keeps_cls() const {
    return has_points() || shape_.set == kernels::RewardSet::all ||
           shape_.set == kernels::RewardSet::ends;
  }
  std::size_t workspace_bytes(std::uint32_t candidates) const;
  /// Tells whether score_extensions writes to the workspace, which may be null otherwise.
  bool writes_workspace() const { return shape_.in_strips; }
  void warm_up(Stream stream) const;
  void reset(const EpisodeStarts& starts, Stream stream) const;
  void step(const kernels::PositionArray& next, const std::uint8_t* active,
            const float* distance_to_goal, float* rewards, Stream stream) const;
  void finish(const std::uint8_t* stopped, const std::uint8_t* mask, float* rewards,
              Stream stream) const;
  void score_extensions(std::uint32_t candidates, const kernels::PathArray& paths,
                        const RewardArrays& out, void* workspace, Stream stream) const;
  void values(const RewardArrays& out, Stream stream) const;
  void fork(std::uint32_t count, const kernels::IntegerArray& from, const kernels::IntegerArray& to,
            void* workspace, Stream stream) const;

  // These wait and return what is wrong with the first entry of a call that has a fault, if any.

  kernels::EpisodeProblem check_reset(const EpisodeStarts& starts, void* workspace,
                                      Stream stream) const;
  kernels::EpisodeProblem check_step(const kernels::PositionArray& next, const std::uint8_t* active,
                                     void* workspace, Stream stream) const;
  kernels::EpisodeProblem check_finish(const std::uint8_t* mask, void* workspace,
                                       Stream stream) const;
  kernels::EpisodeProblem check_extensions(std::uint32_t candidates,
                                           const kernels::PathArray& paths, void* workspace,
                                           Stream stream) const;
  /// @param episodes of `from`, or of `to`, which must not name one twice
  kernels::EpisodeProblem check_fork(std::uint32_t count, const kernels::IntegerArray& episodes,
                                     bool once, void* workspace, Stream stream) const;

 private:
  struct CheckMemory;
  ResidentTracker(const ResidentRewards& rewards, std::uint32_t episodes, void* memory,
                  const kernels::RewardShape& shape, int max_reference, int axes);
  template <class View>
  void start(const View& view, Stream stream) const;
  /// Returns what every check of all episodes begins with.
  /// @param paths of each episode
  kernels::CheckEpisodesView every_episode(const std::uint8_t* active, std::uint32_t paths) const;
  kernels::EpisodeProblem check(kernels::CheckEpisodesView view, bool once, void* workspace,
                                Stream stream) const;
  std::size_t fields() const;

  const ResidentRewards& rewards_;
  const kernels::RewardShape shape_;
  const int max_reference_;
  kernels::EpisodesView view_;
};

}  // namespace warpath::cuda
