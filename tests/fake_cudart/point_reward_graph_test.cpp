// Tests that calls of Rewards and RewardTracker on a GPU in continuous space can be captured
// into a CUDA graph after warm_up, allocate nothing, and refuse what cannot be right.

#include <gtest/gtest.h>

#include <functional>
#include <limits>
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

constexpr Form in_turn{2, 8, false};

class CudaPointRewardGraph : public GraphTest {
 protected:
  /// Returns point t of every query, or its last one.
  std::vector<float> column(std::uint32_t t) const { return rollouts_.queries.column(t).points; }
  static Rollouts make_rollouts() {
    checks::Random random(run_seed() + 540);
    return checks::random_point_rollouts(random, count, longest, 7);
  }

  static constexpr std::uint32_t count = 30, longest = 20;
  const Rollouts rollouts_ = make_rollouts();
  const RewardSettings settings_ = find_reward_preset("ndtw-gain").settings;
  const Rewards on_cpu_{settings_};
  const Rewards rewards_{settings_, {.place = Place::gpu()}};
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
  RolloutsOnDevice rollouts(device_, rollouts_, in_turn);
  const Batch there = rollouts.batch(false);
  const cuda::DeviceArray<char> workspace(device_, rewards_.workspace_bytes(there));
  const std::size_t size = rollouts_.goal.size();
  const checks::DeviceRewards got(device_, size);
  rewards_.compute(there, got.arrays(false), checked_on(stream(), workspace.data()));
  rewards_.warm_up(stream());
  device_.wait(stream());
  const std::size_t kernels = capture(
      [&] { rewards_.compute(there, got.arrays(true), call_on(stream(), workspace.data())); });
  EXPECT_EQ(kernels, 1u);
  Rollouts moved = rollouts_;
  for (const bool is_moved : {false, true}) {
    if (is_moved) {
      for (float& x : moved.queries.points) x = 0.75f * x + 0.125f;
      rollouts.queries().write(moved.queries);
    }
    replay();
    checks::HostRewards want(size);
    on_cpu_.compute(moved.batch(false), want.arrays(true));
    expect_none(got.compare(want, is_moved ? "moved" : "first", stream()), "rollouts");
  }
}

TEST_F(CudaPointRewardGraph, StepsEpisodes) {
  const cuda::DeviceArray<char> memory(device_, rewards_.tracker_bytes(count, longest));
  RewardTracker tracker(rewards_, count,
                        {.max_reference_length = longest, .memory = memory.data()});
  const cuda::DeviceArray<char> workspace(device_, tracker.workspace_bytes(1));
  RewardTracker want(on_cpu_, count, {.max_reference_length = longest});
  const PathsOnDevice references(device_, rollouts_.references, in_turn);
  FloatsOnDevice points(device_, 3 * count), moves(device_, count), ends(device_, count),
      sums(device_, count);
  const IntegersOnDevice ones(device_, std::vector<std::int64_t>(count, 1), 1);
  points.write(column(0));
  tracker.warm_up(stream());
  tracker.reset({.count = count, .references = references.view()}, call_on(stream()));
  want.reset(starts_of(count, rollouts_.references.view()));
  device_.wait(stream());
  const PathsView next{points.data(), {.lengths = ones, .pitch = 1, .max_length = 1}};
  const std::size_t kernels = capture([&] {
    tracker.score_extensions(1, next, {.reward = sums.data()}, call_on(stream(), workspace.data()));
    tracker.step(points.data(), nullptr, moves.data(), nullptr, call_on(stream()));
    tracker.finish(nullptr, nullptr, ends.data(), call_on(stream()));
    tracker.values({}, call_on(stream()));
  });
  EXPECT_EQ(kernels, 4u);
  for (const std::uint32_t t : {1u, 2u, 0u}) {
    const std::vector<float> here = column(t);
    points.write(here);
    replay();
    std::vector<float> want_moves(count), want_ends(count);
    want.step(here.data(), nullptr, want_moves.data());
    want.finish(nullptr, nullptr, want_ends.data());
    expect_bits(sums.read(stream()), want_moves, "continuations");
    expect_bits(moves.read(stream()), want_moves, "moves");
    expect_bits(ends.read(stream()), want_ends, "ends");
  }
}

TEST_F(CudaPointRewardGraph, ResumesFromACopyOfItsMemory) {
  const std::size_t bytes = rewards_.tracker_bytes(count, longest);
  const cuda::DeviceArray<char> memory(device_, bytes), copy(device_, bytes);
  RewardTracker tracker(rewards_, count,
                        {.max_reference_length = longest, .memory = memory.data()});
  const PathsOnDevice references(device_, rollouts_.references, in_turn);
  tracker.reset({.count = count, .references = references.view()}, call_on(stream()));
  const cuda::PinnedArray<char> saved(device_, bytes);
  device_.download(saved.data(), memory.data(), bytes, stream());
  device_.upload(copy.data(), saved.data(), bytes, stream());
  RewardTracker resumed(rewards_, count, {.max_reference_length = longest, .memory = copy.data()});
  FloatsOnDevice points(device_, 3 * count), moves(device_, count), again(device_, count);
  points.write(column(1));
  tracker.step(points.data(), nullptr, moves.data(), nullptr, call_on(stream()));
  resumed.step(points.data(), nullptr, again.data(), nullptr, call_on(stream()));
  expect_bits(again.read(stream()), moves.read(stream()), "resumed");
}

TEST_F(CudaPointRewardGraph, RefusesWhatCannotBeRight) {
  Rollouts bad = rollouts_;
  bad.active.assign(count, 1);
  bad.queries.points[3 * bad.queries.at(11) + 1] = std::numeric_limits<float>::infinity();
  const RolloutsOnDevice rollouts(device_, bad, in_turn);
  Batch batch = rollouts.batch(false);
  const cuda::DeviceArray<char> workspace(device_, rewards_.workspace_bytes(batch));
  const FloatsOnDevice out(device_, rollouts_.goal.size());
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
  const PathsOnDevice references(device_, rollouts_.references, in_turn);
  std::vector<float> values = column(0);
  FloatsOnDevice points(device_, values.size()), out(device_, count);
  points.write(values);
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
  points.write(values);
  expect_refused(check_step, "episode 6: has the coordinate nan at point 0");
  const IntegersOnDevice twice(device_, {3, 4, 3}, 4), once(device_, {3, 4, 5}, 4);
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
