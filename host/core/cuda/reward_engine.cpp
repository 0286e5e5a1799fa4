#include "host/core/cuda/reward_engine.hpp"

#include <utility>

#include "host/core/batch/check_views.hpp"
#include "host/core/cuda/resident_rewards.hpp"
#include "host/core/cuda/resident_tracker.hpp"
#include "warpath/error.hpp"

namespace warpath::cuda {
namespace {

using batch::check_count;
using batch::check_given;
using batch::check_integers;
using batch::check_layout;
using batch::check_max_reference_length;

void check_points(const Batch& batch, const Convention& convention) {
  batch::check_threshold_between_points(convention);
  check_given(batch.queries.points, "queries.points");
  check_layout(batch.queries.layout, "queries.layout");
  check_given(batch.references.points, "references.points");
  check_layout(batch.references.layout, "references.layout");
  check_max_reference_length(batch.references.layout.max_length);
  batch::point_references(batch);
}

void check_on_device(const Batch& batch, std::uint32_t references, const Convention& convention) {
  check_count(batch.count);
  if (batch.count == 0) return;
  check_integers(batch.reference, "reference");
  if (batch.has_points()) return check_points(batch, convention);
  if (references == 0) {
    throw InputError({{}, {}, "rewards"}, "have no references",
                     "make them with references, or give rollouts in continuous space");
  }
  check_integers(batch.queries.viewpoints, "queries.viewpoints");
  check_given(batch.queries.viewpoints.data, "queries.viewpoints");
  check_layout(batch.queries.layout, "queries.layout");
  batch::check_reference_given(batch, references);
}

class Engine final : public rewards::RewardEngine {
 public:
  Engine(Device& device, rewards::RewardTables tables)
      : device_(device), tables_(std::move(tables)), resident_(device, tables_) {}

  std::uint32_t references() const override { return resident_.references(); }
  std::size_t workspace_bytes(const Batch& batch) const override {
    check_count(batch.count);
    if (batch.has_points()) check_max_reference_length(batch.references.layout.max_length);
    return resident_.workspace_bytes(batch);
  }
  void warm_up(CUstream_st* stream) const override {
    const CurrentDevice current(device_);
    resident_.warm_up(stream);
  }
  void compute(const Batch& batch, const RewardArrays& out, const Call& call) const override {
    check_on_device(batch, resident_.references(), tables_.settings.convention);
    batch::check_prefix(batch.prefix, tables_.settings);
    if (batch.count > 0) {
      check_given(out.reward, "reward");
      if (call.check || resident_.writes_workspace(batch)) check_given(call.workspace, "workspace");
    }
    const CurrentDevice current(device_);
    if (call.check) check(batch, call);
    resident_.compute(batch, out, call.workspace, call.stream);
  }
  void add_up(const ReturnsBatch& batch, const Call& call) const override {
    const kernels::ReturnsView view = batch::view_of(batch);
    const CurrentDevice current(device_);
    resident_.add_up(view, call.stream);
  }
  void group_advantages(const GroupBatch& batch, const Call& call) const override {
    const kernels::GroupsView view = batch::view_of(batch);
    const CurrentDevice current(device_);
    resident_.group_advantages(view, call.stream);
  }
  std::size_t tracker_bytes(std::uint32_t episodes,
                            std::uint32_t max_reference_length) const override {
    check_count(episodes);
    if (max_reference_length == 0) return ResidentTracker::bytes(resident_, episodes);
    check_max_reference_length(max_reference_length);
    return ResidentTracker::bytes_of_points(episodes, static_cast<int>(max_reference_length));
  }
  std::unique_ptr<rewards::EpisodeEngine> make_episodes(
      std::uint32_t episodes, const TrackerOptions& options) const override {
    return make_episode_engine(resident_, episodes, options);
  }

 private:
  void check(const Batch& batch, const Call& call) const {
    resident_.check_numbers(batch::view_of(batch.prefix, batch.spl_length),
                            batch.references_of(resident_.references()), call.stream);
    batch::report(resident_.check(batch, call.workspace, call.stream), "rollout");
    if (!batch.has_points()) return;
    batch::report(resident_.check_points(batch, call.workspace, call.stream), "rollout");
  }

  Device& device_;
  const rewards::RewardTables tables_;
  const ResidentRewards resident_;
};

}  // namespace

std::unique_ptr<rewards::RewardEngine> make_reward_engine(Device& device,
                                                          rewards::RewardTables tables) {
  return std::make_unique<Engine>(device, std::move(tables));
}

}  // namespace warpath::cuda
