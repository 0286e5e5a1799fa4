// Tests rewards, episodes and scores against standing references on scans of more than 4,096
// viewpoints on a device: they have the CPU's bits, and those of an equal small scan.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "host/checks/grid.hpp"
#include "host/checks/pairs.hpp"
#include "host/checks/resident_runs.hpp"
#include "host/core/cuda/device_tables.hpp"
#include "tests/support/each_device.hpp"
#include "tests/support/large_scans.hpp"
#include "tests/support/pair_cases.hpp"
#include "tests/support/reward_runs.hpp"

namespace warpath::testing {
namespace {

class LargeScansOnDevice : public OnEachDevice {};
WARPATH_ON_EACH_DEVICE(LargeScansOnDevice);

TEST_P(LargeScansOnDevice, HaveTheCpusRewards) {
  const EqualScans scans(31);
  const PairBatch batch = scans.in_large(scans.pairs(run_seed() + 600, 40, 14, 9));
  const Rollouts rollouts = checks::rollouts_of(batch, true);
  RewardRuns runs(device(run_seed()), rollouts, find_reward_preset("ndtw-gain").settings,
                  {Metric::nDTW, Metric::CLS}, {2, 4, true});
  runs.compute(true, false);
  track_episodes(runs);
  fork_episodes(runs);
  expect_none(runs.found(), "large");
}

// Returns what differs between scores on the large scan, on a device, and the CPU's on the small.
checks::ResidentMismatches compare(cuda::Device& device, const EqualScans& scans,
                                   const PairBatch& small) {
  const checks::Request request{MetricSet::of_paths(), {}};
  const PairBatch large = scans.in_large(small);
  const checks::Rows rows = checks::choose_rows(small.pairs.size(), small.pairs.size());
  const PairBatch scored = checks::reordered(small, rows.scored);
  const batch::DistanceTables tables(small.scans, {});
  Scores expected;
  cpu::score(scored, tables, {}, {.metrics = request.metrics}, expected);
  const BatchStatistics totals = cpu::statistics(scored, tables, {}, {.metrics = request.metrics});
  const checks::InternalScorer scorer(device, checks::ScorerInputs(large, 0, request));
  const checks::BatchOnDevice there(device, large, rows.active, {2, 4, true});
  return checks::compare_resident(device, scorer, there.view(), rows, request.metrics, expected,
                                  totals);
}

TEST_P(LargeScansOnDevice, HaveTheScoresOfAnEqualSmallScan) {
  const EqualScans scans(32);
  for (const int longest : {40, 300}) {  // by groups of every shape
    const PairBatch small = scans.pairs(run_seed() + 601, 90, longest, 40);
    const checks::ResidentMismatches found = compare(device(run_seed()), scans, small);
    EXPECT_GT(found.scores.cases, 0u);
    EXPECT_EQ(found.scores.count, 0u) << found.scores.first;
    EXPECT_EQ(found.totals.count, 0u) << found.totals.first;
  }
}

TEST_P(LargeScansOnDevice, HaveTheScoresOfAnEqualSmallScanInTiles) {
  const EqualScans scans(33);
  const PairBatch small = scans.pairs(run_seed() + 602, cuda::small_batch + 100, 12, 9);
  const checks::ResidentMismatches found = compare(device(run_seed()), scans, small);
  EXPECT_GT(found.scores.cases, 0u);
  EXPECT_EQ(found.scores.count, 0u) << found.scores.first;
  EXPECT_EQ(found.totals.count, 0u) << found.totals.first;
  expect_started("plain_table");
}

// The scan's table is the second of the store's, and the only one on the device.
TEST_P(LargeScansOnDevice, HaveTheCpusRewardsByTablesOfAStore) {
  const EqualScans scans(34);
  const std::vector<const Scan*> both{
      &scans.graphs->add({.id = "ab", .viewpoints = {"a", "b"}, .edges = {{0, 1, 2.0}}}),
      scans.small};
  EXPECT_GT(batch::DistanceTables(both, {}, scans.graphs.get())[1].base, 0u);
  const PairBatch batch = scans.pairs(run_seed() + 604, 30, 14, 9);
  const Rollouts rollouts = checks::rollouts_of(batch, true);
  const RewardSettings settings = find_reward_preset("cls-gain").settings;
  const rewards::RewardTables tables(rollouts.scans, rollouts.stored, rollouts.scan_of, settings,
                                     {}, scans.graphs.get());
  EXPECT_GT(tables.distances[0].base, 0u);
  const std::size_t size = rollouts.queries.size();
  checks::HostRewards want(size);
  Rewards(rollouts.scans, rollouts.stored, rollouts.scan_of, settings)
      .compute(rollouts.batch(false), want.arrays());
  cuda::Device& here = device(run_seed());
  const cuda::ResidentRewards there(here, tables);
  const checks::RolloutsOnDevice on_device(here, rollouts, {2, 4, true});
  const checks::DeviceRewards got(here, size);
  const cuda::UniqueStream stream(here);
  there.compute(on_device.batch(false), got.arrays(true), nullptr, stream.get());
  expect_none(got.compare(want, "rewards", stream.get()), "by tables of a store");
}

// Only the tables of the scans that are asked for are uploaded, each once.
TEST_P(LargeScansOnDevice, HaveTheTablesOfAView) {
  RandomBatch made(run_seed() + 603, 5);
  made.add_pairs(4, 3, 3);
  const PairBatch& batch = made.batch();
  const batch::DistanceTables all(batch.scans, {});
  const std::uint32_t some[] = {3, 1, 3};
  const batch::DistanceTables view(all, some);
  cuda::Device& here = device(run_seed());
  const cuda::UniqueStream stream(here);
  const cuda::DeviceTables there(here, view, view.size(), stream.get());
  ASSERT_EQ(there.host.size(), 3u);
  EXPECT_EQ(there.distance.size(), all.entries_of(3) + all.entries_of(1));
  const cuda::PinnedArray<float> copy(here, there.distance.size());
  cuda::download(here, there.distance, copy, copy.size(), stream.get());
  here.wait(stream.get());
  for (std::uint32_t s = 0; s < 3; ++s) {
    EXPECT_EQ(there.host[s].pitch, view[s].pitch);
    const float* const table = copy.data() + there.host[s].base;
    EXPECT_TRUE(std::equal(table, table + view.entries_of(s), view.distance() + view[s].base));
  }
}

// Its table has no entries, and so the place of the one behind it.
TEST(FakeLargeScansOnDevice, HaveTheTablesBehindAScanWithoutViewpoints) {
  const Scan empty("empty", {}, {}, {});
  const Scan some = checks::make_scan({{0, 0, 0}, {1, 0, 0}, {3, 0, 0}}, {{0, 1}, {1, 2}});
  const Scan other = checks::make_scan({{0, 0, 0}, {5, 0, 0}}, {{0, 1}});
  const Scan* const scans[] = {&some, &empty, &other};
  const batch::DistanceTables tables(scans, {});
  FakeDevice device(run_seed());
  const cuda::UniqueStream stream(device);
  const cuda::DeviceTables uploaded(device, tables, 3, stream.get());
  ASSERT_EQ(uploaded.distance.size(), tables.entries_of(0) + tables.entries_of(2));
  EXPECT_NE(uploaded.host[0].base, uploaded.host[2].base);
}

}  // namespace
}  // namespace warpath::testing
