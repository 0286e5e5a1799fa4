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

class GraphStore;

/// Says what DeviceRewards keeps.
struct DeviceRewardOptions {
  /// By reference: the viewpoints that are its goal, at least one. Empty: each reference's last.
  PathSet goals{};
  /// Keeps tables of distances for all that are given the same store, whose scans are used; null:
  /// each object makes its own.
  std::shared_ptr<const GraphStore> graphs{};
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
/// so another object, which computes no distance again if both are given the same `graphs`.
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
  /// Makes an object for rollouts in continuous space only. @throws as above
  explicit DeviceRewards(const RewardSettings& settings);
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

  // The same in continuous space, where distances are those of Rewards. References come with the
  // batch.

  /// Returns the bytes as above, for up to the batch's count and its references' max_length.
  std::size_t workspace_bytes(const PointRolloutBatch& batch) const;
  /// Starts to compute the rewards of every active rollout. One against a reference without points
  /// has none. @pre coordinates are finite and at most 1e12 m; where nDTW is divided by it, a
  /// reference's length is 0 or at least 1e-20 m
  /// @param workspace of workspace_bytes for such a batch
  /// @throws InputError as above, and for a threshold below 1e-6 m or above 1e15 m; CudaError
  void compute(const PointRolloutBatch& batch, const RewardArrays& out, void* workspace,
               CUstream_st* stream) const;

  /// Starts to add rewards up. @throws InputError that names a field that cannot be right;
  /// CudaError
  void add_up(const ReturnsBatch& batch, CUstream_st* stream) const;

  /// Reads the whole batch, waits, and reports what compute would have to take on trust.
  /// @throws InputError that names the first rollout that cannot be rewarded, and why
  void check(const RolloutBatch& batch, void* workspace, CUstream_st* stream) const;
  void check(const PointRolloutBatch& batch, void* workspace, CUstream_st* stream) const;

  /// Returns the bytes of 256-byte-aligned device memory that a tracker of so many episodes keeps
  /// its state in.
  std::size_t tracker_bytes(std::uint32_t episodes) const;
  /// Returns those of DeviceRewardTracker::of_points. @param max_reference_length as there
  std::size_t point_tracker_bytes(std::uint32_t episodes, std::uint32_t max_reference_length) const;

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

/// Names episodes in continuous space to begin anew.
struct PointEpisodeStarts {
  std::uint32_t count = 0;
  DeviceIntegers episode{};                 ///< [count], none twice; null: episode k
  DevicePoints references{};                ///< path k is that of entry k; they are copied
  const float* start = nullptr;             ///< [count][3]; null: the references' first points
  const float* distance_to_goal = nullptr;  ///< [count], see PointRolloutBatch; may be null
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
/// resume, copy them back, for a tracker of as many episodes of the same rewards and metrics. The
/// bytes do not say whose they are, so nothing can refuse those of another tracker.
///
/// CUDA graphs: after warm_up, all calls but the checks may be captured. @pre every episode is
/// reset before it is read, and viewpoints and references exist; see DeviceRewards.
///
/// Checks: each check_ call reads what the call behind it would, waits, and reports what that call
/// would have to take on trust; it changes nothing. An episode that was never reset is told by what
/// its memory holds: fill the memory with zeros before the first reset to be certain.
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
  /// Makes a tracker of episodes in continuous space, which has nDTW and CLS whatever the rewards
  /// need. Calls for viewpoints throw InputError, as do those for points of another tracker.
  /// @param max_reference_length points of the longest reference, from 1 to 2^20
  /// @param memory of rewards.point_tracker_bytes(episodes, max_reference_length)
  /// @throws InputError also for a threshold below 1e-6 m or above 1e15 m
  static DeviceRewardTracker of_points(const DeviceRewards& rewards, std::uint32_t episodes,
                                       std::uint32_t max_reference_length, void* memory);
  DeviceRewardTracker(DeviceRewardTracker&&) noexcept;
  DeviceRewardTracker& operator=(DeviceRewardTracker&&) noexcept;
  ~DeviceRewardTracker();

