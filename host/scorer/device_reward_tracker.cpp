#include <fmt/format.h>

#include <utility>

#include "host/batch/check_views.hpp"
#include "host/cuda/resident_tracker.hpp"
#include "host/scorer/device_rewards.hpp"
#include "warpath/error.hpp"

namespace warpath {

using batch::check_count;
using batch::check_given;
using batch::check_integers;
using batch::check_layout;
using batch::view_of;

struct DeviceRewardTracker::State {
  // Refuses a call for viewpoints of a tracker of points, or the other way round.
  void check_kind(bool points, const char* call) const {
    if (tracker.has_points() == points) return;
    throw InputError(
        {{}, {}, call},
        fmt::format("is given {}, and the tracker is one of {}", points ? "points" : "viewpoints",
                    points ? "viewpoints" : "points"),
        "DeviceRewardTracker::of_points makes one of points");
  }
  // Refuses to return values that are not kept.
  void check_kept(const RewardArrays& out) const {
    if (out.cls == nullptr || tracker.keeps_cls()) return;
    throw InputError({{}, {}, "cls"}, "is not kept by this tracker",
                     "name the metric when it is made");
  }
  void check_named(std::uint32_t count, const char* remedy) const {
    if (count <= tracker.episodes()) return;
    throw InputError({{}, {}, "count"},
                     fmt::format("is {}, and there are {} episodes", count, tracker.episodes()),
                     remedy);
  }

  void check(const EpisodeStarts& starts) const {
    check_kind(false, "reset");
    check_named(starts.count, "name each episode once");
    if (starts.count > 0) check_given(starts.reference.data, "reference");
    check_integers(starts.episode, "episode");
    check_integers(starts.reference, "reference");
    check_integers(starts.start, "start");
  }
  void check(const PointEpisodeStarts& starts) const {
    check_kind(true, "reset");
    check_named(starts.count, "name each episode once");
    check_integers(starts.episode, "episode");
    if (starts.count == 0) return;
    check_given(starts.references.points, "references.points");
    check_layout(starts.references.layout, "references.layout");
    const std::uint32_t longest = starts.references.layout.max_length;
    const auto room = static_cast<std::uint32_t>(tracker.max_reference());
    if (longest <= room) return;
    throw InputError({{}, {}, "references.layout"},
                     fmt::format("has a max_length of {}, and the tracker has room for {} points",
                                 longest, room),
                     "give the tracker a longer max_reference_length");
  }
  void check_nodes(const DeviceIntegers& nodes) const {
    check_kind(false, "step");
    check_integers(nodes, "nodes");
    if (tracker.episodes() > 0) check_given(nodes.data, "nodes");
  }
  void check_points(const float* points) const {
    check_kind(true, "step");
    if (tracker.episodes() > 0) check_given(points, "points");
  }
  // Refuses no memory for what a call of so many entries writes to.
  static void check_workspace(std::uint32_t entries, const void* workspace) {
    if (entries > 0) check_given(workspace, "workspace");
  }
  void check_fork(std::uint32_t count, const DeviceIntegers& from, const DeviceIntegers& to) const {
    check_named(count, "name each episode of `to` once");
    if (count > 0) {
      check_given(from.data, "from");
      check_given(to.data, "to");
    }
    check_integers(from, "from");
    check_integers(to, "to");
  }
  // Returns whether there are continuations to look at.
  bool has_extensions(std::uint32_t candidates, bool points) const {
    check_kind(points, "score_extensions");
    if (candidates == 0 || tracker.episodes() == 0) return false;
    if (std::uint64_t{candidates} * tracker.episodes() <= 0xffffffff) return true;
    throw InputError(
        {{}, {}, "candidates"},
        fmt::format("are {} of {} episodes, 2^32 paths or more", candidates, tracker.episodes()),
        "score them in several calls");
  }
  static void check_paths(const DevicePaths& paths) {
    check_integers(paths.viewpoints, "paths.viewpoints");
    check_given(paths.viewpoints.data, "paths.viewpoints");
    check_layout(paths.layout, "paths.layout");
  }
  static void check_paths(const DevicePoints& paths) {
    check_given(paths.points, "paths.points");
    check_layout(paths.layout, "paths.layout");
  }

