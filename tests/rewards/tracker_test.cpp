// Tests that running episodes get the bits of finished rollouts, in whatever order they run, and
// that continuations are scored as the longer paths are.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "tests/support/calls.hpp"
#include "tests/support/pair_cases.hpp"
#include "tests/support/reward_cases.hpp"
#include "warpath/reward_tracker.hpp"

namespace warpath::testing {
namespace {

const MetricSet tracked = {Metric::nDTW, Metric::CLS};

// Holds rewards of finished rollouts: what a tracker has to give.
struct Finished {
  const RewardWorld& world;
  const Rewards rewards;
  const HostRollouts host;
  RewardResults results;

  Finished(const RewardWorld& of, const RewardSettings& settings, bool gives_goals, int threads = 1)
      : world(of),
        rewards(of.rewards(settings, false, threads)),
        host(of.rollouts, {}, gives_goals),
        results(host.size()) {
    rewards.compute(host.batch(), results.arrays());
  }
};

// Runs the rollouts of a world as the episodes of a tracker: each slot takes the next rollout when
// its own has ended, and some wait in every round.
class Runner {
 public:
  Runner(const Finished& want, std::uint32_t slots, const MetricSet& metrics, std::uint64_t seed)
      : want_(want),
        random_(seed),
        metrics_(metrics),
        tracker_(want.rewards, slots, {.metrics = metrics}),
        rollout_(slots),
        size_(slots) {}

  // Returns the number of rollouts that were compared to their ends.
  std::size_t run() {
    while (!is_done() && !::testing::Test::HasFailure()) {
      begin_some();
      expect_values();
      step_some();
      switch (below(random_, 6)) {
        case 0:
          move_to_another_tracker();
          break;
        case 1:
          change_places();
      }
    }
    return compared_;
  }

 private:
  using Slot = std::uint32_t;
  Slot slots() const { return tracker_.episodes(); }
  bool is_running(Slot e) const { return rollout_[e].has_value(); }
  const Rollout& rollout(Slot e) const { return want_.world.rollouts[*rollout_[e]]; }
  std::size_t at(Slot e, std::size_t t) const { return want_.host.at(*rollout_[e], t); }
  const float* goals(const std::vector<float>& given) const {
    return want_.host.batch().distance_to_goal != nullptr ? given.data() : nullptr;
  }
  bool is_done() const {
    return next_ == want_.world.rollouts.size() &&
           std::ranges::none_of(rollout_, [](const auto& r) { return r.has_value(); });
  }
  std::string about(Slot e) const {
    return want_.rewards.settings().preset + ", rollout " + std::to_string(*rollout_[e]) +
           " after " + std::to_string(size_[e]) + " viewpoints, seed " + std::to_string(run_seed());
  }

  // Resets idle slots in any order; inactive rollouts, which were not rewarded, are left out.
  void begin_some() {
    std::vector<Slot> order(slots()), episodes;
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::shuffle(order, random_);
    std::vector<std::uint32_t> references, starts;
    std::vector<float> goal;
    for (const Slot e : order) {
      const auto& all = want_.world.rollouts;
      while (next_ < all.size() && !all[next_].active) ++next_;
      if (is_running(e) || next_ == all.size() || below(random_, 3) == 0) continue;
      rollout_[e] = next_++;
      size_[e] = 1;
      episodes.push_back(e);
      references.push_back(rollout(e).reference);
      starts.push_back(rollout(e).nodes[0]);
      goal.push_back(rollout(e).goal[0]);
    }
    if (!episodes.empty()) tracker_.reset(starts_of(episodes, references, starts, goals(goal)));
  }

  void expect_values() {
    RewardResults got(slots());
    tracker_.values({.distance_to_goal = got.goal.data(),
                     .ndtw = metrics_[Metric::nDTW] ? got.ndtw.data() : nullptr,
                     .cls = metrics_[Metric::CLS] ? got.cls.data() : nullptr});
    for (Slot e = 0; e < slots(); ++e) {
      if (!is_running(e)) continue;
      const std::size_t last = at(e, size_[e] - 1);
      ASSERT_TRUE(same_bits(got.goal[e], want_.results.goal[last])) << about(e);
      if (!metrics_[Metric::nDTW]) continue;
      ASSERT_TRUE(same_bits(got.ndtw[e], want_.results.ndtw[last])) << about(e);
      ASSERT_TRUE(same_bits(got.cls[e], want_.results.cls[last])) << about(e);
    }
  }

