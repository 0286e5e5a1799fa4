// Tests what leaves first viewpoints out of nDTW and CLS: against plain code in double precision,
// of running episodes against finished rollouts, and what is refused.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <vector>

#include "tests/rewards/plain_rewards.hpp"
#include "tests/support/pair_cases.hpp"
#include "tests/support/reward_cases.hpp"
#include "tests/support/small_rewards.hpp"
#include "warpath/reward_tracker.hpp"

namespace warpath::testing {
namespace {

// Pays nDTW, CLS and SPL of all ends; each counts at another power of ten.
RewardSettings end_settings() {
  RewardSettings settings = find_reward_preset("activevln").settings;
  settings.success_closeness = 0.0;
  settings.success_radius = 1e6;
  settings.timeout = TimeOut::as_stop;
  settings.final_ndtw = 100.0;
  settings.final_cls = 10.0;
  settings.final_spl = 1.0;
  return settings;
}

// Holds the rollouts of a world with what its references leave out: some nothing, some all.
struct LeftOutRollouts {
  const RewardWorld world;
  const HostRollouts host;
  std::vector<std::int32_t> prefix;
  std::vector<float> spl_length;

  explicit LeftOutRollouts(std::uint64_t seed, const RewardWorldSize& size = {})
      : world(make_reward_world(seed, size)), host(world.rollouts, {}, false) {
    for (std::uint32_t r = 0; r < world.references.size(); ++r) {
      const auto n = static_cast<std::int32_t>(world.references.size_of(r));
      const auto some = static_cast<std::int32_t>((r * 5) % 8);
      prefix.push_back(r % 6 == 0 ? 0 : r % 6 == 1 ? n : r % 6 == 2 ? n + 3 : some);
      spl_length.push_back(static_cast<float>(r % 7));
    }
  }

