#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "warpath/export.hpp"
#include "warpath/paths.hpp"
#include "warpath/place.hpp"
#include "warpath/reward_settings.hpp"
#include "warpath/views.hpp"

namespace warpath {

class GraphStore;

/// Options of Rewards.
struct RewardOptions {
  /// By reference: the viewpoints that are its goal, at least one. Empty: each reference's last.
  PathSet goals{};
  Place place{};
  /// Keeps tables of distances for all that are given the same store, whose scans are used; null:
  /// each object makes its own.
  std::shared_ptr<const GraphStore> graphs{};
};

/// Rewards finished rollouts: all moves and ends of a batch from one sweep.
///
///     Rewards rewards(scans, references, scan_of, find_reward_preset("ndtw-gain").settings);
///     Batch batch;
///     batch.count = 4096;
///     batch.queries = {nodes, {.lengths = lengths, .pitch = 40, .max_length = 40}};
///     rewards.compute(batch, {.reward = out});  // float[4096][40]
///
/// On a GPU, where nodes, lengths, out and workspace are device memory:
///
///     Rewards rewards(scans, references, scan_of, settings, {.place = Place::gpu()});
///     // workspace has rewards.workspace_bytes(batch) bytes
///     rewards.compute(batch, {.reward = out}, {.workspace = workspace, .stream = stream});
///
/// A query of n viewpoints has n rewards: column t < n − 1 is that of the move from viewpoint t to
/// t + 1, column n − 1 that of the end. nDTW and CLS have the bits of Scorer's for each prefix, and
/// a gain is their difference in single precision. Both places give the same bits.
///
/// Precision: distances to the goal are rounded in order, so signs, ties and decisions against
/// success_radius are those of double precision. In continuous space only the decisions are: two
/// distances that are the same float are a tie. A prefix that cannot reach its reference has no
/// nDTW and CLS, and rewards that need them are NaN.
///
/// Threads: several may use one object, on a GPU each with its own workspace. It can be moved, not
/// copied. An object of a GPU belongs to that device; its calls leave the caller's current device
/// as it is.
class WARPATH_EXPORT Rewards {
 public:
  /// Makes the tables of distances. For a GPU it uploads them and waits.
  /// @param scans whose tables have at most 2^30 entries (4 GiB) together, as that of one scan of
  /// 32,767 viewpoints has; for the host they must outlive the object
  /// @param scan_of by reference: index into `scans`
  /// @throws InputError that names the scan, reference, goal or setting that cannot be used, or
  /// says why there is no GPU; CudaError
  Rewards(std::span<const Scan* const> scans, const PathSet& references,
          std::span<const std::uint32_t> scan_of, const RewardSettings& settings,
          const RewardOptions& options = {});
  /// Makes an object for rollouts in continuous space only. `options.goals` is not read.
  explicit Rewards(const RewardSettings& settings, const RewardOptions& options = {});
  Rewards(Rewards&&) noexcept;
  Rewards& operator=(Rewards&&) noexcept;
  /// @pre on a GPU all work that its calls started is completed, and graphs with it are launched no
  /// more
  ~Rewards();

  const RewardSettings& settings() const;
  Place place() const;

  /// Takes other references, and tables of distances to their goals, in place of those before.
  /// Calls that run in other threads end with those that they began with. Episodes of trackers on
  /// the host end, but for those in continuous space: they must be reset. Trackers on a GPU go on
  /// with the references that they were made with.
  /// @param scans,references,scan_of as of the constructor
  /// @param goals see RewardOptions
  /// @pre on a GPU as for the destructor
  /// @throws InputError as the constructor; nothing changes then
  void set_references(std::span<const Scan* const> scans, const PathSet& references,
                      std::span<const std::uint32_t> scan_of, const PathSet& goals = {});

  /// Returns the bytes that `Call::workspace` needs for up to the batch's count, of points for
  /// references of up to their max_length, of viewpoints with or without `prefix`; nothing else of
  /// it is read. On the host it is 0; on a GPU it is little, but for references of over 16
  /// viewpoints or points, and for viewpoints of which a prefix is left out.
  std::size_t workspace_bytes(const Batch& batch) const;

  /// GPU: starts all kernels with nothing to do, so that they are loaded.
  void warm_up(CUstream_st* stream) const;

  /// Computes the rewards of every active rollout. In continuous space d is the Euclidean distance
  /// (2-D, if the convention and `goal_distance` say so; hops have no meaning here and count as
  /// 3-D). On a GPU a query longer than max_length is cut, and one without elements, or against a
  /// reference without points, has no rewards.
  /// @pre on a GPU coordinates are finite and at most 1e12 m; where nDTW is divided by it, a
  /// reference of points has a length of 0 or at least 1e-20 m
  /// @throws InputError that names the rollout and viewpoint if a query is empty or longer than
  /// max_length, if a viewpoint or reference does not exist, or if a coordinate is no number,
  /// infinite or beyond 1e12 m; that names a field which cannot be right, such as rows shorter than
  /// max_length; of points, for a threshold below 1e-6 m or above 1e15 m. Nothing is written then.
  /// CudaError if a kernel cannot start
  void compute(const Batch& batch, const RewardArrays& out, const Call& call = {}) const;

  /// Adds rewards up to returns and advantages, in the object's place.
  /// @throws InputError that names a field, or on the host a rollout, that cannot be right;
  /// CudaError
  void add_up(const ReturnsBatch& batch, const Call& call = {}) const;

  /// Compares rollouts within their groups, in the object's place. Both places give the same bits.
  /// On a GPU an active rollout of a group that does not exist has the advantage NaN, as have all
  /// of a group with a reward that is no number, and under GroupScale::batch all of all groups.
  /// @throws InputError that names a field, or on the host a rollout, that cannot be right;
  /// CudaError
  void group_advantages(const GroupBatch& batch, const Call& call = {}) const;

  /// Returns the bytes of 256-byte-aligned memory that a tracker of so many episodes keeps its
  /// state in on a GPU; 0 on the host.
  /// @param max_reference_length points of the longest reference, up to 2^20; 0: of viewpoints
  std::size_t tracker_bytes(std::uint32_t episodes, std::uint32_t max_reference_length = 0) const;

  struct State;  ///< for the implementation only

 private:
  friend class RewardTracker;
  std::unique_ptr<State> state_;
};

/// Adds rewards in host memory up to returns and advantages.
/// @throws InputError that names a rollout or field that cannot be right
WARPATH_EXPORT void add_up_rewards(const ReturnsBatch& batch);

/// Compares rollouts in host memory within their groups.
/// @throws InputError that names a rollout or field that cannot be right, such as an active reward
/// that is no number
WARPATH_EXPORT void group_advantages(const GroupBatch& batch);

}  // namespace warpath
