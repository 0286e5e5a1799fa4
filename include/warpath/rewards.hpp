#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "warpath/export.hpp"
#include "warpath/metrics.hpp"
#include "warpath/paths.hpp"
#include "warpath/reward_settings.hpp"
#include "warpath/rollouts.hpp"
#include "warpath/watch.hpp"

namespace warpath {

class GraphStore;

/// Says what Rewards keeps and how it works.
struct RewardOptions {
  /// By reference: the viewpoints that are its goal, at least one. Empty: each reference's last.
  PathSet goals{};
  int threads = 0;  ///< 0: all cores
  /// Keeps tables of distances for all that are given the same store, whose scans are used; null:
  /// each object makes its own.
  std::shared_ptr<const GraphStore> graphs{};
};

/// Rewards finished rollouts: all moves and ends of a batch from one sweep.
///
///     Rewards rewards(scans, references, scan_of, find_reward_preset("ndtw-gain").settings);
///     RolloutBatch batch;
///     batch.count = 4096;
///     batch.queries = {nodes, {.lengths = lengths, .pitch = 40, .max_length = 40}};
///     rewards.compute(batch, {.reward = out});  // float[4096][40]
///
/// A query of n viewpoints has n rewards: column t < n − 1 is that of the move from viewpoint t to
/// t + 1, column n − 1 that of the end. nDTW and CLS have the bits of Scorer's for each prefix, and
/// a gain is their difference in single precision.
///
/// Precision: distances to the goal are rounded in order, so signs, ties and decisions against
/// success_radius are those of double precision. In continuous space only the decisions are: two
/// distances that are the same float are a tie. A prefix that cannot reach its reference has no
/// nDTW and CLS, and rewards that need them are NaN.
///
/// Threads: several may use one object. It can be moved, not copied.
class WARPATH_EXPORT Rewards {
 public:
  /// Makes the tables of distances.
  /// @param scans of up to 4,096 viewpoints; they must outlive the object
  /// @param scan_of by reference: index into `scans`
  /// @throws InputError that names the reference, goal or setting that cannot be used
  Rewards(std::span<const Scan* const> scans, const PathSet& references,
          std::span<const std::uint32_t> scan_of, const RewardSettings& settings,
          const RewardOptions& options = {});
  /// Makes an object for rollouts in continuous space only. `options.goals` is not read.
  explicit Rewards(const RewardSettings& settings, const RewardOptions& options = {});
  Rewards(Rewards&&) noexcept;
  Rewards& operator=(Rewards&&) noexcept;
  ~Rewards();

  const RewardSettings& settings() const;

  /// Takes other references, and tables of distances to their goals, in place of those before.
  /// Calls that run in other threads end with those that they began with. Episodes of trackers end,
  /// but for those in continuous space: they must be reset.
  /// @param scans,references,scan_of as of the constructor
  /// @param goals see RewardOptions
  /// @throws InputError as the constructor; nothing changes then
  void set_references(std::span<const Scan* const> scans, const PathSet& references,
                      std::span<const std::uint32_t> scan_of, const PathSet& goals = {});

  /// Computes the rewards of every active rollout.
  /// @param watch counts active rollouts as pairs; what it throws leaves `out` partly written
  /// @throws InputError that names the rollout and viewpoint if a query is empty or longer than
  /// max_length, or if a viewpoint or reference does not exist; nothing is written then
  void compute(const RolloutBatch& batch, const RewardArrays& out, const Watch& watch = {}) const;

  /// Computes the same in continuous space: d is the Euclidean distance (2-D, if the convention and
  /// `goal_distance` say so; hops have no meaning here and count as 3-D).
  /// @throws InputError as above, and if a coordinate is no number, infinite or beyond 1e12 m
  void compute(const PointRolloutBatch& batch, const RewardArrays& out,
               const Watch& watch = {}) const;

  /// Adds rewards up. @throws InputError that names a rollout or field that cannot be right
  static void add_up(const ReturnsBatch& batch);

  struct State;  ///< for the implementation only

