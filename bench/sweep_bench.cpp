// The CPU back end on one core, against a plain C++ loop on the same work in the same run.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "bench/generate.hpp"
#include "host/cpu/backend.hpp"
#include "host/cpu/tables.hpp"

namespace warpath::bench {
namespace {

using benchmark::State;

struct Work {
  std::unique_ptr<Scan> scan;
  PairBatch batch;
};

struct Lengths {
  int from, to;
};

// Random pairs on one scan; viewpoints are drawn at random, the worst case for look-ups.
Work make_work(std::size_t viewpoints, std::size_t pairs, Lengths reference, Lengths query,
               std::size_t queries_per_reference) {
  study::Random random(7);
  Work work{std::make_unique<Scan>(make_scan("scan", viewpoints, random)), {}};
  work.batch.scans = {work.scan.get()};
  auto path = [&](PathSet& paths, Lengths lengths) {
    const std::uint64_t nodes = lengths.from + random.below(lengths.to - lengths.from + 1);
    for (std::uint64_t k = 0; k < nodes; ++k) {
      paths.nodes.push_back(static_cast<Node>(random.below(viewpoints)));
    }
    return paths.close();
  };
  std::uint32_t shared = 0;
  for (std::size_t p = 0; p < pairs; ++p) {
    if (p % queries_per_reference == 0) shared = path(work.batch.references, reference);
    work.batch.pairs.push_back({0, shared, path(work.batch.queries, query)});
    work.batch.n_query_raw.push_back(1);
  }
  return work;
}

MetricSet set_of(std::initializer_list<Metric> metrics) {
  MetricSet set;
  for (const Metric m : metrics) set.set(static_cast<std::size_t>(m));
  return set;
}

const MetricSet dtw = set_of({Metric::DTW});
const MetricSet five = set_of({Metric::DTW, Metric::nDTW, Metric::PC, Metric::AD, Metric::MD});
const MetricSet edits = set_of({Metric::ED});
const MetricSet everything = MetricSet().set();

const Work& r4r_like() {
  static const Work work = make_work(150, 200'000, {12, 12}, {14, 14}, 1);
  return work;
}
const Work& r2r_like() {
  static const Work work = make_work(85, 400'000, {6, 6}, {6, 6}, 1);
  return work;
}
const Work& mixed() {
  static const Work work = make_work(150, 200'000, {5, 20}, {5, 40}, 1);
  return work;
}
const Work& shared_reference() {
  static const Work work = make_work(150, 200'000, {12, 12}, {14, 14}, 160);
  return work;
}
const Work& long_paths() {
  static const Work work = make_work(150, 64, {1000, 1000}, {1000, 1000}, 1);
  return work;
}

double cells(const PairBatch& batch) {
  double sum = 0.0;
  for (const Pair& p : batch.pairs) {
    sum += static_cast<double>(batch.references[p.reference].size()) *
           static_cast<double>(batch.queries[p.query].size());
  }
  return sum;
}

void count(State& state, const Work& work) {
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * work.batch.pairs.size()));
  state.counters["cells"] = benchmark::Counter(cells(work.batch) * state.iterations(),
                                               benchmark::Counter::kIsRate);
}

void cpu(State& state, const Work& (*work)(), const MetricSet& metrics, int threads) {
  cpu::Options options;
  options.metrics = metrics;
  options.threads = threads;
  const cpu::Tables tables(work().batch.scans, Convention{});
  Scores scores;
  for (auto _ : state) {
    cpu::score(work().batch, tables, Convention{}, options, scores);
    benchmark::DoNotOptimize(scores.status.data());
  }
  count(state, work());
}

// What one would write without this library: one row of the matrix, one pair after the other.
float plain_dtw(const float* table, int pitch, std::span<const Node> r, std::span<const Node> q,
                std::vector<float>& row) {
  row.assign(r.size(), std::numeric_limits<float>::infinity());
  for (std::size_t j = 0; j < q.size(); ++j) {
    const float* distance = table + static_cast<std::size_t>(q[j]) * pitch;
    float diagonal = j == 0 ? 0.0f : std::numeric_limits<float>::infinity();
    float above = std::numeric_limits<float>::infinity();
    for (std::size_t i = 0; i < r.size(); ++i) {
      const float best = std::min(std::min(above, row[i]), diagonal);
      diagonal = row[i];
      row[i] = above = distance[r[i]] + best;
    }
  }
  return row.back();
}

void scalar_dtw(State& state, const Work& (*work)()) {
  const cpu::Tables tables(work().batch.scans, Convention{});
  std::vector<float> row, scores(work().batch.pairs.size());
  for (auto _ : state) {
    for (std::size_t p = 0; p < scores.size(); ++p) {
      const Pair& pair = work().batch.pairs[p];
      scores[p] = plain_dtw(tables.distance(), tables[0].pitch,
                            work().batch.references[pair.reference],
                            work().batch.queries[pair.query], row);
    }
    benchmark::DoNotOptimize(scores.data());
  }
  count(state, work());
}

#define WARPATH_SWEEP_BENCH(work, set)                                                       \
  BENCHMARK_CAPTURE(cpu, work/set, work, set, 1)->Unit(benchmark::kMillisecond)->UseRealTime()

WARPATH_SWEEP_BENCH(r4r_like, dtw);
WARPATH_SWEEP_BENCH(r4r_like, five);
WARPATH_SWEEP_BENCH(r4r_like, edits);
WARPATH_SWEEP_BENCH(r4r_like, everything);
WARPATH_SWEEP_BENCH(r2r_like, five);
WARPATH_SWEEP_BENCH(r2r_like, everything);
WARPATH_SWEEP_BENCH(mixed, dtw);
WARPATH_SWEEP_BENCH(shared_reference, dtw);
WARPATH_SWEEP_BENCH(long_paths, dtw);
BENCHMARK_CAPTURE(cpu, r4r_like/everything/two_threads, r4r_like, everything, 2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(scalar_dtw, r4r_like, r4r_like)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(scalar_dtw, r2r_like, r2r_like)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(scalar_dtw, mixed, mixed)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(scalar_dtw, long_paths, long_paths)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace warpath::bench
