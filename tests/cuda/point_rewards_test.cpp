// Tests that rewards in continuous space have the bits of Rewards and RewardTracker on a device.

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/device_points.hpp"
#include "tests/support/each_device.hpp"
#include "warpath/reward_tracker.hpp"
#include "warpath/rewards.hpp"

namespace warpath::testing {
namespace {

using kernels::EpisodeFault;
using kernels::PairFault;

RewardSettings point_preset(const char* name) {
  return find_reward_preset(name).settings;
}

/// Holds the rewards of points on a device.
struct Resident {
  cuda::Device& device;
  const rewards::RewardTables tables;
  const cuda::ResidentRewards rewards;
  const cuda::UniqueStream stream;

  Resident(cuda::Device& on, const RewardSettings& settings)
      : device(on), tables({}, {}, {}, settings, {}), rewards(on, tables), stream(on) {}
};

class CudaPointRewards : public OnEachDevice {
 protected:
  void expect_cpus(const PointScene& scene, const RewardSettings& settings, bool prefixes,
                   bool given_goal) {
    const Rewards on_cpu(settings);
    const std::size_t size = scene.goal.size();
    Results want(size);
    on_cpu.compute(scene.batch(given_goal), want.arrays(prefixes));

    const Resident here(device(run_seed()), settings);
    const cuda::Stream stream = here.stream.get();
    const PointRolloutsOnDevice rollouts(here.device, scene, stream);
    const Batch batch = rollouts.batch(given_goal);
    DeviceResults got(here.device, size, stream);
    const cuda::DeviceArray<char> workspace(here.device, here.rewards.workspace_bytes(batch));
    const std::size_t owned = fake() != nullptr ? fake()->leaks() : 0;
    here.rewards.warm_up(stream);
    here.rewards.compute(batch, got.arrays(prefixes), workspace.data(), stream);
    if (fake() != nullptr) {
      EXPECT_EQ(fake()->leaks(), owned) << "nothing is allocated";
    }
    got.expect(here.device, want, settings.preset, stream);
    EXPECT_EQ(here.rewards.check(batch, workspace.data(), stream).fault, PairFault::none);
    EXPECT_EQ(here.rewards.check_points(batch, workspace.data(), stream).fault, EpisodeFault::none);
  }
};
WARPATH_ON_EACH_DEVICE(CudaPointRewards);

TEST_P(CudaPointRewards, HaveTheCpusBitsForEveryPreset) {
  const PointScene scene(run_seed() + 500, 30, 16, 9);
  for (const RewardPreset& p : reward_presets()) expect_cpus(scene, p.settings, true, false);
}

TEST_P(CudaPointRewards, HaveTheCpusBitsInEveryKernel) {
  for (const int longest : {5, 16, 17, 40}) {
    const PointScene scene(run_seed() + 501, 30, longest, 12);
    for (const char* name : {"ndtw-gain", "hamt", "cls-gain", "babywalk-mix"}) {
      expect_cpus(scene, point_preset(name), false, false);
      expect_cpus(scene, point_preset(name), true, true);
    }
  }
}

TEST_P(CudaPointRewards, HaveTheCpusBitsForEveryMeasure) {
  const PointScene scene(run_seed() + 502, 30, 18, 8);
  for (const Distance distance : {Distance::euclid_2d, Distance::euclid_3d}) {
    for (const Distance to_goal : {Distance::euclid_2d, Distance::euclid_3d}) {
      RewardSettings settings = point_preset("babywalk-mix");
      settings.convention.distance = distance;
      settings.goal_distance = to_goal;
      expect_cpus(scene, settings, true, false);
      PointTrackers trackers(device(run_seed()), scene, settings);
      trackers.reset();
      trackers.step(1, false);
      trackers.finish();
    }
  }
}

// Queries in rows whose ends are never read, against references of their own.
TEST_P(CudaPointRewards, ReadRows) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> reference{0, 0, 0, 1,   0,   0,   2,   0,   0,   nan, nan, nan,
                                     5, 5, 5, nan, nan, nan, nan, nan, nan, nan, nan, nan},
      queries{0, 0, 0, 1, 1, 0, 2, 0, 0, 5, 5, 5, nan, nan, nan, nan, nan, nan};
  const std::vector<std::int64_t> sizes{3, 1};
  const Rewards on_cpu(point_preset("ndtw-gain"));
  Batch batch;
  batch.count = 2;
  batch.queries = {queries.data(), {.lengths = sizes.data(), .pitch = 3, .max_length = 3}};
  batch.references = {reference.data(), {.lengths = sizes.data(), .pitch = 4, .max_length = 4}};
  Results want(6);
  on_cpu.compute(batch, want.arrays(true));