  std::uint32_t episodes() const;
  /// Returns the bytes of 256-byte-aligned device memory that fork, checks, and score_extensions of
  /// so many candidates need.
  std::size_t workspace_bytes(std::uint32_t candidates) const;
  /// Starts all kernels with nothing to do, so that they are loaded.
  void warm_up(CUstream_st* stream) const;

  /// Starts to begin episodes anew. @throws InputError that names a field that cannot be right, as
  /// all calls; CudaError
  void reset(const EpisodeStarts& starts, CUstream_st* stream);
  /// Does so in continuous space. @throws InputError also if the references' max_length is over
  /// the tracker's
  void reset(const PointEpisodeStarts& starts, CUstream_st* stream);

  /// Starts to add a viewpoint to each active episode and to write the rewards of these moves.
  /// @param nodes [episodes]; those of inactive episodes are not read
  /// @param active [episodes], 0: inactive, its reward is 0; null: all are active
  /// @param rewards [episodes]
  /// @param distance_to_goal [episodes], see RolloutBatch; may be null
  void step(DeviceIntegers nodes, const std::uint8_t* active, float* rewards, CUstream_st* stream,
            const float* distance_to_goal = nullptr);
  /// Does the same in continuous space. @param points [episodes][3]
  void step(const float* points, const std::uint8_t* active, float* rewards, CUstream_st* stream,
            const float* distance_to_goal = nullptr);

  /// Starts to write the rewards of ends; episodes do not change. The caller adds an end's reward
  /// to the last move's where `end_column` is last_move, and puts it in place of the last move's
  /// after a time-out where `timeout` is replaces_move: compute's column of the end is 0 then.
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
  void score_extensions(std::uint32_t candidates, const DevicePoints& paths,
                        const RewardArrays& out, void* workspace, CUstream_st* stream) const;

  /// Starts to write the prefix values of every episode.
  /// @param out [episodes]; `reward` is not written
  void values(const RewardArrays& out, CUstream_st* stream) const;

  /// Starts to copy episodes: to[i] becomes what from[i] was before the call.
  /// @param from,to [count], at most as many as there are episodes; none twice in `to`
  /// @param workspace of workspace_bytes(0)
  void fork(std::uint32_t count, DeviceIntegers from, DeviceIntegers to, void* workspace,
            CUstream_st* stream);

  // Checks. Each takes a workspace of workspace_bytes(0) and throws InputError that names the first
  // episode that cannot be right, and why.

  /// Finds an episode that does not exist or is named twice, a reference or viewpoint that does not
  /// exist, and of points an empty or too long reference and a coordinate that is no number,
  /// infinite or beyond 1e12 m.
  void check_reset(const EpisodeStarts& starts, void* workspace, CUstream_st* stream) const;
  void check_reset(const PointEpisodeStarts& starts, void* workspace, CUstream_st* stream) const;
  /// Finds an active episode that was never reset, and a viewpoint or coordinate as above.
  void check_step(DeviceIntegers nodes, const std::uint8_t* active, void* workspace,
                  CUstream_st* stream) const;
  void check_step(const float* points, const std::uint8_t* active, void* workspace,
                  CUstream_st* stream) const;
  /// Finds an episode of the mask that was never reset.
  void check_finish(const std::uint8_t* mask, void* workspace, CUstream_st* stream) const;
  /// Finds a length below 0 or beyond max_length, an episode with a continuation that was never
  /// reset, and a viewpoint or coordinate as above.
  void check_extensions(std::uint32_t candidates, const DevicePaths& paths, void* workspace,
                        CUstream_st* stream) const;
  void check_extensions(std::uint32_t candidates, const DevicePoints& paths, void* workspace,
                        CUstream_st* stream) const;
  /// Finds an episode that does not exist, or is named twice in `to`.
  void check_fork(std::uint32_t count, DeviceIntegers from, DeviceIntegers to, void* workspace,
                  CUstream_st* stream) const;

  struct State;  ///< for the implementation only

 private:
  explicit DeviceRewardTracker(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace warpath
