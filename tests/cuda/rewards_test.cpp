// Tests that rewards of rollouts and episodes on a device have the bits of Rewards and
// RewardTracker, from every kernel.

#include "warpath/rewards.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/core/batch/check_views.hpp"
#include "host/core/cuda/resident_rewards.hpp"
#include "tests/support/each_device.hpp"
#include "tests/support/pair_cases.hpp"
#include "tests/support/reward_cases.hpp"
#include "tests/support/reward_runs.hpp"

namespace warpath::testing {
namespace {

RewardSettings preset(const char* name) {
  return find_reward_preset(name).settings;
}

class CudaRewards : public OnEachDevice {
 protected:
  struct Case {
    bool prefixes = false, given_goal = false, in_rows = true;
  };

  void expect_cpus(const PairBatch& batch, const RewardSettings& settings, const Case& c);
  void expect_trackers(const PairBatch& batch, const RewardSettings& settings,
                       const MetricSet& metrics);
};
WARPATH_ON_EACH_DEVICE(CudaRewards);

void CudaRewards::expect_cpus(const PairBatch& batch, const RewardSettings& settings,
                              const Case& c) {
  const Rollouts rollouts = checks::rollouts_of(batch, c.in_rows);
  const Form form = c.in_rows ? Form{2, 4, true} : Form{4, 8, false};
  RewardRuns runs(device(run_seed()), rollouts, settings, {}, form);
  const std::size_t owned = fake() != nullptr ? fake()->leaks() : 0;
  runs.compute(c.prefixes, c.given_goal);
  if (fake() != nullptr) {
    EXPECT_EQ(fake()->leaks(), owned) << "nothing is allocated";
  }
  expect_none(runs.found(), settings.preset);
}

TEST_P(CudaRewards, HaveTheCpusBitsForEveryPreset) {
  RandomBatch made(run_seed() + 400, 2);
  made.add_pairs(40, 16, 12);
  for (const RewardPreset& p : reward_presets()) {
    expect_cpus(made.batch(), p.settings, {});
  }
}

TEST_P(CudaRewards, HaveTheCpusBitsInEveryKernel) {
  for (const int longest : {8, 12, 16, 40}) {
    RandomBatch made(run_seed() + 401, 2);
    made.add_pairs(40, longest, 9);
    for (const char* name : {"ndtw-gain", "hamt", "cls-gain", "babywalk-dtw", "babywalk-mix"}) {
      expect_cpus(made.batch(), preset(name), {});
      expect_cpus(made.batch(), preset(name),
                  {.prefixes = true, .given_goal = true, .in_rows = false});
    }
  }
}

// Rollouts that leave first viewpoints out take other kernels, and lengths of SPL are given.
TEST_P(CudaRewards, HaveTheCpusBitsWithoutFirstViewpoints) {
  RewardSettings with_ndtw = preset("activevln");
  with_ndtw.final_ndtw = 5.0;
  for (const int longest : {8, 16, 40}) {
    RandomBatch made(run_seed() + 407, 1);  // episodes change references, within a scan
    made.add_pairs(40, longest, 9);
    for (const RewardSettings& settings :
         {with_ndtw, preset("activevln"), preset("etp-r1-rxr"), preset("budvln"), preset("cls")}) {
      for (const bool every : {false, true}) {
        Rollouts rollouts = checks::rollouts_of(made.batch(), every);
        checks::leave_out_first(rollouts);
        RewardRuns runs(device(run_seed()), rollouts, settings, {Metric::nDTW, Metric::CLS},
                        {4, 8, every});
        runs.compute(every, every);
        track_episodes(runs);
        expect_none(runs.found(), settings.preset);
      }
    }
  }
}

// What a call with a check finds, for kernels take it on trust.
TEST_P(CudaRewards, RefuseNumbersThatNoReferenceHas) {
  RandomBatch made(run_seed() + 408, 1);
  made.add_pairs(5, 8, 5);
  Rollouts rollouts = checks::rollouts_of(made.batch(), true);
  checks::leave_out_first(rollouts);
  const rewards::RewardTables tables(rollouts.scans, rollouts.stored, rollouts.scan_of,
                                     preset("activevln"), {});
  cuda::Device& on = device(run_seed());
  const cuda::ResidentRewards resident(on, tables);
  const cuda::UniqueStream stream(on);
  const auto error = [&] {
    const RolloutsOnDevice there(on, rollouts, {4, 8, true});
    const Batch batch = there.batch(false);
    return error_of_call([&] {
      resident.check_numbers(batch::view_of(batch.prefix, batch.spl_length),
                             batch.references_of(resident.references()), stream.get());
    });
  };
  EXPECT_EQ(error(), "");
  rollouts.spl_length[2] = -1.0f;
  EXPECT_NE(error().find("spl_length 2: is -1; give metres"), std::string::npos) << error();
  rollouts.prefix[1] = -3;
  EXPECT_NE(error().find("prefix 1: is -3; give the number"), std::string::npos) << error();
}

// Returns 150 pairs of a batch, each with a reference of its own.
PairBatch some_of(const PairBatch& every) {
  PairBatch batch;
  batch.scans = every.scans;
  batch.queries = every.queries;
  for (std::size_t k = 0; k < every.pairs.size(); k += every.pairs.size() / 150 + 1) {
    Pair pair = every.pairs[k];
    pair.reference = checks::add_path(batch.references, every.references[pair.reference]);
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
        expect_cpus(batch, preset(name), {.prefixes = prefixes});
      }
    }
  }
}

