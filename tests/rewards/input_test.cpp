// Tests that rewards refuse what they cannot read, name it, and leave outputs and episodes as they
// were.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/pair_cases.hpp"
#include "tests/support/reward_cases.hpp"
#include "tests/support/score_pair.hpp"
#include "tests/support/small_rewards.hpp"

namespace warpath::testing {
namespace {

// ---------------------------------------------------------------- construction

std::string error_of(const Small& small, const RewardSettings& settings,
                     const RewardOptions& options = {}) {
  return error_of_call(
      [&] { Rewards(small.scans, small.references, small.scan_of, settings, options); });
}

TEST(RewardInput, ReferencesMustExist) {
  const RewardSettings settings;
  Small small;
  EXPECT_EQ(error_of(small, settings), "");
  small.scan_of = {0, 2};
  expect_error(error_of(small, settings), "reference 1", "scan 2 does not exist");
  small.scan_of = {1, 1};
  expect_error(error_of(small, settings), "reference 0", "viewpoint 6 does not exist");
  small.scan_of = {0};
  expect_error(error_of(small, settings), "scan_of", "has 1 entries for 2 references");
  small.scan_of = {0, 1};
  small.references = checks::path_set({{0}, {}});
  expect_error(error_of(small, settings), "reference 1", "is empty");
}

TEST(RewardInput, GoalsMustExist) {
  const RewardSettings settings;
  const Small small;
  expect_error(error_of(small, settings, {.goals = checks::path_set({{0}})}), "goals",
               "are 1 for 2");
  expect_error(error_of(small, settings, {.goals = checks::path_set({{0}, {4}})}),
               "goal of reference 1", "viewpoint 4 does not exist");
  expect_error(error_of(small, settings, {.goals = checks::path_set({{}, {1}})}),
               "goal of reference 0", "has no viewpoint");
}

TEST(RewardInput, SettingsMustBeInRange) {
  const auto refused = [&](const auto& change, const char* field) {
    RewardSettings settings;
    change(settings);
    expect_error(error_of(Small(), settings), std::string("ndtw-gain: ") + field, "out of range");
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = HUGE_VAL;
  using S = RewardSettings;
  refused([](S& s) { s.success_radius = -0.1; }, "success_radius");
  refused([](S& s) { s.success_radius = nan; }, "success_radius");
  refused([](S& s) { s.max_goal_gain = 0.0; }, "max_goal_gain");
  refused([](S& s) { s.miss_radius = -1.0; }, "miss_radius");
  refused([](S& s) { s.slack = 0.1; }, "slack");
  refused([](S& s) { s.slack_per_metre = 1.0; }, "slack_per_metre");
  refused([](S& s) { s.goal_weight = inf; }, "goal_weight");
  refused([](S& s) { s.ndtw_weight = nan; }, "ndtw_weight");
  refused([](S& s) { s.success = 1e31; }, "success");
  refused([](S& s) { s.without_goal = inf; }, "without_goal");
  refused([](S& s) { s.tie = static_cast<Tie>(3); }, "tie");
  refused([](S& s) { s.timeout = static_cast<TimeOut>(-1); }, "timeout");
  refused([](S& s) { s.goal_distance = static_cast<Distance>(7); }, "goal_distance");
  refused([](S& s) { s.convention.cls_step = ClsStep::edge; }, "cls_step");
  refused([](S& s) { s.convention.cls_length = ClsLength::nodes; }, "cls_length");
  refused([](S& s) { s.convention.ndtw_threshold = 2.0; }, "ndtw_threshold");
  refused([](S& s) { s.success_radius = 0.0; }, "success_closeness");
  refused([](S& s) { s.miss_penalty = 2.0; }, "miss_penalty");
  RewardSettings wrong_threshold;
  wrong_threshold.convention.threshold = 0.0;
  expect_error(error_of(Small(), wrong_threshold), "threshold", "out of range");
  wrong_threshold.convention.threshold = 1e-40;
  expect_error(error_of(Small(), wrong_threshold), "threshold", "beyond single precision");
  RewardSettings unread;
  unread.convention.spl_min_denominator = 1e-40;
  EXPECT_EQ(error_of(Small(), unread), "") << "rewards have no SPL";
  unread.success_radius = 1e-40;
  expect_error(error_of(Small(), unread), "success_radius", "beyond single precision");
}

TEST(RewardSettingTexts, BeginAsThePresetThatTheyName) {
  const RewardSettings defaults, preset = find_reward_preset(defaults.preset).settings;
  for (const RewardSetting& setting : reward_settings()) {
    EXPECT_EQ(setting.get(defaults), setting.get(preset)) << setting.name;
  }
}

TEST(RewardSettingTexts, ReadBackWhatTheyWrite) {
  for (const RewardPreset& preset : reward_presets()) {
    RewardSettings copy;
    for (const RewardSetting& setting : reward_settings()) {
      setting.set(copy, setting.get(preset.settings));
      EXPECT_EQ(setting.get(copy), setting.get(preset.settings)) << setting.name;
      EXPECT_TRUE(setting.is_valid(preset.settings)) << setting.name;
      EXPECT_THROW(setting.set(copy, "no such word"), UsageError) << setting.name;
    }
    EXPECT_NO_THROW(check(preset.settings)) << preset.settings.preset;
    EXPECT_FALSE(preset.source.empty());
    EXPECT_EQ(&find_reward_preset(preset.settings.preset), &preset);
  }
  EXPECT_THROW(find_reward_preset("ndtw-gian"), UsageError);
}

// ---------------------------------------------------------------- finished rollouts

// Holds a batch of three rollouts in rows of four; a test breaks one thing.
template <class Id>
struct Broken {
  Small small;
  Rewards rewards = small.rewards();
  std::vector<Id> nodes = {0, 1, 2, 6, 0, 1, 0, 0, 3, 3, 3, 0};
  std::vector<std::int32_t> lengths = {4, 2, 3};
  std::vector<std::int64_t> reference = {0, 1, 1};
  std::vector<std::uint8_t> active = {1, 1, 1};
  std::vector<float> goal = std::vector<float>(12, 1.0f);
  RewardResults results{12};
  Batch batch{.count = 3,
              .queries = {{nodes.data(), sizeof(Id)},
                          {.lengths = lengths.data(), .pitch = 4, .max_length = 4}},
              .reference = reference.data(),
              .active = active.data()};

  std::string error() {
    return error_of_call([&] { rewards.compute(batch, results.arrays()); });
  }
  void expect_refused(const std::string& item, const std::string& problem) {
    expect_error(error(), item, problem);
    EXPECT_EQ(results.reward, RewardResults(12).reward) << "nothing is written";
    EXPECT_EQ(results.cls, RewardResults(12).cls);
  }
};

template <class Id>
void expect_bad_viewpoints_refused(const std::vector<std::int64_t>& wrong) {
  EXPECT_EQ(Broken<Id>().error(), "");
  for (const std::int64_t node : wrong) {
    Broken<Id> broken;
    broken.nodes[9] = static_cast<Id>(node);
    broken.expect_refused("rollout 2", "of 4, at position 1");
    broken.active[2] = 0;
    EXPECT_EQ(broken.error(), "") << "inactive rollouts are not read";
    EXPECT_EQ(broken.results.reward[8], RewardResults::unwritten);
    EXPECT_NE(broken.results.reward[3], RewardResults::unwritten);
  }
}

TEST(RewardInput, ViewpointsMustExist) {
  expect_bad_viewpoints_refused<std::uint8_t>({4, 255});
  expect_bad_viewpoints_refused<std::uint16_t>({4, 259, 65535});
  expect_bad_viewpoints_refused<std::int32_t>({4, -1, 65536, std::numeric_limits<int>::min()});
  constexpr std::int64_t beyond = std::int64_t{1} << 32;
  expect_bad_viewpoints_refused<std::int64_t>({4, -1, beyond, beyond + 1, -beyond + 1});
}

TEST(RewardInput, LengthsMustFit) {
  for (const std::int32_t wrong : {0, -1, 5, std::numeric_limits<std::int32_t>::min()}) {
    Broken<std::int32_t> broken;
    broken.lengths[1] = wrong;
    broken.expect_refused("rollout 1", "has a query of length " + std::to_string(wrong));
  }
  Broken<std::int32_t> backwards;
  const std::vector<std::int64_t> offsets = {0, 4, 2, 5};
  backwards.batch.queries.layout = {.offsets = offsets.data(), .max_length = 4};
  backwards.expect_refused("rollout 1", "has a query of length -2");
}

TEST(RewardInput, ReferencesOfRolloutsMustExist) {
  constexpr std::int64_t beyond = std::int64_t{1} << 32;
  for (const std::int64_t wrong : {std::int64_t{2}, std::int64_t{-1}, beyond}) {
    Broken<std::int32_t> broken;
    broken.reference[1] = wrong;
    broken.expect_refused("rollout 1", "names reference " + std::to_string(wrong) + " of 2");
  }
  Broken<std::int32_t> without;
  without.batch.reference = nullptr;  // rollout k would belong to reference k
  without.expect_refused("reference", "rows of 2 references");
}

// Breaks the batch by change(broken) and expects it to be refused.
template <class Change>
void expect_batch_refused(const std::string& item, const std::string& problem,
                          const Change& change) {
  Broken<std::int32_t> broken;
  change(broken);
  broken.expect_refused(item, problem);
}

TEST(RewardInput, ArraysMustBeThere) {
  Broken<std::int32_t> whole;
  expect_error(error_of_call([&] { whole.rewards.compute(whole.batch, {}); }), "reward", "is null");
  expect_batch_refused("queries.viewpoints", "is null",
                       [](auto& broken) { broken.batch.queries.viewpoints = nullptr; });
  expect_batch_refused("queries.viewpoints", "integers of 3 bytes",
                       [](auto& broken) { broken.batch.queries.viewpoints.bytes = 3; });
  expect_batch_refused("queries.layout", "has neither offsets nor lengths",
                       [](auto& broken) { broken.batch.queries.layout.lengths = nullptr; });
  expect_batch_refused("queries.layout", "has rows of 3 elements",
                       [](auto& broken) { broken.batch.queries.layout.pitch = 3; });
  expect_batch_refused("queries.layout", "max_length of 0",
                       [](auto& broken) { broken.batch.queries.layout.max_length = 0; });
}

TEST(RewardInput, NothingIsWrittenWithoutRollouts) {
  Broken<std::int32_t> broken;
  broken.active = {0, 0, 0};
  broken.batch.active = broken.active.data();
  broken.nodes.assign(12, -1);
  EXPECT_EQ(broken.error(), "");
  EXPECT_EQ(broken.results.reward, RewardResults(12).reward);
  EXPECT_EQ(error_of_call([&] { broken.rewards.compute(Batch(), {}); }), "");
  const Rewards none({}, {}, {}, RewardSettings());
  EXPECT_EQ(error_of_call([&] { none.compute(Batch(), {}); }), "");
  const std::vector<std::uint8_t> all = {1, 1, 1};
  broken.batch.active = all.data();
  expect_error(error_of_call([&] { none.compute(broken.batch, broken.results.arrays()); }),
               "rollout 0", "names reference 0 of 0");
}

// A given distance may be missing, as where a simulator finds no way: moves beside it earn
// without_goal, an end there fails.
TEST(RewardInput, GivenDistancesMayBeNoNumbers) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(), inf = HUGE_VALF;
  Broken<std::int32_t> broken;
  broken.rewards = broken.small.rewards("vlnce-waypoint");
  broken.goal = {nan, 2, 1, nan, inf, inf, 0, 0, 1, inf, 2, 0};
  broken.batch.distance_to_goal = broken.goal.data();
  EXPECT_EQ(broken.error(), "");
  const auto& r = broken.results.reward;
  EXPECT_NEAR(r[0], -0.2 - 1.0, 1e-6);
  EXPECT_NEAR(r[1], -0.2 + 1.0, 1e-6);
  EXPECT_NEAR(r[2], -0.2 - 1.0, 1e-6);
  EXPECT_NEAR(r[3], -0.05, 1e-6) << "no success";
  EXPECT_NEAR(r[4], -0.2 - 1.0, 1e-6);
  EXPECT_NEAR(r[5], -0.05, 1e-6);
  EXPECT_NEAR(r[8], -0.05 - 1.0, 1e-6);
  EXPECT_NEAR(r[9], -0.05 - 1.0, 1e-6);
  EXPECT_NEAR(r[10], 2.45, 1e-6);
  broken.rewards = broken.small.rewards("hamt");
  EXPECT_EQ(broken.error(), "");
  EXPECT_TRUE(std::isnan(r[0]));
  EXPECT_FALSE(std::isnan(r[1]));
  EXPECT_EQ(r[3], -2.0f);
}

// The layout only bounds the lengths: its max_length may be any number.
TEST(RewardInput, LongestLengthsNeedNoMemory) {
  Broken<std::int32_t> broken, want;
  const std::vector<std::int32_t> offsets = {0, 4, 8, 11};
  broken.batch.queries.layout = {
      .offsets = offsets.data(), .lengths = broken.lengths.data(), .max_length = 0x7fffffff};
  EXPECT_EQ(broken.error(), "");
  EXPECT_EQ(want.error(), "");
  EXPECT_EQ(broken.results.reward[3], want.results.reward[3]);
}

}  // namespace
}  // namespace warpath::testing
