// Tests that calls of Rewards and RewardTracker on a GPU can be captured into a CUDA graph after
// warm_up, allocate nothing, and reward what lies in memory when the graph is launched.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/fake_cudart/graph_capture.hpp"
#include "tests/support/calls.hpp"
#include "tests/support/reward_runs.hpp"
#include "warpath/error.hpp"
#include "warpath/reward_tracker.hpp"
#include "warpath/rewards.hpp"

namespace warpath::testing {
namespace {

constexpr Form in_rows{2, 4, true};

class CudaRewardGraph : public GraphTest {
 protected:
  Rollouts make_rollouts() {
    random_.add_pairs(count, 12, 9);
    return checks::rollouts_of(batch_, true);
  }

  static constexpr std::uint32_t count = 40;
  RandomBatch random_{run_seed() + 350, 1};
  const PairBatch& batch_ = random_.batch();
  Rollouts rollouts_ = make_rollouts();
  const std::size_t size_ = rollouts_.queries.size();
  const RewardSettings settings_ = find_reward_preset("ndtw-gain").settings;
  const Rewards on_cpu_{batch_.scans, batch_.references, rollouts_.scan_of, settings_};
  Rewards rewards_{
      batch_.scans, batch_.references, rollouts_.scan_of, settings_, {.place = Place::gpu()}};
};

TEST_F(CudaRewardGraph, RewardsWhatLiesInMemoryWhenItIsLaunched) {
  RolloutsOnDevice there(device_, rollouts_, in_rows);
  const Batch batch = there.batch(false);
  const cuda::DeviceArray<char> workspace(device_, rewards_.workspace_bytes(batch));
  const FloatsOnDevice out(device_, size_), returns(device_, size_);
  const auto sums_of = [](const Batch& rollouts, const float* reward, float* sums) {
    return ReturnsBatch{.count = count,
                        .layout = rollouts.queries.layout,
                        .active = rollouts.active,
                        .reward = reward,
                        .discount = 0.9,
                        .returns = sums};
  };
  std::vector<float> totals;  // numbers all: the host refuses NaN, which rollouts may earn
  for (std::uint32_t k = 0; k < count; ++k)
    totals.push_back(0.37f * static_cast<float>(k * 7 % 11));
  const FloatsOnDevice advantage(device_, count), totals_there(device_, totals);
  const auto groups_of = [](const Batch& rollouts, const float* reward, float* compared) {
    return GroupBatch{.count = count,
                      .group_size = 8,
                      .active = rollouts.active,
                      .reward = reward,
                      .advantage = compared};
  };
  rewards_.warm_up(stream());
  device_.wait(stream());
  capture([&] {
    rewards_.compute(batch, {.reward = out.data()}, call_on(stream(), workspace.data()));
    rewards_.add_up(sums_of(batch, out.data(), returns.data()), call_on(stream()));
    rewards_.group_advantages(groups_of(batch, totals_there.data(), advantage.data()),
                              call_on(stream()));
  });
  for (const bool is_turned : {false, true}) {
    if (is_turned) std::ranges::reverse(rollouts_.reference);
    there.reference().write(rollouts_.reference);
    replay();
    checks::HostRewards want(size_);
    const Batch here = rollouts_.batch(false);
    on_cpu_.compute(here, {.reward = want.reward.data()});
    add_up_rewards(sums_of(here, want.reward.data(), want.goal.data()));
    expect_bits(out.read(stream()), want.reward, "rewards");
    expect_bits(returns.read(stream()), want.goal, "returns");
    std::vector<float> compared(count);
    group_advantages(groups_of(here, totals.data(), compared.data()));
    expect_bits(advantage.read(stream()), compared, "advantages");
  }
}

TEST_F(CudaRewardGraph, StepsEpisodes) {
  const cuda::DeviceArray<char> memory(device_, rewards_.tracker_bytes(count));
  RewardTracker tracker(rewards_, count, {.memory = memory.data()});
  const cuda::DeviceArray<char> workspace(device_, tracker.workspace_bytes(1));
  RewardTracker want(on_cpu_, count);
  const auto last =
      static_cast<std::int64_t>(batch_.scans.front()->size()) - 1;  // 0 if it is alone
  const std::vector<std::int64_t> first(count, 0), second(count, last), one(count, 1);
  IntegersOnDevice nodes(device_, first, 2);
  const IntegersOnDevice reference(device_, rollouts_.reference, 4), ones(device_, one, 1);
  const FloatsOnDevice moves(device_, count), ends(device_, count);
  tracker.warm_up(stream());
  tracker.reset({.count = count, .reference = reference}, call_on(stream()));
  want.reset({.count = count, .reference = rollouts_.reference.data()});
  device_.wait(stream());
  capture([&] {
    tracker.step(nodes, nullptr, moves.data(), nullptr, call_on(stream()));
    tracker.finish(nullptr, nullptr, ends.data(), call_on(stream()));
    tracker.score_extensions(1, {nodes, {.lengths = ones, .pitch = 1, .max_length = 1}}, {},
                             call_on(stream(), workspace.data()));
    tracker.values({}, call_on(stream()));
  });
  for (const auto& viewpoints : {first, second, first}) {
    nodes.write(viewpoints);
    device_.wait(stream());
    replay();
    std::vector<float> want_moves(count), want_ends(count);
    want.step(viewpoints.data(), nullptr, want_moves.data());
    want.finish(nullptr, nullptr, want_ends.data());
    expect_bits(moves.read(stream()), want_moves, "moves");
    expect_bits(ends.read(stream()), want_ends, "ends");
  }
}

TEST_F(CudaRewardGraph, ChecksTellTheFirstRolloutThatCannotBeRewarded) {
  rollouts_.queries.viewpoints[rollouts_.queries.at(5)] = 60'000;
  const RolloutsOnDevice there(device_, rollouts_, in_rows);
  Batch batch = there.batch(false);
  const cuda::DeviceArray<char> workspace(device_, rewards_.workspace_bytes(batch));
  const FloatsOnDevice out(device_, size_);
  try {
    rewards_.compute(batch, {.reward = out.data()}, checked_on(stream(), workspace.data()));
    FAIL() << "is not refused";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("rollout 5: names viewpoint 60000"), std::string::npos)
        << error.what();
  }
  batch.queries.layout.pitch = batch.queries.layout.max_length - 1;
  EXPECT_THROW(rewards_.compute(batch, {.reward = nullptr}, call_on(stream(), workspace.data())),
               InputError);
}

// On the object's own device, whichever is current.
TEST_F(CudaRewardGraph, OtherReferencesTakeTheirPlace) {
  const PathSet first{.elements = {batch_.references[0].begin(), batch_.references[0].end()},
                      .offsets = {0, batch_.references[0].size()}};
  const std::vector<std::uint32_t> scan_of{0};
  current_device() = 1;
  rewards_.set_references(batch_.scans, first, scan_of);
  EXPECT_EQ(current_device(), 1);
  current_device() = 0;
  const Rewards on_cpu(batch_.scans, first, scan_of, settings_);
  rollouts_.reference.assign(count, 0);
  const RolloutsOnDevice there(device_, rollouts_, in_rows);
  const Batch batch = there.batch(false);
  const cuda::DeviceArray<char> workspace(device_, rewards_.workspace_bytes(batch));
  const FloatsOnDevice out(device_, size_);
  rewards_.compute(batch, {.reward = out.data()}, checked_on(stream(), workspace.data()));
  checks::HostRewards want(size_);
  on_cpu.compute(rollouts_.batch(false), {.reward = want.reward.data()});
  expect_bits(out.read(stream()), want.reward, "rewards");
}

TEST_F(CudaRewardGraph, StatesOfTrackersAreTheirMemory) {
  const cuda::DeviceArray<char> memory(device_, rewards_.tracker_bytes(count));
  RewardTracker tracker(rewards_, count, {.memory = memory.data()});
  EXPECT_THROW(static_cast<void>(tracker.state()), InputError);
  EXPECT_THROW(tracker.restore({}), InputError);
}

}  // namespace
}  // namespace warpath::testing
