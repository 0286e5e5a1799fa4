// Tests that rewards in continuous space have the bits of Rewards and RewardTracker on a device.

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/support/each_device.hpp"
#include "tests/support/reward_runs.hpp"
#include "warpath/rewards.hpp"

namespace warpath::testing {
namespace {

using kernels::EpisodeFault;
using kernels::PairFault;

RewardSettings point_preset(const char* name) {
  return find_reward_preset(name).settings;
}

constexpr Form in_turn{2, 8, false};

Rollouts make_rollouts(std::uint64_t seed, std::uint32_t count, std::uint32_t max_reference,
                       std::uint32_t max_query) {
  checks::Random random(run_seed() + seed);
  return checks::random_point_rollouts(random, count, max_reference, max_query);
}

/// Holds the rewards of points on a device.
struct Resident {
  cuda::Device& device;
  const rewards::RewardTables tables;
  const cuda::ResidentRewards rewards;
  const cuda::UniqueStream stream;

  explicit Resident(cuda::Device& on)
      : device(on),
        tables({}, {}, {}, point_preset("ndtw-gain"), {}),
        rewards(on, tables),
        stream(on) {}
};

class CudaPointRewards : public OnEachDevice {
 protected:
  void expect_cpus(const Rollouts& rollouts, const RewardSettings& settings, bool prefixes,
                   bool given_goal) {
    RewardRuns runs(device(run_seed()), rollouts, settings, {}, in_turn);
    const std::size_t owned = fake() != nullptr ? fake()->leaks() : 0;
    runs.compute(prefixes, given_goal);
    if (fake() != nullptr) {
      EXPECT_EQ(fake()->leaks(), owned) << "nothing is allocated";
    }
    expect_none(runs.found(), settings.preset);
  }
};
WARPATH_ON_EACH_DEVICE(CudaPointRewards);

TEST_P(CudaPointRewards, HaveTheCpusBitsForEveryPreset) {
  const Rollouts rollouts = make_rollouts(500, 30, 16, 9);
  for (const RewardPreset& p : reward_presets()) expect_cpus(rollouts, p.settings, true, false);
}

TEST_P(CudaPointRewards, HaveTheCpusBitsInEveryKernel) {
  for (const std::uint32_t longest : {5u, 16u, 17u, 40u}) {
    const Rollouts rollouts = make_rollouts(501, 30, longest, 12);
    for (const char* name : {"ndtw-gain", "hamt", "cls-gain", "babywalk-mix"}) {
      expect_cpus(rollouts, point_preset(name), false, false);
      expect_cpus(rollouts, point_preset(name), true, true);
    }
  }
}

TEST_P(CudaPointRewards, HaveTheCpusBitsWithoutFirstPoints) {
  RewardSettings with_ndtw = point_preset("activevln");
  with_ndtw.final_ndtw = 5.0;
  for (const std::uint32_t longest : {5u, 17u, 40u}) {
    Rollouts rollouts = make_rollouts(508, 30, longest, 12);
    checks::leave_out_first(rollouts);
    for (const RewardSettings& settings : {with_ndtw, point_preset("etp-r1-rxr")}) {
      expect_cpus(rollouts, settings, false, true);
      expect_cpus(rollouts, settings, true, false);
      RewardRuns runs(device(run_seed()), rollouts, settings, {}, in_turn);
      track_episodes(runs);
      expect_none(runs.found(), settings.preset);
    }
  }
}

TEST_P(CudaPointRewards, HaveTheCpusBitsForEveryMeasure) {
  const Rollouts rollouts = make_rollouts(502, 30, 18, 8);
  for (const Distance distance : {Distance::euclid_2d, Distance::euclid_3d}) {
    for (const Distance to_goal : {Distance::euclid_2d, Distance::euclid_3d}) {
      RewardSettings settings = point_preset("babywalk-mix");
      settings.convention.distance = distance;
      settings.goal_distance = to_goal;
      expect_cpus(rollouts, settings, true, false);
      RewardRuns runs(device(run_seed()), rollouts, settings, {}, in_turn);
      runs.reset();
      runs.step(1, false);
      runs.finish();
      expect_none(runs.found(), "episodes");
    }
  }
}

// Queries in rows whose ends are never read, against references of their own.
TEST_P(CudaPointRewards, ReadRows) {
  Rollouts rollouts = make_rollouts(507, 12, 6, 5);
  rollouts.reference.clear();
  rollouts.queries = rollouts.queries.laid_out(true);
  rollouts.references = rollouts.references.laid_out(true);
  expect_cpus(rollouts, point_preset("ndtw-gain"), true, false);
}

TEST_P(CudaPointRewards, LeaveOutWhatHasNoPoints) {
  Rollouts rollouts = make_rollouts(503, 3, 4, 4);
  rollouts.reference = {0, 1, 2};
  rollouts.active = {1, 1, 1};
  rollouts.references.lengths = {0, 2, 2};
  rollouts.references.offsets = {0, 0, 2, 4};
  rollouts.references.points.resize(12);
  const Resident here(device(run_seed()));
  const cuda::Stream stream = here.stream.get();
  const RolloutsOnDevice there(here.device, rollouts, in_turn);
  const Batch batch = there.batch(false);
  const FloatsOnDevice got(here.device, rollouts.goal.size());
  const cuda::DeviceArray<char> workspace(here.device, here.rewards.workspace_bytes(batch));
  here.rewards.compute(batch, {.reward = got.data()}, workspace.data(), stream);
  const std::vector<float> rewards = got.read(stream);
  for (std::size_t t = 0; t < rollouts.queries.at(1); ++t) EXPECT_EQ(rewards[t], 0.0f);
  const auto problem = here.rewards.check(batch, workspace.data(), stream);
  EXPECT_EQ(problem.fault, PairFault::no_reference);
  EXPECT_EQ(problem.pair, 0u);
}

TEST_P(CudaPointRewards, ChecksFindCoordinatesThatAreNone) {
  Rollouts rollouts = make_rollouts(504, 20, 6, 6);
  rollouts.active.assign(20, 1);
  const auto problem = [&] {
    const Resident here(device(run_seed()));
    const RolloutsOnDevice there(here.device, rollouts, in_turn);
    const Batch batch = there.batch(false);
    const cuda::DeviceArray<char> workspace(here.device, here.rewards.workspace_bytes(batch));
    return here.rewards.check_points(batch, workspace.data(), here.stream.get());
  };
  rollouts.reference[7] = 19;
  rollouts.references.points[3 * rollouts.references.at(19)] = 2e12f;
  EXPECT_EQ(problem().fault, EpisodeFault::coordinate);
  EXPECT_EQ(problem().episode, 7);
  rollouts.queries.points[3 * rollouts.queries.at(4) - 1] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(problem().fault, EpisodeFault::coordinate);
  EXPECT_EQ(problem().episode, 3);
  EXPECT_EQ(problem().at, static_cast<std::uint32_t>(rollouts.queries.lengths[3] - 1));
}

// ---------------------------------------------------------------- episodes

TEST_P(CudaPointRewards, TrackEpisodesAsTheCpuDoes) {
  for (const std::uint32_t longest : {5u, 16u, 17u, 40u}) {
    const Rollouts rollouts = make_rollouts(505, 30, longest, 9);
    for (const char* name : {"ndtw-gain", "hamt", "cls-gain", "babywalk-dtw"}) {
      RewardRuns runs(device(run_seed()), rollouts, point_preset(name), {}, in_turn);
      track_episodes(runs);
      expect_none(runs.found(), name);
    }
  }
}

TEST_P(CudaPointRewards, ForkEpisodes) {
  const Rollouts rollouts = make_rollouts(506, 30, 20, 9);
  RewardRuns runs(device(run_seed()), rollouts, point_preset("ndtw-gain"), {}, in_turn);
  fork_episodes(runs);
  expect_none(runs.found(), "forks");
}

}  // namespace
}  // namespace warpath::testing
