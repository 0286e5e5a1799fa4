#include <benchmark/benchmark.h>

#include "bench/generate.hpp"
#include "host/core/reference/reference.hpp"
#include "host/files/evaluation/inputs.hpp"
#include "host/files/evaluation/pack.hpp"

namespace warpath::bench {
namespace {

using benchmark::DoNotOptimize;
using benchmark::State;

evaluation::PackedRun pack_agent(evaluation::Inputs& inputs) {
  evaluation::Packer packer(inputs.dataset, inputs.graphs, inputs.viewpoints);
  return packer.pack(inputs.agents.front(), Convention{});
}

void pack(State& state, const Files& (*files)()) {
  evaluation::Inputs inputs(files().to_evaluate());
  pack_agent(inputs);  // reads the graphs
  for (auto _ : state) DoNotOptimize(pack_agent(inputs));
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * files().items));
}

// Includes the shortest paths: every call begins without any row.
void score(State& state, const Files& (*files)()) {
  evaluation::Inputs inputs(files().to_evaluate());
  const evaluation::PackedRun run = pack_agent(inputs);
  for (auto _ : state) DoNotOptimize(reference::score(run.batch, Convention{}));
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * run.batch.pairs.size()));
}

void pack_r2r(State& state) {
  pack(state, r2r_files);
}
void pack_r4r(State& state) {
  pack(state, r4r_files);
}
void score_r2r(State& state) {
  score(state, r2r_files);
}
void score_r4r(State& state) {
  score(state, r4r_files);
}

BENCHMARK(pack_r2r)->Name("pack/r2r")->Unit(benchmark::kMillisecond);
BENCHMARK(score_r2r)->Name("reference_score/r2r")->Unit(benchmark::kMillisecond);
BENCHMARK(pack_r4r)->Name("pack/r4r")->Unit(benchmark::kMillisecond);
BENCHMARK(score_r4r)->Name("reference_score/r4r")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace warpath::bench
