// Tests that rewards in continuous space refuse what they cannot read, name it, and leave outputs
// and episodes as they were.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "host/checks/host_paths.hpp"
#include "tests/support/calls.hpp"
#include "tests/support/reward_cases.hpp"
#include "warpath/reward_tracker.hpp"

namespace warpath::testing {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

checks::HostPaths points_in(const std::vector<std::vector<float>>& walks, bool in_rows) {
  return checks::HostPaths(walks).laid_out(in_rows);
}

// Holds two rollouts, each with a reference of its own; a test breaks one thing.
struct BrokenPoints {
  Rewards rewards{find_reward_preset("babywalk-mix").settings};
  checks::HostPaths references =
      points_in({{0, 0, 0, 1, 0, 0}, {0, 0, 0, 0, 1, 0, 0, 2, 0}}, false);
  checks::HostPaths queries = points_in({{0, 0, 0, 1, 0, 0, 1, 1, 0}, {0, 0, 0, 0, 1, 0}}, false);
  std::vector<std::uint8_t> active = {1, 1};
  Batch batch{.count = 2,
              .queries = queries.view(),
              .references = references.view(),
              .active = active.data()};
  RewardResults results{5};

  std::string error() {
    return error_of_call([&] { rewards.compute(batch, results.arrays()); });
  }
};

template <class Change>
void expect_points_refused(const std::string& text, const Change& change) {
  BrokenPoints broken;
  EXPECT_EQ(broken.error(), "");
  broken.results = RewardResults(5);
  change(broken);
  EXPECT_NE(broken.error().find(text), std::string::npos) << broken.error();
  EXPECT_EQ(broken.results.reward, RewardResults(5).reward) << "nothing is written";
}

TEST(RewardPointInput, CoordinatesMustBeNumbers) {
  for (const float wrong : {nan, HUGE_VALF, -HUGE_VALF, 2e12f}) {
    expect_points_refused("rollout 1: has the coordinate",
                          [&](auto& broken) { broken.queries.points[3 * 4 + 1] = wrong; });
    expect_points_refused("at point 2",
                          [&](auto& broken) { broken.references.points[3 * 4] = wrong; });
  }
  BrokenPoints broken;
  broken.queries.points[3 * 4 + 1] = nan;
  broken.active[1] = 0;
  EXPECT_EQ(broken.error(), "") << "inactive rollouts are not read";
}

TEST(RewardPointInput, ArraysMustBeThere) {
  expect_points_refused("queries.points: is null",
                        [](auto& broken) { broken.batch.queries.points = nullptr; });
  expect_points_refused("references.points: is null",
                        [](auto& broken) { broken.batch.references.points = nullptr; });
  expect_points_refused("references.layout: has neither",
                        [](auto& broken) { broken.batch.references.layout.offsets = nullptr; });
  expect_points_refused("queries.layout: has a max_length of 0",
                        [](auto& broken) { broken.batch.queries.layout.max_length = 0; });
}

TEST(RewardPointInput, LengthsMustFit) {
  expect_points_refused("rollout 1: has a query of length -1", [](auto& broken) {
    broken.queries.offsets = {0, 3, 2};
  });
  expect_points_refused("rollout 0: has a query of length 3",
                        [](auto& broken) { broken.batch.queries.layout.max_length = 2; });
  expect_points_refused("rollout 1: has a reference of -2 points", [](auto& broken) {
    broken.references.offsets = {0, 2, 0};
  });
  expect_points_refused("rollout 1: has a reference of 3 points; give from 1 to 2",
                        [](auto& broken) { broken.batch.references.layout.max_length = 2; });
  expect_points_refused(
      "rollout 1: names reference 1, which is empty; give it at least one element",
      [](auto& broken) {
        broken.references.offsets = {0, 2, 2};
      });
  const std::vector<std::int64_t> numbers = {0, 2};
  expect_points_refused("rollout 1: names reference 2 of 2", [&](auto& broken) {
    broken.batch.reference = numbers.data();
    broken.batch.reference_count = 2;
  });
}

TEST(RewardPointInput, ThresholdsMustBeThoseOfSinglePrecision) {
  BrokenPoints broken;
  RewardSettings settings = broken.rewards.settings();
  settings.convention.threshold = 1e-8;
  broken.rewards = Rewards(settings);
  EXPECT_NE(broken.error().find("does not reach a threshold of 1e-08"), std::string::npos);
  EXPECT_NE(error_of_call([&] {
              RewardTracker(broken.rewards, 1, {.max_reference_length = 3});
            }).find("1e-08"),
            std::string::npos);
}

// Holds two episodes with references of up to 3 points.
struct TrackedPoints {
  Rewards rewards{find_reward_preset("babywalk-mix").settings};
  RewardTracker tracker{rewards, 2, {.max_reference_length = 3}};
  checks::HostPaths references = points_in({{0, 0, 0, 1, 0, 0}, {0, 0, 0, 0, 1, 0, 0, 2, 0}}, true);
  std::vector<float> points = std::vector<float>(6, 1.0f);
  std::vector<float> out = std::vector<float>(2, RewardResults::unwritten);

