// Tests that pairs on large scans have the rewards of an equal small scan, whether by compact
// tables or by whole ones.

#include "host/files/evaluation/reward_pairs.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/checks/compare.hpp"
#include "tests/support/large_scans.hpp"
#include "tests/support/pair_cases.hpp"
#include "warpath/rewards.hpp"

namespace warpath::testing {
namespace {

using evaluation::PairRewards;
using evaluation::RolloutEnds;

// Of every third pair the time was up; every second has goals of its own.
RolloutEnds some_ends(const PairBatch& batch, bool in_large) {
  RolloutEnds ends;
  for (std::size_t k = 0; k < batch.pairs.size(); ++k) {
    ends.stopped.push_back(k % 3 != 0);
    for (Node goal = 0; goal < k % 2 * 3; ++goal) {
      const Node node = 100 * goal + static_cast<Node>(k % 50);
      ends.goals.elements.push_back(in_large ? EqualScans::in_large(node) : node);
    }
    ends.goals.end_path();
  }
  return ends;
}

void expect_equal_rewards(const PairRewards& got, const PairRewards& want) {
  const auto expect = [&](std::vector<float> PairRewards::*column, const char* name) {
    const checks::Mismatches found = checks::compare_bits(got.*column, want.*column, name);
    EXPECT_GT(found.cases, 100u) << name;
    EXPECT_EQ(found.count, 0u) << name << ": " << found.first << ", seed " << run_seed();
  };
  expect(&PairRewards::reward, "reward");
  expect(&PairRewards::returns, "return");
  expect(&PairRewards::distance_to_goal, "distance");
  expect(&PairRewards::ndtw, "nDTW");
  expect(&PairRewards::cls, "CLS");
}

TEST(RewardPairs, HaveTheBitsOfAnEqualSmallScanOnALargeOne) {
  for (const bool directed : {false, true}) {
    const EqualScans scans(51, directed);
    const PairBatch small = scans.pairs(run_seed() + 700, 1100, 14, 23),
                    large = scans.in_large(small);
    for (const char* name : {"hamt", "babywalk-mix"}) {
      RewardSettings settings = find_reward_preset(name).settings;
      settings.tie = Tie::zero;
      settings.timeout = TimeOut::nothing;
      expect_equal_rewards(evaluation::reward_pairs(large, settings, some_ends(large, true), 0.9),
                           evaluation::reward_pairs(small, settings, some_ends(small, false), 0.9));
    }
  }
}

TEST(RewardPairs, TakeLargeAndSmallScansInAnyOrder) {
  const EqualScans scans(52);
  const PairBatch small = scans.pairs(run_seed() + 701, 100, 9, 12), large = scans.in_large(small);
  PairBatch mixed;
  mixed.scans = {scans.large, scans.small};
  for (std::size_t k = 0; k < small.pairs.size(); ++k) {
    const bool is_large = k % 5 < 2;
    const PairBatch& from = is_large ? large : small;
    const std::uint32_t reference = checks::add_path(mixed.references, from.references[k]);
    mixed.pairs.push_back(
        {is_large ? 0u : 1u, reference, checks::add_path(mixed.queries, from.queries[k])});
  }
  const RewardSettings settings = find_reward_preset("ndtw-gain").settings;
  const RolloutEnds ends{std::vector<std::uint8_t>(small.pairs.size(), 1)};
  expect_equal_rewards(evaluation::reward_pairs(mixed, settings, ends, 1.0),
                       evaluation::reward_pairs(small, settings, ends, 1.0));
}

TEST(RewardPairs, HaveTheSameBitsHoweverManyTablesFit) {
  for (const bool directed : {false, true}) {
    RandomBatch made(run_seed() + 703, 5, directed);
    made.add_pairs(300, 20, 25);
    PairBatch batch;
    batch.scans = made.batch().scans;
    batch.references = made.batch().references;
    for (const Pair& pair : made.batch().pairs) {
      const auto path = made.batch().queries[pair.query];
      batch.pairs.push_back({pair.scan, pair.reference, checks::add_path(batch.queries, path)});
    }
    const RolloutEnds ends{std::vector<std::uint8_t>(batch.pairs.size(), 1)};
    for (const Distance distance : {Distance::euclid_3d, Distance::hops}) {
      RewardSettings settings = find_reward_preset("babywalk-mix").settings;
      settings.convention.distance = distance;
      const PairRewards want = evaluation::reward_pairs(batch, settings, ends, 1.0);
      for (const std::size_t entries : {0, 60'000}) {
        expect_equal_rewards(evaluation::reward_pairs(batch, settings, ends, 1.0, entries), want);
      }
    }
  }
}

TEST(RewardPairs, TakeAPairThatUsesMoreThanACompactTableHolds) {
  const EqualScans scans(53);
  const PairBatch small = scans.pairs(run_seed() + 702, 40, 9, 12);
  PairBatch large = scans.in_large(small);
  // Its rewards begin as those of pair 7, whose path it goes on.
  std::vector<Node> longer(large.queries[7].begin(), large.queries[7].end());
  for (Node node = 0; node < scans.large->size(); ++node) longer.push_back(node);
  large.pairs.push_back({0, 7, checks::add_path(large.queries, longer)});
  const RewardSettings settings = find_reward_preset("ndtw-gain").settings;
  PairRewards got = evaluation::reward_pairs(
      large, settings, {std::vector<std::uint8_t>(large.pairs.size(), 1)}, 1.0);
  const std::size_t before = small.queries.elements.size(), pair = large.queries.offsets[7];
  for (std::size_t t = 0; t < large.queries.size_of(7); ++t) {
    EXPECT_EQ(got.distance_to_goal[before + t], got.distance_to_goal[pair + t]);
    EXPECT_EQ(got.ndtw[before + t], got.ndtw[pair + t]);
    EXPECT_EQ(got.cls[before + t], got.cls[pair + t]);
  }
  for (auto* column : {&got.reward, &got.returns, &got.distance_to_goal, &got.ndtw, &got.cls}) {
    column->resize(before);
  }
  expect_equal_rewards(
      got, evaluation::reward_pairs(small, settings,
                                    {std::vector<std::uint8_t>(small.pairs.size(), 1)}, 1.0));
}

}  // namespace
}  // namespace warpath::testing