TEST_P(CudaRewards, AddUpToTheCpusReturns) {
  RandomBatch made(run_seed() + 403, 1);
  made.add_pairs(50, 5, 9);
  for (const bool in_rows : {true, false}) {
    const Rollouts rollouts = checks::rollouts_of(made.batch(), in_rows);
    RewardRuns runs(device(run_seed()), rollouts, preset("ndtw-gain"), {}, {2, 4, in_rows});
    runs.add_up();
    expect_none(runs.found(), in_rows ? "rows" : "in turn");
  }
}

TEST_P(CudaRewards, CompareGroupsAsTheCpuDoes) {
  RandomBatch made(run_seed() + 405, 1);
  made.add_pairs(50, 5, 9);
  const Rollouts rollouts = checks::rollouts_of(made.batch(), true);
  RewardRuns runs(device(run_seed()), rollouts, preset("ndtw-gain"), {}, {2, 4, true});
  runs.compare_groups();
  expect_none(runs.found(), "advantages");
}

TEST_P(CudaRewards, TakeGroupsInPlaceOfNumbers) {
  for (const int longest : {12, 40}) {  // also references in strips
    RandomBatch made(run_seed() + 406, 1);
    made.add_pairs(40, longest, 9);
    Rollouts rollouts = checks::rollouts_of(made.batch(), true);
    rollouts.stored = {};
    for (std::uint32_t r = 0; r < 8; ++r) {
      checks::add_path(rollouts.stored, made.batch().references[r]);
    }
    rollouts.scan_of.assign(8, 0);
    rollouts.reference.clear();
    rollouts.group_size = 5;
    for (const bool given_goal : {false, true}) {
      RewardRuns runs(device(run_seed()), rollouts, preset("cls-gain"), {}, {2, 4, true});
      runs.compute(true, given_goal);
      expect_none(runs.found(), "rewards in groups");
    }
    for (const bool leaves_out : {false, true}) {
      if (leaves_out) checks::leave_out_first(rollouts);
      for (const char* name : {"etp-r1-r2r", "etp-r1-rxr"}) {  // SPL of each rollout's reference
        RewardRuns runs(device(run_seed()), rollouts, preset(name), {}, {2, 4, true});
        runs.compute(true, false);
        expect_none(runs.found(), name);
      }
    }
  }
}

// ---------------------------------------------------------------- episodes

void CudaRewards::expect_trackers(const PairBatch& batch, const RewardSettings& settings,
                                  const MetricSet& metrics) {
  const Rollouts rollouts = checks::rollouts_of(batch, true);
  RewardRuns runs(device(run_seed()), rollouts, settings, metrics, {2, 4, true});
  track_episodes(runs);
  expect_none(runs.found(), settings.preset);
}

TEST_P(CudaRewards, TrackEpisodesAsTheCpuDoes) {
  const MetricSet both{Metric::nDTW, Metric::CLS};
  for (const int longest : {8, 12, 16, 40}) {
    RandomBatch made(run_seed() + 404, 1);
    made.add_pairs(35, longest, 9);
    for (const char* name : {"ndtw-gain", "hamt", "cls-gain", "babywalk-dtw", "etp-r1-rxr"}) {
      expect_trackers(made.batch(), preset(name), both);
    }
  }
}

TEST_P(CudaRewards, ForkEpisodes) {
  RandomBatch made(run_seed() + 405, 1);
  made.add_pairs(35, 12, 9);
  const Rollouts rollouts = checks::rollouts_of(made.batch(), true);
  RewardRuns runs(device(run_seed()), rollouts, preset("ndtw-gain"), {Metric::nDTW, Metric::CLS},
                  {2, 4, true});
  fork_episodes(runs);
  expect_none(runs.found(), "forks");
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
    const rewards::RewardTables tables(batch.scans, batch.references, checks::scans_of(batch),
                                       preset(name), {});
    return cuda::ResidentRewards(device, tables).shape_for(out).set;
  };
  EXPECT_EQ(set("ndtw-gain", {}), kernels::RewardSet::ndtw_gain);
  EXPECT_EQ(set("ndtw-gain", prefixes), kernels::RewardSet::dtw);
  EXPECT_EQ(set("ndtw-gain", cls), kernels::RewardSet::all);
  EXPECT_EQ(set("hamt", {}), kernels::RewardSet::dtw);
  EXPECT_EQ(set("cls-gain", {}), kernels::RewardSet::all);
  EXPECT_EQ(set("activevln", {}), kernels::RewardSet::dtw);
  EXPECT_EQ(set("etp-r1-r2r", {}), kernels::RewardSet::ends);
  EXPECT_EQ(set("budvln-as-run", {}), kernels::RewardSet::ends);
}

}  // namespace
}  // namespace warpath::testing
