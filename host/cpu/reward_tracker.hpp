#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "host/cpu/rewards.hpp"
#include "kernels/path_views.hpp"

namespace warpath::cpu {

/// Holds running episodes in groups of as many as a register has lanes. Implements RewardTracker,
/// whose header says the rest. Arguments have been checked.
class RewardTracker {
 public:
  /// @param wanted its arrays that are not null are those that `values` and `score_extensions` may
  /// be asked for
  RewardTracker(const Rewarder& rewarder, std::uint32_t episodes, const RewardArrays& wanted);

  std::uint32_t episodes() const { return episodes_; }
  /// Returns the reference of an episode; 2^32 − 1 if it was never reset.
  std::uint32_t reference_of(std::uint32_t episode) const { return references_[episode]; }

  /// @param starts viewpoint of each of the episodes
  void reset(std::span<const std::uint32_t> episodes, std::span<const std::uint32_t> references,
             std::span<const std::uint32_t> starts, const float* distance_to_goal);
  /// @param nodes [episodes]; any viewpoint where an episode is not active
  /// @param rewards [episodes]
  void step(const kernels::Integers& nodes, const std::uint8_t* active,
            const float* distance_to_goal, float* rewards);
  void finish(const std::uint8_t* stopped, const std::uint8_t* mask, float* rewards) const;
  void score_extensions(std::uint32_t candidates, const kernels::PathsView& paths,
                        const RewardArrays& out) const;
  void values(const RewardArrays& out) const;
  void fork(std::span<const std::uint32_t> from, std::span<const std::uint32_t> to);

  /// Returns the references and memory of all episodes, as bytes.
  std::vector<std::byte> state() const;
  /// Takes what state() returned. Returns false, and changes nothing, if the size is another's.
  bool restore(std::span<const std::byte> state);

 private:
  using Memory = kernels::EpisodeMemory<kernels::ScalarLanes>;

  std::size_t block_floats() const { return lanes_ * kernels::episode_fields(rows_, 1); }
  EpisodeGroup group(std::size_t g) const {
    return {memory_.data() + g * block_floats(), rows_, 1};
  }
  Memory memory_of(std::uint32_t episode) const;
  template <class Body>
  void for_groups(const Body& body) const;
  void step_group(std::size_t g, const kernels::Integers& nodes, const std::uint8_t* active,
                  const float* distance_to_goal, float* rewards) const;
  void finish_group(std::size_t g, const std::uint8_t* stopped, const std::uint8_t* mask,
                    float* rewards) const;

  const Rewarder& rewarder_;
  const RewardArguments arguments_;
  std::uint32_t episodes_;
  std::size_t lanes_, groups_;
  int rows_;
  std::vector<std::uint32_t> references_;
  mutable std::vector<float> memory_;  // a view of it does not tell whether it only reads
};

}  // namespace warpath::cpu