  Batch batch() const {
    Batch batch = host.batch();
    batch.prefix = prefix.data();
    batch.spl_length = spl_length.data();
    return batch;
  }
};

template <class Path>
std::span<const Node> without_first(const Path& path, std::size_t count) {
  return std::span<const Node>(path).subspan(std::min(count, path.size()));
}

PlainPrefix plain_rest(PlainTable& d, const Convention& c, std::span<const Node> r,
                       std::span<const Node> q) {
  if (!r.empty() && !q.empty()) return plain_prefix(d, c, r, q);
  const double value = r.empty() && q.empty() ? 1.0 : 0.0;
  return {value, value, 0.0};
}

void expect_value(float got, double want, double tolerance, const std::string& what) {
  if (std::isnan(want))
    EXPECT_TRUE(std::isnan(got)) << what << ": " << got;
  else
    EXPECT_NEAR(got, want, tolerance) << what;
}

TEST(RewardLeftOut, IsThatOfPlainCode) {
  const RewardSettings settings = end_settings();
  for (std::uint64_t seed = run_seed() + 970; seed < run_seed() + 973; ++seed) {
    const LeftOutRollouts made(seed, {.max_query = 20, .in_parts = seed % 2 == 0});
    const RewardWorld& world = made.world;
    RewardResults got(made.host.size());
    world.rewards(settings).compute(made.batch(), got.arrays());
    std::deque<PlainTable> tables;
    for (const Scan& scan : world.scans) tables.push_back({Distances(scan, Distance::euclid_3d)});
    for (std::size_t k = 0; k < world.rollouts.size(); ++k) {
      const Rollout& rollout = world.rollouts[k];
      if (!rollout.active) continue;
      PlainTable& d = tables[world.scan_of[rollout.reference]];
      const auto reference = world.references[rollout.reference];
      const auto left_out = static_cast<std::size_t>(made.prefix[rollout.reference]);
      const auto r = without_first(reference, left_out);
      const std::string what = "rollout " + std::to_string(k) + ", seed " + std::to_string(seed);
      PlainPrefix last{};
      for (std::size_t t = 0; t < rollout.nodes.size(); ++t) {
        const std::vector<Node> path(rollout.nodes.begin(),
                                     rollout.nodes.begin() + static_cast<std::ptrdiff_t>(t) + 1);
        last = plain_rest(d, settings.convention, r, without_first(path, left_out));
        expect_value(got.ndtw[made.host.at(k, t)], last.ndtw, 1e-6, what + ", nDTW");
        expect_value(got.cls[made.host.at(k, t)], last.cls, 1e-6, what + ", CLS");
      }
      const double start = d(rollout.nodes[0], reference.back()),
                   walked = plain_length(d, std::span<const Node>(rollout.nodes)),
                   ideal = std::max<double>(made.spl_length[rollout.reference], start);
      double spl = ideal + walked == 0.0 ? 1.0 : ideal / std::max(ideal, walked);
      if (!std::isfinite(walked)) spl = no_value;
      // An end that does not reach its goal fails: it has no SPL.
      if (!std::isfinite(d(rollout.nodes.back(), reference.back()))) spl = 0.0;
      expect_value(got.reward[made.host.at(k, rollout.nodes.size() - 1)],
                   100.0 * last.ndtw + 10.0 * last.cls + spl, 1e-4, what + ", end");
      if (::testing::Test::HasFailure()) return;
    }
  }
}

// Nothing is left out by zeros, whose rollouts take other kernels.
TEST(RewardLeftOut, IsNothingWhereItIsZero) {
  const LeftOutRollouts made(run_seed() + 974);
  for (const char* name : {"etp-r1-rxr", "activevln", "cls"}) {
    const Rewards rewards = made.world.rewards(find_reward_preset(name).settings);
    RewardResults want(made.host.size()), got(made.host.size());
    rewards.compute(made.host.batch(), want.arrays());
    const std::vector<std::int32_t> zeros(made.prefix.size());
    Batch batch = made.host.batch();
    batch.prefix = zeros.data();
    rewards.compute(batch, got.arrays());
    for (std::size_t at = 0; at < made.host.size(); ++at) {
      ASSERT_TRUE(same_bits(got.reward[at], want.reward[at])) << name << ", entry " << at;
      ASSERT_TRUE(same_bits(got.ndtw[at], want.ndtw[at])) << name << ", entry " << at;
      ASSERT_TRUE(same_bits(got.cls[at], want.cls[at])) << name << ", entry " << at;
    }
  }
}

TEST(RewardLeftOut, HasTheSameBitsInEpisodes) {
  RewardSettings settings = end_settings();
  settings.goal_gain = GoalGain::metres;
  const LeftOutRollouts made(run_seed() + 975);
  const std::vector<Rollout>& rollouts = made.world.rollouts;
  const auto count = static_cast<std::uint32_t>(rollouts.size());
  const Rewards rewards = made.world.rewards(settings);
  RewardResults want(made.host.size()), values(count);
  rewards.compute(made.batch(), want.arrays());
  RewardTracker tracker(rewards, count);
  std::vector<std::uint32_t> reference, nodes;
  std::vector<std::int64_t> prefix;
  std::vector<float> length, reward(count), end(count);
  std::vector<std::uint8_t> active(count), ends(count), stopped;
  for (const Rollout& rollout : rollouts) {
    reference.push_back(rollout.reference);
    nodes.push_back(rollout.nodes[0]);
    prefix.push_back(made.prefix[rollout.reference]);
    length.push_back(made.spl_length[rollout.reference]);
    stopped.push_back(rollout.stopped);
  }
  tracker.reset({.count = count,
                 .reference = reference.data(),
                 .start = nodes.data(),
                 .prefix = prefix.data(),
                 .spl_length = length.data()});
  std::size_t compared = 0;
  for (std::size_t t = 0; t < 50; ++t) {
    for (std::uint32_t e = 0; e < count; ++e) {
      ends[e] = rollouts[e].nodes.size() == t + 1;
      active[e] = rollouts[e].nodes.size() > t + 1;
      if (active[e] != 0) nodes[e] = rollouts[e].nodes[t + 1];
    }
    tracker.values({.ndtw = values.ndtw.data(), .cls = values.cls.data()});
    tracker.finish(stopped.data(), ends.data(), end.data());
    tracker.step(nodes.data(), active.data(), reward.data());
    for (std::uint32_t e = 0; e < count; ++e) {
      if (!rollouts[e].active || (active[e] | ends[e]) == 0) continue;
      const std::size_t at = made.host.at(e, t);
      ASSERT_TRUE(same_bits(active[e] != 0 ? reward[e] : end[e], want.reward[at]))
          << e << ", " << t;
      ASSERT_TRUE(same_bits(values.ndtw[e], want.ndtw[at])) << e << ", " << t;
      ASSERT_TRUE(same_bits(values.cls[e], want.cls[at])) << e << ", " << t;
      compared += ends[e];
    }
    if (t != 3) continue;
    RewardTracker another(rewards, count);
    another.restore(tracker.state());
    tracker = std::move(another);
  }
  EXPECT_GT(compared, count / 2);
}

// ---------------------------------------------------------------- what is refused

TEST(RewardLeftOut, IsRefusedWithGainsAndRepeats) {
  const Small small;
  const std::vector<std::int64_t> nodes{0, 1, 2, 1}, prefix{1, 0};
  const std::vector<std::uint32_t> lengths{2, 2}, reference{0, 1};
  std::vector<float> out(4);
  const auto error_with = [&](const char* preset) {
    const Rewards rewards = small.rewards(preset);
    Batch batch{.count = 2};
    batch.queries = {nodes.data(), {.lengths = lengths.data(), .pitch = 2, .max_length = 2}};
    batch.prefix = prefix.data();
    const std::string error =
        error_of_call([&] { rewards.compute(batch, {.reward = out.data()}); });
    RewardTracker tracker(rewards, 2);
    EXPECT_EQ(error_of_call([&] {
                tracker.reset({.count = 2, .reference = reference.data(), .prefix = prefix.data()});
              }),
              error);
    return error;
  };
  expect_error(error_with("hamt"), "prefix", "gains of nDTW, CLS or DTW; set ndtw_weight");
  expect_error(error_with("cls-gain"), "prefix", "gains");
  expect_error(error_with("valan-dtw"), "prefix", "gains");
  expect_error(error_with("babywalk-dtw"), "prefix", "once more; set stop_path to query");
  EXPECT_EQ(error_with("activevln"), "");
  EXPECT_EQ(error_with("budvln"), "") << "a gain of the goal is none of them";
}

TEST(RewardLeftOut, NumbersMustBeRight) {
  const Small small;
  const Rewards rewards = small.rewards("etp-r1-rxr");
  const std::vector<std::int64_t> nodes{0, 1, 2, 1};
  const std::vector<std::uint32_t> lengths{2, 2}, reference{0, 1};
  std::vector<float> out(4, -5.0f);
  const auto error_with = [&](const std::vector<std::int64_t>& prefix,
                              const std::vector<float>& spl_length) {
    Batch batch{.count = 2};
    batch.queries = {nodes.data(), {.lengths = lengths.data(), .pitch = 2, .max_length = 2}};
    batch.prefix = prefix.data();
    batch.spl_length = spl_length.data();
    const std::string error =
        error_of_call([&] { rewards.compute(batch, {.reward = out.data()}); });
    RewardTracker tracker(rewards, 2);
    EXPECT_EQ(error_of_call([&] {
                tracker.reset({.count = 2,
                               .reference = reference.data(),
                               .prefix = prefix.data(),
                               .spl_length = spl_length.data()});
              }),
              error);
    return error;
  };
  expect_error(error_with({0, -1}, {1, 1}), "prefix 1", "is -1; give the number of elements");
  expect_error(error_with({std::int64_t{1} << 31, 0}, {1, 1}), "prefix 0", "from 0 to 2^31 - 1");
  expect_error(error_with({0, 0}, {1, -0.5f}), "spl_length 1", "is -0.5; give metres");
  expect_error(error_with({0, 0}, {NAN, 1}), "spl_length 0", "is nan");
  expect_error(error_with({0, 0}, {HUGE_VALF, 1}), "spl_length 0", "is inf");
  EXPECT_EQ(out, std::vector<float>(4, -5.0f)) << "nothing is written";
  EXPECT_EQ(error_with({2, 1000}, {0, 1e6f}), "");
}

}  // namespace
}  // namespace warpath::testing
