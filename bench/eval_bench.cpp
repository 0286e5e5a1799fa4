#include <benchmark/benchmark.h>

#include <array>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "bench/generate.hpp"
#include "host/report/report.hpp"
#include "warpath/evaluate.hpp"

namespace warpath::bench {
namespace {

std::vector<Metric> all_metrics() {
  std::vector<Metric> all;
  for (const MetricInfo& m : path_metric_table()) all.push_back(m.metric);
  return all;
}

// Evaluates from files to the CSV of all metrics. Counters are shares of the time: `read` of
// dataset and predictions; `score` with the graphs' files, matching and means; `csv`.
void eval(benchmark::State& state, const Files& files, Backend wanted) {
  const Convention convention;
  std::array<double, 3> spent{};
  for (auto _ : state) {
    using Clock = std::chrono::steady_clock;
    std::array<Clock::time_point, 4> times{Clock::now()};
    Evaluator evaluator(files.to_evaluate());
    times[1] = Clock::now();
    EvalReport report;
    report.run_info.backend = resolve_for_evaluation(wanted, evaluator.items(), convention);
    report.runs = evaluator.evaluate(convention, {.backend = report.run_info.backend.backend});
    times[2] = Clock::now();
    report.metrics = all_metrics();
    benchmark::DoNotOptimize(report_csv(report));
    times[3] = Clock::now();
    for (std::size_t k = 0; k < spent.size(); ++k) {
      spent[k] += std::chrono::duration<double>(times[k + 1] - times[k]).count();
    }
  }
  const double total = spent[0] + spent[1] + spent[2];
  state.counters["read"] = spent[0] / total;
  state.counters["score"] = spent[1] / total;
  state.counters["csv"] = spent[2] / total;
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * files.items));
}

void register_benchmarks() {
  const std::pair<const char*, Backend> backends[] = {{"auto", Backend::automatic},
                                                      {"cpu", Backend::cpu}};
  for (const auto& [name, backend] : backends) {
    const auto add = [name = name, backend = backend](const char* data, const Files& (*files)()) {
      benchmark::RegisterBenchmark(
          ("eval/" + std::string(data) + "/" + name).c_str(),
          [files, backend](benchmark::State& state) { eval(state, files(), backend); })
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime();
    };
    add("r2r", r2r_files);
    add("r4r", r4r_files);
  }
}

[[maybe_unused]] const bool is_registered = (register_benchmarks(), true);

}  // namespace
}  // namespace warpath::bench
