// Tests rewards in continuous space: against plain code in double precision, and running
// episodes against finished rollouts.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "host/checks/rollouts.hpp"
#include "host/core/cpu/cpu_kernels.hpp"
#include "host/core/cpu/rewards.hpp"
#include "tests/rewards/plain_rewards.hpp"
#include "tests/support/calls.hpp"
#include "tests/support/pair_cases.hpp"
#include "tests/support/reward_cases.hpp"
#include "warpath/reward_tracker.hpp"

namespace warpath::testing {
namespace {

using checks::Rollouts;

const MetricSet both = {Metric::nDTW, Metric::CLS};

// ---------------------------------------------------------------- plain code

double plain_distance(const float* a, const float* b, bool is_flat) {
  const double x = double{a[0]} - b[0], y = double{a[1]} - b[1],
               z = is_flat ? 0.0 : double{a[2]} - b[2];
  return std::sqrt(x * x + y * y + z * z);
}

using Walk = std::vector<float>;

std::size_t points_in(const Walk& walk) {
  return walk.size() / 3;
}

Rollouts make_rollouts(std::uint64_t seed, std::uint32_t count, std::uint32_t max_points) {
  checks::Random random(seed);
  return checks::random_point_rollouts(random, count, max_points, max_points);
}

// Returns them with paths in rows, or one after the other.
Rollouts laid_out(Rollouts rollouts, bool in_rows) {
  rollouts.references = rollouts.references.laid_out(in_rows);
  rollouts.queries = rollouts.queries.laid_out(in_rows);
  return rollouts;
}

Walk reference_of(const Rollouts& rollouts, std::size_t k) {
  return rollouts.references.walk(static_cast<std::size_t>(rollouts.reference[k]));
}

PlainRollout plain_points(const Rollouts& rollouts, std::size_t k, const RewardSettings& settings) {
  const Walk reference = reference_of(rollouts, k), query = rollouts.queries.walk(k);
  Walk all = reference;
  all.insert(all.end(), query.begin(), query.end());
  const bool is_flat = settings.convention.distance == Distance::euclid_2d;
  const auto distance = [&](Node a, Node b) {
    return plain_distance(&all[3 * a], &all[3 * b], is_flat);
  };
  std::vector<Node> r(points_in(reference)), q(points_in(query));
  std::iota(r.begin(), r.end(), 0u);
  std::iota(q.begin(), q.end(), r.back() + 1);
  std::vector<double> goal;
  for (const Node node : q) {
    // Ties are those of single precision.
    goal.push_back(static_cast<float>(plain_distance(
        &all[3 * node], &all[3 * r.back()], settings.goal_distance == Distance::euclid_2d)));
  }
  return plain_rollout(distance, settings.convention, r, q, goal, rollouts.stopped[k] != 0);
}

void expect_near(float got, double want, double tolerance, const std::string& what) {
  ASSERT_EQ(std::isnan(got), std::isnan(want)) << what << ": " << got << ", not " << want;
  if (!std::isnan(want)) {
    ASSERT_NEAR(got, want, tolerance) << what;
  }
}

void expect_plain_points(const Rollouts& rollouts, const RewardSettings& settings,
                         const PlainFamily& family, bool in_rows) {
  const Rollouts host = laid_out(rollouts, in_rows);
  RewardResults got(host.queries.size());
  Rewards(settings, {.place = Place::host(1)}).compute(host.batch(false), got.arrays());
  for (std::size_t k = 0; k < host.count(); ++k) {
    if (host.active[k] == 0) {
      EXPECT_EQ(got.reward[host.queries.at(k)], RewardResults::unwritten);
      continue;
    }
    const PlainRollout p = plain_points(host, k, settings);
    const std::vector<double> want = plain_rewards(family, p);
    const double metres = 2e-6 * p.longest();
    for (std::size_t t = 0; t < p.size(); ++t) {
      const std::size_t at = host.queries.at(k) + t;
      const std::string what = settings.preset + ", rollout " + std::to_string(k) + ", column " +
                               std::to_string(t) + ", seed " + std::to_string(run_seed());
      expect_near(got.reward[at], want[t], family.metres ? metres : 1e-6 * family.factor, what);
      expect_near(got.goal[at], p.goal[t], metres, what + ", distance");
      expect_near(got.ndtw[at], p.ndtw[t], 1e-6, what + ", nDTW");
      expect_near(got.cls[at], p.cls[t], 1e-6, what + ", CLS");
      if (::testing::Test::HasFailure()) return;
    }
    if (in_rows && p.size() < host.queries.max_length) {
      EXPECT_EQ(got.reward[host.queries.at(k) + p.size()], 0.0f) << "behind the end";
    }
  }
}

TEST(RewardPoints, EqualPlainCode) {
  const auto families = plain_families();
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const Rollouts rollouts = make_rollouts(run_seed() + 1000 + seed, 60, seed == 2 ? 4 : 30);
    for (const RewardPreset& preset : reward_presets()) {
      expect_plain_points(rollouts, preset.settings, families.at(preset.settings.preset),
                          seed == 1);
      if (HasFailure()) return;
    }
  }
}

// Each of the two distances is flat by its own setting.
TEST(RewardPoints, AreFlatWhereTheSettingsSaySo) {
  const Rollouts rollouts = make_rollouts(run_seed() + 1003, 60, 20);
  for (const char* name : {"goal", "ndtw-gain", "vlnce-waypoint"}) {
    RewardSettings settings = find_reward_preset(name).settings;
    const PlainFamily family = plain_families().at(name);
    settings.goal_distance = Distance::euclid_2d;
    expect_plain_points(rollouts, settings, family, false);
    settings.convention.distance = Distance::euclid_2d;
    expect_plain_points(rollouts, settings, family, true);
    settings.goal_distance = Distance::euclid_3d;
    expect_plain_points(rollouts, settings, family, false);
    if (HasFailure()) return;
  }
}

TEST(RewardPoints, TakeGivenDistances) {
  const Walk path = {0, 0, 0, 1, 0, 0, 2, 0, 0};
  const checks::HostPaths paths({path});
  const std::vector<float> goal = {5.0f, 4.5f, 2.5f};
  Batch batch{.count = 1, .queries = paths.view(), .references = paths.view()};
  batch.distance_to_goal = goal.data();
  RewardResults got(3);
  const Rewards rewards(find_reward_preset("goal").settings);
  rewards.compute(batch, got.arrays());
  EXPECT_EQ(got.goal, goal);
  EXPECT_EQ(got.reward, (std::vector<float>{0.5f, 2.0f, 1.0f}));
  RewardTracker tracker(rewards, 1, {.max_reference_length = 3});
  tracker.reset(starts_of(1, paths.view(), nullptr, &goal[0]));
  float move = 0.0f, end = 0.0f;
  tracker.step(&path[3], nullptr, &move, &goal[1]);
  EXPECT_EQ(move, 0.5f);
  tracker.step(&path[6], nullptr, &move, &goal[2]);
  EXPECT_EQ(move, 2.0f);
  tracker.finish(nullptr, nullptr, &end);
  EXPECT_EQ(end, 1.0f);
}

// ---------------------------------------------------------------- the same bits

TEST(RewardPoints, HaveTheSameBitsOnEveryInstructionSet) {
  const Rollouts rollouts = make_rollouts(run_seed() + 1004, 150, 40);
  const Rollouts host = laid_out(rollouts, true);
  for (const char* name : {"ndtw-gain", "babywalk-mix", "vlnce-waypoint"}) {
    const RewardSettings settings = find_reward_preset(name).settings;
    const rewards::RewardTables tables({}, {}, {}, settings, {});
    RewardResults want(host.queries.size());
    cpu::Rewarder(tables, 1, &cpu::portable).compute(host.batch(false), want.arrays());
    for (const cpu::CpuKernels* isa : cpu::usable_kernels()) {
      RewardResults got(host.queries.size());
      cpu::Rewarder(tables, 2, isa).compute(host.batch(false), got.arrays());
      for (std::size_t at = 0; at < host.queries.size(); ++at) {
        ASSERT_TRUE(same_bits(got.reward[at], want.reward[at])) << name << " " << isa->name << at;
        ASSERT_TRUE(same_bits(got.ndtw[at], want.ndtw[at])) << name << " " << isa->name << at;
        ASSERT_TRUE(same_bits(got.cls[at], want.cls[at])) << name << " " << isa->name << at;
      }
    }
  }
}

// Runs every active rollout as an episode of a tracker, some waiting in each round, and compares
// its rewards with those of the finished rollouts.
class PointRunner {
 public:
  PointRunner(const Rollouts& rollouts, const RewardSettings& settings, std::uint64_t seed)
      : settings_(settings),
        rewards_(settings, {.place = Place::host(2)}),
        host_(rollouts),
        want_(host_.queries.size()),
        random_(seed),
        episodes_(rollouts.count()),
        tracker_(rewards_, episodes_, options()),
        size_(episodes_, 1) {
    std::ranges::fill(host_.active, std::uint8_t{1});
    rewards_.compute(host_.batch(false), want_.arrays());
  }

