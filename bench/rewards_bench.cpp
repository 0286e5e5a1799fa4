// Times rewards on one core: batches of finished rollouts, the steps of running episodes and their
// extensions, beside loops that score each prefix of each rollout.

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <vector>

#include "bench/generate.hpp"
#include "bench/plain_dtw.hpp"
#include "host/checks/scans.hpp"
#include "warpath/distances.hpp"
#include "warpath/reward_tracker.hpp"
#include "warpath/rewards.hpp"
#include "warpath/scorer.hpp"

namespace warpath::bench {
namespace {

using benchmark::State;
using checks::Random;

constexpr std::uint32_t episodes = 4096, steps = 40, reference_size = 12, candidates = 8;
constexpr std::size_t entries = std::size_t{episodes} * steps;

// Holds rollouts in the shape of R4R: each has a reference of its own, from whose start it walks.
struct Rollouts {
  Rollouts() {
    Random random(5);
    for (std::size_t s = 0; s < r4r.scans; ++s) {
      scans.push_back(std::make_unique<Scan>(checks::level_scan(random, "scan", r4r.viewpoints)));
      scan_list.push_back(scans.back().get());
    }
    for (std::uint32_t e = 0; e < episodes; ++e) {
      scan_of.push_back(static_cast<std::uint32_t>(random.below(scans.size())));
      const Scan& scan = *scan_list[scan_of.back()];
      const auto start = static_cast<Node>(random.below(scan.size()));
      const auto walk = [&](std::size_t size) {
        return checks::walk(random, scan, start, size, {.may_turn_back = false});
      };
      checks::add_path(references, walk(reference_size));
      const std::vector<Node> path = walk(steps);
      nodes.insert(nodes.end(), path.begin(), path.end());
      numbers.push_back(e);
    }
  }

  Batch batch() const {
    Batch made;
    made.count = episodes;
    made.queries.viewpoints = nodes.data();
    made.queries.layout.lengths = lengths.data();
    made.queries.layout.pitch = made.queries.layout.max_length = steps;
    return made;
  }

  Rewards rewards(const char* name) const {
    return {scan_list,
            references,
            scan_of,
            find_reward_preset(name).settings,
            {.goals = {}, .place = Place::host(1)}};
  }

  std::vector<std::unique_ptr<Scan>> scans;
  std::vector<const Scan*> scan_list;
  PathSet references;
  std::vector<std::uint32_t> scan_of, numbers;
  std::vector<Node> nodes;  // [episodes][steps]
  std::vector<std::uint32_t> lengths = std::vector<std::uint32_t>(episodes, steps);
};

const Rollouts& rollouts() {
  static const Rollouts made;
  return made;
}

void count(State& state, std::size_t rewards) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(rewards));
}

