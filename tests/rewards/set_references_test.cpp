// Tests that references may be replaced: rewards have the bits of an object made with the others.

#include <gtest/gtest.h>

#include <bit>

#include "tests/support/calls.hpp"
#include "tests/support/reward_cases.hpp"
#include "tests/support/score_pair.hpp"
#include "tests/support/small_rewards.hpp"
#include "warpath/graph_store.hpp"
#include "warpath/reward_tracker.hpp"

namespace warpath::testing {
namespace {

// Holds a store of two streets and paths in them.
struct Streets {
  std::shared_ptr<GraphStore> graphs = std::make_shared<GraphStore>();
  std::vector<const Scan*> scans;

  Streets() {
    for (const double step : {1.1, 2.3}) {
      ScanData scan{.id = std::to_string(step), .viewpoints = {}};
      for (Node v = 0; v < 12; ++v) {
        scan.viewpoints.push_back(std::to_string(v));
        scan.positions.push_back({step * v, v % 3 * 0.7, 0.0});
        if (v > 0) scan.edges.push_back({v - 1, v});
        if (v > 3 && v % 4 == 0) scan.edges.push_back({v - 4, v});
      }
      scans.push_back(&graphs->add(std::move(scan)));
    }
  }
};

// Returns the bits of the rewards of two rollouts.
std::vector<std::uint32_t> rewards_of(const Rewards& rewards) {
  const std::vector<std::uint32_t> nodes = {0, 1, 2, 3, 4, 4, 5, 6, 7, 8}, lengths = {5, 5};
  std::vector<float> out(nodes.size());
  Batch batch;
  batch.count = 2;
  batch.queries = {nodes.data(), {.lengths = lengths.data(), .pitch = 5, .max_length = 5}};
  rewards.compute(batch, {.reward = out.data()});
  std::vector<std::uint32_t> bits;
  for (const float reward : out) bits.push_back(std::bit_cast<std::uint32_t>(reward));
  return bits;
}

TEST(SetReferences, GivesTheBitsOfAnObjectMadeWithThem) {
  const Streets streets;
  const PathSet before = checks::path_set({{0, 1, 2}, {4, 5, 6}}),
                after = checks::path_set({{0, 4, 8}, {8, 7, 6, 5, 4}}),
                goals = checks::path_set({{8, 11}, {3, 4}});
  const std::vector<std::uint32_t> first = {0, 1}, other = {1, 0};
  const std::vector<const Scan*> one = {streets.scans[0]};
  for (const char* preset : {"ndtw-gain", "hamt", "babywalk-mix"}) {
    RewardSettings settings = find_reward_preset(preset).settings;
    for (const auto& [distance, radius] :
         {std::pair(Distance::euclid_3d, 3.0), std::pair(Distance::hops, 1.0)}) {
      settings.convention.distance = settings.goal_distance = distance;
      settings.success_radius = radius;
      Rewards rewards(one, before, std::vector<std::uint32_t>{0, 0}, settings,
                      {.graphs = streets.graphs});
      EXPECT_EQ(rewards_of(rewards),
                rewards_of({one, before, std::vector<std::uint32_t>{0, 0}, settings}));
      rewards.set_references(streets.scans, after, first, goals);
      EXPECT_EQ(rewards_of(rewards), rewards_of({streets.scans, after, first, settings, {goals}}));
      rewards.set_references(streets.scans, after, other);
      EXPECT_EQ(rewards_of(rewards), rewards_of({streets.scans, after, other, settings}));
      Rewards alone(streets.scans, before, first, settings);  // keeps its own tables
      alone.set_references(streets.scans, after, other);
      EXPECT_EQ(rewards_of(alone), rewards_of(rewards));
    }
  }
}

TEST(SetReferences, ChangesNothingIfOneCannotBeUsed) {
  const Streets streets;
  const std::vector<std::uint32_t> scan_of = {0, 1}, wrong_scan = {0, 2};
  const PathSet references = checks::path_set({{0, 1, 2}, {4, 5, 6}});
  Rewards rewards(streets.scans, references, scan_of, find_reward_preset("hamt").settings,
                  {.graphs = streets.graphs});
  const auto before = rewards_of(rewards);
  const auto refused = [&](const char* item, const PathSet& paths,
                           const std::vector<std::uint32_t>& in, const PathSet& goals) {
    expect_error(error_of_call([&] { rewards.set_references(streets.scans, paths, in, goals); }),
                 item, "");
    EXPECT_EQ(rewards_of(rewards), before) << item;
  };
  refused("reference 1", checks::path_set({{0}, {12}}), scan_of, {});
  refused("reference 0", checks::path_set({{}, {1}}), scan_of, {});
  refused("reference 1", references, wrong_scan, {});
  refused("goal of reference 1", references, scan_of, checks::path_set({{0}, {12}}));
}

TEST(SetReferences, EndsTheEpisodesOfTrackers) {
  const Streets streets;
  const std::vector<std::uint32_t> scan_of = {0, 1}, numbers = {0, 1}, nodes = {1, 5};
  const PathSet longer = checks::path_set({{8, 7, 6, 5, 4, 3, 2, 1}, {0, 1, 2, 3, 4, 5, 6, 7, 8}});
  const RewardSettings settings = find_reward_preset("ndtw-gain").settings;
  Rewards rewards(streets.scans, checks::path_set({{0, 1, 2}, {4, 5, 6}}), scan_of, settings,
                  {.graphs = streets.graphs});
  RewardTracker tracker(rewards, 2);
  std::vector<float> got(2, 7.0f), want(2);
  tracker.reset(starts_of({}, numbers));
  rewards.set_references(streets.scans, longer, scan_of);
  const auto expect_ended = [&](const auto& call) {
    expect_error(error_of_call(call), "episode 0", "was not reset");
    EXPECT_EQ(got, std::vector<float>(2, 7.0f));
  };
  expect_ended([&] { tracker.step(nodes.data(), nullptr, got.data()); });
  expect_ended([&] { tracker.finish(nullptr, nullptr, got.data()); });
  tracker.reset(starts_of({}, numbers));
  tracker.step(nodes.data(), nullptr, got.data());

  const Rewards anew(streets.scans, longer, scan_of, settings);
  RewardTracker other(anew, 2);
  other.reset(starts_of({}, numbers));
  other.step(nodes.data(), nullptr, want.data());
  EXPECT_EQ(got, want);
  EXPECT_EQ(tracker.state().size(), other.state().size());
}

TEST(SetReferences, LeavesEpisodesInContinuousSpaceAlone) {
  const Streets streets;
  const std::vector<std::uint32_t> scan_of = {0};
  Rewards rewards(streets.scans, checks::path_set({{0, 1}}), scan_of,
                  find_reward_preset("ndtw-gain").settings, {.graphs = streets.graphs});
  RewardTracker tracker(rewards, 1, {.max_reference_length = 2});
  const std::vector<float> reference = {0, 0, 0, 3, 0, 0}, point = {1, 0, 0};
  const std::vector<std::uint32_t> lengths = {2};
  tracker.reset(
      starts_of(1, {reference.data(), {.lengths = lengths.data(), .pitch = 2, .max_length = 2}}));
  const auto before = tracker.state();
  rewards.set_references(streets.scans, checks::path_set({{5, 6, 7}}), scan_of);
  EXPECT_EQ(tracker.state(), before);
  float reward = 0.0f;
  tracker.step(point.data(), nullptr, &reward);
  EXPECT_GT(reward, 0.0f);
}

}  // namespace
}  // namespace warpath::testing