  void run() {
    begin();
    while (step() && !::testing::Test::HasFailure()) {
      RewardTracker other(rewards_, episodes_, options());
      other.restore(tracker_.state());
      if (below(random_, 2) == 0) tracker_ = std::move(other);
    }
    expect_ends();
  }

 private:
  TrackerOptions options() const {
    return {.metrics = both, .max_reference_length = host_.references.max_length};
  }
  Walk walk(std::size_t e) const { return host_.queries.walk(e); }
  std::size_t length(std::size_t e) const { return points_in(walk(e)); }
  std::string about(std::size_t e) const {
    return settings_.preset + ", rollout " + std::to_string(e) + " after " +
           std::to_string(size_[e]) + " points, seed " + std::to_string(run_seed());
  }
  bool is_replaced(std::size_t e) const {
    return settings_.timeout == TimeOut::replaces_move && host_.stopped[e] == 0 && length(e) > 1;
  }

  // Begins episodes by the points where their queries begin, and then others, whose queries begin
  // where their references do, by these.
  void begin() {
    for (const bool is_given : {true, false}) {
      std::vector<std::uint32_t> episodes;
      std::vector<Walk> references;
      Walk starts;
      for (std::uint32_t e = 0; e < episodes_; ++e) {
        if ((e % 5 == 0 || e % 2 == 0) != is_given) continue;
        episodes.push_back(e);
        references.push_back(reference_of(host_, e));
        const Walk query = walk(e);
        starts.insert(starts.end(), query.begin(), query.begin() + 3);
      }
      const checks::HostPaths paths = checks::HostPaths(references).laid_out(is_given);
      EpisodeStarts begun = starts_of(static_cast<std::uint32_t>(episodes.size()), paths.view(),
                                      is_given ? starts.data() : nullptr);
      begun.episode = episodes.data();
      tracker_.reset(begun);
    }
  }

