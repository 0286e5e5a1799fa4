#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "host/core/cpu/rewards.hpp"
#include "kernels/views/paths.hpp"

namespace warpath::cpu {

/// Holds running episodes in groups of as many as a register has lanes. Implements RewardTracker,
/// whose header says the rest. Arguments have been checked.
class RewardTracker {
 public:
  /// @param wanted its arrays that are not null are those that `values` and `score_extensions` may
  /// be asked for
  RewardTracker(const Rewarder& rewarder, std::uint32_t episodes, const RewardArrays& wanted);
  /// Makes one for continuous paths. @param max_reference points of the longest reference
  RewardTracker(const Rewarder& rewarder, std::uint32_t episodes, const RewardArrays& wanted,
                int max_reference);

  std::uint32_t episodes() const { return episodes_; }
  bool has_points() const { return axes_ == 3; }
  /// Tells whether nDTW, or CLS, of the prefixes is kept.
  bool keeps(Metric metric) const;
  /// Tells whether an episode has begun.
  bool was_reset(std::uint32_t episode) const { return references_[episode] != no_reference; }
  /// Returns by episode of viewpoints how many its scan has; 0 if it was not reset.
  std::span<const std::uint32_t> viewpoints() const { return viewpoints_; }

  /// @param starts viewpoint of each of the episodes @param of_reference by entry
  void reset(std::span<const std::uint32_t> episodes, std::span<const std::uint32_t> references,
             std::span<const std::uint32_t> starts, const float* distance_to_goal,
             const kernels::ReferenceArrays& of_reference);
  /// @param references path k is that of episodes[k]
  /// @param starts [episodes.size()][3]
  void reset(std::span<const std::uint32_t> episodes, const kernels::PathArray& references,
             const float* starts, const float* distance_to_goal,
             const kernels::ReferenceArrays& of_reference);
  /// @param next [episodes]; any where an episode is not active
  /// @param rewards [episodes]
  void step(const kernels::PositionArray& next, const std::uint8_t* active,
            const float* distance_to_goal, float* rewards);
  void finish(const std::uint8_t* stopped, const std::uint8_t* mask, float* rewards) const;
  void score_extensions(std::uint32_t candidates, const kernels::PathArray& paths,
                        const RewardArrays& out) const;
  void values(const RewardArrays& out) const;
  void fork(std::span<const std::uint32_t> from, std::span<const std::uint32_t> to);

  /// Returns what all episodes are, the same bytes on every machine.
  std::vector<std::byte> state() const;
  /// Takes what state() returned. Returns what is wrong with it, and changes nothing then; empty:
  /// it was taken.
  std::string_view restore(std::span<const std::byte> state);

 private:
  static constexpr std::uint32_t no_reference = 0xffffffff;
  using Memory = kernels::EpisodeMemory<kernels::ScalarLanes>;

  struct StagedPaths;

  RewardTracker(const Rewarder& rewarder, std::uint32_t episodes, const RewardArrays& wanted,
                int rows, int axes);

  std::size_t block_floats() const { return lanes_ * kernels::episode_fields(rows_, axes_); }
  EpisodeGroup group(std::size_t g) const {
    return {memory_.data() + g * block_floats(), rows_, axes_};
  }
  std::size_t lanes_in(std::size_t g) const;
  Memory memory_of(std::size_t episode) const;
  std::size_t fields() const;
  void set_reference(std::size_t episode, std::uint32_t reference);
  template <class Length>
  void set_ideal_lengths(std::span<const std::uint32_t> episodes,
                         const kernels::ReferenceArrays& of_reference, const Length& length);
  void save(std::size_t episode, std::uint32_t* to) const;
  void load(std::size_t episode, const std::uint32_t* from);
  /// Tells whether saved words are those of an episode that can go on here.
  bool can_load(const std::uint32_t* from) const;
  /// Holds a word of a state's head, and what is wrong with a state that has another.
  struct HeadWord {
    std::uint32_t value;
    std::string_view problem;
  };
  static constexpr std::size_t head_words = 12;
  std::array<HeadWord, head_words> head_of_state() const;
  std::uint32_t kept_quantities() const;
  template <class Body>
  void for_groups(const Body& body) const;
  /// @param stage(first, count, live) returns the columns of these episodes' elements
  template <class Stage>
  void step_group(std::size_t g, const std::uint8_t* active, float* rewards,
                  const Stage& stage) const;
  void step_points(const float* points, const std::uint8_t* active, const float* distance_to_goal,
                   float* rewards);
  void finish_group(std::size_t g, const std::uint8_t* stopped, const std::uint8_t* mask,
                    float* rewards) const;
  void score_point_extensions(std::uint32_t candidates, const kernels::PathArray& paths,
                              const RewardArrays& out) const;
  /// @param stage(staged, lane, episode, begin) writes a continuation's elements to a lane
  template <class Stage>
  void extend_groups(std::uint32_t candidates, const kernels::PathLayout& layout,
                     const RewardArrays& out, const Stage& stage) const;
  template <class Stage>
  void extend_group(std::size_t g, std::uint32_t candidates, const kernels::PathLayout& layout,
                    const RewardArrays& out, const Stage& stage, StagedPaths& staged) const;

  const Rewarder& rewarder_;
  const RewardArguments arguments_;
  const kernels::PointMeasure measure_;
  std::uint32_t episodes_;
  std::size_t lanes_, groups_;
  int rows_, axes_;
  std::vector<std::uint32_t> references_, viewpoints_;  // by episode
  mutable std::vector<float> memory_;  // a view of it does not tell whether it only reads
};

}  // namespace warpath::cpu
