// Compares the rewards of every preset with plain code in double precision.

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/rewards/plain_rewards.hpp"
#include "tests/support/pair_cases.hpp"
#include "tests/support/reward_cases.hpp"

namespace warpath::testing {
namespace {

// Says which rollouts are compared, and how.
struct Trial {
  const RewardWorld& world;
  bool in_sets, gives_goals;
  Form form;
  std::uint64_t seed;
};

std::vector<double> goal_distances(const Trial& trial, const Rollout& rollout, PlainTable& d) {
  if (trial.gives_goals) return {rollout.goal.begin(), rollout.goal.end()};
  const std::vector<Node> goals = trial.world.goal(rollout.reference, trial.in_sets);
  std::vector<double> nearest;
  for (const Node q : rollout.nodes) {
    nearest.push_back(infinite);
    for (const Node g : goals) nearest.back() = std::min(nearest.back(), d(q, g));
  }
  return nearest;
}

// Holds the rollouts of a world as plain code measures them, under one convention.
std::vector<PlainRollout> plain_rollouts(const Trial& trial, const Convention& convention) {
  std::deque<PlainTable> tables, metres;
  for (const Scan& scan : trial.world.scans) {
    tables.push_back({Distances(scan, convention.distance)});
    metres.push_back({Distances(scan, Distance::euclid_3d)});
  }
  std::vector<PlainRollout> all;
  for (const Rollout& rollout : trial.world.rollouts) {
    const std::uint32_t scan = trial.world.scan_of[rollout.reference];
    all.push_back(plain_rollout(tables[scan], convention, trial.world.references[rollout.reference],
                                rollout.nodes, goal_distances(trial, rollout, metres[scan]),
                                rollout.stopped));
  }
  return all;
}

void expect_plain(float got, double want, double tolerance, const std::string& what) {
  if (std::isnan(want) || std::isinf(want)) {
    EXPECT_TRUE(std::isnan(want) ? std::isnan(got) : got == want) << what << ": " << got;
  } else {
    EXPECT_NEAR(got, want, tolerance) << what;
  }
}

// Compares one rollout, also what lies behind its end.
void expect_rollout(const HostRollouts& host, std::size_t k, const RewardResults& got,
                    const PlainRollout& p, const PlainFamily& family, const std::string& what) {
  const std::vector<double> want = plain_rewards(family, p);
  const double metres = 2e-6 * p.longest();
  for (std::size_t t = 0; t < p.size(); ++t) {
    const std::size_t at = host.at(k, t);
    const std::string where = what + ", column " + std::to_string(t);
    expect_plain(got.reward[at], want[t], family.metres ? metres : 1e-6 * family.factor, where);
    expect_plain(got.goal[at], p.goal[t], metres, where + ", distance");
    expect_plain(got.ndtw[at], p.ndtw[t], 1e-6, where + ", nDTW");
    expect_plain(got.cls[at], p.cls[t], 1e-6, where + ", CLS");
  }
  if (host.layout().offsets.data != nullptr) return;
  for (std::size_t at = host.at(k, p.size()); at < host.end(k); ++at) {
    const bool in_row = at < host.begin(k) + host.layout().max_length;
    const float want_behind = in_row ? 0.0f : RewardResults::unwritten;
    for (const auto* array : {&got.reward, &got.goal, &got.ndtw, &got.cls}) {
      EXPECT_EQ((*array)[at], want_behind) << what << ", behind the end";
    }
  }
}

void expect_plain_rewards(const Trial& trial, const RewardSettings& settings,
                          const PlainFamily& family, const std::vector<PlainRollout>& plain) {
  const Rewards rewards = trial.world.rewards(settings, trial.in_sets);
  const HostRollouts host(trial.world.rollouts, trial.form, trial.gives_goals);
  RewardResults got(host.size());
  rewards.compute(host.batch(), got.arrays());
  for (std::size_t k = 0; k < plain.size(); ++k) {
    const std::string what = settings.preset + ", rollout " + std::to_string(k) + ", " +
                             checks::name_of(trial.form) + ", seed " + std::to_string(trial.seed);
    if (trial.world.rollouts[k].active) {
      expect_rollout(host, k, got, plain[k], family, what);
    } else {
      EXPECT_EQ(got.reward[host.at(k, 0)], RewardResults::unwritten) << what;
      EXPECT_EQ(got.cls[host.at(k, 0)], RewardResults::unwritten) << what;
    }
    if (::testing::Test::HasFailure()) return;
  }
}

constexpr Form forms[] = {{1, 4, true},  {2, 8, false}, {4, 4, true},
                          {8, 4, false}, {8, 8, true},  {4, 4, false, true}};

// Every preset on random rollouts, in every form of the arrays.
void expect_plain_presets(const RewardWorldSize& size, bool in_sets, bool gives_goals,
                          std::uint64_t seed) {
  const auto families = plain_families();
  const RewardWorld world = make_reward_world(seed, size);
  Trial trial{world, in_sets, gives_goals, {}, seed};
  std::size_t next_form = seed % std::size(forms);
  // Families share conventions, and plain code takes long.
  std::vector<std::pair<Convention, std::vector<PlainRollout>>> measured;
  const auto rollouts_under = [&](const Convention& convention) -> const auto& {
    for (const auto& [known, rollouts] : measured) {
      if (known == convention) return rollouts;
    }
    return measured.emplace_back(convention, plain_rollouts(trial, convention)).second;
  };
  for (const RewardPreset& preset : reward_presets()) {
    const auto family = families.find(preset.settings.preset);
    ASSERT_NE(family, families.end()) << preset.settings.preset << " has no plain code";
    trial.form = forms[next_form++ % std::size(forms)];
    expect_plain_rewards(trial, preset.settings, family->second,
                         rollouts_under(family->second.convention));
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(RewardPresets, EqualPlainCode) {
  for (std::uint64_t k = 0; k < 5; ++k)
    expect_plain_presets({}, false, false, run_seed() + 900 + k);
}

TEST(RewardPresets, EqualPlainCodeForSetsOfGoals) {
  for (std::uint64_t k = 0; k < 3; ++k) expect_plain_presets({}, true, false, run_seed() + 910 + k);
}

TEST(RewardPresets, EqualPlainCodeForGivenDistances) {
  for (std::uint64_t k = 0; k < 3; ++k) expect_plain_presets({}, false, true, run_seed() + 920 + k);
}

// Without unreachable parts other quantities are computed.
TEST(RewardPresets, EqualPlainCodeInConnectedScans) {
  RewardWorldSize size;
  size.in_parts = false;
  for (std::uint64_t k = 0; k < 3; ++k)
    expect_plain_presets(size, k == 1, false, run_seed() + 930 + k);
}

TEST(RewardPresets, EqualPlainCodeForShortPaths) {
  RewardWorldSize size;
  size.max_reference = 4;
  size.max_query = 3;
  for (std::uint64_t k = 0; k < 4; ++k)
    expect_plain_presets(size, k % 2, false, run_seed() + 940 + k);
}

}  // namespace
}  // namespace warpath::testing
