// Times continuous paths on one core, against a plain C++ loop on the same pairs in the same run.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "bench/count_pairs.hpp"
#include "bench/metrics.hpp"
#include "bench/plain_dtw.hpp"
#include "host/checks/point_pairs.hpp"
#include "host/core/cpu/points.hpp"
#include "host/core/reference/reference.hpp"

namespace warpath::bench {
namespace {

using benchmark::State;

// Makes walks in steps of a quarter of a metre. `meets` inserts points of the reference into the
// query, so that the edit distance needs a sweep.
PointBatch make_walks(std::size_t pairs, std::size_t n, std::size_t m, bool meets) {
  checks::Random random(11);
  PointBatch batch = checks::point_walks(random, {n, m}, pairs);
  for (const PointPair& pair : batch.pairs) {
    if (!meets) break;
    const auto reference = batch.references[pair.reference];
    std::ranges::copy(reference.first(std::min(n, m)),
                      batch.queries.elements.begin() +
                          static_cast<std::ptrdiff_t>(batch.queries.offsets[pair.query]));
  }
  return batch;
}

const PointBatch& long_point_paths() {
  static const PointBatch batch = make_walks(32, 1000, 1000, false);
  return batch;
}
const PointBatch& long_meeting() {
  static const PointBatch batch = make_walks(32, 1000, 1000, true);
  return batch;
}
const PointBatch& vlnce_like() {
  static const PointBatch batch = make_walks(8192, 60, 80, false);
  return batch;
}
const PointBatch& vlnce_meeting() {
  static const PointBatch batch = make_walks(8192, 60, 80, true);
  return batch;
}

void points(State& state, const PointBatch& (*batch)(), const MetricSet& metrics, int threads) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(cpu::score(batch(), {}, {.metrics = metrics, .threads = threads}));
  }
  count_pairs(state, batch());
}

void reference_points(State& state, const PointBatch& batch) {
  for (auto _ : state) benchmark::DoNotOptimize(reference::score(batch, {}, everything));
  count_pairs(state, batch);
}

PathStore<std::array<float, 3>> single_precision(const PointSet& paths) {
  PathStore<std::array<float, 3>> single;
  single.offsets = paths.offsets;
  for (const auto& p : paths.elements) {
    single.elements.push_back(
        {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])});
  }
  return single;
}

void scalar_points_dtw(State& state, const PointBatch& batch) {
  const auto references = single_precision(batch.references);
  const auto queries = single_precision(batch.queries);
  std::vector<float> row, scores(batch.pairs.size());
  for (auto _ : state) {
    for (std::size_t p = 0; p < scores.size(); ++p) {
      const PointPair& pair = batch.pairs[p];
      const auto r = references[pair.reference], q = queries[pair.query];
      const auto distance = [&](std::size_t i, std::size_t j) {
        const float x = r[i][0] - q[j][0], y = r[i][1] - q[j][1], z = r[i][2] - q[j][2];
        return std::sqrt(x * x + y * y + z * z);
      };
      scores[p] = plain_dtw(r.size(), q.size(), distance, row);
    }
    benchmark::DoNotOptimize(scores.data());
  }
  count_pairs(state, batch);
}

void run(const std::string& name, const PointBatch& (*batch)(), const MetricSet& metrics,
         int threads = 1) {
  auto* made =
      benchmark::RegisterBenchmark(("points/" + name).c_str(), points, batch, metrics, threads);
  made->Unit(benchmark::kMillisecond);
  if (threads > 1) made->UseRealTime();
}

const bool registered = [] {
  run("long/dtw", long_point_paths, dtw);
  run("long/five", long_point_paths, five);
  run("long/everything", long_point_paths, everything);
  run("long/everything_meeting", long_meeting, everything);
  run("60x80/dtw", vlnce_like, dtw);
  run("60x80/five", vlnce_like, five);
  run("60x80/everything", vlnce_like, everything);
  run("60x80/everything_meeting", vlnce_meeting, everything);
  run("60x80/five/two_threads", vlnce_like, five, 2);
  return true;
}();

void reference_60x80(State& state) {
  reference_points(state, vlnce_like());
}
void scalar_long(State& state) {
  scalar_points_dtw(state, long_point_paths());
}
void scalar_60x80(State& state) {
  scalar_points_dtw(state, vlnce_like());
}
BENCHMARK(reference_60x80)->Name("points/60x80/reference")->Unit(benchmark::kMillisecond);
BENCHMARK(scalar_long)->Name("points/long/plain_loop_dtw")->Unit(benchmark::kMillisecond);
BENCHMARK(scalar_60x80)->Name("points/60x80/plain_loop_dtw")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace warpath::bench