  // Returns whether an episode has points left.
  bool step() {
    std::vector<std::uint8_t> active(episodes_);
    std::vector<float> points(3 * std::size_t{episodes_}, std::nanf("")), move(episodes_, -1.0f);
    bool has_more = false;
    for (std::size_t e = 0; e < episodes_; ++e) {
      if (size_[e] == points_in(walk(e))) continue;
      has_more = true;
      active[e] = below(random_, 4) != 0;
      if (active[e])
        std::copy_n(&host_.queries.points[3 * (host_.queries.at(e) + size_[e])], 3, &points[3 * e]);
    }
    tracker_.step(points.data(), active.data(), move.data());
    for (std::size_t e = 0; e < episodes_; ++e) {
      if (!active[e]) {
        EXPECT_EQ(move[e], 0.0f);
        continue;
      }
      const bool is_last = ++size_[e] == points_in(walk(e));
      if (is_last && is_replaced(e)) continue;
      EXPECT_TRUE(same_bits(move[e], want_.reward[host_.queries.at(e) + size_[e] - 2])) << about(e);
    }
    expect_values();
    return has_more;
  }

  void expect_values() const {
    RewardResults got(episodes_);
    tracker_.values(got.arrays());
    for (std::size_t e = 0; e < episodes_; ++e) {
      const std::size_t at = host_.queries.at(e) + size_[e] - 1;
      EXPECT_TRUE(same_bits(got.goal[e], want_.goal[at])) << about(e);
      EXPECT_TRUE(same_bits(got.ndtw[e], want_.ndtw[at])) << about(e);
      EXPECT_TRUE(same_bits(got.cls[e], want_.cls[at])) << about(e);
    }
  }

