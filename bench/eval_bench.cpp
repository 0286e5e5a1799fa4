#include <benchmark/benchmark.h>

#include <array>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "bench/generate.hpp"
#include "host/program/report/report.hpp"
#include "warpath/evaluate.hpp"

namespace warpath::bench {
namespace {

// Evaluates from files to the CSV of all metrics. The counters `read` of dataset and predictions,
// `score` with the graphs' files, matching and means, and `csv` are shares of the time;
// `per_reading` is the time of reading and scoring divided by that of reading.
void eval(benchmark::State& state, const TaskFiles& task, Backend wanted) {
  const Convention convention = find_preset(task.preset).convention;
  std::array<double, 3> spent{};
  for (auto _ : state) {
    using Clock = std::chrono::steady_clock;
    std::array<Clock::time_point, 4> times{Clock::now()};
    Evaluator evaluator(task.files);
    times[1] = Clock::now();
    report::EvalReport report;
    report.run_info.backend = evaluator.resolve(wanted, convention);
    report.runs = evaluator.evaluate(convention, {.backend = report.run_info.backend.backend});
    times[2] = Clock::now();
    const MetricSet metrics = evaluator.metrics();
    report.metrics.assign(metrics.begin(), metrics.end());
    const auto next = report::csv_parts(report, {});
    for (std::string part; next(part);) benchmark::DoNotOptimize(part);
    times[3] = Clock::now();
    for (std::size_t k = 0; k < spent.size(); ++k) {
      spent[k] += std::chrono::duration<double>(times[k + 1] - times[k]).count();
    }
  }
  const double total = spent[0] + spent[1] + spent[2];
  state.counters["read"] = spent[0] / total;
  state.counters["score"] = spent[1] / total;
  state.counters["csv"] = spent[2] / total;
  state.counters["per_reading"] = (spent[0] + spent[1]) / spent[0];
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * task.items));
}

// Returns what an evaluation of R4R's kind takes of its files.
template <const Files& (*files)()>
const TaskFiles& paths_of() {
  static const TaskFiles task{files().to_evaluate(), "paper", files().items};
  return task;
}

void register_benchmarks() {
  const std::pair<const char*, Backend> backends[] = {{"auto", Backend::automatic},
                                                      {"cpu", Backend::cpu}};
  for (const auto& [name, backend] : backends) {
    const auto add = [name = name, backend = backend](const char* data,
                                                      const TaskFiles& (*files)()) {
      benchmark::RegisterBenchmark(
          ("eval/" + std::string(data) + "/" + name).c_str(),
          [files, backend](benchmark::State& state) { eval(state, files(), backend); })
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime();
    };
    add("r2r", paths_of<r2r_files>);
    add("r4r", paths_of<r4r_files>);
    add("rxr", rxr_files);
    add("vlnce", episode_files);
  }
}

[[maybe_unused]] const bool is_registered = (register_benchmarks(), true);

}  // namespace
}  // namespace warpath::bench