  const Resident here(device(run_seed()), point_preset("ndtw-gain"));
  const cuda::Stream stream = here.stream.get();
  Floats there_queries(here.device, queries.size(), stream),
      there_references(here.device, reference.size(), stream);
  there_queries.write(here.device, queries, stream);
  there_references.write(here.device, reference, stream);
  const Numbers there_sizes(here.device, sizes, 2, stream);
  batch.queries.points = there_queries.data();
  batch.references.points = there_references.data();
  batch.queries.layout.lengths = batch.references.layout.lengths = there_sizes;
  DeviceResults got(here.device, 6, stream);
  here.rewards.compute(batch, got.arrays(true), nullptr, stream);
  got.expect(here.device, want, "rows", stream);
}

TEST_P(CudaPointRewards, LeaveOutWhatHasNoPoints) {
  PointScene scene(run_seed() + 503, 3, 4, 4);
  scene.reference = {0, 1, 2};
  scene.active = {1, 1, 1};
  scene.references.lengths = {0, 2, 2};
  scene.references.offsets = {0, 0, 2, 4};
  scene.references.points.resize(12);
  const Resident here(device(run_seed()), point_preset("ndtw-gain"));
  const cuda::Stream stream = here.stream.get();
  const PointRolloutsOnDevice rollouts(here.device, scene, stream);
  const Batch batch = rollouts.batch(false);
  Floats got(here.device, scene.goal.size(), stream);
  const cuda::DeviceArray<char> workspace(here.device, here.rewards.workspace_bytes(batch));
  here.rewards.compute(batch, {.reward = got.data()}, workspace.data(), stream);
  const std::vector<float> rewards = got.read(here.device, stream);
  for (std::size_t t = 0; t < scene.queries.at(1); ++t) EXPECT_EQ(rewards[t], 0.0f);
  const auto problem = here.rewards.check(batch, workspace.data(), stream);
  EXPECT_EQ(problem.fault, PairFault::no_reference);
  EXPECT_EQ(problem.pair, 0u);
}

TEST_P(CudaPointRewards, ChecksFindCoordinatesThatAreNone) {
  PointScene scene(run_seed() + 504, 20, 6, 6);
  scene.active.assign(20, 1);
  const auto problem = [&] {
    const Resident here(device(run_seed()), point_preset("ndtw-gain"));
    const PointRolloutsOnDevice rollouts(here.device, scene, here.stream.get());
    const Batch batch = rollouts.batch(false);
    const cuda::DeviceArray<char> workspace(here.device, here.rewards.workspace_bytes(batch));
    return here.rewards.check_points(batch, workspace.data(), here.stream.get());
  };
  scene.reference[7] = 19;
  scene.references.points[3 * scene.references.at(19)] = 2e12f;
  EXPECT_EQ(problem().fault, EpisodeFault::coordinate);
  EXPECT_EQ(problem().episode, 7);
  scene.queries.points[3 * scene.queries.at(4) - 1] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(problem().fault, EpisodeFault::coordinate);
  EXPECT_EQ(problem().episode, 3);
  EXPECT_EQ(problem().at, static_cast<std::uint32_t>(scene.queries.lengths[3] - 1));
}

// ---------------------------------------------------------------- episodes

TEST_P(CudaPointRewards, TrackEpisodesAsTheCpuDoes) {
  for (const int longest : {5, 16, 17, 40}) {
    const PointScene scene(run_seed() + 505, 30, longest, 9);
    for (const char* name : {"ndtw-gain", "hamt", "cls-gain", "babywalk-dtw"}) {
      PointTrackers trackers(device(run_seed()), scene, point_preset(name));
      trackers.reset();
      for (std::uint32_t t = 1; t < 5; ++t) trackers.step(t, false);
      trackers.finish();
      trackers.extend();
      trackers.reset_some();
      trackers.step(1, true);
      trackers.finish();
    }
  }
}

TEST_P(CudaPointRewards, ForkEpisodes) {
  const PointScene scene(run_seed() + 506, 30, 20, 9);
  PointTrackers trackers(device(run_seed()), scene, point_preset("ndtw-gain"));
  trackers.reset();
  trackers.step(1, false);
  trackers.fork();
  trackers.step(2, false);
  trackers.finish();
}

}  // namespace
}  // namespace warpath::testing
