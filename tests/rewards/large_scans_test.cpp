// Tests rewards on scans of more than 4,096 viewpoints: they have the bits of an equal small scan.

#include "tests/support/large_scans.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <vector>

#include "host/checks/reward_runs.hpp"
#include "host/core/batch/check_views.hpp"
#include "tests/support/calls.hpp"
#include "tests/support/reward_cases.hpp"
#include "tests/support/small_rewards.hpp"
#include "warpath/reward_tracker.hpp"

namespace warpath::testing {
namespace {

using batch::DistanceTables;

RewardSettings preset(const char* name) {
  return find_reward_preset(name).settings;
}

std::vector<std::uint32_t> numbers_below(std::size_t count) {
  std::vector<std::uint32_t> numbers(count);
  for (std::uint32_t k = 0; k < count; ++k) numbers[k] = k;
  return numbers;
}

// Returns goals of two viewpoints for every reference.
PathSet goals_of(const PathSet& references) {
  PathSet goals;
  for (std::size_t r = 0; r < references.size(); ++r) {
    checks::add_path(goals, std::vector<Node>{references[r].back(), references[0].front()});
  }
  return goals;
}

Rewards rewards_of(const PairBatch& batch, const RewardSettings& settings, const PathSet& goals,
                   const EqualScans& scans) {
  return {batch.scans,
          batch.references,
          std::vector<std::uint32_t>(batch.references.size(), 0),
          settings,
          {.goals = goals, .graphs = scans.graphs}};
}

Batch rollouts_of(const PairBatch& batch, const std::vector<std::uint32_t>& reference) {
  Batch rollouts;
  rollouts.count = static_cast<std::uint32_t>(batch.pairs.size());
  rollouts.queries = {batch.queries.elements.data(),
                      {.offsets = {batch.queries.offsets.data(), sizeof(std::uint64_t)},
                       .lengths = {},
                       .pitch = 0,
                       .max_length = 1000}};
  rollouts.reference = reference.data();
  return rollouts;
}

// Appends rewards, distances and metrics of whole rollouts.
void compute(const Rewards& rewards, const PairBatch& batch, std::vector<float>& to) {
  RewardResults results(batch.queries.elements.size());
  const auto reference = numbers_below(batch.pairs.size());
  rewards.compute(rollouts_of(batch, reference), results.arrays());
  for (const auto* part : {&results.reward, &results.goal, &results.ndtw, &results.cls}) {
    to.insert(to.end(), part->begin(), part->end());
  }
}

// Appends those of episodes, and of continuations in between.
void track(const Rewards& rewards, const PairBatch& batch, std::vector<float>& to) {
  const auto count = static_cast<std::uint32_t>(batch.pairs.size());
  RewardTracker tracker(rewards, count, {.metrics = {Metric::nDTW, Metric::CLS}});
  const auto reference = numbers_below(count);
  std::vector<std::uint32_t> next;
  for (std::uint32_t k = 0; k < count; ++k) next.push_back(batch.queries[k].front());
  tracker.reset(starts_of({}, reference, next));
  const auto add = [&](const std::vector<float>& part) {
    to.insert(to.end(), part.begin(), part.end());
  };
  for (std::size_t t = 1; t < 12; ++t) {
    for (std::uint32_t k = 0; k < count; ++k) {
      next[k] = batch.queries[k][std::min(t, batch.queries.size_of(k) - 1)];
    }
    std::vector<float> moves(count);
    tracker.step(next.data(), nullptr, moves.data());
    add(moves);
    RewardResults extended(count);
    tracker.score_extensions(1,
                             {batch.references.elements.data(),
                              {.offsets = {batch.references.offsets.data(), 8},
                               .lengths = {},
                               .pitch = 0,
                               .max_length = 1000}},
                             extended.arrays());
    for (const auto* part : {&extended.reward, &extended.goal, &extended.ndtw, &extended.cls}) {
      add(*part);
    }
  }
  std::vector<float> ends(count);
  tracker.finish(nullptr, nullptr, ends.data());
  add(ends);
}

void expect_equal_bits(const EqualScans& scans, const RewardSettings& settings) {
  const PairBatch small = scans.pairs(run_seed() + 500, 90, 21, 33), large = scans.in_large(small);
  for (const bool has_goals : {false, true}) {
    const PathSet goals = has_goals ? goals_of(small.references) : PathSet();
    const Rewards here = rewards_of(small, settings, goals, scans),
                  there = rewards_of(large, settings, EqualScans::in_large(goals), scans);
    std::vector<float> want, got;
    compute(here, small, want);
    compute(there, large, got);
    track(here, small, want);
    track(there, large, got);
    const checks::Mismatches found = checks::compare_bits(got, want, settings.preset);
    EXPECT_GT(found.cases, 10'000u);
    EXPECT_EQ(found.count, 0u) << settings.preset << ": " << found.first << ", seed " << run_seed();
  }
}

TEST(RewardsOnLargeScans, HaveTheBitsOfAnEqualSmallScan) {
  const EqualScans scans(11);
  for (const char* name : {"hamt", "cls-gain", "babywalk-mix"}) {
    RewardSettings settings = preset(name);
    settings.tie = Tie::zero;
    expect_equal_bits(scans, settings);
  }
}

TEST(RewardsOnLargeScans, HaveTheBitsOfAnEqualDirectedScan) {
  expect_equal_bits(EqualScans(12, true), preset("ndtw-gain"));
}

TEST(RewardsOnLargeScans, HaveTheBitsOfAnEqualSmallScanInHops) {
  RewardSettings settings = preset("ndtw-gain");
  settings.convention.distance = Distance::hops;
  expect_equal_bits(EqualScans(13), settings);
}

TEST(RewardsOnLargeScans, MayHaveSmallScansBesideThem) {
  const EqualScans scans(11);
  const PairBatch small = scans.pairs(run_seed() + 501, 40, 9, 12), large = scans.in_large(small);
  PairBatch both = small;
  both.scans.push_back(scans.large);
  for (std::size_t k = 0; k < large.pairs.size(); ++k) {
    checks::add_path(both.references, large.references[k]);
    both.pairs.push_back({1, static_cast<std::uint32_t>(both.references.size() - 1),
                          checks::add_path(both.queries, large.queries[k])});
  }
  std::vector<std::uint32_t> scan_of(small.pairs.size(), 0);
  scan_of.resize(both.pairs.size(), 1);
  for (const bool is_kept : {false, true}) {
    RewardOptions options;
    if (is_kept) options.graphs = scans.graphs;
    const Rewards rewards(both.scans, both.references, scan_of, preset("cls-gain"), options);
    RewardResults results(both.queries.elements.size());
    const auto reference = numbers_below(both.pairs.size());
    rewards.compute(rollouts_of(both, reference), results.arrays());
    const std::vector<float>& all = results.reward;
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    const checks::Mismatches found =
        checks::compare_bits({middle, all.end()}, {all.begin(), middle}, "both");
    EXPECT_GT(found.cases, 100u);
    EXPECT_EQ(found.count, 0u) << found.first;
  }
}

Scan isolated_viewpoints(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t n = 0; n < count; ++n) names.push_back(std::to_string(n));
  return Scan("field", names, {}, {});
}

TEST(RewardsOnLargeScans, AreRefusedWhereIndicesDoNotReach) {
  const Scan most = isolated_viewpoints(DistanceTables::max_large_viewpoints),
             more = isolated_viewpoints(DistanceTables::max_large_viewpoints + 1);
  const std::vector<const Scan*> fits{&most}, one{&more}, two{&most, &most};
  EXPECT_EQ(error_of_call([&] { batch::check_table_size(fits, ""); }), "");
  const PathSet references = checks::path_set({{0, 1}});
  const auto error_with = [&](const std::vector<const Scan*>& scans) {
    return error_of_call(
        [&] { Rewards(scans, references, std::vector<std::uint32_t>{0}, preset("ndtw-gain")); });
  };
  expect_error(error_with(one), "scan field",
               "has 32768 viewpoints: its table of distances would have 1073774592 entries, more "
               "than 2^30");
  expect_error(error_with(one), "give scans of at most 32767 viewpoints", "");
  expect_error(error_with(two), "scan field",
               "all 2 tables of distances would have 2147483648 entries");
}

}  // namespace
}  // namespace warpath::testing
