#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "warpath/device_batch.hpp"
#include "warpath/export.hpp"
#include "warpath/metrics.hpp"
#include "warpath/paths.hpp"
#include "warpath/reward_settings.hpp"
#include "warpath/rollouts.hpp"

struct CUstream_st;  // what a cudaStream_t points to

namespace warpath {

/// Says what DeviceRewards keeps.
struct DeviceRewardOptions {
  /// By reference: the viewpoints that are its goal, at least one. Empty: each reference's last.
  PathSet goals{};
};

/// Rewards finished rollouts that lie in a GPU's memory. Tables and references stay on the GPU. A
/// call starts kernels on the caller's stream and returns: it neither waits nor allocates. Rewards
/// are the values that Rewards computes, bit for bit.
///
///     DeviceRewards rewards(scans, references, scan_of, find_reward_preset("ndtw-gain").settings);
///     // nodes, lengths, out and workspace are device memory; the workspace has
///     // rewards.workspace_bytes(4096) bytes.
///     RolloutBatch batch;
///     batch.count = 4096;
///     batch.queries = {nodes, {.lengths = lengths, .pitch = 40, .max_length = 40}};
///     rewards.compute(batch, {.reward = out}, workspace, stream);  // float[4096][40], one launch
///
/// The references are those of the constructor: other ones need tables of distances to other goals,
/// so another object.
///
/// CUDA graphs: after warm_up, compute and add_up may be called while the stream is captured. A
/// graph repeats the call with the same pointers, count and max_length; what lies in memory may
/// differ.
///
/// A viewpoint that the scan does not have, a reference beyond the last, or a negative length makes
/// a kernel read outside of its memory, which ends the process's use of the GPU; check finds it
/// first. A query longer than `max_length` is cut, and one without viewpoints has no rewards.
///
/// Threads: several may use one object, each with its own workspace. Devices: an object belongs to
/// the device that was current when it was made, and its calls leave the caller's current device as
/// it is. It can be moved, not copied.
class WARPATH_EXPORT DeviceRewards {
 public:
  /// Uploads tables and references and waits.
  /// @param scans of up to 4,096 viewpoints
  /// @param scan_of by reference: index into `scans`
  /// @throws InputError that says why there is no device, or names the reference, goal or setting
  /// that cannot be used; CudaError
  DeviceRewards(std::span<const Scan* const> scans, const PathSet& references,
                std::span<const std::uint32_t> scan_of, const RewardSettings& settings,
                const DeviceRewardOptions& options = {});
  DeviceRewards(DeviceRewards&&) noexcept;
  DeviceRewards& operator=(DeviceRewards&&) noexcept;
  /// @pre all work that its calls started is completed, and graphs with it are launched no more
  ~DeviceRewards();

  const RewardSettings& settings() const;

  /// Returns the bytes of 256-byte-aligned device memory that a call needs for up to `count`
  /// rollouts. It is little, but for references of over 16 viewpoints.
  std::size_t workspace_bytes(std::uint32_t count) const;

  /// Starts all kernels with nothing to do, so that they are loaded.
  void warm_up(CUstream_st* stream) const;

  /// Starts to compute the rewards of every active rollout.
  /// @param workspace of workspace_bytes for so many rollouts
  /// @throws InputError that names a field which cannot be right, such as rows shorter than
  /// max_length; CudaError if a kernel cannot start
  void compute(const RolloutBatch& batch, const RewardArrays& out, void* workspace,
               CUstream_st* stream) const;

  /// Starts to add rewards up. @throws InputError that names a field that cannot be right;
  /// CudaError
  void add_up(const ReturnsBatch& batch, CUstream_st* stream) const;

  /// Reads the whole batch, waits, and reports what compute would have to take on trust.
  /// @throws InputError that names the first rollout that cannot be rewarded, and why
  void check(const RolloutBatch& batch, void* workspace, CUstream_st* stream) const;

  /// Returns the bytes of 256-byte-aligned device memory that a tracker of so many episodes keeps
  /// its state in.
  std::size_t tracker_bytes(std::uint32_t episodes) const;

  struct State;  ///< for the implementation only

