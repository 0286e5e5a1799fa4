// Tests that DeviceRewards and DeviceRewardTracker refuse arrays that are not there, and name them,
// before a kernel starts.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "host/cuda/arrays.hpp"
#include "tests/fake_cudart/fake_cudart.hpp"
#include "tests/support/device_rollouts.hpp"
#include "warpath/device_rewards.hpp"
#include "warpath/error.hpp"

namespace warpath::testing {
namespace {

using Call = std::function<void()>;

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
  static void expect_null(const std::string& argument, const Call& call) {
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
  const DeviceIntegers ints_{reinterpret_cast<const std::int32_t*>(memory_.data())};
  const DeviceLayout layout_{.lengths = ints_, .pitch = 1, .max_length = 1};
  const std::uint8_t* const bytes_ = reinterpret_cast<const std::uint8_t*>(memory_.data());
};

TEST_F(CudaRewardInput, OfBatchesIsGiven) {
  const DeviceRewards rewards(batch().scans, batch().references, scans_of(batch()), settings_);
  RolloutBatch good;
  good.count = count;
  good.queries = {ints_, layout_};
  RolloutBatch blind = good;
  blind.queries.viewpoints = nullptr;
  void* const there = memory_.data();
  expect_null("queries.viewpoints",
              [&] { rewards.compute(blind, {.reward = floats_}, there, nullptr); });
  expect_null("queries.viewpoints", [&] { rewards.check(blind, there, nullptr); });
  expect_null("reward", [&] { rewards.compute(good, {}, there, nullptr); });
  expect_null("workspace", [&] { rewards.compute(good, {.reward = floats_}, nullptr, nullptr); });
  expect_null("workspace", [&] { rewards.check(good, nullptr, nullptr); });
  ReturnsBatch sums;
  sums.count = count;
  sums.layout = layout_;
  sums.returns = floats_;
  expect_null("reward", [&] { rewards.add_up(sums, nullptr); });
}

TEST_F(CudaRewardInput, OfBatchesOfPointsIsGiven) {
  const DeviceRewards rewards(settings_);
  PointRolloutBatch good;
  good.count = count;
  good.queries = {floats_, layout_};
  good.references = {floats_, {.lengths = ints_, .pitch = 30, .max_length = 30}};
  PointRolloutBatch blind = good, lost = good;
  blind.queries.points = nullptr;
  lost.references.points = nullptr;
  void* const there = memory_.data();
  for (const auto& [batch, argument] :
       {std::pair(blind, "queries.points"), std::pair(lost, "references.points")}) {
    expect_null(argument,
                [&, &b = batch] { rewards.compute(b, {.reward = floats_}, there, nullptr); });
    expect_null(argument, [&, &b = batch] { rewards.check(b, there, nullptr); });
  }
  expect_null("reward", [&] { rewards.compute(good, {}, there, nullptr); });
  expect_null("workspace", [&] { rewards.compute(good, {.reward = floats_}, nullptr, nullptr); });
  expect_null("workspace", [&] { rewards.check(good, nullptr, nullptr); });
}

TEST_F(CudaRewardInput, OfTrackersIsGiven) {
  const DeviceRewards rewards(batch().scans, batch().references, scans_of(batch()), settings_);
  expect_null("memory", [&] { DeviceRewardTracker(rewards, count, nullptr); });
  DeviceRewardTracker tracker(rewards, count, memory_.data());
  void* const there = memory_.data();
  const DevicePaths paths{ints_, layout_}, none{nullptr, layout_};
  const EpisodeStarts starts{.count = count, .reference = ints_}, lost{.count = count};
  expect_null("reference", [&] { tracker.reset(lost, nullptr); });
  expect_null("reference", [&] { tracker.check_reset(lost, there, nullptr); });
  expect_null("workspace", [&] { tracker.check_reset(starts, nullptr, nullptr); });
  const DeviceIntegers no_nodes = nullptr;
  expect_null("nodes", [&] { tracker.step(no_nodes, bytes_, floats_, nullptr); });
  expect_null("rewards", [&] { tracker.step(ints_, bytes_, nullptr, nullptr); });
  expect_null("nodes", [&] { tracker.check_step(no_nodes, bytes_, there, nullptr); });
  expect_null("workspace", [&] { tracker.check_step(ints_, bytes_, nullptr, nullptr); });
  expect_null("rewards", [&] { tracker.finish(bytes_, bytes_, nullptr, nullptr); });
  expect_null("workspace", [&] { tracker.check_finish(bytes_, nullptr, nullptr); });
  expect_null("paths.viewpoints",
              [&] { tracker.score_extensions(1, none, {.reward = floats_}, there, nullptr); });
  expect_null("workspace",
              [&] { tracker.score_extensions(1, paths, {.reward = floats_}, nullptr, nullptr); });
  expect_null("paths.viewpoints", [&] { tracker.check_extensions(1, none, there, nullptr); });
  expect_null("workspace", [&] { tracker.check_extensions(1, paths, nullptr, nullptr); });
  expect_null("from", [&] { tracker.fork(1, nullptr, ints_, there, nullptr); });
  expect_null("to", [&] { tracker.fork(1, ints_, nullptr, there, nullptr); });
  expect_null("workspace", [&] { tracker.fork(1, ints_, ints_, nullptr, nullptr); });
  expect_null("to", [&] { tracker.check_fork(1, ints_, nullptr, there, nullptr); });
  expect_null("workspace", [&] { tracker.check_fork(1, ints_, ints_, nullptr, nullptr); });
}

TEST_F(CudaRewardInput, OfTrackersOfPointsIsGiven) {
  const DeviceRewards rewards(settings_);
  expect_null("memory", [&] { DeviceRewardTracker::of_points(rewards, count, 30, nullptr); });
  auto tracker = DeviceRewardTracker::of_points(rewards, count, 30, memory_.data());
  void* const there = memory_.data();
  const DevicePoints paths{floats_, layout_}, none{nullptr, layout_};
  const PointEpisodeStarts starts{.count = count, .references = paths},
      lost{.count = count, .references = none};
  expect_null("references.points", [&] { tracker.reset(lost, nullptr); });
  expect_null("references.points", [&] { tracker.check_reset(lost, there, nullptr); });
  expect_null("workspace", [&] { tracker.check_reset(starts, nullptr, nullptr); });
  const float* const no_points = nullptr;
  expect_null("points", [&] { tracker.step(no_points, bytes_, floats_, nullptr); });
  expect_null("rewards", [&] { tracker.step(floats_, bytes_, nullptr, nullptr); });
  expect_null("points", [&] { tracker.check_step(no_points, bytes_, there, nullptr); });
  expect_null("workspace", [&] { tracker.check_step(floats_, bytes_, nullptr, nullptr); });
  expect_null("rewards", [&] { tracker.finish(bytes_, bytes_, nullptr, nullptr); });
  expect_null("paths.points",
              [&] { tracker.score_extensions(1, none, {.reward = floats_}, there, nullptr); });
  expect_null("workspace",
              [&] { tracker.score_extensions(1, paths, {.reward = floats_}, nullptr, nullptr); });
  expect_null("paths.points", [&] { tracker.check_extensions(1, none, there, nullptr); });
  expect_null("workspace", [&] { tracker.check_extensions(1, paths, nullptr, nullptr); });
}

// Nothing is asked for where there is nothing to do.
TEST_F(CudaRewardInput, MayBeMissingWithoutEntries) {
  const DeviceRewards rewards(settings_);
  rewards.compute(PointRolloutBatch(), {}, nullptr, nullptr);
  rewards.check(PointRolloutBatch(), nullptr, nullptr);
  auto tracker = DeviceRewardTracker::of_points(rewards, 0, 30, nullptr);
  tracker.reset(PointEpisodeStarts(), nullptr);
  tracker.step(static_cast<const float*>(nullptr), nullptr, nullptr, nullptr);
  tracker.finish(nullptr, nullptr, nullptr, nullptr);
  tracker.check_finish(nullptr, nullptr, nullptr);
  tracker.score_extensions(2, DevicePoints(), {}, nullptr, nullptr);
  tracker.fork(0, nullptr, nullptr, nullptr, nullptr);
}

}  // namespace
}  // namespace warpath::testing
