// Tests single settings of rewards on given distances to the goal, by numbers worked out by hand.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "warpath/rewards.hpp"

namespace warpath::testing {
namespace {

using Numbers = std::vector<float>;

// Returns settings that reward nothing.
RewardSettings no_reward() {
  RewardSettings settings;
  settings.ndtw_weight = settings.success_closeness = 0.0;
  return settings;
}

// Rewards an agent that stays where it is, at these distances to its goal.
Numbers rewards_of(const RewardSettings& settings, const Numbers& goal, bool stopped = true) {
  const auto n = static_cast<std::uint32_t>(goal.size());
  const std::uint32_t one = 1;
  const Numbers points(3 * goal.size());
  const auto stop = static_cast<std::uint8_t>(stopped);
  Batch batch{.count = 1};
  batch.queries = {points.data(), {.lengths = &n, .pitch = n, .max_length = n}};
  batch.references = {points.data(), {.lengths = &one, .pitch = 1, .max_length = 1}};
  batch.stopped = &stop;
  batch.distance_to_goal = goal.data();
  Numbers reward(goal.size());
  Rewards(settings).compute(batch, {.reward = reward.data()});
  return reward;
}

TEST(RewardSettings, PunishOnlyMovesAwayFromNearTheGoal) {
  RewardSettings settings = no_reward();
  settings.goal_gain = GoalGain::sign;
  settings.miss_penalty = 2.0;
  // Nearer, a tie, away, a tie, away from a metre, away from beyond it.
  const Numbers goal = {0.75f, 0.5f, 0.5f, 1.0f, 1.0f, 1.5f, 2.0f};
  EXPECT_EQ(rewards_of(settings, goal), (Numbers{1, 0, -2, 0, -1, -1, 0}));
  settings.miss_radius = 1.75;
  EXPECT_EQ(rewards_of(settings, goal), (Numbers{1, 0, -2, 0, -1, 0, 0}));
  settings.tie = Tie::minus_one;
  EXPECT_EQ(rewards_of(settings, goal), (Numbers{1, -1, -2, -1, -1, 0, 0}));
}

TEST(RewardSettings, WeighTheGain) {
  RewardSettings settings = no_reward();
  settings.goal_gain = GoalGain::clipped;
  settings.max_goal_gain = 0.5;
  settings.goal_weight = -4.0;
  EXPECT_EQ(rewards_of(settings, {3, 2, 2.25f, 5}), (Numbers{-2, 1, 2, 0}));
  settings.goal_gain = GoalGain::sign;
  EXPECT_EQ(rewards_of(settings, {3, 2, 2.25f, 5}), (Numbers{-4, 4, 4, 0}));
}

TEST(RewardSettings, CloseASuccessByItsOwnRadius) {
  RewardSettings settings = no_reward();
  settings.success_radius = 2.0;
  settings.success_closeness = 0.5;
  settings.failure = -1.0;
  settings.convention.threshold = 5.0;
  EXPECT_EQ(rewards_of(settings, {1.5f}), Numbers{0.125f});
  EXPECT_EQ(rewards_of(settings, {2.0f}), Numbers{0.0f});
  EXPECT_EQ(rewards_of(settings, {2.5f}), Numbers{-1.0f});
  settings.success_at = Compare::less;
  EXPECT_EQ(rewards_of(settings, {2.0f}), Numbers{-1.0f});
}

// The end has a column of its own, is added to the last move, or replaces it.
TEST(RewardSettings, PlaceTheEnd) {
  RewardSettings settings = no_reward();
  settings.goal_gain = GoalGain::metres;
  settings.success = 8.0;
  const Numbers goal = {4, 3, 1};
  const auto expect = [&](const Numbers& stop, const Numbers& time_out) {
    EXPECT_EQ(rewards_of(settings, goal), stop);
    EXPECT_EQ(rewards_of(settings, goal, false), time_out);
  };
  expect({1, 2, 8}, {1, 2, 8});
  settings.timeout = TimeOut::nothing;
  expect({1, 2, 8}, {1, 2, 0});
  settings.timeout = TimeOut::replaces_move;
  expect({1, 2, 8}, {1, 8, 0});
  settings.end_column = EndColumn::last_move;
  expect({1, 10, 0}, {1, 8, 0});
  settings.timeout = TimeOut::nothing;
  expect({1, 10, 0}, {1, 2, 0});
  EXPECT_EQ(rewards_of(settings, {1}), Numbers{8}) << "there is no move";
}

TEST(RewardSettings, AskForAStop) {
  RewardSettings settings = no_reward();
  settings.success = 2.0;
  settings.failure = -1.0;
  const auto expect = [&](float stop, float time_out) {
    EXPECT_EQ(rewards_of(settings, {1}), Numbers{stop});
    EXPECT_EQ(rewards_of(settings, {1}, false), Numbers{time_out});
  };
  expect(2, 2);
  settings.success_stop = Stop::required;
  expect(2, -1);
  settings.timeout = TimeOut::replaces_move;
  EXPECT_EQ(rewards_of(settings, {4, 1}, false), (Numbers{-1, 0}));
  settings.timeout = TimeOut::nothing;
  expect(2, 0);
}

TEST(RewardSettings, PayTheDistanceOfAnyEnd) {
  RewardSettings settings = no_reward();
  settings.final_distance = 2.0;
  EXPECT_EQ(rewards_of(settings, {9, 3}), (Numbers{0, 1}));
  EXPECT_EQ(rewards_of(settings, {1, 48}), (Numbers{0, -14})) << "it is not clipped";
  settings.distance_scale = 4.0;
  settings.failure = 0.5;
  EXPECT_EQ(rewards_of(settings, {1, 8}), (Numbers{0, -1.5f}));
  EXPECT_EQ(rewards_of(settings, {1, 1}), (Numbers{0, 1.5f}));
  constexpr float inf = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(std::isnan(rewards_of(settings, {1, inf})[1]));
}

// The agent does not move, so SPL is 0/0 where the ideal path has no length.
TEST(RewardSettings, PaySpl) {
  RewardSettings settings = no_reward();
  settings.final_spl = 3.0;
  settings.failure = -1.0;
  EXPECT_EQ(rewards_of(settings, {2, 2}), (Numbers{0, 3}));
  EXPECT_EQ(rewards_of(settings, {2, 4}), (Numbers{0, -1})) << "it is 0 in a failure";
  EXPECT_EQ(rewards_of(settings, {0, 2}), (Numbers{0, 3}));
  settings.convention.spl_zero = SplZero::zero;
  EXPECT_EQ(rewards_of(settings, {0, 2}), (Numbers{0, 0}));
  settings.convention.spl_zero = SplZero::undefined;
  EXPECT_TRUE(std::isnan(rewards_of(settings, {0, 2})[1]));
  EXPECT_EQ(rewards_of(settings, {0, 4}), (Numbers{0, -1}));
  settings.convention.spl_min_denominator = 8.0;
  EXPECT_EQ(rewards_of(settings, {2, 2}), (Numbers{0, 0.75f}));
}

TEST(RewardSettings, ReplaceWhatIsNoNumber) {
  RewardSettings settings = no_reward();
  settings.goal_gain = GoalGain::metres;
  settings.without_goal = -3.0;
  settings.slack = -0.25;
  constexpr float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(rewards_of(settings, {2, inf, inf, 1, 2}),
            (Numbers{-3.25f, -3.25f, -3.25f, -1.25f, 0}));
}

}  // namespace
}  // namespace warpath::testing