 private:
  friend class DeviceRewardTracker;
  std::unique_ptr<State> state_;
};

/// Names episodes to begin anew. All pointers point to memory of the tracker's device.
struct EpisodeStarts {
  std::uint32_t count = 0;
  DeviceIntegers episode{};                 ///< [count], none twice; null: episode k
  DeviceIntegers reference{};               ///< [count]
  DeviceIntegers start{};                   ///< [count]; null: the references' first viewpoints
  const float* distance_to_goal = nullptr;  ///< [count], see RolloutBatch; may be null
};

/// Rewards running episodes on a GPU, a move of each at a time, as RewardTracker does. Each call
/// starts one kernel, fork two, and neither waits nor allocates. Rewards have the bits of
/// DeviceRewards::compute for the same paths.
///
///     // memory has rewards.tracker_bytes(4096) bytes
///     DeviceRewardTracker tracker(rewards, 4096, memory);
///     tracker.reset({.count = 4096, .reference = references}, stream);
///     for (…) tracker.step(nodes, active, out, stream);
///     tracker.finish(stopped, nullptr, ends, stream);
///
/// The state lies in the caller's memory, and only there: to save a tracker, copy its bytes; to
/// resume, copy them back, for a tracker of as many episodes of the same rewards.
///
/// CUDA graphs: after warm_up, all calls may be captured. @pre every episode is reset before it is
/// read, and viewpoints and references exist; see DeviceRewards.
///
/// Threads: one at a time may use an object; several may have trackers of one DeviceRewards, which
/// must outlive them.
class WARPATH_EXPORT DeviceRewardTracker {
 public:
  /// @param memory of rewards.tracker_bytes(episodes)
  /// @param metrics nDTW or CLS, if values and score_extensions are to have them where the rewards
  /// do not need them
  DeviceRewardTracker(const DeviceRewards& rewards, std::uint32_t episodes, void* memory,
                      const MetricSet& metrics = {});
  DeviceRewardTracker(DeviceRewardTracker&&) noexcept;
  DeviceRewardTracker& operator=(DeviceRewardTracker&&) noexcept;
  ~DeviceRewardTracker();

  std::uint32_t episodes() const;
  /// Returns the bytes of 256-byte-aligned device memory that fork, and score_extensions of so many
  /// candidates, need.
  std::size_t workspace_bytes(std::uint32_t candidates) const;
  /// Starts all kernels with nothing to do, so that they are loaded.
  void warm_up(CUstream_st* stream) const;

  /// Starts to begin episodes anew. @throws InputError that names a field that cannot be right, as
  /// all calls; CudaError
  void reset(const EpisodeStarts& starts, CUstream_st* stream);

  /// Starts to add a viewpoint to each active episode and to write the rewards of these moves.
  /// @param nodes [episodes]; those of inactive episodes are not read
  /// @param active [episodes], 0: inactive, its reward is 0; null: all are active
  /// @param rewards [episodes]
  /// @param distance_to_goal [episodes], see RolloutBatch; may be null
  void step(DeviceIntegers nodes, const std::uint8_t* active, float* rewards, CUstream_st* stream,
            const float* distance_to_goal = nullptr);

  /// Starts to write the rewards of ends; episodes do not change. Where a preset adds it to the
  /// last move's, the caller does.
  /// @param stopped [episodes], 0: its time was up; null: all stopped
  /// @param mask [episodes], 0: the reward is 0; null: all end
  void finish(const std::uint8_t* stopped, const std::uint8_t* mask, float* rewards,
              CUstream_st* stream) const;

  /// Starts to score continuations of each episode, which do not change it.
  /// @param paths path number `episode * candidates + c` is continuation c of an episode; one
  /// without viewpoints has no values (NaN)
  /// @param out [episodes][candidates]: `reward` is the sum of the continuation's moves, the others
  /// are those of the whole path; all may be null
  /// @param workspace of workspace_bytes(candidates)
  void score_extensions(std::uint32_t candidates, const DevicePaths& paths, const RewardArrays& out,
                        void* workspace, CUstream_st* stream) const;

  /// Starts to write the prefix values of every episode.
  /// @param out [episodes]; `reward` is not written
  void values(const RewardArrays& out, CUstream_st* stream) const;

  /// Starts to copy episodes: to[i] becomes what from[i] was before the call.
  /// @param from,to [count], at most as many as there are episodes; none twice in `to`
  /// @param workspace of workspace_bytes(0)
  void fork(std::uint32_t count, DeviceIntegers from, DeviceIntegers to, void* workspace,
            CUstream_st* stream);

  struct State;  ///< for the implementation only

 private:
  std::unique_ptr<State> state_;
};

}  // namespace warpath