  // Moves episodes that have viewpoints left, and ends those that have none.
  void step_some() {
    std::vector<std::uint8_t> active(slots()), ends(slots()), stopped(slots());
    std::vector<std::int64_t> nodes(slots(), -1);
    std::vector<float> goal(slots(), -1.0f), move(slots(), -1.0f), end(slots(), -1.0f);
    for (Slot e = 0; e < slots(); ++e) {
      if (!is_running(e) || below(random_, 4) == 0) continue;
      const bool has_more = size_[e] < rollout(e).nodes.size();
      (has_more ? active : ends)[e] = 1;
      stopped[e] = rollout(e).stopped;
      if (!has_more) continue;
      nodes[e] = rollout(e).nodes[size_[e]];
      goal[e] = rollout(e).goal[size_[e]];
    }
    tracker_.step(nodes.data(), active.data(), move.data(), goals(goal));
    tracker_.finish(stopped.data(), ends.data(), end.data());
    for (Slot e = 0; e < slots(); ++e) {
      if (!active[e]) {
        ASSERT_EQ(move[e], 0.0f);
      }
      if (!ends[e]) {
        ASSERT_EQ(end[e], 0.0f);
      }
      if (active[e]) expect_move(e, move[e]);
      if (ends[e]) expect_end(e, end[e]);
    }
  }

  void expect_move(Slot e, float move) {
    const std::size_t t = size_[e]++ - 1;
    const bool is_last = size_[e] == rollout(e).nodes.size();
    const RewardSettings& settings = want_.rewards.settings();
    const bool replaced = !rollout(e).stopped && settings.timeout == TimeOut::replaces_move;
    const bool joined = settings.end_column == EndColumn::last_move;
    if (is_last && joined) last_move_[*rollout_[e]] = move;
    if (is_last && (replaced || joined)) return;
    ASSERT_TRUE(same_bits(move, want_.results.reward[at(e, t)])) << about(e);
  }

  void expect_end(Slot e, float end) {
    const std::size_t n = rollout(e).nodes.size();
    const RewardSettings& settings = want_.rewards.settings();
    const bool replaced = !rollout(e).stopped && settings.timeout == TimeOut::replaces_move;
    const bool joined = settings.end_column == EndColumn::last_move;
    std::size_t column = n - 1;
    if (n > 1 && (replaced || joined)) {
      ASSERT_EQ(want_.results.reward[at(e, column)], 0.0f) << about(e);
      --column;
    }
    if (n > 1 && joined && !replaced) end = last_move_[*rollout_[e]] + end;
    ASSERT_TRUE(same_bits(end, want_.results.reward[at(e, column)])) << about(e);
    rollout_[e].reset();
    ++compared_;
  }

  void move_to_another_tracker() {
    const std::vector<std::byte> state = tracker_.state();
    RewardTracker other(want_.rewards, slots(), {.metrics = metrics_});
    other.restore(state);
    EXPECT_EQ(other.state(), state);
    tracker_ = std::move(other);
  }

  // Some slots take the episodes of others, or of themselves.
  void change_places() {
    std::vector<Slot> from(slots()), to(slots());
    std::iota(from.begin(), from.end(), 0u);
    std::ranges::shuffle(from, random_);
    std::iota(to.begin(), to.end(), 0u);
    std::ranges::shuffle(to, random_);
    tracker_.fork(slots(), from.data(), to.data());
    const auto rollouts = rollout_;
    const auto sizes = size_;
    for (Slot k = 0; k < slots(); ++k) {
      rollout_[to[k]] = rollouts[from[k]];
      size_[to[k]] = sizes[from[k]];
    }
  }

