// Times random walks on one core: made while they are swept, and made first, stored and then
// scored. Both give the same statistics.

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>
#include <vector>

#include "bench/metrics.hpp"
#include "host/checks/scans.hpp"
#include "warpath/random_walks.hpp"

namespace warpath::bench {
namespace {

using benchmark::State;

// Holds graphs and references of the size of a public set, and the walks on them.
struct Walks {
  std::vector<std::unique_ptr<Scan>> scans;
  std::unique_ptr<RandomWalks> walks;
};

struct Kind {
  std::size_t scans, viewpoints, references;
  StepCounts reference_steps;  // of references, and so of walks
};

// The numbers of steps are those of the training sets' instructions.
const Kind r2r{56, 120, 340, {{3, 24}, {4, 4971}, {5, 3979}, {6, 5065}}};
const Kind r4r{30,
               150,
               115,
               {{7, 54},
                {8, 5349},
                {9, 26874},
                {10, 48375},
                {11, 63822},
                {12, 52296},
                {13, 28704},
                {14, 7230},
                {15, 810},
                {16, 18}}};

std::uint32_t draw_steps(const StepCounts& steps, checks::Random& random) {
  std::uint64_t sum = 0;
  for (const auto& entry : steps) sum += entry.second;
  std::uint64_t choice = random.below(sum);
  auto at = steps.begin();
  for (; choice >= at->second; ++at) choice -= at->second;
  return at->first;
}

Walks make_walks(const Kind& kind) {
  checks::Random random(3);
  Walks made;
  std::vector<const Scan*> scans;
  for (std::size_t s = 0; s < kind.scans; ++s) {
    made.scans.push_back(
        std::make_unique<Scan>(checks::level_scan(random, "scan", kind.viewpoints)));
    scans.push_back(made.scans.back().get());
  }
  PathSet references;
  std::vector<std::uint32_t> scan_of;
  for (std::size_t r = 0; r < kind.references; ++r) {
    scan_of.push_back(static_cast<std::uint32_t>(random.below(kind.scans)));
    const Scan& scan = *scans[scan_of.back()];
    const auto start = static_cast<Node>(random.below(scan.size()));
    const std::size_t nodes = draw_steps(kind.reference_steps, random) + std::size_t{1};
    checks::add_path(references, checks::walk(random, scan, start, nodes));
  }
  made.walks = std::make_unique<RandomWalks>(scans, references, scan_of, kind.reference_steps, 1);
  return made;
}

const RandomWalks& r2r_like() {
  static const Walks walks = make_walks(r2r);
  return *walks.walks;
}
const RandomWalks& r4r_like() {
  static const Walks walks = make_walks(r4r);
  return *walks.walks;
}

constexpr std::uint64_t walk_count = 300'000;
const MetricSet five{Metric::DTW, Metric::nDTW, Metric::PC, Metric::AD, Metric::MD};
const MetricSet table{Metric::PL, Metric::NE, Metric::SR, Metric::SPL, Metric::CLS};

ScorerOptions one_core(const MetricSet& metrics) {
  return {.backend = Backend::cpu, .metrics = metrics, .threads = 1};
}

void count(State& state) {
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * walk_count));
}

void fused(State& state, const RandomWalks& (*walks)(), const MetricSet& metrics) {
  const WalkScorer scorer(walks(), Convention{}, one_core(metrics));
  for (auto _ : state) benchmark::DoNotOptimize(scorer.statistics(0, walk_count));
  count(state);
}

void stored(State& state, const RandomWalks& (*walks)(), const MetricSet& metrics) {
  const Scorer scorer(walks().scans(), Convention{}, one_core(metrics));
  for (auto _ : state) {
    const PairBatch batch = walks().batch(0, walk_count);
    benchmark::DoNotOptimize(scorer.statistics(batch));
  }
  count(state);
}

// The walks are made outside the timed part.
void stored_before(State& state, const RandomWalks& (*walks)(), const MetricSet& metrics) {
  const Scorer scorer(walks().scans(), Convention{}, one_core(metrics));
  const PairBatch batch = walks().batch(0, walk_count);
  for (auto _ : state) benchmark::DoNotOptimize(scorer.statistics(batch));
  count(state);
}

// The slashes in these names are not divisions.
// clang-format off
#define WARPATH_WALK_BENCH(walks, set)                                       \
  BENCHMARK_CAPTURE(fused, walks/set, walks, set)                            \
      ->Name("walks/fused/" #walks "/" #set)                                 \
      ->Unit(benchmark::kMillisecond)->UseRealTime();                        \
  BENCHMARK_CAPTURE(stored_before, walks/set, walks, set)                    \
      ->Name("walks/scored/" #walks "/" #set)                                \
      ->Unit(benchmark::kMillisecond)->UseRealTime();                        \
  BENCHMARK_CAPTURE(stored, walks/set, walks, set)                           \
      ->Name("walks/made_and_scored/" #walks "/" #set)                       \
      ->Unit(benchmark::kMillisecond)->UseRealTime()
// clang-format on

WARPATH_WALK_BENCH(r2r_like, everything);
WARPATH_WALK_BENCH(r2r_like, five);
WARPATH_WALK_BENCH(r2r_like, table);
WARPATH_WALK_BENCH(r4r_like, everything);
WARPATH_WALK_BENCH(r4r_like, five);
WARPATH_WALK_BENCH(r4r_like, table);

}  // namespace
}  // namespace warpath::bench