  void expect_ends() const {
    std::vector<float> end(episodes_);
    tracker_.finish(host_.stopped.data(), nullptr, end.data());
    for (std::size_t e = 0; e < episodes_; ++e) {
      const std::size_t column = points_in(walk(e)) - (is_replaced(e) ? 2 : 1);
      EXPECT_TRUE(same_bits(end[e], want_.reward[host_.queries.at(e) + column])) << about(e);
    }
  }

  const RewardSettings settings_;
  const Rewards rewards_;
  Rollouts host_;
  RewardResults want_;
  std::mt19937_64 random_;
  const std::uint32_t episodes_;
  RewardTracker tracker_;
  std::vector<std::size_t> size_;  // points of each episode
};

TEST(RewardPoints, TrackersHaveTheBitsOfFinishedRollouts) {
  const Rollouts rollouts = make_rollouts(run_seed() + 1005, 45, 25);
  for (const RewardPreset& preset : reward_presets()) {
    PointRunner(rollouts, preset.settings, run_seed()).run();
    if (HasFailure()) return;
  }
}

TEST(RewardPoints, ContinuationsAreScoredAsLongerPaths) {
  const Rollouts rollouts = make_rollouts(run_seed() + 1006, 40, 20);
  const Rewards rewards(find_reward_preset("hamt").settings);
  const checks::HostPaths& references = rollouts.references;
  const std::uint32_t episodes = references.count();
  constexpr std::uint32_t candidates = 3;
  checks::Random random(run_seed());
  Rollouts longer;
  longer.references = references;
  std::vector<Walk> paths, all;
  for (std::uint32_t e = 0; e < episodes; ++e) {
    for (std::uint32_t c = 0; c < candidates; ++c) {
      Walk path;
      for (std::uint64_t t = 3 * (1 + random.below(4)); t > 0; --t) {
        path.push_back(static_cast<float>(random.between(-2, 2)));
      }
      Walk whole = references.walk(e);
      whole.resize(3);
      whole.insert(whole.end(), path.begin(), path.end());
      all.push_back(whole);
      paths.push_back(path);
      longer.reference.push_back(e);
    }
  }
  longer.queries = checks::HostPaths(all);
  longer.active.assign(all.size(), 1);
  longer.stopped.assign(all.size(), 1);
  RewardResults want(longer.queries.size()), got(paths.size()), alone(paths.size());
  rewards.compute(longer.batch(false), want.arrays());
  const checks::HostPaths rows = references.laid_out(true);
  RewardTracker tracker(rewards, episodes, {.max_reference_length = rows.max_length});
  tracker.reset(starts_of(episodes, rows.view()));
  const checks::HostPaths continuations = checks::HostPaths(paths).laid_out(true);
  tracker.score_extensions(candidates, continuations.view(), got.arrays());
  tracker.score_extensions(candidates, continuations.view(), {.reward = alone.reward.data()});
  for (std::size_t p = 0; p < paths.size(); ++p) {
    EXPECT_TRUE(same_bits(alone.reward[p], got.reward[p])) << p;
    const std::size_t first = longer.queries.at(p), last = first + points_in(paths[p]);
    float sum = 0.0f;
    for (std::size_t at = first; at < last; ++at) sum += want.reward[at];
    EXPECT_TRUE(same_bits(got.reward[p], sum)) << p;
    EXPECT_TRUE(same_bits(got.goal[p], want.goal[last])) << p;
    EXPECT_TRUE(same_bits(got.ndtw[p], want.ndtw[last])) << p;
    EXPECT_TRUE(same_bits(got.cls[p], want.cls[last])) << p;
  }
}

}  // namespace
}  // namespace warpath::testing
