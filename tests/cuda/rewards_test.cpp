// Tests that rewards of rollouts and episodes on a device have the bits of Rewards and
// RewardTracker, from every kernel.

#include "warpath/rewards.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/core/batch/check_views.hpp"
#include "host/core/cuda/resident_tracker.hpp"
#include "tests/support/device_rollouts.hpp"
#include "tests/support/each_device.hpp"
#include "tests/support/pair_cases.hpp"
#include "warpath/error.hpp"
#include "warpath/reward_tracker.hpp"

namespace warpath::testing {
namespace {

RewardSettings preset(const char* name) {
  return find_reward_preset(name).settings;
}

class CudaRewards : public OnEachDevice {
 protected:
  struct Case {
    const char* preset;
    bool prefixes = false, given_goal = false, in_rows = true;
  };

  void expect_cpus(const PairBatch& batch, const RewardSettings& settings, const Case& c);
  void expect_trackers(const PairBatch& batch, const RewardSettings& settings,
                       const MetricSet& metrics);
};
WARPATH_ON_EACH_DEVICE(CudaRewards);

void CudaRewards::expect_cpus(const PairBatch& batch, const RewardSettings& settings,
                              const Case& c) {
  const Rollouts rollouts(batch, c.in_rows);
  const Rewards on_cpu(batch.scans, batch.references, scans_of(batch), settings);
  Results want(rollouts.nodes.size());
  on_cpu.compute(rollouts.view(c.given_goal), want.arrays(c.prefixes));

  cuda::Device& here = device(run_seed());
  const rewards::RewardTables tables(batch.scans, batch.references, scans_of(batch), settings, {});
  const cuda::ResidentRewards resident(here, tables);
  const cuda::UniqueStream stream(here);
  const std::uint8_t width = c.in_rows ? 2 : 4;
  const Numbers nodes(here, rollouts.nodes, width, stream.get()),
      offsets(here, rollouts.offsets, 8, stream.get()),
      lengths(here, rollouts.lengths, 4, stream.get()),
      reference(here, rollouts.reference, width, stream.get()),
      active(here, rollouts.active, 1, stream.get()),
      stopped(here, rollouts.stopped, 1, stream.get());
  here.wait(stream.get());
  Floats goal(here, rollouts.goal.size(), stream.get());
  goal.write(here, rollouts.goal, stream.get());
  DeviceResults got(here, rollouts.nodes.size(), stream.get());
  const cuda::DeviceArray<char> workspace(here,
                                          resident.workspace_bytes({.count = rollouts.count()}));
  Batch there = rollouts.view(c.given_goal);
  there.queries = {nodes, rollouts.layout(offsets, lengths)};
  there.reference = reference;
  there.active = active.bytes();
  there.stopped = stopped.bytes();
  if (c.given_goal) there.distance_to_goal = goal.data();
  const std::size_t owned = fake() != nullptr ? fake()->leaks() : 0;
  resident.warm_up(stream.get());
  resident.compute(there, got.arrays(c.prefixes), workspace.data(), stream.get());
  if (fake() != nullptr) {
    EXPECT_EQ(fake()->leaks(), owned) << "nothing is allocated";
  }
  got.expect(here, want, c.preset, stream.get());
  EXPECT_EQ(resident.check(there, workspace.data(), stream.get()).fault, kernels::PairFault::none);
}

TEST_P(CudaRewards, HaveTheCpusBitsForEveryPreset) {
  RandomBatch made(run_seed() + 400, 2);
  made.add_pairs(40, 16, 12);
  for (const RewardPreset& p : reward_presets()) {
    expect_cpus(made.batch(), p.settings, {.preset = p.settings.preset.c_str()});
  }
}

TEST_P(CudaRewards, HaveTheCpusBitsInEveryKernel) {
  for (const int longest : {8, 12, 16, 40}) {
    RandomBatch made(run_seed() + 401, 2);
    made.add_pairs(40, longest, 9);
    for (const char* name : {"ndtw-gain", "hamt", "cls-gain", "babywalk-dtw", "babywalk-mix"}) {
      const RewardSettings settings = preset(name);
      expect_cpus(made.batch(), settings, {.preset = name});
      expect_cpus(made.batch(), settings,
                  {.preset = name, .prefixes = true, .given_goal = true, .in_rows = false});
    }
  }
}

// Returns 150 pairs of a batch, each with a reference of its own.
PairBatch some_of(const PairBatch& every) {
  PairBatch batch;
  batch.scans = every.scans;
  batch.queries = every.queries;
  for (std::size_t k = 0; k < every.pairs.size(); k += every.pairs.size() / 150 + 1) {
    Pair pair = every.pairs[k];
    const auto path = every.references[pair.reference];
    batch.references.elements.insert(batch.references.elements.end(), path.begin(), path.end());
    pair.reference = batch.references.end_path();
    batch.pairs.push_back(pair);
  }
  return batch;
}

TEST_P(CudaRewards, HaveTheCpusBitsWhereNoPathLeads) {
  for (const bool directed : {false, true}) {
    RandomBatch made(run_seed() + 402, 5, directed);
    made.add_every_kind();
    const PairBatch batch = some_of(made.batch());
    for (const char* name : {"ndtw-gain", "cls-gain"}) {
      for (const bool prefixes : {false, true}) {
        expect_cpus(batch, preset(name), {.preset = name, .prefixes = prefixes});
      }
    }
  }
}

TEST_P(CudaRewards, AddUpToTheCpusReturns) {
  RandomBatch made(run_seed() + 403, 1);
  made.add_pairs(50, 5, 9);
  for (const bool in_rows : {true, false}) {
    const Rollouts rollouts(made.batch(), in_rows);
    const std::size_t size = rollouts.goal.size();
    Results want(size);
    const std::vector<float> bootstrap(rollouts.count(), 0.375f);
    ReturnsBatch returns{.count = rollouts.count(),
                         .layout = rollouts.view(false).queries.layout,
                         .active = rollouts.active_bytes.data(),
                         .reward = rollouts.goal.data(),
                         .value = rollouts.goal.data(),
                         .bootstrap = bootstrap.data(),
                         .discount = 0.9,
                         .decay = 0.95,
                         .returns = want.reward.data(),
                         .advantage = want.goal.data()};
    add_up_rewards(returns);

    const PairBatch& batch = made.batch();
    cuda::Device& here = device(run_seed());
    const rewards::RewardTables tables(batch.scans, batch.references, scans_of(batch),
                                       preset("ndtw-gain"), {});
    const cuda::ResidentRewards resident(here, tables);
    const cuda::UniqueStream stream(here);
    const Numbers offsets(here, rollouts.offsets, 8, stream.get()),
        lengths(here, rollouts.lengths, 4, stream.get()),
        active(here, rollouts.active, 1, stream.get());
    here.wait(stream.get());
    Floats reward(here, size, stream.get()), ends(here, bootstrap.size(), stream.get());
    reward.write(here, rollouts.goal, stream.get());
    ends.write(here, bootstrap, stream.get());
    DeviceResults got(here, size, stream.get());
    returns.layout = rollouts.layout(offsets, lengths);
    returns.active = active.bytes();
    returns.reward = returns.value = reward.data();
    returns.bootstrap = ends.data();
    returns.returns = got.reward.data();
    returns.advantage = got.goal.data();
    resident.add_up(batch::view_of(returns), stream.get());
    got.expect(here, want, in_rows ? "rows" : "in turn", stream.get());
  }
}

// ---------------------------------------------------------------- episodes

void CudaRewards::expect_trackers(const PairBatch& batch, const RewardSettings& settings,
                                  const MetricSet& metrics) {
  Trackers trackers(device(run_seed()), batch, settings, metrics);
  trackers.reset();
  for (std::uint32_t t = 1; t < 5; ++t) trackers.step(t, false);
  trackers.finish();
  trackers.extend();
  trackers.reset_some();
  trackers.step(1, true);
  trackers.finish();
}

TEST_P(CudaRewards, TrackEpisodesAsTheCpuDoes) {
  const MetricSet both{Metric::nDTW, Metric::CLS};
  for (const int longest : {8, 12, 16, 40}) {
    RandomBatch made(run_seed() + 404, 1);
    made.add_pairs(35, longest, 9);
    for (const char* name : {"ndtw-gain", "hamt", "cls-gain", "babywalk-dtw"}) {
      expect_trackers(made.batch(), preset(name), both);
    }
  }
}

TEST_P(CudaRewards, ForkEpisodes) {
  RandomBatch made(run_seed() + 405, 1);
  made.add_pairs(35, 12, 9);
  Trackers trackers(device(run_seed()), made.batch(), preset("ndtw-gain"),
                    {Metric::nDTW, Metric::CLS});
  trackers.reset();
  trackers.step(1, false);
  trackers.fork();
  trackers.step(2, false);
  trackers.finish();
}

TEST(DeviceRewardKernels, AreThoseThatAreNeeded) {
  RandomBatch made(run_seed() + 406, 1);
  made.add_pairs(3, 8, 5);
  const PairBatch& batch = made.batch();
  float some = 0.0f;
  RewardArrays prefixes, cls;
  prefixes.distance_to_goal = cls.cls = &some;
  const auto set = [&](const char* name, const RewardArrays& out) {
    FakeDevice device(run_seed());
    const rewards::RewardTables tables(batch.scans, batch.references, scans_of(batch), preset(name),
                                       {});
    return cuda::ResidentRewards(device, tables).shape_for(out).set;
  };
  EXPECT_EQ(set("ndtw-gain", {}), kernels::RewardSet::ndtw_gain);
  EXPECT_EQ(set("ndtw-gain", prefixes), kernels::RewardSet::dtw);
  EXPECT_EQ(set("ndtw-gain", cls), kernels::RewardSet::all);
  EXPECT_EQ(set("hamt", {}), kernels::RewardSet::dtw);
  EXPECT_EQ(set("cls-gain", {}), kernels::RewardSet::all);
}

}  // namespace
}  // namespace warpath::testing
