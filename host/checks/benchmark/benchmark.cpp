#include "host/checks/benchmark/benchmark.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "host/checks/benchmark/device_rows.hpp"
#include "host/checks/benchmark/timing.hpp"
#include "host/checks/pairs.hpp"
#include "host/core/base/progress.hpp"
#include "host/core/cpu/backend.hpp"
#include "host/core/cuda/backend.hpp"
#include "host/core/reference/reference.hpp"
#include "warpath/scorer.hpp"

namespace warpath::benchmark {
namespace {

struct BenchShape {
  checks::Shape shape;
  double pairs;  ///< of a batch, per second of a measurement
};

std::vector<BenchShape> shapes() {
  return {{{"R2R-like 6x6", {6, 6}, {6, 6}, 85}, 1e6},
          {{"R4R-like 12x14", {12, 12}, {14, 14}, 150}, 5e5},
          {{"mixed 5-20 x 5-40", {5, 20}, {5, 40}, 150}, 3e5},
          {{"shared reference 12x14", {12, 12}, {14, 14}, 150, 160}, 5e5},
          {{"long 1000x1000", {1000, 1000}, {1000, 1000}, 150}, 80}};
}

// A GPU's batch has this many times the CPU's pairs, up to a maximum.
constexpr std::size_t times_on_device = 64, max_on_device = std::size_t{1} << 21;

std::vector<NamedSet> metric_sets() {
  return named_sets({"DTW", "DTW nDTW PC AD MD", "DTW nDTW PC AD MD ED", "ED", "everything"});
}

PairBatch few_pairs(const PairBatch& batch) {
  PairBatch few = batch;
  few.pairs.resize(few_of(batch.pairs.size()));
  few.n_query_raw.resize(few.pairs.size());
  return few;
}

double cpu_rate(const PairBatch& batch, const batch::DistanceTables& tables,
                const cpu::Options& how, double seconds) {
  Scores scores;
  return rate(batch.pairs.size(), seconds,
              [&] { cpu::score(batch, tables, Convention(), how, scores); });
}

// Measures the host's rates of one shape.
void time_host(const BenchOptions& options, const BenchShape& b, std::size_t pairs,
               std::vector<Rate>& rates, base::Progress& progress) {
  checks::Random random(1);
  const checks::SyntheticBatch made = checks::uniform_pairs(random, b.shape, pairs);
  const PairBatch few = few_pairs(made.batch);
  progress.name_part(b.shape.name + ", reference");
  const double reference =
      rate(few.pairs.size(), options.seconds, [&] { reference::score(few, Convention()); });
  const double cells = checks::mean_cells(made.batch);
  if (options.backend == Backend::reference) {
    rates.push_back({b.shape.name, "everything", cells, 0.0, 0.0, reference});
    return;
  }
  const batch::DistanceTables tables(made.batch.scans, Convention());
  for (const NamedSet& set : metric_sets()) {
    progress.name_part(b.shape.name + ", " + set.name);
    const auto with = [&](int threads) {
      return cpu_rate(made.batch, tables, {.metrics = set.metrics, .threads = threads},
                      options.seconds);
    };
    const bool everything = set.metrics == MetricSet::of_paths();
    rates.push_back(
        {b.shape.name, set.name, cells, with(1), with(0), everything ? reference : 0.0});
  }
}

std::vector<Rate> bench_viewpoints(const BenchOptions& options, DeviceRows* device) {
  std::vector<Rate> rates;
  base::Progress progress("timing paths of viewpoints", shapes().size(), "shapes");
  for (const BenchShape& b : shapes()) {
    const auto pairs = static_cast<std::size_t>(std::clamp(b.pairs * options.seconds, 16.0, 2e6));
    if (options.rows.empty()) time_host(options, b, pairs, rates, progress);
    if (device != nullptr) {
      progress.name_part(b.shape.name + ", GPU");
      time_viewpoints(*device, b.shape, std::min(times_on_device * pairs, max_on_device),
                      metric_sets());
    }
    progress.add();
  }
  return rates;
}

}  // namespace

Results run_bench(const BenchOptions& options) {
  std::optional<DeviceRows> device;
  if (options.backend == Backend::cuda) {
    device.emplace(cuda::device_or_error(), options);
  }
  DeviceRows* rows = device ? &*device : nullptr;
  Results results{bench_viewpoints(options, rows), {}};
  for (Rate& rate : bench_points(options, rows)) results.cpu.push_back(std::move(rate));
  if (device) {
    time_scans(*device);
    time_rollouts(*device);
    time_calls(*device);
    results.device = device->take();
  }
  return results;
}

std::size_t find_break_even(const std::function<double(std::size_t)>& cpu_seconds,
                            const std::function<double(std::size_t)>& cuda_seconds) {
  constexpr std::size_t min_pairs = std::size_t{1} << 10, max_pairs = std::size_t{1} << 22;
  std::size_t enough = max_pairs;
  for (std::size_t pairs = max_pairs; pairs >= min_pairs; pairs /= 2) {
    if (cuda_seconds(pairs) >= cpu_seconds(pairs)) break;
    enough = pairs;
  }
  return enough;
}

std::size_t measure_break_even() {
  const checks::Shape shape{"R4R-like", {12, 12}, {14, 14}, 150};
  base::Progress progress("timing CPU against GPU", 26, "batches");
  const auto seconds = [&](std::size_t pairs, Backend backend) {
    checks::Random random(1);
    const checks::SyntheticBatch made = checks::uniform_pairs(random, shape, pairs);
    const Scorer scorer(made.batch.scans, Convention(), {.backend = backend});
    const double per_second = rate(pairs, 0.2, [&] { scorer.score(made.batch); });
    progress.add();
    return static_cast<double>(pairs) / per_second;
  };
  return find_break_even([&](std::size_t pairs) { return seconds(pairs, Backend::cpu); },
                         [&](std::size_t pairs) { return seconds(pairs, Backend::cuda); });
}

}  // namespace warpath::benchmark
