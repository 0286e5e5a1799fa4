#include "host/core/cpu/reward_engine.hpp"

#include <utility>

#include "host/core/batch/check_views.hpp"
#include "host/core/cpu/check_host_batch.hpp"
#include "host/core/cpu/rewards.hpp"

namespace warpath::cpu {
namespace {

class Engine final : public rewards::RewardEngine {
 public:
  Engine(rewards::RewardTables tables, int threads)
      : tables_(std::move(tables)), rewarder_(tables_, threads) {}

  std::uint32_t references() const override {
    return static_cast<std::uint32_t>(tables_.references.size());
  }
  std::size_t workspace_bytes(const Batch&) const override { return 0; }
  void warm_up(CUstream_st*) const override {}
  void compute(const Batch& batch, const RewardArrays& out, const Call& call) const override {
    batch::check_count(batch.count);
    if (batch.count == 0) return;
    check(batch);
    batch::check_given(out.reward, "reward");
    rewarder_.compute(batch, out, call.watch);
  }
  void add_up(const ReturnsBatch& batch, const Call&) const override { add_up_rewards(batch); }
  void group_advantages(const GroupBatch& batch, const Call&) const override {
    warpath::group_advantages(batch);
  }
  std::size_t tracker_bytes(std::uint32_t, std::uint32_t) const override { return 0; }
  std::unique_ptr<rewards::EpisodeEngine> make_episodes(
      std::uint32_t episodes, const TrackerOptions& options) const override {
    return make_episode_engine(tables_, rewarder_, episodes, options);
  }

 private:
  void check(const Batch& batch) const {
    batch::check_prefix(batch.prefix, tables_.settings);
    if (batch.has_points()) batch::point_references(batch);  // refuses what has no such number
    batch::check_numbers(batch::view_of(batch.prefix, batch.spl_length),
                         batch.references_of(references()));
    if (batch.has_points()) {
      batch::check_threshold_between_points(tables_.settings.convention);
      return check_host_points(batch, "rollout");
    }
    check_host_batch(batch, {tables_.scans, tables_.references, tables_.scan_of}, "rollout");
  }

  const rewards::RewardTables tables_;
  const Rewarder rewarder_;
};

}  // namespace

std::unique_ptr<rewards::RewardEngine> make_reward_engine(rewards::RewardTables tables,
                                                          int threads) {
  return std::make_unique<Engine>(std::move(tables), threads);
}

}  // namespace warpath::cpu