  const Finished& want_;
  std::mt19937_64 random_;
  const MetricSet metrics_;
  RewardTracker tracker_;
  std::vector<std::optional<std::size_t>> rollout_;
  std::vector<std::size_t> size_;  // viewpoints of each episode
  std::map<std::size_t, float> last_move_;
  std::size_t next_ = 0, compared_ = 0;
};

std::vector<RewardSettings> tracked_rewards() {
  std::vector<RewardSettings> all;
  for (const RewardPreset& preset : reward_presets()) all.push_back(preset.settings);
  for (const char* name : {"ndtw-gain", "valan-goal", "babywalk-mix"}) {
    all.push_back(find_reward_preset(name).settings);
    all.back().end_column = EndColumn::last_move;
    all.back().slack = -0.01;
    all.back().slack_per_metre = -0.3;
    all.back().cls_weight = 0.5;
  }
  return all;
}

void expect_rollouts_bits(const RewardWorldSize& size, bool gives_goals, std::uint64_t seed) {
  const RewardWorld world = make_reward_world(seed, size);
  const auto active = std::ranges::count_if(world.rollouts, [](const auto& r) { return r.active; });
  for (const RewardSettings& settings : tracked_rewards()) {
    const Finished want(world, settings, gives_goals, 2);
    for (const std::uint32_t slots : {1u, 45u}) {
      for (const bool wants_prefixes : {true, false}) {
        if (slots == 1 && wants_prefixes) continue;
        Runner runner(want, slots, wants_prefixes ? tracked : MetricSet(), seed);
        EXPECT_EQ(runner.run(), static_cast<std::size_t>(active)) << settings.preset;
        if (::testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(RewardTracker, HasTheBitsOfFinishedRollouts) {
  expect_rollouts_bits({.rollouts = 120}, false, run_seed() + 970);
}

// References of up to 4 viewpoints fill the rows that are kept of them.
TEST(RewardTracker, HasTheBitsOfFinishedRolloutsOnDirectedScans) {
  expect_rollouts_bits({.rollouts = 60, .directed = true}, false, run_seed() + 973);
}

TEST(RewardTracker, HasTheBitsOfFinishedRolloutsForShortReferences) {
  for (const std::size_t max_reference : {4, 7}) {
    const RewardWorldSize size{
        .rollouts = 120, .max_reference = max_reference, .max_query = 9, .in_parts = false};
    expect_rollouts_bits(size, false, run_seed() + 971);
  }
}

TEST(RewardTracker, HasTheBitsOfFinishedRolloutsForGivenDistances) {
  expect_rollouts_bits({.rollouts = 120}, true, run_seed() + 972);
}

TEST(RewardTracker, SharesItsWorkAmongThreads) {
  const RewardWorldSize size{.rollouts = 900, .max_query = 6};
  const RewardWorld world = make_reward_world(run_seed() + 973, size);
  const Finished want(world, find_reward_preset("babywalk-mix").settings, false, 2);
  EXPECT_GT(Runner(want, 700, tracked, 1).run(), 700u);
}

TEST(RewardTracker, BeginsAtTheReferencesStart) {
  const RewardWorld world = make_reward_world(run_seed() + 974);
  const Rewards rewards = world.rewards(find_reward_preset("ndtw-gain").settings);
  RewardTracker tracker(rewards, 40, {.metrics = tracked}),
      given(rewards, 40, {.metrics = tracked});
  std::vector<std::uint32_t> references(40), starts;
  std::iota(references.begin(), references.end(), 0u);
  for (const std::uint32_t r : references) starts.push_back(world.references[r].front());
  tracker.reset(starts_of({}, references));
  given.reset(starts_of({}, references, starts));
  EXPECT_EQ(tracker.state(), given.state());
}

// ---------------------------------------------------------------- forks

// A fork leaves no trace of what the slot had before, and does not share what comes after.
TEST(RewardTracker, ForksAreApart) {
  const RewardWorld world = make_reward_world(run_seed() + 975, {.references = 3});
  const Rewards rewards = world.rewards(find_reward_preset("hamt").settings);
  RewardTracker tracker(rewards, 40, {.metrics = tracked}),
      alone(rewards, 40, {.metrics = tracked});
  const std::vector<std::uint32_t> all_of_0(40, 0);
  const std::vector<std::uint8_t> only_first = [] {
    std::vector<std::uint8_t> active(40);
    active[0] = 1;
    return active;
  }();
  std::vector<std::int64_t> nodes(40, world.references[0].back());
  std::vector<float> reward(40), again(40);
  tracker.reset(starts_of({}, all_of_0));
  alone.reset(starts_of({}, all_of_0));
  tracker.step(nodes.data(), nullptr, reward.data());
  alone.step(nodes.data(), nullptr, again.data());
  const std::vector<std::uint32_t> from = {0, 0, 0}, to = {1, 20, 39};
  tracker.fork(3, from.data(), to.data());
  EXPECT_EQ(tracker.state(), alone.state()) << "all episodes are alike";
  nodes[0] = world.references[0].front();
  tracker.step(nodes.data(), only_first.data(), reward.data());
  RewardResults values(40);
  tracker.values(values.arrays());
  EXPECT_TRUE(same_bits(values.ndtw[1], values.ndtw[39]));
  const std::vector<std::uint32_t> first = {0}, second = {1};
  tracker.fork(1, second.data(), first.data());
  EXPECT_EQ(tracker.state(), alone.state());
}

// ---------------------------------------------------------------- continuations

struct Continuations {
  std::vector<Rollout> paths;   // of every episode, candidates one after the other
  std::vector<Rollout> longer;  // the same with what leads there, without empty ones
};

Continuations make_continuations(const RewardWorld& world, const std::vector<Rollout>& episodes,
                                 std::uint32_t candidates, std::size_t max_size,
                                 checks::Random& random) {
  Continuations made;
  for (const Rollout& episode : episodes) {
    for (std::uint32_t c = 0; c < candidates; ++c) {
      Rollout path{.reference = episode.reference, .nodes = {}};
      const std::size_t size = random.below(max_size + 1);
      const auto walk = checks::walk(random, world.scan(episode.reference), episode.nodes.back(),
                                     size + 1, {.stay = 1.0 / 7, .jump = 1.0 / 9});
      path.nodes.assign(walk.begin() + 1, walk.end());
      path.goal.resize(size);
      made.paths.push_back(path);
      if (size == 0) continue;
      path.nodes.insert(path.nodes.begin(), episode.nodes.begin(), episode.nodes.end());
      path.goal.resize(path.nodes.size());
      made.longer.push_back(path);
    }
  }
  return made;
}

// Begins an episode for each rollout and takes all its moves.
void run_to_the_end(RewardTracker& tracker, const std::vector<Rollout>& rollouts) {
  std::vector<std::uint32_t> references, starts;
  std::size_t longest = 0;
  for (const Rollout& rollout : rollouts) {
    references.push_back(rollout.reference);
    starts.push_back(rollout.nodes[0]);
    longest = std::max(longest, rollout.nodes.size());
  }
  tracker.reset(starts_of({}, references, starts));
  for (std::size_t t = 1; t < longest; ++t) {
    std::vector<std::uint16_t> nodes(rollouts.size());
    std::vector<std::uint8_t> active(rollouts.size());
    for (std::size_t e = 0; e < rollouts.size(); ++e) {
      active[e] = t < rollouts[e].nodes.size();
      if (active[e]) nodes[e] = static_cast<std::uint16_t>(rollouts[e].nodes[t]);
    }
    std::vector<float> rewards(rollouts.size());
    tracker.step(nodes.data(), active.data(), rewards.data());
  }
}

void expect_extensions(const RewardWorld& world, const RewardSettings& settings,
                       std::uint32_t candidates, std::size_t max_size, checks::Random& random) {
  const Rewards rewards = world.rewards(settings);
  RewardTracker tracker(rewards, static_cast<std::uint32_t>(world.rollouts.size()),
                        {.metrics = tracked});
  run_to_the_end(tracker, world.rollouts);
  const Continuations made =
      make_continuations(world, world.rollouts, candidates, max_size, random);
  const HostRollouts paths(made.paths, {2, 4, random.below(2) == 0}, false);
  const HostRollouts longer(made.longer, {}, false);
  RewardResults got(made.paths.size()), alone(made.paths.size()), want(longer.size());
  const auto before = tracker.state();
  tracker.score_extensions(candidates, paths.batch().queries, got.arrays());
  tracker.score_extensions(candidates, paths.batch().queries, {.reward = alone.reward.data()});
  EXPECT_EQ(tracker.state(), before) << "the episodes are as they were";
  // Moves are rewarded as if no end came after them.
  RewardSettings endless = settings;
  endless.success = endless.failure = endless.success_ndtw = endless.success_closeness = 0.0;
  endless.final_ndtw = endless.final_cls = 0.0;
  endless.end_column = EndColumn::own;
  world.rewards(endless).compute(longer.batch(), want.arrays());
  std::size_t k = 0;
  for (std::size_t p = 0; p < made.paths.size(); ++p) {
    const std::string what = settings.preset + ", path " + std::to_string(p);
    ASSERT_TRUE(same_bits(alone.reward[p], got.reward[p])) << what;
    if (made.paths[p].nodes.empty()) {
      EXPECT_TRUE(std::isnan(got.reward[p]) && std::isnan(got.ndtw[p])) << what;
      EXPECT_TRUE(std::isnan(got.goal[p]) && std::isnan(got.cls[p])) << what;
      continue;
    }
    const std::size_t size = made.longer[k].nodes.size(), last = longer.at(k, size - 1);
    float sum = 0.0f;
    for (std::size_t t = size - made.paths[p].nodes.size() - 1; t + 1 < size; ++t) {
      sum += want.reward[longer.at(k, t)];
    }
    ASSERT_TRUE(same_bits(got.reward[p], sum)) << what << " " << got.reward[p] << " " << sum;
    ASSERT_TRUE(same_bits(got.goal[p], want.goal[last])) << what;
    ASSERT_TRUE(same_bits(got.ndtw[p], want.ndtw[last])) << what;
    ASSERT_TRUE(same_bits(got.cls[p], want.cls[last])) << what;
    ++k;
  }
}

TEST(RewardTracker, ScoresContinuationsAsLongerPaths) {
  checks::Random random(run_seed() + 976);
  for (const std::size_t max_reference : {7, 40}) {
    RewardWorldSize size{.rollouts = 45, .max_reference = max_reference, .max_query = 12};
    const RewardWorld world = make_reward_world(random.below(1u << 30), size);
    for (const RewardSettings& settings : tracked_rewards()) {
      expect_extensions(world, settings, 9, 1, random);
      expect_extensions(world, settings, 3, 8, random);
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace warpath::testing
