#include "warpath/device_rewards.hpp"

#include <fmt/format.h>

#include "host/batch/check_views.hpp"
#include "host/cuda/resident_tracker.hpp"
#include "host/rewards/reward_tables.hpp"
#include "warpath/error.hpp"

namespace warpath {

using batch::check_count;
using batch::check_given;
using batch::check_integers;
using batch::view_of;

struct DeviceRewards::State {
  State(cuda::Device& on, std::span<const Scan* const> scans, const PathSet& references,
        std::span<const std::uint32_t> scan_of, const RewardSettings& settings,
        const PathSet& goals)
      : device(on), tables(scans, references, scan_of, settings, goals), resident(on, tables) {}

  cuda::Device& device;
  const rewards::RewardTables tables;
  cuda::ResidentRewards resident;
};

namespace {

void check_rollouts(const RolloutBatch& batch) {
  check_count(batch.count);
  if (batch.count == 0) return;
  check_integers(batch.queries.viewpoints, "queries.viewpoints");
  batch::check_layout(batch.queries.layout, "queries.layout");
  check_integers(batch.reference, "reference");
}

}  // namespace

DeviceRewards::DeviceRewards(std::span<const Scan* const> scans, const PathSet& references,
                             std::span<const std::uint32_t> scan_of, const RewardSettings& settings,
                             const DeviceRewardOptions& options) {
  cuda::Device& device = cuda::device_or_error();
  const cuda::CurrentDevice current(device);
  state_ = std::make_unique<State>(device, scans, references, scan_of, settings, options.goals);
}

DeviceRewards::DeviceRewards(DeviceRewards&&) noexcept = default;
DeviceRewards& DeviceRewards::operator=(DeviceRewards&&) noexcept = default;
DeviceRewards::~DeviceRewards() = default;

const RewardSettings& DeviceRewards::settings() const {
  return state_->tables.settings;
}

std::size_t DeviceRewards::workspace_bytes(std::uint32_t count) const {
  check_count(count);
  return state_->resident.workspace_bytes(count);
}

void DeviceRewards::warm_up(CUstream_st* stream) const {
  const cuda::CurrentDevice current(state_->device);
  state_->resident.warm_up(stream);
}

void DeviceRewards::compute(const RolloutBatch& batch, const RewardArrays& out, void* workspace,
                            CUstream_st* stream) const {
  check_rollouts(batch);
  if (batch.count > 0) check_given(out.reward, "reward");
  const cuda::CurrentDevice current(state_->device);
  state_->resident.compute(batch, out, workspace, stream);
}

void DeviceRewards::add_up(const ReturnsBatch& batch, CUstream_st* stream) const {
  const kernels::ReturnsView view = view_of(batch);
  const cuda::CurrentDevice current(state_->device);
  state_->resident.add_up(view, stream);
}

void DeviceRewards::check(const RolloutBatch& batch, void* workspace, CUstream_st* stream) const {
  check_rollouts(batch);
  const cuda::CurrentDevice current(state_->device);
  batch::report(state_->resident.check(batch, workspace, stream), "rollout");
}

std::size_t DeviceRewards::tracker_bytes(std::uint32_t episodes) const {
  check_count(episodes);
  return cuda::ResidentTracker::bytes(state_->resident, episodes);
}

struct DeviceRewardTracker::State {
  // Refuses to return values that are not kept.
  void check_kept(const RewardArrays& out) const {
    if (out.cls == nullptr || tracker.keeps_cls()) return;
    throw InputError({{}, {}, "cls"}, "is not kept by this tracker",
                     "name the metric when it is made");
  }

  cuda::Device& device;
  cuda::ResidentTracker tracker;
};

DeviceRewardTracker::DeviceRewardTracker(const DeviceRewards& rewards, std::uint32_t episodes,
                                         void* memory, const MetricSet& metrics) {
  check_count(episodes);
  if (episodes > 0) check_given(memory, "memory");
  float wanted = 0.0f;
  RewardArrays arrays;
  if (metrics[Metric::nDTW]) arrays.ndtw = &wanted;
  if (metrics[Metric::CLS]) arrays.cls = &wanted;
  state_.reset(
      new State{rewards.state_->device, {rewards.state_->resident, episodes, memory, arrays}});
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
  if (starts.count > episodes()) {
    throw InputError({{}, {}, "count"},
                     fmt::format("is {}, and there are {} episodes", starts.count, episodes()),
                     "name each episode once");
  }
  if (starts.count > 0) check_given(starts.reference.data, "reference");
  check_integers(starts.episode, "episode");
  check_integers(starts.reference, "reference");
  check_integers(starts.start, "start");
  const cuda::CurrentDevice current(state_->device);
  state_->tracker.reset(starts, stream);
}

void DeviceRewardTracker::step(DeviceIntegers nodes, const std::uint8_t* active, float* rewards,
                               CUstream_st* stream, const float* distance_to_goal) {
  check_integers(nodes, "nodes");
  if (episodes() > 0) {
    check_given(nodes.data, "nodes");
    check_given(rewards, "rewards");
  }
  const cuda::CurrentDevice current(state_->device);
  state_->tracker.step(view_of(nodes), active, distance_to_goal, rewards, stream);
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
  if (candidates == 0 || episodes() == 0) return;
  if (std::uint64_t{candidates} * episodes() > 0xffffffff) {
    throw InputError(
        {{}, {}, "candidates"},
        fmt::format("are {} of {} episodes, 2^32 paths or more", candidates, episodes()),
        "score them in several calls");
  }
  check_integers(paths.viewpoints, "paths.viewpoints");
  batch::check_layout(paths.layout, "paths.layout");
  state_->check_kept(out);
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
  if (count > episodes()) {
    throw InputError({{}, {}, "count"},
                     fmt::format("is {}, and there are {} episodes", count, episodes()),
                     "name each episode of `to` once");
  }
  if (count > 0) {
    check_given(from.data, "from");
    check_given(to.data, "to");
  }
  check_integers(from, "from");
  check_integers(to, "to");
  const cuda::CurrentDevice current(state_->device);
  state_->tracker.fork(count, view_of(from), view_of(to), workspace, stream);
}

}  // namespace warpath
