// Tests that calls of Rewards and RewardTracker on a GPU in continuous space can be captured
// into a CUDA graph after warm_up, allocate nothing, and refuse what cannot be right.

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/fake_cudart/fake_cudart.hpp"
#include "tests/support/calls.hpp"
#include "tests/support/device_points.hpp"
#include "warpath/error.hpp"
#include "warpath/reward_tracker.hpp"
#include "warpath/rewards.hpp"

namespace warpath::testing {
namespace {

class CudaPointRewardGraph : public ::testing::Test {
 protected:
  void SetUp() override { cudart().begin(); }
  void TearDown() override {
    if (made_ != nullptr) cudaGraphExecDestroy(std::exchange(made_, nullptr));
  }
  cuda::Stream stream() const { return stream_.get(); }

  /// Captures what `start` gives to the stream, which must neither allocate nor wait.
  /// @param kernels that it starts
  void capture(std::size_t kernels, const std::function<void()>& start) {
    cudaGraph_t graph = nullptr;
    const std::size_t before = cudart().calls.size();
    ASSERT_EQ(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeGlobal), cudaSuccess);
    start();
    ASSERT_EQ(cudaStreamEndCapture(stream(), &graph), cudaSuccess);
    std::size_t launches = 0;
    for (std::size_t k = before; k < cudart().calls.size(); ++k) {
      const std::string& call = cudart().calls[k];
      EXPECT_EQ(call.find("Malloc"), std::string::npos) << call;
      EXPECT_EQ(call.find("Synchronize"), std::string::npos) << call;
      launches += call == "cudaLaunchKernel";
    }
    EXPECT_EQ(launches, kernels);
    ASSERT_EQ(cudaGraphInstantiate(&made_, graph, 0), cudaSuccess);
    ASSERT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  }
  void replay() const { ASSERT_EQ(cudaGraphLaunch(made_, stream()), cudaSuccess); }

  /// Returns point t of every query, or its last one.
  std::vector<float> column(std::uint32_t t) const {
    std::vector<float> points;
    for (std::uint32_t e = 0; e < count; ++e) {
      const auto last = static_cast<std::uint32_t>(scene_.queries.lengths[e]) - 1;
      const float* point = scene_.queries.path(e) + 3 * std::min(t, last);
      points.insert(points.end(), point, point + 3);
    }
    return points;
  }

  static constexpr std::uint32_t count = 30, longest = 20;
  cuda::Device& device_ = cuda::device_or_error();
  const PointScene scene_{run_seed() + 540, count, longest, 7};
  const RewardSettings settings_ = find_reward_preset("ndtw-gain").settings;
  const Rewards on_cpu_{settings_};
  const Rewards rewards_{settings_, {.place = Place::gpu()}};

