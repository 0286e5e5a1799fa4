// Tests that Rewards and RewardTracker refuse arrays that are not there, and name them,
// before a kernel starts.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "host/checks/pairs.hpp"
#include "host/core/cuda/arrays.hpp"
#include "tests/fake_cudart/fake_cudart.hpp"
#include "tests/support/calls.hpp"
#include "tests/support/pair_cases.hpp"
#include "warpath/error.hpp"
#include "warpath/reward_tracker.hpp"

namespace warpath::testing {
namespace {

using Body = std::function<void()>;

class CudaRewardInput : public ::testing::Test {
 protected:
  void SetUp() override {
    cudart().begin();
    random_.add_pairs(4, 30, 3);
    std::size_t longest = 0;
    for (std::size_t r = 0; r < batch().references.size(); ++r) {
      longest = std::max(longest, batch().references[r].size());
    }
    ASSERT_GT(longest, 16u) << "only references in strips have rows in the workspace";
  }
  const PairBatch& batch() const { return random_.batch(); }

  /// Expects a call to be refused because of that argument, without a kernel.
  static void expect_null(const std::string& argument, const Body& call) {
    const std::size_t before = cudart().calls.size();
    try {
      call();
      ADD_FAILURE() << argument << " is not refused";
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).find(argument + ": is null"), 0u) << error.what();
    }
    for (std::size_t k = before; k < cudart().calls.size(); ++k) {
      EXPECT_NE(cudart().calls[k], "cudaLaunchKernel") << argument;
    }
  }

  static constexpr std::uint32_t count = 4;
  cuda::Device& device_ = cuda::device_or_error();
  RandomBatch random_{360, 1};
  const RewardSettings settings_ = find_reward_preset("ndtw-gain").settings;
  // Memory of the device that is never read.
  const cuda::DeviceArray<char> memory_{device_, std::size_t{1} << 20};
  float* const floats_ = reinterpret_cast<float*>(memory_.data());
  const Integers ints_{reinterpret_cast<const std::int32_t*>(memory_.data())};
  const Layout layout_{.lengths = ints_, .pitch = 1, .max_length = 1};
  const std::uint8_t* const bytes_ = reinterpret_cast<const std::uint8_t*>(memory_.data());
};

TEST_F(CudaRewardInput, OfBatchesIsGiven) {
  const Rewards rewards(batch().scans, batch().references, checks::scans_of(batch()), settings_,
                        {.place = Place::gpu()});
  Batch good;
  good.count = count;
  good.queries = {ints_, layout_};
  Batch blind = good;
  blind.queries.viewpoints = nullptr;
  void* const there = memory_.data();
  expect_null("queries.viewpoints",
              [&] { rewards.compute(blind, {.reward = floats_}, call_on(nullptr, there)); });
  expect_null("queries.viewpoints",
              [&] { rewards.compute(blind, {.reward = floats_}, checked_on(nullptr, there)); });
  expect_null("reward", [&] { rewards.compute(good, {}, call_on(nullptr, there)); });
  expect_null("workspace",
              [&] { rewards.compute(good, {.reward = floats_}, call_on(nullptr, nullptr)); });
  expect_null("workspace",
              [&] { rewards.compute(good, {.reward = floats_}, checked_on(nullptr, nullptr)); });
  ReturnsBatch sums;
  sums.count = count;
  sums.layout = layout_;
  sums.returns = floats_;
  expect_null("reward", [&] { rewards.add_up(sums, call_on(nullptr)); });
  GroupBatch groups;
  groups.count = count;
  groups.group_size = count;
  groups.advantage = floats_;
  expect_null("reward", [&] { rewards.group_advantages(groups, call_on(nullptr)); });
  groups.reward = floats_;
  groups.advantage = nullptr;
  expect_null("advantage", [&] { rewards.group_advantages(groups, call_on(nullptr)); });
}

TEST_F(CudaRewardInput, OfBatchesOfPointsIsGiven) {
  const Rewards rewards(settings_, {.place = Place::gpu()});
  Batch good;
  good.count = count;
  good.queries = {floats_, layout_};
  good.references = {floats_, {.lengths = ints_, .pitch = 30, .max_length = 30}};
  Batch blind = good, lost = good;
  blind.queries.points = nullptr;
  lost.references.points = nullptr;
  void* const there = memory_.data();
  for (const auto& [batch, argument] :
       {std::pair(blind, "queries.points"), std::pair(lost, "references.points")}) {
    expect_null(argument, [&, &b = batch] {
      rewards.compute(b, {.reward = floats_}, call_on(nullptr, there));
    });
    expect_null(argument, [&, &b = batch] {
      rewards.compute(b, {.reward = floats_}, checked_on(nullptr, there));
    });
  }
  expect_null("reward", [&] { rewards.compute(good, {}, call_on(nullptr, there)); });
  expect_null("workspace",
              [&] { rewards.compute(good, {.reward = floats_}, call_on(nullptr, nullptr)); });
  expect_null("workspace",
              [&] { rewards.compute(good, {.reward = floats_}, checked_on(nullptr, nullptr)); });
}

