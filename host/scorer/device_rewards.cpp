#include "host/scorer/device_rewards.hpp"

#include <fmt/format.h>

#include "host/batch/check_views.hpp"
#include "host/batch/request.hpp"
#include "host/cuda/resident_tracker.hpp"
#include "warpath/error.hpp"

namespace warpath {

using batch::check_count;
using batch::check_given;
using batch::check_integers;
using batch::check_layout;
using batch::view_of;

void scorer::check_points_fit(const Convention& convention) {
  if (batch::points_fit_single_precision(convention)) return;
  throw InputError({{}, {}, "convention"},
                   fmt::format("single precision does not reach a threshold of {} m between points",
                               convention.threshold),
                   "give a threshold from 1e-6 to 1e15");
}

void scorer::check_max_reference_length(std::uint32_t points) {
  constexpr std::uint32_t max_length = 1 << 20;
  if (points >= 1 && points <= max_length) return;
  throw InputError({{}, {}, "max_reference_length"}, fmt::format("is {}", points),
                   fmt::format("give a number from 1 to {}", max_length));
}

namespace {

void check_on_device(const RolloutBatch& batch, std::uint32_t references) {
  check_count(batch.count);
  if (batch.count == 0) return;
  if (references == 0) {
    throw InputError({{}, {}, "rewards"}, "have no references",
                     "make them with references, or give rollouts in continuous space");
  }
  check_integers(batch.queries.viewpoints, "queries.viewpoints");
  check_given(batch.queries.viewpoints.data, "queries.viewpoints");
  check_layout(batch.queries.layout, "queries.layout");
  check_integers(batch.reference, "reference");
  batch::check_reference_given(batch.reference, batch.count, references);
}

void check_on_device(const PointRolloutBatch& batch, const Convention& convention) {
  check_count(batch.count);
  if (batch.count == 0) return;
  scorer::check_points_fit(convention);
  check_given(batch.queries.points, "queries.points");
  check_layout(batch.queries.layout, "queries.layout");
  check_given(batch.references.points, "references.points");
  check_layout(batch.references.layout, "references.layout");
  scorer::check_max_reference_length(batch.references.layout.max_length);
  check_integers(batch.reference, "reference");
}

}  // namespace

DeviceRewards::DeviceRewards(std::span<const Scan* const> scans, const PathSet& references,
                             std::span<const std::uint32_t> scan_of, const RewardSettings& settings,
                             const DeviceRewardOptions& options) {
  cuda::Device& device = cuda::device_or_error();
  const cuda::CurrentDevice current(device);
  state_ = std::make_unique<State>(device, scans, references, scan_of, settings, options);
}

DeviceRewards::DeviceRewards(const RewardSettings& settings)
    : DeviceRewards({}, {}, {}, settings) {}
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

std::size_t DeviceRewards::workspace_bytes(const PointRolloutBatch& batch) const {
  check_count(batch.count);
  scorer::check_max_reference_length(batch.references.layout.max_length);
  return state_->resident.workspace_bytes(batch);
}

void DeviceRewards::warm_up(CUstream_st* stream) const {
  const cuda::CurrentDevice current(state_->device);
  state_->resident.warm_up(stream);
}

void DeviceRewards::compute(const RolloutBatch& batch, const RewardArrays& out, void* workspace,
                            CUstream_st* stream) const {
  check_on_device(batch, state_->resident.references());
  if (batch.count > 0) {
    check_given(out.reward, "reward");
    if (state_->resident.writes_workspace()) check_given(workspace, "workspace");
  }
  const cuda::CurrentDevice current(state_->device);
  state_->resident.compute(batch, out, workspace, stream);
}

void DeviceRewards::compute(const PointRolloutBatch& batch, const RewardArrays& out,
                            void* workspace, CUstream_st* stream) const {
  check_on_device(batch, settings().convention);
  if (batch.count > 0) {
    check_given(out.reward, "reward");
    if (cuda::ResidentRewards::writes_workspace(batch)) check_given(workspace, "workspace");
  }
  const cuda::CurrentDevice current(state_->device);
  state_->resident.compute(batch, out, workspace, stream);
}

void DeviceRewards::add_up(const ReturnsBatch& batch, CUstream_st* stream) const {
  const kernels::ReturnsView view = view_of(batch);
  const cuda::CurrentDevice current(state_->device);
  state_->resident.add_up(view, stream);
}

void DeviceRewards::check(const RolloutBatch& batch, void* workspace, CUstream_st* stream) const {
  check_on_device(batch, state_->resident.references());
  if (batch.count > 0) check_given(workspace, "workspace");
  const cuda::CurrentDevice current(state_->device);
  batch::report(state_->resident.check(batch, workspace, stream), "rollout");
}

void DeviceRewards::check(const PointRolloutBatch& batch, void* workspace,
                          CUstream_st* stream) const {
  check_on_device(batch, settings().convention);
  if (batch.count > 0) check_given(workspace, "workspace");
  const cuda::CurrentDevice current(state_->device);
  batch::report(state_->resident.check(batch, workspace, stream), "rollout");
  batch::report(state_->resident.check_points(batch, workspace, stream), "rollout");
}

std::size_t DeviceRewards::tracker_bytes(std::uint32_t episodes) const {
  check_count(episodes);
  return cuda::ResidentTracker::bytes(state_->resident, episodes);
}

std::size_t DeviceRewards::point_tracker_bytes(std::uint32_t episodes,
                                               std::uint32_t max_reference_length) const {
  check_count(episodes);
  scorer::check_max_reference_length(max_reference_length);
  return cuda::ResidentTracker::bytes_of_points(episodes, static_cast<int>(max_reference_length));
}

}  // namespace warpath
