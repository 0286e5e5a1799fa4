// Tests that rewards have the same bits however they are computed, and the prefixes those of score.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "host/core/cpu/cpu_kernels.hpp"
#include "host/core/cpu/rewards.hpp"
#include "host/core/rewards/reward_rules.hpp"
#include "kernels/rewards/episode.hpp"
#include "kernels/rewards/reward_rollout.hpp"
#include "tests/support/pair_cases.hpp"
#include "tests/support/reward_cases.hpp"
#include "warpath/scorer.hpp"

namespace warpath::testing {
namespace {

std::string about(const std::string& what, std::size_t rollout, std::size_t column) {
  return what + ", rollout " + std::to_string(rollout) + ", column " + std::to_string(column) +
         ", seed " + std::to_string(run_seed());
}

// ---------------------------------------------------------------- the prefixes of score

// Every prefix of every active rollout as a pair of its own.
PairBatch prefixes_of(const RewardWorld& world) {
  PairBatch batch;
  batch.scans = world.scan_list;
  batch.references = world.references;
  for (const Rollout& rollout : world.rollouts) {
    for (std::size_t t = 0; rollout.active && t < rollout.nodes.size(); ++t) {
      batch.queries.elements.insert(batch.queries.elements.end(), rollout.nodes.begin(),
                                    rollout.nodes.begin() + static_cast<std::ptrdiff_t>(t) + 1);
      const std::uint32_t query = batch.queries.end_path();
      batch.pairs.push_back({world.scan_of[rollout.reference], rollout.reference, query});
      batch.n_query_raw.push_back(static_cast<std::uint32_t>(t) + 1);
    }
  }
  return batch;
}

void expect_prefixes_of_score(const RewardWorld& world, const Convention& convention) {
  RewardSettings settings;
  settings.convention = convention;
  settings.ndtw_weight = 1.0;
  const Rewards rewards = world.rewards(settings);
  const HostRollouts host(world.rollouts, {}, false);
  RewardResults got(host.size());
  rewards.compute(host.batch(), got.arrays());
  const PairBatch prefixes = prefixes_of(world);
  const Scorer scorer(world.scan_list, convention,
                      {.backend = Backend::cpu, .metrics = {Metric::nDTW, Metric::CLS}});
  const Scores want = scorer.score(prefixes);
  std::size_t pair = 0;
  for (std::size_t k = 0; k < world.rollouts.size(); ++k) {
    const std::size_t size = world.rollouts[k].nodes.size();
    for (std::size_t t = 0; world.rollouts[k].active && t < size; ++t, ++pair) {
      const std::size_t at = host.at(k, t);
      const std::string what = about(convention.preset, k, t);
      ASSERT_TRUE(same_bits(double{got.ndtw[at]}, want.at(Metric::nDTW, pair))) << what;
      ASSERT_TRUE(same_bits(double{got.cls[at]}, want.at(Metric::CLS, pair))) << what;
      if (t == 0) continue;
      const float gain = got.ndtw[at] - got.ndtw[at - 1];
      ASSERT_TRUE(same_bits(got.reward[at - 1], gain)) << what << ": a gain is a difference";
    }
  }
  EXPECT_GT(pair, 300u);
}

TEST(RewardPrefixes, HaveTheBitsOfScore) {
  for (const bool in_parts : {false, true}) {
    const RewardWorld world = make_reward_world(run_seed() + 950, {.in_parts = in_parts});
    for (Convention convention : conventions()) {
      // Rewards refuse these.
      if (convention.ndtw_threshold > 0.0 || convention.cls_length == ClsLength::nodes) continue;
      convention.cls_step = ClsStep::shortest;  // the only one that rewards have
      convention.repeats = Repeats::keep;       // a repeat is a move with a reward of its own
      expect_prefixes_of_score(world, convention);
      if (HasFailure()) return;
    }
  }
}

TEST(RewardPrefixes, HaveTheBitsOfScoreOnDirectedScans) {
  const RewardWorld world = make_reward_world(run_seed() + 952, {.directed = true});
  for (Convention convention : conventions()) {
    convention.cls_step = ClsStep::shortest;
    convention.repeats = Repeats::keep;
    if (convention.ndtw_threshold > 0.0 || convention.cls_length == ClsLength::nodes) continue;
    expect_prefixes_of_score(world, convention);
    if (HasFailure()) return;
  }
}

TEST(RewardPrefixes, HaveTheBitsOfScoreForLongReferences) {
  const RewardWorldSize size{
      .references = 12, .rollouts = 30, .max_reference = 200, .max_query = 90};
  expect_prefixes_of_score(make_reward_world(run_seed() + 951, size), {});
}

// ---------------------------------------------------------------- however it is run

// Settings that need other quantities than the presets do, or combine them otherwise.
std::vector<RewardSettings> every_reward() {
  std::vector<RewardSettings> all;
  for (const RewardPreset& preset : reward_presets()) all.push_back(preset.settings);
  RewardSettings mixed = find_reward_preset("hamt").settings;
  mixed.preset = "mixed";
  mixed.cls_weight = 0.7;
  mixed.dtw_weight = -0.3;
  mixed.slack = -0.01;
  mixed.slack_per_metre = -0.1;
  mixed.final_cls = 0.4;
  mixed.final_ndtw = 0.6;
  mixed.end_column = EndColumn::last_move;
  mixed.stop_path = StopPath::repeats_last;
  mixed.goal_distance = Distance::euclid_2d;
  mixed.convention.ndtw_norm = NdtwNorm::sqrt_nodes;
  all.push_back(mixed);
  return all;
}

void expect_same(const HostRollouts& got_host, const RewardResults& got, std::size_t g,
                 const HostRollouts& want_host, const RewardResults& want, std::size_t w,
                 std::size_t size, const std::string& what) {
  for (std::size_t t = 0; t < size; ++t) {
    const std::size_t a = got_host.at(g, t), b = want_host.at(w, t);
    ASSERT_TRUE(same_bits(got.reward[a], want.reward[b])) << about(what, w, t);
    ASSERT_TRUE(same_bits(got.goal[a], want.goal[b])) << about(what, w, t);
    ASSERT_TRUE(same_bits(got.ndtw[a], want.ndtw[b])) << about(what, w, t);
    ASSERT_TRUE(same_bits(got.cls[a], want.cls[b])) << about(what, w, t);
  }
}

RewardResults computed(const cpu::Rewarder& rewarder, const HostRollouts& host) {
  RewardResults results(host.size());
  rewarder.compute(host.batch(), results.arrays());
  return results;
}

// Computes rollouts in another order, and some of them alone.
void expect_same_in_any_company(const cpu::Rewarder& rewarder, const std::vector<Rollout>& rollouts,
                                const HostRollouts& host, const RewardResults& want,
                                std::mt19937_64& random, const std::string& what) {
  std::vector<std::size_t> order(rollouts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::shuffle(order, random);
  for (const std::size_t count : {rollouts.size(), std::size_t{21}, std::size_t{1}}) {
    std::vector<Rollout> some;
    for (std::size_t k = 0; k < count; ++k) some.push_back(rollouts[order[k]]);
    const HostRollouts other(some, {8, 8, false}, true);
    const RewardResults got = computed(rewarder, other);
    for (std::size_t k = 0; k < count; ++k) {
      expect_same(other, got, k, host, want, order[k], some[k].nodes.size(), what);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(RewardBits, DependOnNothingElse) {
  std::mt19937_64 random(run_seed() + 960);
  for (const bool in_parts : {false, true}) {
    const RewardWorldSize size{
        .rollouts = 330, .max_reference = 20, .max_query = 16, .in_parts = in_parts};
    const RewardWorld world = make_reward_world(random(), size);
    const HostRollouts host(world.rollouts, {}, true);
    for (const RewardSettings& settings : every_reward()) {
      const rewards::RewardTables tables(world.scan_list, world.references, world.scan_of, settings,
                                         world.goals);
      const RewardResults want = computed(cpu::Rewarder(tables, 1, &cpu::portable), host);
      for (const cpu::CpuKernels* isa : cpu::usable_kernels()) {
        for (const int threads : {1, 2}) {
          const cpu::Rewarder rewarder(tables, threads, isa);
          const std::string what = settings.preset + ", " + isa->name;
          const RewardResults got = computed(rewarder, host);
          ASSERT_EQ(got.reward.size(), want.reward.size());
          for (std::size_t at = 0; at < got.reward.size(); ++at) {
            ASSERT_TRUE(same_bits(got.reward[at], want.reward[at])) << what << ", entry " << at;
          }
          expect_same_in_any_company(rewarder, world.rollouts, host, want, random, what);
          if (HasFailure()) return;
        }
      }
    }
  }
}

// Makes viewpoints in a row, short and long steps apart.
Scan make_chain(std::mt19937_64& random, Node viewpoints) {
  std::vector<std::string> names;
  std::vector<Edge> edges;
  for (Node n = 0; n < viewpoints; ++n) {
    names.push_back(std::to_string(n));
    const double metres = static_cast<double>(random() >> 40) * 0x1p-22;
    if (n > 0) edges.push_back({n - 1, n, below(random, 2) == 0 ? metres : 0.1 * metres});
  }
  return Scan("chain", names, {}, edges);
}

// Lanes that end early take terms of 0 until the longest ends, and a sum of lengths in two floats
// may take another form by one. It shows in few paths, so many are tried.
TEST(RewardBits, DoNotDependOnRolloutsThatStopBefore) {
  std::mt19937_64 random(run_seed() + 963);
  constexpr Node viewpoints = 60;
  PathSet references;
  for (Node n = 27; n < 33; ++n) references.elements.push_back(n);
  references.end_path();
  const std::vector<std::uint32_t> scan_of = {0};
  for (int k = 0; k < 1500; ++k) {
    const Scan chain = make_chain(random, viewpoints);
    const std::vector<const Scan*> scans = {&chain};
    const Rewards rewards(scans, references, scan_of, find_reward_preset("babywalk-cls").settings);
    std::vector<Rollout> all;
    for (int lane = 0; lane < 16; ++lane) {
      const auto start = static_cast<Node>(below(random, viewpoints - 6));
      Rollout rollout{.reference = 0, .nodes = {}};
      for (Node n = 0; n < (lane < 8 ? 6u : 3u + k % 3); ++n) rollout.nodes.push_back(start + n);
      all.push_back(rollout);
    }
    const HostRollouts together(all, {}, false);
    RewardResults got(together.size());
    rewards.compute(together.batch(), {.reward = got.reward.data()});
    const std::span<const Rollout> lanes(all);
    for (const std::size_t first : {0u, 8u}) {
      const auto of_one_length = lanes.subspan(first, 8);
      const HostRollouts apart({of_one_length.begin(), of_one_length.end()}, {}, false);
      RewardResults want(apart.size());
      rewards.compute(apart.batch(), {.reward = want.reward.data()});
      const std::size_t last = all[first].nodes.size() - 1;
      for (std::size_t lane = 0; lane < 8; ++lane) {
        const std::size_t a = together.at(first + lane, last), b = apart.at(lane, last);
        ASSERT_TRUE(same_bits(got.reward[a], want.reward[b])) << about("lane", first + lane, last);
      }
    }
  }
}

// Names an output by the array that takes it and by the column that it is compared with.
struct Output {
  float* RewardArrays::*array;
  std::vector<float> RewardResults::*column;
};

void expect_same_whatever_is_asked(const RewardWorld& world) {
  constexpr Output outputs[] = {{&RewardArrays::distance_to_goal, &RewardResults::goal},
                                {&RewardArrays::ndtw, &RewardResults::ndtw},
                                {&RewardArrays::cls, &RewardResults::cls}};
  const HostRollouts host(world.rollouts, {}, false);
  for (const RewardSettings& settings : every_reward()) {
    const Rewards rewards = world.rewards(settings);
    RewardResults all(host.size()), few(host.size());
    rewards.compute(host.batch(), all.arrays());
    rewards.compute(host.batch(), {.reward = few.reward.data()});
    for (std::size_t at = 0; at < host.size(); ++at) {
      ASSERT_TRUE(same_bits(all.reward[at], few.reward[at])) << settings.preset << " " << at;
      ASSERT_EQ(few.cls[at], RewardResults::unwritten);
    }
    for (const Output& output : outputs) {
      RewardResults one(host.size());
      RewardArrays arrays{.reward = one.reward.data()};
      arrays.*output.array = (one.*output.column).data();
      rewards.compute(host.batch(), arrays);
      for (std::size_t at = 0; at < host.size(); ++at) {
        ASSERT_TRUE(same_bits(all.reward[at], one.reward[at])) << settings.preset << " " << at;
        ASSERT_TRUE(same_bits((all.*output.column)[at], (one.*output.column)[at]))
            << settings.preset << " " << at;
      }
    }
  }
}

TEST(RewardBits, DoNotDependOnWhatElseIsAsked) {
  expect_same_whatever_is_asked(make_reward_world(run_seed() + 961));
}

TEST(RewardBits, DoNotDependOnWhatElseIsAskedOnDirectedScans) {
  expect_same_whatever_is_asked(make_reward_world(run_seed() + 962, {.directed = true}));
}

// Streets lead from a and b to c, and none from a to b. Only the length of the prefix shows it.
TEST(RewardBits, AreNoNumberBehindAStepThatLeadsNowhere) {
  RewardWorld world;
  const std::vector<Edge> edges{{0, 2, 1.0}, {1, 2, 1.0}};
  world.scans.emplace_back("s", std::vector<std::string>{"a", "b", "c"},
                           std::vector<std::array<double, 3>>{}, edges, std::vector<double>{},
                           true);
  world.scan_list = {&world.scans.front()};
  world.references.elements = {2};
  world.references.end_path();
  world.scan_of = {0};
  world.rollouts = {{.reference = 0, .nodes = {0, 1, 2}}, {.reference = 0, .nodes = {0, 2}}};
  const HostRollouts host(world.rollouts, {}, false);
  RewardResults got(host.size());
  const Rewards rewards = world.rewards(find_reward_preset("ndtw-gain").settings);
  rewards.compute(host.batch(), {.reward = got.reward.data()});
  EXPECT_TRUE(std::isnan(got.reward[host.at(0, 0)]));
  EXPECT_TRUE(std::isnan(got.reward[host.at(0, 1)]));
  EXPECT_EQ(got.reward[host.at(1, 0)], 0.0f) << "DTW is 1 before and behind";
}

// ---------------------------------------------------------------- one lane in plain C++

using Lane = kernels::ScalarLanes;
constexpr int strip = 5;

// Expects that viewpoints are asked for once, in order, and no column behind the last.
struct LaneRollout {
  const Rollout& rollout;
  const int columns;
  const float reference;
  const kernels::RewardRules& rules;
  int next = 0;

  std::size_t at(int t) const {
    EXPECT_LT(t, columns);
    return std::min(static_cast<std::size_t>(t), rollout.nodes.size() - 1);
  }
  int node(int t) {
    EXPECT_EQ(t, next++);
    return static_cast<int>(rollout.nodes[at(t)]);
  }
  float goal(int t, int) const { return rollout.goal[at(t)]; }
  float ideal() const { return kernels::ideal_length(-1.0f, reference, rollout.goal[0], rules); }
};

struct LaneResults {
  const int columns;
  std::vector<float> rewards, ndtw, cls;

  explicit LaneResults(int size) : columns(size), rewards(static_cast<std::size_t>(size)) {}
  bool wants_prefixes() const { return true; }
  void reward(int t, float value) { rewards.at(static_cast<std::size_t>(t)) = value; }
  void end(int m, float move, float end) {
    if (m > 1) reward(m - 2, move);
    reward(m - 1, end);
  }
  void prefix(int t, const kernels::PrefixValues<Lane>& values, bool is_live) {
    EXPECT_LT(t, columns);
    if (!is_live) return;
    ndtw.push_back(values.ndtw);
    cls.push_back(values.cls);
  }
};

// Rewards one rollout by the kernels' templates, with the rows in strips that no kernel has, and
// with C columns at once.
template <int C>
LaneResults reward_in_one_lane(const rewards::RewardTables& tables, const Rollout& rollout) {
  using namespace kernels;
  const RewardRules rules = rewards::make_rules(tables.settings, tables.distances.are_connected());
  const int n = static_cast<int>(tables.references.size_of(rollout.reference));
  const int rows = (n + strip - 1) / strip * strip;
  std::vector<float> fields(static_cast<std::size_t>(episode_fields(rows, 1)));
  const EpisodeMemory<Lane> memory{fields.data(), 1, rows, 1};
  rewards::store_reference(tables, rollout.reference, 0, memory);
  const EpisodeTables distances{tables.distances.distance(), tables.goals.distances().data()};
  EpisodeRows<Lane, strip> of_tables(distances, memory);
  StoredRows<Lane, strip, reward_all> store{memory, true, rows / strip, {}};
  const int m = static_cast<int>(rollout.nodes.size());
  const RolloutInputs<Lane> inputs{n, m, memory.real(episode_reference_length), rollout.stopped, 0};
  const int needed = m + (rules.stop_repeats_node && rollout.stopped ? 1 : 0);
  const int columns = (needed + C - 1) / C * C;
  LaneRollout path{rollout, columns, inputs.reference_length, rules};
  LaneResults results(columns);
  reward_rollout<Lane, strip, C, reward_all>(store, of_tables, path, inputs, rules, results);
  EXPECT_EQ(path.next, columns);
  return results;
}

TEST(RewardBits, AreThoseOfOneLaneInPlainCode) {
  const RewardWorld world = make_reward_world(run_seed() + 962);
  const HostRollouts host(world.rollouts, {}, true);
  for (const RewardSettings& settings : every_reward()) {
    const rewards::RewardTables tables(world.scan_list, world.references, world.scan_of, settings,
                                       {});
    const RewardResults got = computed(cpu::Rewarder(tables, 1), host);
    for (std::size_t k = 0; k < world.rollouts.size(); ++k) {
      if (!world.rollouts[k].active) continue;
      const Rollout& rollout = world.rollouts[k];
      for (const LaneResults& want :
           {reward_in_one_lane<1>(tables, rollout), reward_in_one_lane<2>(tables, rollout)}) {
        ASSERT_EQ(want.ndtw.size(), rollout.nodes.size());
        for (std::size_t t = 0; t < rollout.nodes.size(); ++t) {
          const std::size_t at = host.at(k, t);
          ASSERT_TRUE(same_bits(got.reward[at], want.rewards[t])) << about(settings.preset, k, t);
          ASSERT_TRUE(same_bits(got.ndtw[at], want.ndtw[t])) << about(settings.preset, k, t);
          ASSERT_TRUE(same_bits(got.cls[at], want.cls[t])) << about(settings.preset, k, t);
        }
      }
    }
  }
}

}  // namespace
}  // namespace warpath::testing
