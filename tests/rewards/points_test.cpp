// Tests rewards in continuous space: against plain code in double precision, and running
// episodes against finished rollouts.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "host/core/cpu/cpu_kernels.hpp"
#include "host/core/cpu/rewards.hpp"
#include "tests/rewards/plain_rewards.hpp"
#include "tests/support/calls.hpp"
#include "tests/support/pair_cases.hpp"
#include "tests/support/point_rollouts.hpp"
#include "tests/support/reward_cases.hpp"
#include "warpath/reward_tracker.hpp"

namespace warpath::testing {
namespace {

const MetricSet both = {Metric::nDTW, Metric::CLS};

// ---------------------------------------------------------------- plain code

double plain_distance(const float* a, const float* b, bool is_flat) {
  const double x = double{a[0]} - b[0], y = double{a[1]} - b[1],
               z = is_flat ? 0.0 : double{a[2]} - b[2];
  return std::sqrt(x * x + y * y + z * z);
}

PlainRollout plain_points(const Walk& reference, const PointRollout& rollout,
                          const RewardSettings& settings) {
  Walk all = reference;
  all.insert(all.end(), rollout.points.begin(), rollout.points.end());
  const bool is_flat = settings.convention.distance == Distance::euclid_2d;
  const auto distance = [&](Node a, Node b) {
    return plain_distance(&all[3 * a], &all[3 * b], is_flat);
  };
  std::vector<Node> r(points_in(reference)), q(points_in(rollout.points));
  std::iota(r.begin(), r.end(), 0u);
  std::iota(q.begin(), q.end(), r.back() + 1);
  std::vector<double> goal;
  for (const Node node : q) {
    // Ties are those of single precision.
    goal.push_back(static_cast<float>(plain_distance(
        &all[3 * node], &all[3 * r.back()], settings.goal_distance == Distance::euclid_2d)));
  }
  return plain_rollout(distance, settings.convention, r, q, goal, rollout.stopped);
}

void expect_near(float got, double want, double tolerance, const std::string& what) {
  ASSERT_EQ(std::isnan(got), std::isnan(want)) << what << ": " << got << ", not " << want;
  if (!std::isnan(want)) {
    ASSERT_NEAR(got, want, tolerance) << what;
  }
}

void expect_plain_points(const PointWorld& world, const RewardSettings& settings,
                         const PlainFamily& family, bool in_rows) {
  const HostWorld host(world, in_rows);
  RewardResults got(host.queries.size());
  Rewards(settings, {.place = Place::host(1)}).compute(host.batch(), got.arrays());
  for (std::size_t k = 0; k < world.rollouts.size(); ++k) {
    const PointRollout& rollout = world.rollouts[k];
    if (!rollout.active) {
      EXPECT_EQ(got.reward[host.queries.at(k, 0)], RewardResults::untouched);
      continue;
    }
    const PlainRollout p = plain_points(world.references[rollout.reference], rollout, settings);
    const std::vector<double> want = plain_rewards(family, p);
    const double metres = 2e-6 * p.longest();
    for (std::size_t t = 0; t < p.size(); ++t) {
      const std::size_t at = host.queries.at(k, t);
      const std::string what = settings.preset + ", rollout " + std::to_string(k) + ", column " +
                               std::to_string(t) + ", seed " + std::to_string(run_seed());
      expect_near(got.reward[at], want[t], family.metres ? metres : 1e-6 * family.factor, what);
      expect_near(got.goal[at], p.goal[t], metres, what + ", distance");
      expect_near(got.ndtw[at], p.ndtw[t], 1e-6, what + ", nDTW");
      expect_near(got.cls[at], p.cls[t], 1e-6, what + ", CLS");
      if (::testing::Test::HasFailure()) return;
    }
    if (in_rows && p.size() < host.queries.longest) {
      EXPECT_EQ(got.reward[host.queries.at(k, p.size())], 0.0f) << "behind the end";
    }
  }
}

TEST(RewardPoints, EqualPlainCode) {
  const auto families = plain_families();
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const PointWorld world = make_point_world(run_seed() + 1000 + seed, 60, seed == 2 ? 4 : 30);
    for (const RewardPreset& preset : reward_presets()) {
      expect_plain_points(world, preset.settings, families.at(preset.settings.preset), seed == 1);
      if (HasFailure()) return;
    }
  }
}

// Each of the two distances is flat by its own setting.
TEST(RewardPoints, AreFlatWhereTheSettingsSaySo) {
  const PointWorld world = make_point_world(run_seed() + 1003, 60, 20);
  for (const char* name : {"goal", "ndtw-gain", "vlnce-waypoint"}) {
    RewardSettings settings = find_reward_preset(name).settings;
    const PlainFamily family = plain_families().at(name);
    settings.goal_distance = Distance::euclid_2d;
    expect_plain_points(world, settings, family, false);
    settings.convention.distance = Distance::euclid_2d;
    expect_plain_points(world, settings, family, true);
    settings.goal_distance = Distance::euclid_3d;
    expect_plain_points(world, settings, family, false);
    if (HasFailure()) return;
  }
}

TEST(RewardPoints, TakeGivenDistances) {
  const Walk path = {0, 0, 0, 1, 0, 0, 2, 0, 0};
  const HostPoints paths({path}, false);
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
  const PointWorld world = make_point_world(run_seed() + 1004, 150, 40);
  const HostWorld host(world, true);
  for (const char* name : {"ndtw-gain", "babywalk-mix", "vlnce-waypoint"}) {
    const RewardSettings settings = find_reward_preset(name).settings;
    const rewards::RewardTables tables({}, {}, {}, settings, {});
    RewardResults want(host.queries.size());
    cpu::Rewarder(tables, 1, &cpu::portable).compute(host.batch(), want.arrays());
    for (const cpu::CpuKernels* isa : cpu::usable_kernels()) {
      RewardResults got(host.queries.size());
      cpu::Rewarder(tables, 2, isa).compute(host.batch(), got.arrays());
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
  PointRunner(const PointWorld& world, const RewardSettings& settings, std::uint64_t seed)
      : world_(world),
        settings_(settings),
        rewards_(settings, {.place = Place::host(2)}),
        host_(world, false),
        want_(host_.queries.size()),
        random_(seed),
        episodes_(static_cast<std::uint32_t>(world.rollouts.size())),
        tracker_(rewards_, episodes_, options()),
        size_(episodes_, 1) {
    std::ranges::fill(host_.active, std::uint8_t{1});
    rewards_.compute(host_.batch(), want_.arrays());
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
    return {.metrics = both, .max_reference_length = host_.references.longest};
  }
  const Walk& walk(std::size_t e) const { return world_.rollouts[e].points; }
  std::string about(std::size_t e) const {
    return settings_.preset + ", rollout " + std::to_string(e) + " after " +
           std::to_string(size_[e]) + " points, seed " + std::to_string(run_seed());
  }
  bool is_replaced(std::size_t e) const {
    return settings_.timeout == TimeOut::replaces_move && !world_.rollouts[e].stopped &&
           points_in(walk(e)) > 1;
  }

  // Begins the second half of the episodes before the first; these by the references' first points.
  void begin() {
    const std::uint32_t half = episodes_ / 2;
    for (const bool is_second : {true, false}) {
      std::vector<std::uint32_t> episodes;
      std::vector<Walk> references;
      Walk starts;
      for (std::uint32_t e = is_second ? half : 0; e < (is_second ? episodes_ : half); ++e) {
        episodes.push_back(e);
        references.push_back(world_.references[world_.rollouts[e].reference]);
        starts.insert(starts.end(), walk(e).begin(), walk(e).begin() + 3);
      }
      const HostPoints paths(references, is_second);
      EpisodeStarts begun = starts_of(static_cast<std::uint32_t>(episodes.size()), paths.view(),
                                      is_second ? starts.data() : nullptr);
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
      if (active[e]) std::copy_n(&walk(e)[3 * size_[e]], 3, &points[3 * e]);
    }
    tracker_.step(points.data(), active.data(), move.data());
    for (std::size_t e = 0; e < episodes_; ++e) {
      if (!active[e]) {
        EXPECT_EQ(move[e], 0.0f);
        continue;
      }
      const bool is_last = ++size_[e] == points_in(walk(e));
      if (is_last && is_replaced(e)) continue;
      EXPECT_TRUE(same_bits(move[e], want_.reward[host_.queries.at(e, size_[e] - 2)])) << about(e);
    }
    expect_values();
    return has_more;
  }

  void expect_values() const {
    RewardResults got(episodes_);
    tracker_.values(got.arrays());
    for (std::size_t e = 0; e < episodes_; ++e) {
      const std::size_t at = host_.queries.at(e, size_[e] - 1);
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
      EXPECT_TRUE(same_bits(end[e], want_.reward[host_.queries.at(e, column)])) << about(e);
    }
  }

  const PointWorld& world_;
  const RewardSettings settings_;
  const Rewards rewards_;
  HostWorld host_;
  RewardResults want_;
  std::mt19937_64 random_;
  const std::uint32_t episodes_;
  RewardTracker tracker_;
  std::vector<std::size_t> size_;  // points of each episode
};

TEST(RewardPoints, TrackersHaveTheBitsOfFinishedRollouts) {
  const PointWorld world = make_point_world(run_seed() + 1005, 45, 25);
  for (const RewardPreset& preset : reward_presets()) {
    PointRunner(world, preset.settings, run_seed()).run();
    if (HasFailure()) return;
  }
}

TEST(RewardPoints, ContinuationsAreScoredAsLongerPaths) {
  const PointWorld world = make_point_world(run_seed() + 1006, 40, 20);
  const Rewards rewards(find_reward_preset("hamt").settings);
  const auto episodes = static_cast<std::uint32_t>(world.references.size());
  constexpr std::uint32_t candidates = 3;
  std::mt19937_64 random(run_seed());
  PointWorld longer{world.references, {}};
  std::vector<Walk> paths;
  for (std::uint32_t e = 0; e < episodes; ++e) {
    for (std::uint32_t c = 0; c < candidates; ++c) {
      Walk path(world.references[e].begin(), world.references[e].begin() + 3);
      wander(random, 1 + below(random, 4), path);
      longer.rollouts.push_back({.reference = e, .points = path});
      paths.emplace_back(path.begin() + 3, path.end());
    }
  }
  const HostWorld host(longer, false);
  RewardResults want(host.queries.size()), got(paths.size()), alone(paths.size());
  rewards.compute(host.batch(), want.arrays());
  const HostPoints references(world.references, true);
  RewardTracker tracker(rewards, episodes, {.max_reference_length = references.longest});
  tracker.reset(starts_of(episodes, references.view()));
  const HostPoints continuations(paths, true);
  tracker.score_extensions(candidates, continuations.view(), got.arrays());
  tracker.score_extensions(candidates, continuations.view(), {.reward = alone.reward.data()});
  for (std::size_t p = 0; p < paths.size(); ++p) {
    EXPECT_TRUE(same_bits(alone.reward[p], got.reward[p])) << p;
    const std::size_t first = host.queries.at(p, 0), last = first + points_in(paths[p]);
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
