#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "bench/count_pairs.hpp"
#include "bench/metrics.hpp"
#include "host/checks/grid.hpp"
#include "host/checks/pairs.hpp"
#include "warpath/distances.hpp"
#include "warpath/scorer.hpp"

namespace warpath::bench {
namespace {

using benchmark::State;

constexpr int columns = 150, rows = 120;
constexpr double cell = 0.1;  // metres

// Makes a floor of 15 x 12 m in cells that have eight neighbours each.
Scan floor_scan() {
  std::vector<std::array<double, 3>> positions;
  std::vector<Edge> edges;
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; ++x) {
      const auto n = static_cast<Node>(y * columns + x);
      positions.push_back({cell * x, cell * y, 0.0});
      if (x + 1 < columns) edges.push_back({n, n + 1, {}});
      if (y + 1 == rows) continue;
      edges.push_back({n, n + columns, {}});
      if (x + 1 < columns) edges.push_back({n, n + columns + 1, {}});
      if (x > 0) edges.push_back({n, n + columns - 1, {}});
    }
  }
  return checks::make_scan(positions, edges);
}

// Holds pairs of ways of about 40 viewpoints anywhere on the floor: each is the beginning of a
// shortest path between two random viewpoints.
struct FloorPairs {
  Scan scan = floor_scan();
  PairBatch batch;

  FloorPairs(std::size_t references, std::size_t pairs) {
    checks::Random random(1);
    Distances distances(scan, Distance::euclid_3d);
    const auto add_way = [&](PathSet& paths) {
      std::vector<Node> way;
      while (way.size() < 30) {
        way = distances.path(static_cast<Node>(random.below(scan.size())),
                             static_cast<Node>(random.below(scan.size())));
      }
      way.resize(std::min<std::size_t>(way.size(), 50));
      checks::add_path(paths, way);
    };
    batch.scans = {&scan};
    for (std::size_t r = 0; r < references; ++r) add_way(batch.references);
    for (std::size_t q = 0; q < std::min<std::size_t>(pairs, 3000); ++q) add_way(batch.queries);
    for (std::size_t k = 0; k < pairs; ++k) {
      batch.pairs.push_back({0, static_cast<std::uint32_t>(k % references),
                             static_cast<std::uint32_t>(k % batch.queries.size())});
    }
  }
};

const FloorPairs& scattered() {
  static const FloorPairs pairs(3000, 3000);
  return pairs;
}
const FloorPairs& few_references() {
  static const FloorPairs pairs(50, 100'000);
  return pairs;
}

// Makes a scorer for each call, so that searches are included.
void first_call(State& state, Backend backend, const FloorPairs& (*pairs)()) {
  const PairBatch& batch = pairs().batch;
  for (auto _ : state) benchmark::DoNotOptimize(score(batch, {}, backend, everything));
  count_pairs(state, batch);
}

// Makes calls of one scorer, which has the table of the whole scan after the first two.
void later_call(State& state, Backend backend, const FloorPairs& (*pairs)()) {
  const PairBatch& batch = pairs().batch;
  const Scorer scorer(batch.scans, {}, {.backend = backend, .metrics = everything});
  for (int call = 0; call < 2 && backend != Backend::reference; ++call) scorer.score(batch);
  for (auto _ : state) benchmark::DoNotOptimize(scorer.score(batch));
  count_pairs(state, batch);
}

// clang-format off
#define WARPATH_LARGE(function, data, backend)                                        \
  BENCHMARK_CAPTURE(function, backend, Backend::backend, data)                        \
      ->Name("large_scan/" #data "/" #function "/" #backend)                          \
      ->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime()
WARPATH_LARGE(later_call, scattered, reference);
WARPATH_LARGE(first_call, scattered, cpu);
WARPATH_LARGE(later_call, scattered, cpu);
WARPATH_LARGE(later_call, few_references, reference);
WARPATH_LARGE(first_call, few_references, cpu);
WARPATH_LARGE(later_call, few_references, cpu);
// clang-format on

}  // namespace
}  // namespace warpath::bench