TEST_F(CudaRewardInput, OfTrackersIsGiven) {
  const Rewards rewards(batch().scans, batch().references, checks::scans_of(batch()), settings_,
                        {.place = Place::gpu()});
  expect_null("memory", [&] { RewardTracker(rewards, count, {.memory = nullptr}); });
  RewardTracker tracker(rewards, count, {.memory = memory_.data()});
  void* const there = memory_.data();
  const PathsView paths{ints_, layout_}, none{Integers(), layout_};
  const EpisodeStarts starts{.count = count, .reference = ints_}, lost{.count = count};
  expect_null("reference", [&] { tracker.reset(lost, call_on(nullptr)); });
  expect_null("reference", [&] { tracker.reset(lost, checked_on(nullptr, there)); });
  expect_null("workspace", [&] { tracker.reset(starts, checked_on(nullptr, nullptr)); });
  const Integers no_nodes = nullptr;
  expect_null("nodes", [&] { tracker.step(no_nodes, bytes_, floats_, nullptr, call_on(nullptr)); });
  expect_null("rewards", [&] { tracker.step(ints_, bytes_, nullptr, nullptr, call_on(nullptr)); });
  expect_null("nodes", [&] {
    tracker.step(no_nodes, bytes_, floats_, nullptr, checked_on(nullptr, there));
  });
  expect_null("workspace",
              [&] { tracker.step(ints_, bytes_, floats_, nullptr, checked_on(nullptr, nullptr)); });
  expect_null("rewards", [&] { tracker.finish(bytes_, bytes_, nullptr, call_on(nullptr)); });
  expect_null("workspace",
              [&] { tracker.finish(nullptr, bytes_, floats_, checked_on(nullptr, nullptr)); });
  expect_null("paths.viewpoints", [&] {
    tracker.score_extensions(1, none, {.reward = floats_}, call_on(nullptr, there));
  });
  expect_null("workspace", [&] {
    tracker.score_extensions(1, paths, {.reward = floats_}, call_on(nullptr, nullptr));
  });
  expect_null("paths.viewpoints", [&] {
    tracker.score_extensions(1, none, {.reward = floats_}, checked_on(nullptr, there));
  });
  expect_null("workspace", [&] {
    tracker.score_extensions(1, paths, {.reward = floats_}, checked_on(nullptr, nullptr));
  });
  expect_null("from", [&] { tracker.fork(1, nullptr, ints_, call_on(nullptr, there)); });
  expect_null("to", [&] { tracker.fork(1, ints_, nullptr, call_on(nullptr, there)); });
  expect_null("workspace", [&] { tracker.fork(1, ints_, ints_, call_on(nullptr, nullptr)); });
  expect_null("to", [&] { tracker.fork(1, ints_, nullptr, checked_on(nullptr, there)); });
  expect_null("workspace", [&] { tracker.fork(1, ints_, ints_, checked_on(nullptr, nullptr)); });
}

TEST_F(CudaRewardInput, OfTrackersOfPointsIsGiven) {
  const Rewards rewards(settings_, {.place = Place::gpu()});
  expect_null("memory", [&] {
    RewardTracker(rewards, count, {.max_reference_length = 30, .memory = nullptr});
  });
  RewardTracker tracker(rewards, count, {.max_reference_length = 30, .memory = memory_.data()});
  void* const there = memory_.data();
  const PathsView paths{floats_, layout_}, none{Integers(), layout_};
  const EpisodeStarts starts{.count = count, .references = paths},
      lost{.count = count, .references = none};
  expect_null("references.points", [&] { tracker.reset(lost, call_on(nullptr)); });
  expect_null("references.points", [&] { tracker.reset(lost, checked_on(nullptr, there)); });
  expect_null("workspace", [&] { tracker.reset(starts, checked_on(nullptr, nullptr)); });
  const float* const no_points = nullptr;
  expect_null("points",
              [&] { tracker.step(no_points, bytes_, floats_, nullptr, call_on(nullptr)); });
  expect_null("rewards",
              [&] { tracker.step(floats_, bytes_, nullptr, nullptr, call_on(nullptr)); });
  expect_null("points", [&] {
    tracker.step(no_points, bytes_, floats_, nullptr, checked_on(nullptr, there));
  });
  expect_null("workspace", [&] {
    tracker.step(floats_, bytes_, floats_, nullptr, checked_on(nullptr, nullptr));
  });
  expect_null("rewards", [&] { tracker.finish(bytes_, bytes_, nullptr, call_on(nullptr)); });
  expect_null("paths.points", [&] {
    tracker.score_extensions(1, none, {.reward = floats_}, call_on(nullptr, there));
  });
  expect_null("workspace", [&] {
    tracker.score_extensions(1, paths, {.reward = floats_}, call_on(nullptr, nullptr));
  });
  expect_null("paths.points", [&] {
    tracker.score_extensions(1, none, {.reward = floats_}, checked_on(nullptr, there));
  });
  expect_null("workspace", [&] {
    tracker.score_extensions(1, paths, {.reward = floats_}, checked_on(nullptr, nullptr));
  });
}

// Nothing is asked for where there is nothing to do.
TEST_F(CudaRewardInput, MayBeMissingWithoutEntries) {
  const Rewards rewards(settings_, {.place = Place::gpu()});
  rewards.compute(Batch(), {}, call_on(nullptr, nullptr));
  rewards.compute(Batch(), {}, checked_on(nullptr, nullptr));
  RewardTracker tracker(rewards, 0, {.max_reference_length = 30, .memory = nullptr});
  tracker.reset(EpisodeStarts(), call_on(nullptr));
  tracker.step(static_cast<const float*>(nullptr), nullptr, nullptr, nullptr, call_on(nullptr));
  tracker.finish(nullptr, nullptr, nullptr, call_on(nullptr));
  tracker.finish(nullptr, nullptr, floats_, checked_on(nullptr, nullptr));
  tracker.score_extensions(2, PathsView(), {}, call_on(nullptr, nullptr));
  tracker.fork(0, nullptr, nullptr, call_on(nullptr, nullptr));
}

}  // namespace
}  // namespace warpath::testing
