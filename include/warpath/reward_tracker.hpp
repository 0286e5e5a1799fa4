#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "warpath/export.hpp"
#include "warpath/metrics.hpp"
#include "warpath/place.hpp"
#include "warpath/rewards.hpp"
#include "warpath/views.hpp"

namespace warpath {

/// Options of RewardTracker.
struct TrackerOptions {
  /// nDTW or CLS, if values and score_extensions are to have them where the rewards do not need
  /// them. Trackers of points on a GPU always have both.
  MetricSet metrics{};
  /// Points of the longest reference, from 1 to 2^20, for episodes in continuous space; 0: episodes
  /// are on graphs.
  std::uint32_t max_reference_length = 0;
  /// GPU: memory of Rewards::tracker_bytes, which holds the whole state.
  void* memory = nullptr;
};

/// Rewards running episodes, a move of each at a time, in time and memory that do not grow with
/// their lengths. Rewards have the bits of Rewards::compute for the same paths.
///
///     RewardTracker tracker(rewards, 4096);
///     tracker.reset({.count = 4096, .reference = references, .start = starts});
///     for (…) tracker.step(nodes, active, out);
///     tracker.finish(stopped, nullptr, ends);
///
/// The tracker works in the place of its Rewards. On a GPU each call starts one kernel, fork two,
/// and the state lies in the caller's memory and only there: to save a tracker, copy its bytes; to
/// resume, copy them back, for a tracker of as many episodes of the same rewards and metrics. The
/// bytes do not say whose they are, so nothing can refuse those of another tracker. An episode that
/// was never reset is told by what its memory holds: fill the memory with zeros before the first
/// reset to be certain that a check finds it. @pre of calls without a check: every episode is reset
/// before it is read, and viewpoints and references exist
///
/// Threads: one at a time may use an object; several may have trackers of one Rewards, which must
/// outlive them.
class WARPATH_EXPORT RewardTracker {
 public:
  /// @throws InputError if the rewards have no references and the episodes are on graphs; of points
  /// for a threshold below 1e-6 m or above 1e15 m, or a longest reference that is not from 1 to
  /// 2^20
  RewardTracker(const Rewards& rewards, std::uint32_t episodes, const TrackerOptions& options = {});
  RewardTracker(RewardTracker&&) noexcept;
  RewardTracker& operator=(RewardTracker&&) noexcept;
  ~RewardTracker();

  std::uint32_t episodes() const;

  /// Returns the bytes that `Call::workspace` needs for fork, checks, and score_extensions of so
  /// many candidates; 0 on the host.
  std::size_t workspace_bytes(std::uint32_t candidates) const;
  /// GPU: starts all kernels with nothing to do, so that they are loaded.
  void warm_up(CUstream_st* stream) const;

  // Each call throws InputError that names a field that cannot be right, or, on the host and where
  // a call on a GPU is checked, the first episode and what is wrong with it; nothing changes then.
  // A call on a GPU throws CudaError if a kernel cannot start.

  /// Begins episodes anew.
  /// @throws InputError if an episode does not exist or, on a GPU, is named twice, a reference or
  /// viewpoint does not exist, a reference of points is empty or too long, or a coordinate is no
  /// number, infinite or beyond 1e12 m
  void reset(const EpisodeStarts& starts, const Call& call = {});

  /// Adds a viewpoint or point to each active episode and writes the rewards of these moves.
  /// @param next [episodes]; those of inactive episodes are not read
  /// @param active [episodes], 0: inactive, its reward is 0; null: all are active
  /// @param rewards [episodes]
  /// @param distance_to_goal [episodes], see Batch; may be null
  /// @throws InputError if an active episode was not reset, or its viewpoint or point is none
  void step(const PositionsView& next, const std::uint8_t* active, float* rewards,
            const float* distance_to_goal = nullptr, const Call& call = {});

  /// Writes the rewards of ends; episodes do not change. The caller adds an end's reward to the
  /// last move's where `end_column` is last_move, and puts it in place of the last move's after a
  /// time-out where `timeout` is replaces_move: compute's column of the end is 0 then.
  /// @param stopped [episodes], 0: its time was up; null: all stopped
  /// @param mask [episodes], 0: the reward is 0; null: all end
  /// @throws InputError if an episode of the mask was not reset
  void finish(const std::uint8_t* stopped, const std::uint8_t* mask, float* rewards,
              const Call& call = {}) const;

  /// Scores continuations of each episode, which do not change it.
  /// @param paths path number `episode * candidates + c` is continuation c of an episode; one
  /// without elements has no values (NaN)
  /// @param out [episodes][candidates]: `reward` is the sum of the continuation's moves, the others
  /// are those of the whole path; all may be null
  /// @throws InputError if nDTW or CLS is asked for that is not kept, a length is below 0 or beyond
  /// max_length, an episode with a continuation was not reset, or a viewpoint or point is none
  void score_extensions(std::uint32_t candidates, const PathsView& paths, const RewardArrays& out,
                        const Call& call = {}) const;

  /// Writes the prefix values of every episode. @param out [episodes]; `reward` is not written
  /// @throws InputError if nDTW or CLS is asked for that is not kept
  void values(const RewardArrays& out, const Call& call = {}) const;

  /// Copies episodes: to[i] becomes what from[i] was before the call.
  /// @param from,to [count], at most as many as there are episodes on a GPU; none twice in `to`
  /// @throws InputError if an episode does not exist or, on a GPU, is named twice in `to`
  void fork(std::uint32_t count, Integers from, Integers to, const Call& call = {});

  /// Host: returns all that the tracker holds, to be restored into a tracker of as many episodes of
  /// the same Rewards and metrics, in another process or on another machine, too. It refers to
  /// references by number.
  std::vector<std::byte> state() const;
  /// Host: restores a state. What moves and ends are worth may differ from what it was when it was
  /// saved.
  /// @throws InputError that says what differs if the state is that of other episodes or
  /// references, has no nDTW or CLS and this tracker keeps it, or was saved under another distance,
  /// goal distance, threshold, or variant of nDTW or CLS; nothing changes then
  void restore(std::span<const std::byte> state);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpath
