#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "warpath/place.hpp"
#include "warpath/reward_tracker.hpp"
#include "warpath/views.hpp"

namespace warpath::rewards {

/// Rewards running episodes in a place. Implements RewardTracker, whose header says the rest.
class EpisodeEngine {
 public:
  virtual ~EpisodeEngine() = default;

  virtual std::uint32_t episodes() const = 0;
  virtual std::size_t workspace_bytes(std::uint32_t candidates) const = 0;
  virtual void warm_up(CUstream_st* stream) const = 0;
  virtual void reset(const EpisodeStarts& starts, const Call& call) = 0;
  virtual void step(const PositionsView& next, const std::uint8_t* active, float* rewards,
                    const float* distance_to_goal, const Call& call) = 0;
  virtual void finish(const std::uint8_t* stopped, const std::uint8_t* mask, float* rewards,
                      const Call& call) const = 0;
  virtual void score_extensions(std::uint32_t candidates, const PathsView& paths,
                                const RewardArrays& out, const Call& call) const = 0;
  virtual void values(const RewardArrays& out, const Call& call) const = 0;
  virtual void fork(std::uint32_t count, Integers from, Integers to, const Call& call) = 0;
  virtual std::vector<std::byte> state() const = 0;
  virtual void restore(std::span<const std::byte> state) = 0;
};

/// Rewards finished rollouts in a place, against references that do not change. Implements Rewards,
/// whose header says the rest.
class RewardEngine {
 public:
  virtual ~RewardEngine() = default;

  virtual std::uint32_t references() const = 0;
  virtual std::size_t workspace_bytes(const Batch& batch) const = 0;
  virtual void warm_up(CUstream_st* stream) const = 0;
  virtual void compute(const Batch& batch, const RewardArrays& out, const Call& call) const = 0;
  virtual void add_up(const ReturnsBatch& batch, const Call& call) const = 0;
  virtual void group_advantages(const GroupBatch& batch, const Call& call) const = 0;
  virtual std::size_t tracker_bytes(std::uint32_t episodes,
                                    std::uint32_t max_reference_length) const = 0;
  /// Makes a tracker, which this engine must outlive. @pre options are those of a tracker that can
  /// be
  virtual std::unique_ptr<EpisodeEngine> make_episodes(std::uint32_t episodes,
                                                       const TrackerOptions& options) const = 0;
};

}  // namespace warpath::rewards