void batch(State& state, const char* name) {
  const Rewards rewards = rollouts().rewards(name);
  const Batch finished = rollouts().batch();
  std::vector<float> out(entries);
  for (auto _ : state) {
    rewards.compute(finished, {.reward = out.data()});
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  count(state, entries);
}

// Scores each prefix of each rollout by `score`, step by step, as a training loop without rewards
// would: the prefixes of a step are a batch, which is made anew.
void score_each_prefix(State& state, Metric metric) {
  const Rollouts& all = rollouts();
  PairBatch prefixes;
  prefixes.references = all.references;
  const Scorer scorer(all.scan_list, Convention{},
                      {.backend = Backend::cpu, .metrics = {metric}, .threads = 1});
  std::vector<float> out(entries);
  for (auto _ : state) {
    for (std::uint32_t n = 1; n <= steps; ++n) {
      prefixes.queries.elements.clear();
      prefixes.queries.offsets.resize(1);
      prefixes.pairs.clear();
      for (std::uint32_t e = 0; e < episodes; ++e) {
        const Node* path = all.nodes.data() + std::size_t{e} * steps;
        prefixes.queries.elements.insert(prefixes.queries.elements.end(), path, path + n);
        prefixes.pairs.push_back(
            {.scan = all.scan_of[e], .reference = e, .query = prefixes.queries.end_path()});
      }
      ScoreColumns<float> columns;
      columns.column[metric] = out.data() + std::size_t{n - 1} * episodes;
      scorer.score(prefixes, columns);
    }
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  count(state, entries);
}

// Computes nDTW of each prefix by a plain loop.
void plain_each_prefix(State& state) {
  const Rollouts& all = rollouts();
  std::vector<std::vector<float>> tables;
  for (const Scan* scan : all.scan_list) {
    Distances distances(*scan, Distance::euclid_3d);
    tables.emplace_back();
    for (Node n = 0; n < scan->size(); ++n) {
      const auto row = distances.row(n);
      tables.back().insert(tables.back().end(), row.begin(), row.end());
    }
  }
  std::vector<float> row, out(entries);
  for (auto _ : state) {
    for (std::uint32_t e = 0; e < episodes; ++e) {
      const auto reference = all.references[e];
      const Node* path = all.nodes.data() + std::size_t{e} * steps;
      const float* table = tables[all.scan_of[e]].data();
      const std::size_t viewpoints = all.scan_list[all.scan_of[e]]->size();
      const auto distance = [&](std::size_t i, std::size_t j) {
        return table[path[j] * viewpoints + reference[i]];
      };
      for (std::uint32_t n = 1; n <= steps; ++n) {
        const float dtw = plain_dtw(reference.size(), n, distance, row);
        out[std::size_t{e} * steps + n - 1] =
            std::exp(-dtw / (3.0f * static_cast<float>(reference.size())));
      }
    }
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  count(state, entries);
}

// Each iteration is a step of all episodes; those that have taken 39 begin anew, untimed.
void step(State& state, const char* name) {
  const Rollouts& all = rollouts();
  const Rewards rewards = all.rewards(name);
  RewardTracker tracker(rewards, episodes);
  std::vector<std::vector<Node>> column(steps);
  for (std::uint32_t t = 0; t < steps; ++t) {
    for (std::uint32_t e = 0; e < episodes; ++e) {
      column[t].push_back(all.nodes[std::size_t{e} * steps + t]);
    }
  }
  std::vector<float> out(episodes);
  std::uint32_t t = steps;
  for (auto _ : state) {
    if (t == steps) {
      state.PauseTiming();
      tracker.reset({.count = static_cast<std::uint32_t>(all.numbers.size()),
                     .reference = all.numbers.data(),
                     .start = column[0].data()});
      t = 1;
      state.ResumeTiming();
    }
    tracker.step(column[t++].data(), nullptr, out.data());
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  count(state, episodes);
}

// Each iteration scores 8 continuations of each episode by one viewpoint, in its middle.
void extensions(State& state, const char* name) {
  const Rollouts& all = rollouts();
  const Rewards rewards = all.rewards(name);
  RewardTracker tracker(rewards, episodes, {.metrics = {Metric::nDTW}});
  std::vector<float> out(episodes);
  tracker.reset(
      {.count = static_cast<std::uint32_t>(all.numbers.size()), .reference = all.numbers.data()});
  for (std::uint32_t t = 1; t < steps / 2; ++t) {
    std::vector<Node> column;
    for (std::uint32_t e = 0; e < episodes; ++e) {
      column.push_back(all.nodes[std::size_t{e} * steps + t]);
    }
    tracker.step(column.data(), nullptr, out.data());
  }
  Random random(6);
  std::vector<Node> next;
  for (std::uint32_t e = 0; e < episodes; ++e) {
    const std::size_t viewpoints = all.scan_list[all.scan_of[e]]->size();
    for (std::uint32_t c = 0; c < candidates; ++c) {
      next.push_back(static_cast<Node>(random.below(viewpoints)));
    }
  }
  const std::vector<std::uint32_t> ones(next.size(), 1);
  PathsView paths;
  paths.viewpoints = next.data();
  paths.layout.lengths = ones.data();
  paths.layout.pitch = paths.layout.max_length = 1;
  std::vector<float> reward(next.size());
  for (auto _ : state) {
    tracker.score_extensions(candidates, paths, {.reward = reward.data()});
    benchmark::DoNotOptimize(reward.data());
    benchmark::ClobberMemory();
  }
  count(state, next.size());
}

// Writes the data of the first rollouts, with their rewards, as JSON: for rewards_peer.py, which
// names the file in WARPATH_REWARDS_DATA.
void write_data(State& state, const char* file) {
  constexpr std::size_t written = 64;
  const Rollouts& all = rollouts();
  std::vector<float> out(entries);
  all.rewards("ndtw-gain").compute(all.batch(), {.reward = out.data()});
  std::ofstream stream(file);
  stream << R"({"threshold": 3.0, "distances": [)";
  for (std::size_t s = 0; s < all.scans.size(); ++s) {
    Distances distances(*all.scans[s], Distance::euclid_3d);
    stream << (s == 0 ? "[" : ", [");
    for (Node n = 0; n < all.scans[s]->size(); ++n) {
      stream << (n == 0 ? "" : ", ") << fmt::format("[{}]", fmt::join(distances.row(n), ", "));
    }
    stream << ']';
  }
  stream << R"(], "rollouts": [)";
  for (std::size_t k = 0; k < written; ++k) {
    const std::span<const Node> path(all.nodes.data() + k * steps, steps);
    const std::span<const float> rewards(out.data() + k * steps, steps);
    stream << (k == 0 ? "" : ", ")
           << fmt::format(R"({{"scan": {}, "reference": [{}], "path": [{}], "reward": [{}]}})",
                          all.scan_of[k], fmt::join(all.references[k], ", "), fmt::join(path, ", "),
                          fmt::join(rewards, ", "));
  }
  stream << "]}\n";
  if (!stream.flush()) throw std::runtime_error(fmt::format("{} cannot be written", file));
  for (auto _ : state) benchmark::DoNotOptimize(out.data());
}

// The slashes in these names are not divisions.
// clang-format off
BENCHMARK_CAPTURE(batch, ndtw, "ndtw-gain")->Name("rewards/batch/ndtw_gain")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(batch, cls, "cls-gain")->Name("rewards/batch/cls_gain")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(batch, goal, "goal")->Name("rewards/batch/goal")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(batch, hamt, "hamt")->Name("rewards/batch/hamt")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(score_each_prefix, ndtw, Metric::nDTW)->Name("rewards/each_prefix/score_nDTW")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(score_each_prefix, cls, Metric::CLS)->Name("rewards/each_prefix/score_CLS")
    ->Unit(benchmark::kMillisecond);
BENCHMARK(plain_each_prefix)->Name("rewards/each_prefix/plain_loop_nDTW")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(step, ndtw, "ndtw-gain")->Name("rewards/step/ndtw_gain")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(step, hamt, "hamt")->Name("rewards/step/hamt")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(extensions, ndtw, "ndtw-gain")->Name("rewards/extensions/ndtw_gain")
    ->Unit(benchmark::kMicrosecond);
// clang-format on

bool write_data_if_wanted() {
  const char* file = std::getenv("WARPATH_REWARDS_DATA");
  if (file == nullptr) return false;
  benchmark::RegisterBenchmark("rewards_data/write", write_data, file)->Iterations(1);
  return true;
}
[[maybe_unused]] const bool is_data_wanted = write_data_if_wanted();

}  // namespace
}  // namespace warpath::bench
