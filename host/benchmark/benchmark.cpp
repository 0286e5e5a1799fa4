#include "host/benchmark/benchmark.hpp"

#include <algorithm>
#include <functional>
#include <span>

#include "host/benchmark/resident.hpp"
#include "host/benchmark/timing.hpp"
#include "host/cpu/backend.hpp"
#include "host/cuda/backend.hpp"
#include "host/io/progress.hpp"
#include "host/reference/reference.hpp"
#include "host/synthetic/pairs.hpp"
#include "warpath/scorer.hpp"

namespace warpath::benchmark {
namespace {

struct BenchShape {
  synthetic::Shape shape;
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

double mean_cells(const PairBatch& batch) {
  double cells = 0.0;
  for (const Pair& pair : batch.pairs) {
    cells += static_cast<double>(batch.references[pair.reference].size()) *
             static_cast<double>(batch.queries[pair.query].size());
  }
  return cells / static_cast<double>(batch.pairs.size());
}

PairBatch few_pairs(const PairBatch& batch) {
  PairBatch few = batch;
  few.pairs.resize(few_of(batch.pairs.size()));
  few.n_query_raw.resize(few.pairs.size());
  return few;
}

PairBatch repeated(const PairBatch& batch, int times) {
  PairBatch all = batch;
  for (int k = 1; k < times; ++k) {
    all.pairs.insert(all.pairs.end(), batch.pairs.begin(), batch.pairs.end());
    all.n_query_raw.insert(all.n_query_raw.end(), batch.n_query_raw.begin(),
                           batch.n_query_raw.end());
  }
  return all;
}

// Measures the device's rate for each set of metrics.
void time_device(cuda::Device& device, const PairBatch& batch, double seconds,
                 std::span<Rate> results) {
  const batch::DistanceTables tables(batch.scans, Convention());
  const PairBatch resident = repeated(batch, times_resident);
  const std::vector<NamedSet> sets = metric_sets();
  for (std::size_t k = 0; k < sets.size(); ++k) {
    const cuda::Options how{.metrics = sets[k].metrics};
    Scores scores;
    results[k].cuda = rate(batch.pairs.size(), seconds,
                           [&] { cuda::score(device, batch, tables, Convention(), how, scores); });
    const ResidentRate kernels = resident_rate(device, resident, tables, sets[k].metrics, seconds);
    results[k].resident = kernels.rate;
    results[k].resident_pairs = kernels.pairs;
  }
}

double cpu_rate(const PairBatch& batch, const batch::DistanceTables& tables,
                const cpu::Options& how, double seconds) {
  Scores scores;
  return rate(batch.pairs.size(), seconds,
              [&] { cpu::score(batch, tables, Convention(), how, scores); });
}

std::vector<Rate> bench_viewpoints(const BenchOptions& options, cuda::Device* device) {
  std::vector<Rate> rates;
  const bool only_reference = options.backend == Backend::reference;
  Progress progress("timing paths of viewpoints",
                    shapes().size() * (only_reference ? 1 : metric_sets().size()), "rows");
  for (const BenchShape& b : shapes()) {
    progress.name_part(b.shape.name + ", reference");
    synthetic::Random random(1);
    const auto pairs = static_cast<std::size_t>(std::clamp(b.pairs * options.seconds, 16.0, 2e6));
    const synthetic::SyntheticBatch made = uniform_pairs(random, b.shape, pairs);
    const PairBatch few = few_pairs(made.batch);
    const double reference =
        rate(few.pairs.size(), options.seconds, [&] { reference::score(few, Convention()); });
    const double cells = mean_cells(made.batch);
    if (only_reference) {
      rates.push_back({b.shape.name, "everything", cells, 0.0, 0.0, reference});
      progress.add();
      continue;
    }
    const batch::DistanceTables tables(made.batch.scans, Convention());
    for (const NamedSet& set : metric_sets()) {
      progress.name_part(b.shape.name + ", " + set.name);
      const auto with = [&](int threads) {
        return cpu_rate(made.batch, tables, {.metrics = set.metrics, .threads = threads},
                        options.seconds);
      };
      const bool everything = set.metrics == MetricSet::all();
      rates.push_back(
          {b.shape.name, set.name, cells, with(1), with(0), everything ? reference : 0.0});
      progress.add();
    }
    if (device != nullptr) {
      progress.name_part(b.shape.name + ", GPU");
      const std::size_t on_device = std::min(times_on_device * pairs, max_on_device);
      time_device(*device, uniform_pairs(random, b.shape, on_device).batch, options.seconds,
                  std::span(rates).last(metric_sets().size()));
    }
  }
  return rates;
}

}  // namespace

std::vector<Rate> run_bench(const BenchOptions& options) {
  cuda::Device* device = nullptr;
  if (options.backend == Backend::cuda) device = cuda::find_device().device;
  std::vector<Rate> rates = bench_viewpoints(options, device);
  const std::vector<Rate> of_points = bench_points(options, device);
  rates.insert(rates.end(), of_points.begin(), of_points.end());
  return rates;
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
  const synthetic::Shape shape{"R4R-like", {12, 12}, {14, 14}, 150};
  Progress progress("timing CPU against GPU", 26, "batches");
  const auto seconds = [&](std::size_t pairs, Backend backend) {
    synthetic::Random random(1);
    const synthetic::SyntheticBatch made = uniform_pairs(random, shape, pairs);
    const Scorer scorer(made.batch.scans, Convention(), {.backend = backend});
    const double per_second = rate(pairs, 0.2, [&] { scorer.score(made.batch); });
    progress.add();
    return static_cast<double>(pairs) / per_second;
  };
  return find_break_even([&](std::size_t pairs) { return seconds(pairs, Backend::cpu); },
                         [&](std::size_t pairs) { return seconds(pairs, Backend::cuda); });
}

}  // namespace warpath::benchmark