  TrackedPoints() { tracker.reset(starts_of(2, references.view())); }
  template <class Call>
  void expect_refused(const std::string& text, const Call& call) {
    const auto before = tracker.state();
    const std::string error = error_of_call(call);
    EXPECT_NE(error.find(text), std::string::npos) << error;
    EXPECT_EQ(tracker.state(), before) << "episodes are as they were";
    EXPECT_EQ(out, std::vector<float>(2, RewardResults::unwritten)) << "nothing is written";
  }
  void step() { tracker.step(points.data(), nullptr, out.data()); }
};

TEST(RewardPointInput, EpisodesMustBeginAtPoints) {
  TrackedPoints t;
  const auto reset = [&](const PathsView& references, const float* starts) {
    return [&t, references, starts] { t.tracker.reset(starts_of(2, references, starts)); };
  };
  const PathsView good = t.references.view();
  PathsView wrong = good;
  wrong.points = nullptr;
  t.expect_refused("references.points: is null", reset(wrong, nullptr));
  const std::vector<float> starts = {0, 0, 0, 0, nan, 0};
  t.expect_refused("episode 1: has the coordinate nan", reset(good, starts.data()));
  const checks::HostPaths empty = points_in({{0, 0, 0}, {}}, false),
                          longer = points_in({std::vector<float>(12), {0, 0, 0}}, false),
                          infinite = points_in({{0, 0, 0}, {0, 0, HUGE_VALF}}, false);
  t.expect_refused("episode 1: has a reference of 0 points", reset(empty.view(), nullptr));
  t.expect_refused("episode 0: has a reference of 4 points; give from 1 to 3",
                   reset(longer.view(), nullptr));
  t.expect_refused("episode 1: has the coordinate inf", reset(infinite.view(), nullptr));
  const std::vector<std::uint32_t> none = {2}, viewpoints = {0, 0};
  t.expect_refused("episode 2: does not exist", [&] {
    EpisodeStarts begun = starts_of(1, good);
    begun.episode = none.data();
    t.tracker.reset(begun);
  });
  t.expect_refused("the tracker is one of points",
                   [&] { t.tracker.reset(starts_of({}, viewpoints)); });
  const auto make = [&](std::uint32_t longest) {
    return [&t, longest] { RewardTracker(t.rewards, 1, {.max_reference_length = longest}); };
  };
  EXPECT_NE(error_of_call(make((1u << 20) + 1)).find("max_reference_length: is 1048577"),
            std::string::npos);
  EXPECT_NE(error_of_call(make(0)).find("name a max_reference_length of points"),
            std::string::npos);
}

TEST(RewardPointInput, MovesMustLeadToPoints) {
  TrackedPoints t;
  t.points[4] = nan;
  t.expect_refused("episode 1: has the coordinate nan at point 0", [&] { t.step(); });
  t.expect_refused("points: is null", [&] {
    t.tracker.step(static_cast<const float*>(nullptr), nullptr, t.out.data());
  });
  const std::vector<std::uint8_t> nodes = {0, 0}, first = {1, 0};
  t.expect_refused("the tracker is one of points",
                   [&] { t.tracker.step(nodes.data(), nullptr, t.out.data()); });
  t.tracker.step(t.points.data(), first.data(), t.out.data());
  EXPECT_EQ(t.out[1], 0.0f) << "inactive episodes take no point";
  t.out.assign(2, RewardResults::unwritten);
  RewardTracker fresh(t.rewards, 2, {.max_reference_length = 3});
  t.expect_refused("episode 0: was not reset",
                   [&] { fresh.step(t.points.data(), nullptr, t.out.data()); });
}

TEST(RewardPointInput, ContinuationsMustHavePoints) {
  TrackedPoints t;
  checks::HostPaths paths = points_in({{1, 0, 0}, {0, nan, 0}}, true);
  const auto score = [&] { t.tracker.score_extensions(1, paths.view(), {.reward = t.out.data()}); };
  t.expect_refused("episode 1: has the coordinate nan", score);
  paths.lengths[1] = 2;
  t.expect_refused("episode 1: has a continuation of length 2", score);
  t.expect_refused("paths.points: is null", [&] {
    PathsView view = paths.view();
    view.points = nullptr;
    t.tracker.score_extensions(1, view, {.reward = t.out.data()});
  });
  paths.lengths[1] = 0;
  EXPECT_EQ(error_of_call(score), "");
  EXPECT_TRUE(std::isnan(t.out[1]) && !std::isnan(t.out[0]));
}

}  // namespace
}  // namespace warpath::testing
