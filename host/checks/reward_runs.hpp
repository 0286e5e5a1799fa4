#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/checks/compare.hpp"
#include "host/checks/rollouts.hpp"
#include "host/core/cuda/resident_tracker.hpp"
#include "host/core/rewards/reward_tables.hpp"
#include "warpath/reward_tracker.hpp"
#include "warpath/rewards.hpp"

namespace warpath::checks {

/// The arrays of results in host memory, at first `unwritten`.
struct HostRewards {
  static constexpr float unwritten = FloatsOnDevice::unwritten;
  std::vector<float> reward, goal, ndtw, cls;

  explicit HostRewards(std::size_t size)
      : reward(size, unwritten), goal(reward), ndtw(reward), cls(reward) {}
  /// @param prefixes whether more than rewards are wanted
  RewardArrays arrays(bool prefixes = true);
};

/// The same arrays on a device.
struct DeviceRewards {
  FloatsOnDevice reward, goal, ndtw, cls;

  DeviceRewards(cuda::Device& device, std::size_t size)
      : reward(device, size), goal(device, size), ndtw(device, size), cls(device, size) {}
  RewardArrays arrays(bool prefixes) const;
  /// Compares all arrays when the stream has done what it was given.
  Mismatches compare(const HostRewards& expected, const std::string& what,
                     cuda::Stream stream) const;
};

/// Rewards rollouts on the CPU and on a device, and runs their queries as episodes on both, side by
/// side. Each call counts the values whose bits differ. Episode e is rollout e.
class RewardRuns {
 public:
  /// @param metrics that episodes of viewpoints keep beside the distance to the goal: nDTW, CLS;
  /// episodes of points keep both
  /// @param form of the integers on the device
  RewardRuns(cuda::Device& device, const Rollouts& rollouts, const RewardSettings& settings,
             const MetricSet& metrics, const Form& form);

  const Mismatches& found() const { return found_; }

  /// Rewards all rollouts. @param prefixes asks for distances, nDTW and CLS, too
  void compute(bool prefixes, bool given_goal);
  /// Adds up the given distances to the goal, as if they were rewards.
  void add_up();
  /// Compares the first of these as the rewards of whole rollouts, in groups of some size and in
  /// numbered ones.
  void compare_groups();
  /// Begins all episodes at their queries' first elements.
  void reset();
  /// Begins every third episode anew, at the first element of another one's reference.
  void reset_some();
  /// Adds element t to the episodes that have one.
  void step(std::uint32_t t, bool given_goal);
  /// Lets episodes change places, and one become another.
  void fork();
  /// Scores continuations of 0 to 3 elements.
  void extend();
  void finish();
  /// Checks a step whose last element is no viewpoint, or no point: the check is to name it.
  void find_bad_element();

 private:
  static constexpr std::uint32_t candidates = 3;

  cuda::Stream stream() const { return stream_.get(); }
  /// Begins episodes, on both sides. @param episode none: all; `start` and `goal` may have no entry
  void begin(const std::vector<std::int64_t>& episode, const std::vector<std::int64_t>& reference,
             const HostPaths& start, const std::vector<float>& goal);
  /// Returns the arrays that episodes can fill.
  template <class Results>
  RewardArrays kept(Results& results) const;
  void compare(const DeviceRewards& got, const HostRewards& expected, const std::string& what);
  void compare_values(const std::string& when);
  void expect_no_fault(const kernels::EpisodeProblem& problem, const std::string& what);

  cuda::Device& device_;
  const Rollouts& rollouts_;
  const std::uint32_t episodes_;
  const MetricSet metrics_;
  const Form form_;
  const Rewards here_;
  RewardTracker tracker_here_;
  const rewards::RewardTables tables_;
  const cuda::ResidentRewards there_;
  const RolloutsOnDevice on_device_;
  const cuda::DeviceArray<char> memory_;
  const cuda::ResidentTracker tracker_there_;
  const cuda::DeviceArray<char> workspace_;
  const cuda::UniqueStream stream_;
  Mismatches found_;
};

}  // namespace warpath::checks