  cuda::Device& device;
  cuda::ResidentTracker tracker;
};

DeviceRewardTracker::DeviceRewardTracker(const DeviceRewards& rewards, std::uint32_t episodes,
                                         void* memory, const MetricSet& metrics) {
  check_count(episodes);
  if (rewards.state_->resident.references() == 0) {
    throw InputError({{}, {}, "rewards"}, "have no references",
                     "make them with references, or use DeviceRewardTracker::of_points");
  }
  if (episodes > 0) check_given(memory, "memory");
  float wanted = 0.0f;
  RewardArrays arrays;
  if (metrics[Metric::nDTW]) arrays.ndtw = &wanted;
  if (metrics[Metric::CLS]) arrays.cls = &wanted;
  state_.reset(
      new State{rewards.state_->device, {rewards.state_->resident, episodes, memory, arrays}});
}
DeviceRewardTracker::DeviceRewardTracker(std::unique_ptr<State> state) : state_(std::move(state)) {}

DeviceRewardTracker DeviceRewardTracker::of_points(const DeviceRewards& rewards,
                                                   std::uint32_t episodes,
                                                   std::uint32_t max_reference_length,
                                                   void* memory) {
  check_count(episodes);
  scorer::check_max_reference_length(max_reference_length);
  scorer::check_points_fit(rewards.settings().convention);
  if (episodes > 0) check_given(memory, "memory");
  return DeviceRewardTracker(std::unique_ptr<State>(
      new State{rewards.state_->device,
                cuda::ResidentTracker::of_points(rewards.state_->resident, episodes, memory,
                                                 static_cast<int>(max_reference_length))}));
}
DeviceRewardTracker::DeviceRewardTracker(DeviceRewardTracker&&) noexcept = default;
DeviceRewardTracker& DeviceRewardTracker::operator=(DeviceRewardTracker&&) noexcept = default;
DeviceRewardTracker::~DeviceRewardTracker() = default;

std::uint32_t DeviceRewardTracker::episodes() const {
  return state_->tracker.episodes();
}

std::size_t DeviceRewardTracker::workspace_bytes(std::uint32_t candidates) const {
  check_count(candidates);
  return state_->tracker.workspace_bytes(candidates);
}

void DeviceRewardTracker::warm_up(CUstream_st* stream) const {
  const cuda::CurrentDevice current(state_->device);
  state_->tracker.warm_up(stream);
}

void DeviceRewardTracker::reset(const EpisodeStarts& starts, CUstream_st* stream) {
  state_->check(starts);
  const cuda::CurrentDevice current(state_->device);
  state_->tracker.reset(starts, stream);
}

void DeviceRewardTracker::reset(const PointEpisodeStarts& starts, CUstream_st* stream) {
  state_->check(starts);
  const cuda::CurrentDevice current(state_->device);
  state_->tracker.reset(starts, stream);
}

void DeviceRewardTracker::step(DeviceIntegers nodes, const std::uint8_t* active, float* rewards,
                               CUstream_st* stream, const float* distance_to_goal) {
  state_->check_nodes(nodes);
  if (episodes() > 0) check_given(rewards, "rewards");
  const cuda::CurrentDevice current(state_->device);
  state_->tracker.step(view_of(nodes), active, distance_to_goal, rewards, stream);
}

void DeviceRewardTracker::step(const float* points, const std::uint8_t* active, float* rewards,
                               CUstream_st* stream, const float* distance_to_goal) {
  state_->check_points(points);
  if (episodes() > 0) check_given(rewards, "rewards");
  const cuda::CurrentDevice current(state_->device);
  state_->tracker.step(points, active, distance_to_goal, rewards, stream);
}

void DeviceRewardTracker::finish(const std::uint8_t* stopped, const std::uint8_t* mask,
                                 float* rewards, CUstream_st* stream) const {
  if (episodes() > 0) check_given(rewards, "rewards");
  const cuda::CurrentDevice current(state_->device);
  state_->tracker.finish(stopped, mask, rewards, stream);
}

void DeviceRewardTracker::score_extensions(std::uint32_t candidates, const DevicePaths& paths,
                                           const RewardArrays& out, void* workspace,
                                           CUstream_st* stream) const {
  if (!state_->has_extensions(candidates, false)) return;
  state_->check_paths(paths);
  state_->check_kept(out);
  if (state_->tracker.writes_workspace()) check_given(workspace, "workspace");
  const cuda::CurrentDevice current(state_->device);
  state_->tracker.score_extensions(candidates, view_of(paths), out, workspace, stream);
}

void DeviceRewardTracker::score_extensions(std::uint32_t candidates, const DevicePoints& paths,
                                           const RewardArrays& out, void* workspace,
                                           CUstream_st* stream) const {
  if (!state_->has_extensions(candidates, true)) return;
  state_->check_paths(paths);
  if (state_->tracker.writes_workspace()) check_given(workspace, "workspace");
  const cuda::CurrentDevice current(state_->device);
  state_->tracker.score_extensions(candidates, view_of(paths), out, workspace, stream);
}

void DeviceRewardTracker::values(const RewardArrays& out, CUstream_st* stream) const {
  state_->check_kept(out);
  const cuda::CurrentDevice current(state_->device);
  state_->tracker.values(out, stream);
}

void DeviceRewardTracker::fork(std::uint32_t count, DeviceIntegers from, DeviceIntegers to,
                               void* workspace, CUstream_st* stream) {
  state_->check_fork(count, from, to);
  State::check_workspace(count, workspace);
  const cuda::CurrentDevice current(state_->device);
  state_->tracker.fork(count, view_of(from), view_of(to), workspace, stream);
}

// ---------------------------------------------------------------- checks

void DeviceRewardTracker::check_reset(const EpisodeStarts& starts, void* workspace,
                                      CUstream_st* stream) const {
  state_->check(starts);
  State::check_workspace(starts.count, workspace);
  const cuda::CurrentDevice current(state_->device);
  batch::report(state_->tracker.check_reset(starts, workspace, stream));
}

void DeviceRewardTracker::check_reset(const PointEpisodeStarts& starts, void* workspace,
                                      CUstream_st* stream) const {
  state_->check(starts);
  State::check_workspace(starts.count, workspace);
  const cuda::CurrentDevice current(state_->device);
  batch::report(state_->tracker.check_reset(starts, workspace, stream));
}

void DeviceRewardTracker::check_step(DeviceIntegers nodes, const std::uint8_t* active,
                                     void* workspace, CUstream_st* stream) const {
  state_->check_nodes(nodes);
  State::check_workspace(episodes(), workspace);
  const cuda::CurrentDevice current(state_->device);
  batch::report(state_->tracker.check_step(view_of(nodes), active, workspace, stream));
}

void DeviceRewardTracker::check_step(const float* points, const std::uint8_t* active,
                                     void* workspace, CUstream_st* stream) const {
  state_->check_points(points);
  State::check_workspace(episodes(), workspace);
  const cuda::CurrentDevice current(state_->device);
  batch::report(state_->tracker.check_step(points, active, workspace, stream));
}

void DeviceRewardTracker::check_finish(const std::uint8_t* mask, void* workspace,
                                       CUstream_st* stream) const {
  State::check_workspace(episodes(), workspace);
  const cuda::CurrentDevice current(state_->device);
  batch::report(state_->tracker.check_finish(mask, workspace, stream));
}

void DeviceRewardTracker::check_extensions(std::uint32_t candidates, const DevicePaths& paths,
                                           void* workspace, CUstream_st* stream) const {
  if (!state_->has_extensions(candidates, false)) return;
  state_->check_paths(paths);
  State::check_workspace(episodes(), workspace);
  const cuda::CurrentDevice current(state_->device);
  batch::report(state_->tracker.check_extensions(candidates, view_of(paths), workspace, stream));
}

void DeviceRewardTracker::check_extensions(std::uint32_t candidates, const DevicePoints& paths,
                                           void* workspace, CUstream_st* stream) const {
  if (!state_->has_extensions(candidates, true)) return;
  state_->check_paths(paths);
  State::check_workspace(episodes(), workspace);
  const cuda::CurrentDevice current(state_->device);
  batch::report(state_->tracker.check_extensions(candidates, view_of(paths), workspace, stream));
}

void DeviceRewardTracker::check_fork(std::uint32_t count, DeviceIntegers from, DeviceIntegers to,
                                     void* workspace, CUstream_st* stream) const {
  state_->check_fork(count, from, to);
  State::check_workspace(count, workspace);
  const cuda::CurrentDevice current(state_->device);
  batch::report(state_->tracker.check_fork(count, view_of(from), false, workspace, stream));
  batch::report(state_->tracker.check_fork(count, view_of(to), true, workspace, stream));
}

}  // namespace warpath