 private:
  friend class RewardTracker;
  std::unique_ptr<State> state_;
};

/// Rewards running episodes, a move of each at a time, in time and memory that do not grow with
/// their lengths. Rewards have the bits of Rewards::compute for the same paths.
///
///     RewardTracker tracker(rewards, 4096);
///     tracker.reset({}, references, starts);
///     for (…) tracker.step(nodes, active, rewards);
///     tracker.finish(stopped, {}, ends);
///
/// Threads: one at a time may use an object; several may have trackers of one Rewards, which must
/// outlive them.
class WARPATH_EXPORT RewardTracker {
 public:
  /// @param metrics nDTW or CLS, if values and score_extensions are to have them where the rewards
  /// do not need them
  RewardTracker(const Rewards& rewards, std::uint32_t episodes, const MetricSet& metrics = {});
  /// Makes a tracker of episodes in continuous space.
  /// @param max_reference_length points of the longest reference, at least 1
  static RewardTracker of_points(const Rewards& rewards, std::uint32_t episodes,
                                 std::uint32_t max_reference_length, const MetricSet& metrics = {});
  RewardTracker(RewardTracker&&) noexcept;
  RewardTracker& operator=(RewardTracker&&) noexcept;
  ~RewardTracker();

  std::uint32_t episodes() const;

  /// Begins episodes anew.
  /// @param episodes which; empty: all of them, so leave the call out where none is to begin
  /// @param references,starts of each of them; no starts: the references' first viewpoints
  /// @param distance_to_goal from each start, see RolloutBatch; may be null
  /// @throws InputError that names the episode if one of them does not exist
  void reset(std::span<const std::uint32_t> episodes, std::span<const std::uint32_t> references,
             std::span<const std::uint32_t> starts = {}, const float* distance_to_goal = nullptr);

  /// Begins episodes in continuous space anew.
  /// @param episodes as above
  /// @param references path k is that of episodes[k], or of episode k if all begin
  /// @param starts [episodes.size()][3]; null: the references' first points
  /// @throws InputError as above, or if a reference is empty or too long, or a coordinate is none
  void reset(std::span<const std::uint32_t> episodes, const DevicePoints& references,
             const float* starts = nullptr, const float* distance_to_goal = nullptr);

  /// Adds a viewpoint to each active episode and writes the rewards of these moves.
  /// @param nodes [episodes]; those of inactive episodes may be any
  /// @param active [episodes], 0: inactive, its reward is 0; null: all are active
  /// @param distance_to_goal [episodes], see RolloutBatch; may be null
  /// @param rewards [episodes]
  /// @throws InputError that names the episode if it was not reset, or if its viewpoint does not
  /// exist; nothing changes then
  void step(DeviceIntegers nodes, const std::uint8_t* active, float* rewards,
            const float* distance_to_goal = nullptr);

  /// Does the same in continuous space. @param points [episodes][3]
  void step(const float* points, const std::uint8_t* active, float* rewards,
            const float* distance_to_goal = nullptr);

  /// Writes the rewards of ends; episodes do not change. The caller adds an end's reward to the
  /// last move's where `end_column` is last_move, and puts it in place of the last move's after a
  /// time-out where `timeout` is replaces_move: compute's column of the end is 0 then.
  /// @param stopped [episodes], 0: its time was up; null: all stopped
  /// @param mask [episodes], 0: the reward is 0; null: all end
  void finish(const std::uint8_t* stopped, const std::uint8_t* mask, float* rewards) const;

  /// Scores continuations of each episode, which do not change it.
  /// @param paths path number `episode * candidates + c` is continuation c of an episode; one
  /// without viewpoints has no values (NaN)
  /// @param out [episodes][candidates]: `reward` is the sum of the continuation's moves, the others
  /// are those of the whole path
  void score_extensions(std::uint32_t candidates, const DevicePaths& paths,
                        const RewardArrays& out) const;
  void score_extensions(std::uint32_t candidates, const DevicePoints& paths,
                        const RewardArrays& out) const;

  /// Returns the prefix values of every episode. @param out [episodes]; `reward` is not written
  /// @throws InputError if nDTW or CLS is asked for that is not kept, as does score_extensions
  void values(const RewardArrays& out) const;

  /// Copies episodes: to[i] becomes what from[i] was before the call.
  void fork(std::span<const std::uint32_t> from, std::span<const std::uint32_t> to);

  /// Returns all that the tracker holds, to be restored into a tracker of as many episodes of the
  /// same Rewards and metrics, in another process or on another machine, too. It refers to
  /// references by number.
  std::vector<std::byte> state() const;
  /// Restores a state. What moves and ends are worth may differ from what it was when it was saved.
  /// @throws InputError that says what differs if the state is that of other episodes or
  /// references, has no nDTW or CLS and this tracker keeps it, or was saved under another distance,
  /// goal distance, threshold, or variant of nDTW or CLS; nothing changes then
  void restore(std::span<const std::byte> state);

  struct State;  ///< for the implementation only

 private:
  explicit RewardTracker(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace warpath
