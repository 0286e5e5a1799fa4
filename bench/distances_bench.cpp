#include <benchmark/benchmark.h>

#include <vector>

#include "host/checks/scans.hpp"
#include "warpath/distances.hpp"

namespace warpath::bench {
namespace {

using benchmark::DoNotOptimize;
using benchmark::State;

constexpr std::size_t matterport_scans = 90;

Scan one_scan(std::size_t viewpoints) {
  checks::Random random(1);
  return checks::level_scan(random, "scan", viewpoints);
}

void describe(State& state, const Scan& scan) {
  state.counters["degree"] = 2.0 * static_cast<double>(scan.edge_count()) / scan.size();
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

// Computes one row after another and clears them all at the end.
void row(State& state) {
  const Scan scan = one_scan(state.range(0));
  Distances distances(scan, Distance::euclid_3d);
  Node source = 0;
  for (auto _ : state) {
    DoNotOptimize(distances.row(source).data());
    if (++source < scan.size()) continue;
    source = 0;
    distances.clear();
  }
  describe(state, scan);
}

// Computes all distances of 90 scans of 30 to 208 viewpoints, 10,710 together (Matterport3D:
// 10,559). Items are rows.
void all_pairs(State& state) {
  checks::Random random(1);
  std::vector<Scan> scans;
  std::size_t rows = 0;
  for (std::size_t s = 0; s < matterport_scans; ++s) {
    scans.push_back(checks::level_scan(random, "scan", 30 + 2 * s));
    rows += scans.back().size();
  }
  for (auto _ : state) {
    for (const Scan& scan : scans) {
      Distances distances(scan, Distance::euclid_3d);
      for (Node n = 0; n < scan.size(); ++n) DoNotOptimize(distances.row(n).data());
    }
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * rows));
}

// Asks for distances along edges of a large graph without any row.
void neighbours(State& state) {
  const Scan scan = one_scan(state.range(0));
  Distances distances(scan, Distance::euclid_3d);
  Node from = 0;
  for (auto _ : state) {
    DoNotOptimize(distances.between(from, scan.neighbours(from).front()));
    if (++from == scan.size()) from = 0;
  }
  describe(state, scan);
}

// Asks for distances between random viewpoints: on average, a search over half of the graph.
void far_apart(State& state) {
  const Scan scan = one_scan(state.range(0));
  Distances distances(scan, Distance::euclid_3d);
  Node from = 0, to = 0;
  const auto size = static_cast<Node>(scan.size());
  for (auto _ : state) {
    DoNotOptimize(distances.between(from, to));
    from = (from + 6007) % size;
    to = (to + 7919) % size;
  }
  describe(state, scan);
}

BENCHMARK(row)->Name("distances/row")->Arg(120)->Arg(348)->Unit(benchmark::kMicrosecond);
BENCHMARK(row)->Name("distances/row")->Arg(30000)->Unit(benchmark::kMillisecond);
BENCHMARK(all_pairs)->Name("distances/all_pairs_90_scans")->Unit(benchmark::kMillisecond);
BENCHMARK(neighbours)
    ->Name("distances/between_neighbours")
    ->Arg(30000)
    ->Unit(benchmark::kMicrosecond);

BENCHMARK(far_apart)
    ->Name("distances/between_far_apart")
    ->Arg(30000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace warpath::bench