 private:
  cuda::UniqueStream stream_{device_};
  cudaGraphExec_t made_ = nullptr;
};

/// Expects a call to throw an InputError whose text has the part.
void expect_refused(const std::function<void()>& call, const std::string& part) {
  try {
    call();
    FAIL() << "is not refused: " << part;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST_F(CudaPointRewardGraph, RewardsWhatLiesInMemoryWhenItIsLaunched) {
  PointRolloutsOnDevice rollouts(device_, scene_, stream());
  const Batch there = rollouts.batch(false);
  const cuda::DeviceArray<char> workspace(device_, rewards_.workspace_bytes(there));
  const std::size_t size = scene_.goal.size();
  DeviceResults got(device_, size, stream());
  rewards_.compute(there, got.arrays(false), checked_on(stream(), workspace.data()));
  rewards_.warm_up(stream());
  device_.wait(stream());
  capture(1,
          [&] { rewards_.compute(there, got.arrays(true), call_on(stream(), workspace.data())); });
  PointScene moved = scene_;
  for (const bool is_moved : {false, true}) {
    if (is_moved) {
      for (float& x : moved.queries.points) x = 0.75f * x + 0.125f;
      rollouts.queries.points.write(device_, moved.queries.points, stream());
    }
    replay();
    Results want(size);
    on_cpu_.compute(moved.batch(false), want.arrays(true));
    got.expect(device_, want, is_moved ? "moved" : "first", stream());
  }
}

TEST_F(CudaPointRewardGraph, StepsEpisodes) {
  const cuda::DeviceArray<char> memory(device_, rewards_.tracker_bytes(count, longest));
  RewardTracker tracker(rewards_, count,
                        {.max_reference_length = longest, .memory = memory.data()});
  const cuda::DeviceArray<char> workspace(device_, tracker.workspace_bytes(1));
  RewardTracker want(on_cpu_, count, {.max_reference_length = longest});
  const PointsOnDevice references(device_, scene_.references, stream());
  Floats points(device_, 3 * count, stream()), moves(device_, count, stream()),
      ends(device_, count, stream()), sums(device_, count, stream());
  const Numbers ones(device_, std::vector<std::int64_t>(count, 1), 1, stream());
  points.write(device_, column(0), stream());
  tracker.warm_up(stream());
  tracker.reset({.count = count, .references = references.view()}, call_on(stream()));
  want.reset(starts_of(count, scene_.references.view()));
  device_.wait(stream());
  const PathsView next{points.data(), {.lengths = ones, .pitch = 1, .max_length = 1}};
  capture(4, [&] {
    tracker.score_extensions(1, next, {.reward = sums.data()}, call_on(stream(), workspace.data()));
    tracker.step(points.data(), nullptr, moves.data(), nullptr, call_on(stream()));
    tracker.finish(nullptr, nullptr, ends.data(), call_on(stream()));
    tracker.values({}, call_on(stream()));
  });
  for (const std::uint32_t t : {1u, 2u, 0u}) {
    const std::vector<float> here = column(t);
    points.write(device_, here, stream());
    replay();
    std::vector<float> want_moves(count), want_ends(count);
    want.step(here.data(), nullptr, want_moves.data());
    want.finish(nullptr, nullptr, want_ends.data());
    expect_bits(sums.read(device_, stream()), want_moves, "continuations");
    expect_bits(moves.read(device_, stream()), want_moves, "moves");
    expect_bits(ends.read(device_, stream()), want_ends, "ends");
  }
}

TEST_F(CudaPointRewardGraph, ResumesFromACopyOfItsMemory) {
  const std::size_t bytes = rewards_.tracker_bytes(count, longest);
  const cuda::DeviceArray<char> memory(device_, bytes), copy(device_, bytes);
  RewardTracker tracker(rewards_, count,
                        {.max_reference_length = longest, .memory = memory.data()});
  const PointsOnDevice references(device_, scene_.references, stream());
  tracker.reset({.count = count, .references = references.view()}, call_on(stream()));
  const cuda::PinnedArray<char> saved(device_, bytes);
  device_.download(saved.data(), memory.data(), bytes, stream());
  device_.upload(copy.data(), saved.data(), bytes, stream());
  RewardTracker resumed(rewards_, count, {.max_reference_length = longest, .memory = copy.data()});
  Floats points(device_, 3 * count, stream()), moves(device_, count, stream()),
      again(device_, count, stream());
  points.write(device_, column(1), stream());
  tracker.step(points.data(), nullptr, moves.data(), nullptr, call_on(stream()));
  resumed.step(points.data(), nullptr, again.data(), nullptr, call_on(stream()));
  expect_bits(again.read(device_, stream()), moves.read(device_, stream()), "resumed");
}

TEST_F(CudaPointRewardGraph, RefusesWhatCannotBeRight) {
  PointScene bad = scene_;
  bad.active.assign(count, 1);
  bad.queries.points[3 * bad.queries.at(11) + 1] = std::numeric_limits<float>::infinity();
  const PointRolloutsOnDevice rollouts(device_, bad, stream());
  Batch batch = rollouts.batch(false);
  const cuda::DeviceArray<char> workspace(device_, rewards_.workspace_bytes(batch));
  Floats out(device_, scene_.goal.size(), stream());
  const auto compute = [&](const Rewards& rewards) {
    rewards.compute(batch, {.reward = out.data()}, call_on(stream(), workspace.data()));
  };
  expect_refused(
      [&] {
        rewards_.compute(batch, {.reward = out.data()}, checked_on(stream(), workspace.data()));
      },
      "rollout 11: has the coordinate inf at point 0");
  batch.reference_count = 1;
  expect_refused(
      [&] {
        rewards_.compute(batch, {.reward = out.data()}, checked_on(stream(), workspace.data()));
      },
      "names reference");
  Batch viewpoints;
  viewpoints.count = 1;
  expect_refused([&] { rewards_.compute(viewpoints, {}, call_on(stream(), nullptr)); },
                 "have no references");
  expect_refused([&] { RewardTracker(rewards_, 1, {.memory = workspace.data()}); },
                 "have no references");
  RewardSettings sharp = settings_;
  sharp.convention.threshold = 1e-7;
  expect_refused([&] { compute(Rewards(sharp, {.place = Place::gpu()})); }, "convention");
  expect_refused(
      [&] {
        RewardTracker(Rewards(sharp, {.place = Place::gpu()}), 1,
                      {.max_reference_length = 3, .memory = workspace.data()});
      },
      "convention");
  batch.queries.points = nullptr;
  expect_refused([&] { compute(rewards_); }, "queries.points");
}

TEST_F(CudaPointRewardGraph, ChecksOfATrackerNameTheEpisode) {
  const cuda::DeviceArray<char> memory(device_, rewards_.tracker_bytes(count, longest));
  device_.fill(memory.data(), 0, memory.size(), stream());
  RewardTracker tracker(rewards_, count,
                        {.max_reference_length = longest, .memory = memory.data()});
  const cuda::DeviceArray<char> workspace(device_, tracker.workspace_bytes(1));
  const PointsOnDevice references(device_, scene_.references, stream());
  std::vector<float> values = column(0);
  Floats points(device_, values.size(), stream()), out(device_, count, stream());
  points.write(device_, values, stream());
  const auto check_step = [&] {
    tracker.step(points.data(), nullptr, out.data(), nullptr,
                 checked_on(stream(), workspace.data()));
  };
  expect_refused(check_step, "episode 0: was not reset");
  expect_refused(
      [&] { tracker.finish(nullptr, nullptr, out.data(), checked_on(stream(), workspace.data())); },
      "episode 0: was not reset");
  EpisodeStarts starts{.count = count, .references = references.view()};
  tracker.reset(starts, checked_on(stream(), workspace.data()));
  tracker.reset(starts, call_on(stream()));
  check_step();
  values[3 * 6 + 2] = std::numeric_limits<float>::quiet_NaN();
  points.write(device_, values, stream());
  expect_refused(check_step, "episode 6: has the coordinate nan at point 0");
  const Numbers twice(device_, {3, 4, 3}, 4, stream()), once(device_, {3, 4, 5}, 4, stream());
  starts.count = 3;
  starts.episode = twice;
  expect_refused([&] { tracker.reset(starts, checked_on(stream(), workspace.data())); },
                 "episode 3: is named twice");
  expect_refused([&] { tracker.fork(3, once, twice, checked_on(stream(), workspace.data())); },
                 "episode 3: is named twice");
  tracker.fork(3, twice, once, checked_on(stream(), workspace.data()));
  starts.references.layout.max_length = longest + 1;
  expect_refused([&] { tracker.reset(starts, call_on(stream())); }, "room for 20 points");
  expect_refused([&] { tracker.step(once, nullptr, points.data(), nullptr, call_on(stream())); },
                 "the tracker is one of points");
  expect_refused([&] { tracker.reset({.count = 3, .reference = once}, call_on(stream())); },
                 "the tracker is one of points");
}

}  // namespace
}  // namespace warpath::testing
