// Tests that distances to the goal are rounded to single precision without another decision.

#include "host/core/rewards/goal_tables.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/pair_cases.hpp"
#include "tests/support/reward_cases.hpp"
#include "tests/support/score_pair.hpp"

namespace warpath::testing {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double next(double x, double towards = infinity) {
  return std::nextafter(x, towards);
}

// Expects every comparison of two distances, and of one with the radius and with 0, to come out as
// in double.
void expect_same_order(const std::vector<double>& exact, double radius) {
  const std::vector<float> got = rewards::round_in_order(exact, radius);
  const auto limit = static_cast<float>(radius);
  ASSERT_EQ(got.size(), exact.size());
  for (std::size_t a = 0; a < exact.size(); ++a) {
    const std::string what = std::to_string(exact[a]) + ", radius " + std::to_string(radius);
    EXPECT_EQ(got[a] < limit, exact[a] < radius) << what;
    EXPECT_EQ(got[a] > limit, exact[a] > radius) << what;
    EXPECT_EQ(got[a] == 0.0f, exact[a] == 0.0) << what;
    EXPECT_EQ(std::isinf(got[a]), std::isinf(exact[a])) << what;
    if (std::isfinite(exact[a])) {
      EXPECT_NEAR(got[a], exact[a], 1e-6 * std::max(exact[a], 1e-30)) << what;
    }
    for (std::size_t b = 0; b < a; ++b) {
      EXPECT_EQ(got[a] < got[b], exact[a] < exact[b]) << what << ", " << exact[b];
      EXPECT_EQ(got[a] == got[b], exact[a] == exact[b]) << what << ", " << exact[b];
    }
  }
}

TEST(RoundInOrder, KeepsDistancesApartThatDifferInTheLastBit) {
  for (const double x : {0.3, 1.0, 3.0, 1e6}) {
    expect_same_order({next(next(x)), x, next(x), next(x, 0.0), x, 2 * x, x / 2}, 3.0);
  }
}

TEST(RoundInOrder, KeepsTheSideOfTheRadius) {
  for (const double radius : {3.0, 0.1, 2.9999999, 1e-3, 1e9}) {
    expect_same_order({next(radius), radius, next(radius, 0.0), next(next(radius, 0.0), 0.0), 0.0,
                       next(next(radius)), infinity},
                      radius);
    expect_same_order({static_cast<double>(static_cast<float>(radius))}, radius);
  }
}

TEST(RoundInOrder, SucceedsOnlyAtTheGoalWithARadiusOfZero) {
  expect_same_order({0.0, 1e-30, next(1e-30), 1e-3, 2.0, infinity, infinity, 0.0}, 0.0);
  // Below the smallest normal float distances are no longer apart, but none becomes 0.
  for (const float x : rewards::round_in_order(std::vector<double>{1e-300, 1e-45}, 0.0)) {
    EXPECT_GT(x, 0.0f);
  }
}

TEST(RoundInOrder, KeepsManyDistancesOfOneFloatApart) {
  std::mt19937_64 random(run_seed() + 980);
  for (const double centre : {3.0, 2.9999999, 0.7}) {
    std::vector<double> exact = {0.0, infinity, 1.0, 5.0};
    for (int k = 0; k < 8; ++k) {
      double x = centre;
      for (std::size_t ulps = below(random, 9); ulps > 0; --ulps) x = next(x, k % 2 ? infinity : 0);
      exact.push_back(x);
    }
    expect_same_order(exact, 3.0);
  }
}

TEST(RoundInOrder, ChangesNoDistanceThatAFloatHolds) {
  const std::vector<double> exact = {0.0, 0.5, 1.0, 2.5, 3.0, 3.5, infinity};
  const auto got = rewards::round_in_order(exact, 3.0);
  EXPECT_EQ(std::vector<double>(got.begin(), got.end()), exact);
  EXPECT_TRUE(rewards::round_in_order({}, 3.0).empty());
}

// ---------------------------------------------------------------- tables

TEST(GoalTables, HoldTheDistanceToTheNearestOfASet) {
  const Grid wide(4, 1), high(1, 3, 2.0);
  const std::vector<const Scan*> scans = {&wide.scan, &high.scan};
  const std::vector<std::uint32_t> scan_of = {1, 0, 0, 0};
  const rewards::GoalTables tables(scans, checks::path_set({{0}, {0}, {0}, {1}}), scan_of,
                                   checks::path_set({{2}, {3, 0, 3}, {0, 3}, {2}}),
                                   RewardSettings());
  const auto of = [&](std::uint32_t r, std::size_t viewpoints) {
    const auto all = tables.distances().subspan(tables.first(r), viewpoints);
    return std::vector<float>(all.begin(), all.end());
  };
  EXPECT_EQ(of(0, 3), (std::vector<float>{4, 2, 0}));
  EXPECT_EQ(of(1, 4), (std::vector<float>{0, 1, 1, 0}));
  EXPECT_EQ(of(3, 4), (std::vector<float>{2, 1, 0, 1}));
  EXPECT_EQ(tables.first(1), tables.first(2)) << "equal sets share their distances";
  EXPECT_EQ(tables.distances().size(), 3u + 4u + 4u);
}

TEST(GoalTables, TakeTheReferencesEndIfThereAreNoGoals) {
  const Grid grid(3, 1);
  const std::vector<const Scan*> scans = {&grid.scan};
  const std::vector<std::uint32_t> scan_of = {0};
  RewardSettings hops;
  hops.goal_distance = Distance::hops;
  const rewards::GoalTables tables(scans, checks::path_set({{0, 1, 2}}), scan_of, {}, hops);
  EXPECT_EQ(std::vector<float>(tables.distances().begin(), tables.distances().end()),
            (std::vector<float>{2, 1, 0}));
}

TEST(GoalTables, RefuseGoalsThatDoNotExist) {
  const Grid grid(3, 1);
  const std::vector<const Scan*> scans = {&grid.scan};
  const std::vector<std::uint32_t> scan_of = {0, 0};
  const auto error = [&](const PathSet& goals) {
    return error_of_call([&] {
      rewards::GoalTables(scans, checks::path_set({{0}, {1}}), scan_of, goals, RewardSettings());
    });
  };
  EXPECT_EQ(error(checks::path_set({{0}, {2, 3}})),
            "goal of reference 1: viewpoint 3 does not exist: scan scan has 3; give indices into "
            "the scan");
  EXPECT_EQ(error(checks::path_set({{0}, {}})),
            "goal of reference 1: has no viewpoint; give at least one");
  EXPECT_EQ(error(checks::path_set({{0}, {1}})), "");
}

}  // namespace
}  // namespace warpath::testing
