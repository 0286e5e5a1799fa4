// Tests which distance to the goal rewards in continuous space take.

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/support/calls.hpp"
#include "warpath/reward_tracker.hpp"
#include "warpath/rewards.hpp"

namespace warpath {
namespace {

// A convention in the plane leaves the goal's distance in space: both forms measure it by z, too.
TEST(PointGoals, KeepTheirHeightWhereOtherDistancesIgnoreIt) {
  RewardSettings settings = find_reward_preset("goal").settings;
  settings.convention.distance = Distance::euclid_2d;
  settings.goal_distance = Distance::euclid_3d;
  const Rewards rewards(settings);
  const std::vector<float> reference{0, 0, 7, 3, 0, 4}, query{0, 0, 0, 3, 0, 0, 3, 0, 3};
  const std::vector<std::int64_t> two{2}, three{3};
  Batch batch;
  batch.count = 1;
  batch.queries = {query.data(), {.lengths = three.data(), .pitch = 3, .max_length = 3}};
  batch.references = {reference.data(), {.lengths = two.data(), .pitch = 2, .max_length = 2}};
  std::vector<float> reward(3), distance(3);
  rewards.compute(batch, {.reward = reward.data(), .distance_to_goal = distance.data()});
  EXPECT_EQ(distance, (std::vector<float>{5, 4, 1}));

  RewardTracker tracker(rewards, 1, {.max_reference_length = 2});
  tracker.reset(testing::starts_of(1, batch.references, query.data()));
  for (std::size_t t = 0; t < 3; ++t) {
    if (t > 0) {
      float move = 0;
      tracker.step(&query[3 * t], nullptr, &move);
      EXPECT_EQ(move, reward[t - 1]);
    }
    float there = 0;
    tracker.values({.distance_to_goal = &there});
    EXPECT_EQ(there, distance[t]);
  }
}

}  // namespace
}  // namespace warpath
