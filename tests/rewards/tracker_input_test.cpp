// Tests that trackers of rewards refuse what they cannot read, name it, and leave outputs and
// episodes as they were.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/calls.hpp"
#include "tests/support/reward_cases.hpp"
#include "tests/support/score_pair.hpp"
#include "tests/support/small_rewards.hpp"
#include "warpath/reward_tracker.hpp"

namespace warpath::testing {
namespace {

struct Tracked {
  Small small;
  Rewards rewards;
  RewardTracker tracker;
  std::vector<float> out = std::vector<float>(3, RewardResults::unwritten);

  explicit Tracked(const char* preset = "babywalk-mix", bool begins = true)
      : rewards(small.rewards(preset)), tracker(rewards, 3) {
    const std::vector<std::uint32_t> references = {0, 1, 1};
    if (begins) tracker.reset(starts_of({}, references));
  }
  template <class Call>
  void expect_refused(const std::string& item, const std::string& problem, const Call& call) {
    const auto before = tracker.state();
    expect_error(error_of_call(call), item, problem);
    EXPECT_EQ(tracker.state(), before) << "episodes are as they were";
    EXPECT_EQ(out, std::vector<float>(3, RewardResults::unwritten)) << "nothing is written";
  }
};

TEST(RewardTrackerInput, ResetsMustNameWhatExists) {
  using Numbers = std::vector<std::uint32_t>;
  Tracked t;
  const auto refused = [&](const char* item, const char* problem, const Numbers& episodes,
                           const Numbers& references, const Numbers& starts) {
    t.expect_refused(item, problem,
                     [&] { t.tracker.reset(starts_of(episodes, references, starts)); });
  };
  refused("episode 3", "does not exist: there are 3", {0, 3}, {0, 0}, {0, 0});
  refused("episode 2", "names reference 2 of 2", {1, 2}, {0, 2}, {0, 0});
  refused("episode 2", "names viewpoint 4 of 4", {1, 2}, {0, 1}, {0, 4});
  refused("episode 0", "names viewpoint -1 of 12", {0}, {0}, {0xffffffff});
}

template <class Id>
void expect_bad_moves_refused(const std::vector<std::int64_t>& wrong) {
  for (const std::int64_t node : wrong) {
    Tracked t;
    std::vector<Id> nodes = {11, static_cast<Id>(node), 1};
    t.expect_refused("episode 1", "of 4",
                     [&] { t.tracker.step(nodes.data(), nullptr, t.out.data()); });
    const std::vector<std::uint8_t> active = {1, 0, 1};
    EXPECT_EQ(error_of_call([&] { t.tracker.step(nodes.data(), active.data(), t.out.data()); }),
              "");
    EXPECT_EQ(t.out[1], 0.0f);
  }
}

TEST(RewardTrackerInput, MovesMustLeadToViewpoints) {
  expect_bad_moves_refused<std::uint8_t>({4, 255});
  expect_bad_moves_refused<std::uint16_t>({4, 65535});
  expect_bad_moves_refused<std::int32_t>({4, -1});
  expect_bad_moves_refused<std::int64_t>({4, -1, std::int64_t{1} << 32});
  Tracked t;
  t.expect_refused("nodes", "is null", [&] { t.tracker.step(nullptr, nullptr, t.out.data()); });
  const std::vector<std::uint8_t> nodes(3);
  t.expect_refused("rewards", "is null", [&] { t.tracker.step(nodes.data(), nullptr, nullptr); });
}

TEST(RewardTrackerInput, EpisodesMustHaveBegun) {
  Tracked t("babywalk-mix", false);
  const std::vector<std::uint32_t> nodes(3), first = {0};
  const std::vector<std::uint8_t> all = {1, 1, 1}, some = {1, 0, 0}, none = {0, 0, 0};
  const std::vector<std::uint32_t> lengths = {1, 1, 1};
  const PathsView paths{nodes.data(), {.lengths = lengths.data(), .pitch = 1, .max_length = 1}};
  const auto step = [&](const auto& active) {
    t.tracker.step(nodes.data(), active.data(), t.out.data());
  };
  const auto finish = [&](const auto& mask) {
    t.tracker.finish(nullptr, mask.data(), t.out.data());
  };
  t.expect_refused("episode 0", "was not reset", [&] { step(all); });
  t.expect_refused("episode 0", "was not reset", [&] { finish(all); });
  t.expect_refused("episode 0", "was not reset",
                   [&] { t.tracker.score_extensions(1, paths, {.reward = t.out.data()}); });
  finish(none);
  EXPECT_EQ(t.out, std::vector<float>(3, 0.0f));
  t.tracker.reset(starts_of(first, first));
  step(some);
  finish(some);
  t.out.assign(3, RewardResults::unwritten);
  t.expect_refused("episode 1", "was not reset", [&] { step(all); });
  t.expect_refused("rewards", "is null", [&] { t.tracker.finish(nullptr, some.data(), nullptr); });
}

TEST(RewardTrackerInput, ContinuationsMustBeReadable) {
  Tracked t;
  std::vector<std::int32_t> nodes = {0, 1, 0, 1, 3, 2}, lengths = {2, 2, 2};
  PathsView paths{nodes.data(), {.lengths = lengths.data(), .pitch = 2, .max_length = 2}};
  const auto score = [&] { t.tracker.score_extensions(1, paths, {.reward = t.out.data()}); };
  for (const std::int32_t wrong : {4, -1}) {
    nodes[3] = wrong;
    t.expect_refused("episode 1", "names viewpoint " + std::to_string(wrong) + " of 4", score);
  }
  nodes[3] = 1;
  for (const std::int32_t wrong : {-1, 3}) {
    lengths[2] = wrong;
    t.expect_refused("episode 2", "of length " + std::to_string(wrong), score);
  }
  lengths[2] = 0;
  paths.viewpoints = nullptr;
  t.expect_refused("paths.viewpoints", "is null", score);
  paths.viewpoints = nodes.data();
  EXPECT_EQ(error_of_call(score), "");
  EXPECT_TRUE(std::isnan(t.out[2]) && !std::isnan(t.out[1]));
  t.out.assign(3, RewardResults::unwritten);
  t.expect_refused("candidates", "are 2147483632", [&] {
    t.tracker.score_extensions(0x7ffffff0, paths, {.reward = t.out.data()});
  });
}

TEST(RewardTrackerInput, ForksMustNameEpisodes) {
  using Numbers = std::vector<std::uint32_t>;
  Tracked t;
  const auto refused = [&](const char* item, const Numbers& from, const Numbers& to) {
    t.expect_refused(item, "", [&] { t.tracker.fork(2, from.data(), to.data()); });
  };
  refused("episode 3", {0, 3}, {1, 2});
  refused("episode -1", {0, 1}, {1, 0xffffffff});
}

TEST(RewardTrackerInput, StatesMustBeItsOwn) {
  Tracked t;
  const auto own = t.tracker.state();
  const auto refused = [&](const std::string& problem, const std::vector<std::byte>& state) {
    t.expect_refused("state", problem, [&] { t.tracker.restore(state); });
  };
  refused("is no state of a tracker", {});
  refused("has another number of bytes", {own.begin(), own.end() - 1});
  refused("has another number of bytes", {own.begin(), own.end() - 4});
  std::vector<std::byte> longer = own;
  longer.resize(own.size() + 4);
  refused("has another number of bytes", longer);
  std::vector<std::byte> newer = own;
  newer[0] = std::byte{77};
  refused("is no state of a tracker, or one of another version", newer);
  refused("is that of another number of episodes", RewardTracker(t.rewards, 4).state());
  refused("is that of points, or of viewpoints",
          RewardTracker(t.rewards, 3, {.max_reference_length = 4}).state());
  // As many episodes and rows, in other scans.
  const Grid large(30, 20);
  const std::vector<const Scan*> scans = {&large.scan};
  const std::vector<std::uint32_t> scan_of = {0, 0};
  const Rewards others(scans, checks::path_set({{599, 598, 597, 596}, {0}}), scan_of,
                       t.rewards.settings());
  RewardTracker other(others, 3);
  const std::vector<std::uint32_t> references = {0, 0, 0};
  other.reset(starts_of({}, references));
  refused("is that of other references or scans", other.state());
  t.tracker.restore(own);
  EXPECT_EQ(t.tracker.state(), own);
  std::vector<std::byte> spoilt = own;
  for (std::size_t byte = 0; byte < own.size(); byte += 4) {
    spoilt = own;
    spoilt[byte] ^= std::byte{0x40};
    spoilt[byte + 3] ^= std::byte{0x40};
    EXPECT_NE(error_of_call([&] { t.tracker.restore(spoilt); }), "") << "byte " << byte;
    EXPECT_EQ(t.tracker.state(), own);
  }
}

// Values of prefixes that other settings would have are not taken for those of the tracker's.
TEST(RewardTrackerInput, StatesMustHaveWhatIsKeptUnderTheSameSettings) {
  const Small small;
  const auto make = [&](const char* preset, const MetricSet& metrics, const auto& change) {
    RewardSettings settings = find_reward_preset(preset).settings;
    change(settings);
    const Rewards rewards = small.rewards(settings);
    RewardTracker tracker(rewards, 3, {.metrics = metrics});
    const std::vector<std::uint32_t> references = {0, 1, 1};
    tracker.reset(starts_of({}, references));
    return tracker.state();
  };
  const auto unchanged = [](RewardSettings&) {};
  Tracked t;  // keeps nDTW and CLS
  const auto refused = [&](const std::string& problem, const std::vector<std::byte>& state) {
    t.expect_refused("state", problem, [&] { t.tracker.restore(state); });
  };
  refused("has no nDTW", make("babywalk-dis", {}, unchanged));
  refused("has no nDTW", make("babywalk-dis", {Metric::CLS}, unchanged));
  refused("has no CLS", make("babywalk-dtw", {}, unchanged));
  using S = RewardSettings;
  const auto changed = [&](const auto& change) { return make("babywalk-mix", {}, change); };
  refused("another distance", changed([](S& s) { s.convention.distance = Distance::euclid_2d; }));
  refused("another goal-distance", changed([](S& s) { s.goal_distance = Distance::hops; }));
  refused("another threshold", changed([](S& s) { s.convention.threshold = 3.5; }));
  refused("another ndtw-norm",
          changed([](S& s) { s.convention.ndtw_norm = NdtwNorm::sqrt_nodes; }));
  refused("another dtw-norm",
          changed([](S& s) { s.convention.dtw_norm = DtwNorm::reference_length; }));
  refused("another cls-zero", changed([](S& s) { s.convention.cls_zero = ClsZero::ls_one; }));

  // What moves and ends are worth may differ, and more may have been kept.
  const auto own = t.tracker.state();
  t.tracker.restore(changed([](S& s) { s.goal_weight = 7.0; }));
  EXPECT_EQ(t.tracker.state(), own);
  Tracked less("babywalk-dtw");
  const auto kept = less.tracker.state();
  EXPECT_NE(kept, own);
  less.tracker.restore(own);
  RewardResults got(3), want(3);
  less.tracker.values({.distance_to_goal = got.goal.data(), .ndtw = got.ndtw.data()});
  t.tracker.values({.distance_to_goal = want.goal.data(), .ndtw = want.ndtw.data()});
  EXPECT_EQ(got.goal, want.goal);
  EXPECT_EQ(got.ndtw, want.ndtw);
}

// What is not kept is not returned as 0.
TEST(RewardTrackerInput, ValuesMustBeKept) {
  Tracked t("envdrop");
  RewardResults values(3);
  t.expect_refused("ndtw", "is not kept", [&] { t.tracker.values({.ndtw = values.ndtw.data()}); });
  t.expect_refused("cls", "is not kept", [&] { t.tracker.values({.cls = values.cls.data()}); });
  const std::vector<std::uint8_t> nodes(3);
  const std::vector<std::uint32_t> lengths = {1, 1, 1};
  const PathsView paths{nodes.data(), {.lengths = lengths.data(), .pitch = 1, .max_length = 1}};
  t.expect_refused("ndtw", "is not kept",
                   [&] { t.tracker.score_extensions(1, paths, {.ndtw = values.ndtw.data()}); });
  t.tracker.values({.distance_to_goal = values.goal.data()});
  EXPECT_EQ(values.goal[0], 3.0f);
}

}  // namespace
}  // namespace warpath::testing
