#include "host/selftest/bench.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>

#include "host/cpu/backend.hpp"
#include "host/cuda/backend.hpp"
#include "host/reference/reference.hpp"
#include "host/selftest/generate.hpp"

namespace warpath::selftest {
namespace {

struct BenchShape {
  Shape shape;
  double pairs;  ///< of a batch, for each second of a measurement
};

std::vector<BenchShape> shapes() {
  return {{{"R2R-like 6x6", {6, 6}, {6, 6}, 85}, 1e6},
          {{"R4R-like 12x14", {12, 12}, {14, 14}, 150}, 5e5},
          {{"mixed 5-20 x 5-40", {5, 20}, {5, 40}, 150}, 3e5},
          {{"shared reference 12x14", {12, 12}, {14, 14}, 150, 160}, 5e5},
          {{"long 1000x1000", {1000, 1000}, {1000, 1000}, 150}, 80}};
}

// A GPU's batch has so many times the CPU's pairs, but no more than these. Of what lies on the
// device each pair is there several times, to fill it without as many on the host.
constexpr std::size_t times_on_device = 64, most_on_device = std::size_t{1} << 21;
constexpr int times_resident = 8;

struct NamedSet {
  std::string name;
  MetricSet metrics;
};

std::vector<NamedSet> metric_sets() {
  using enum Metric;
  auto set = [](std::initializer_list<Metric> metrics) {
    MetricSet result;
    for (const Metric m : metrics) result.set(static_cast<std::size_t>(m));
    return result;
  };
  return {{"DTW", set({DTW})},
          {"DTW nDTW PC AD MD", set({DTW, nDTW, PC, AD, MD})},
          {"ED", set({ED})},
          {"everything", MetricSet().set()}};
}

double mean_cells(const PairBatch& batch) {
  double cells = 0.0;
  for (const Pair& pair : batch.pairs) {
    cells += static_cast<double>(batch.references[pair.reference].size()) *
             static_cast<double>(batch.queries[pair.query].size());
  }
  return cells / static_cast<double>(batch.pairs.size());
}

// Median over at least three repetitions, more until the time is up; the first warms up.
template <class Run>
double rate(std::size_t pairs, double seconds, Run run) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> taken;
  run();
  const auto begin = Clock::now();
  std::chrono::duration<double> total{};
  while (taken.size() < 3 || total.count() < seconds) {
    const auto start = Clock::now();
    run();
    const auto end = Clock::now();
    taken.push_back(std::chrono::duration<double>(end - start).count());
    total = end - begin;
  }
  std::ranges::nth_element(taken, taken.begin() + taken.size() / 2);
  return static_cast<double>(pairs) / taken[taken.size() / 2];
}

// The reference back end is some hundred times slower: a few pairs do.
PairBatch few_pairs(const PairBatch& batch) {
  PairBatch few = batch;
  few.pairs.resize((batch.pairs.size() + 199) / 200);
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

// Starts kernels so often between two waits that the waits weigh little.
void time_resident(cuda::Device& device, const PairBatch& batch, const cpu::Tables& tables,
                   const MetricSet& metrics, double seconds, Rate& result) {
  constexpr double long_enough = 0.005;
  double all_pairs = 0.0, all_seconds = 0.0;
  const auto repeat = [&](std::uint32_t pairs, const std::function<void(int)>& again) {
    int times = 1;
    while (times < 1024 && times / rate(times, 0.0, [&] { again(times); }) < long_enough) {
      times *= 2;
    }
    const double per_second = rate(times * std::size_t{pairs}, seconds, [&] { again(times); });
    all_pairs += pairs;
    all_seconds += pairs / per_second;
    result.resident_pairs = std::max<std::size_t>(result.resident_pairs, pairs);
  };
  const cuda::Options how{.metrics = metrics,
                          .chunk_pairs = static_cast<std::uint32_t>(batch.pairs.size())};
  cuda::summarize_repeatedly(device, batch, tables, Convention(), how, repeat);
  result.resident = all_pairs / all_seconds;
}

// Fills in what the device reaches with each set of metrics.
void time_device(cuda::Device& device, const PairBatch& batch, double seconds,
                 std::span<Rate> results) {
  const cpu::Tables tables(batch.scans, Convention());
  const PairBatch resident = repeated(batch, times_resident);
  const std::vector<NamedSet> sets = metric_sets();
  for (std::size_t k = 0; k < sets.size(); ++k) {
    const cuda::Options how{.metrics = sets[k].metrics};
    Scores scores;
    results[k].cuda = rate(batch.pairs.size(), seconds,
                           [&] { cuda::score(device, batch, tables, Convention(), how, scores); });
    time_resident(device, resident, tables, sets[k].metrics, seconds, results[k]);
  }
}

}  // namespace

std::vector<Rate> run_bench(const BenchOptions& options) {
  std::vector<Rate> rates;
  std::unique_ptr<cuda::Device> device;
  if (options.backend == Backend::cuda) device = cuda::find_device().device;
  for (const BenchShape& b : shapes()) {
    study::Random random(1);
    const auto pairs = static_cast<std::size_t>(std::clamp(b.pairs * options.seconds, 16.0, 2e6));
    const MadeUp made = uniform_pairs(random, b.shape, pairs);
    const PairBatch few = few_pairs(made.batch);
    const double reference =
        rate(few.pairs.size(), options.seconds, [&] { reference::score(few, Convention()); });
    const double cells = mean_cells(made.batch);
    if (options.backend == Backend::reference) {
      rates.push_back({b.shape.name, "everything", cells, 0.0, 0.0, reference});
      continue;
    }
    const cpu::Tables tables(made.batch.scans, Convention());
    for (const NamedSet& set : metric_sets()) {
      Scores scores;
      auto with = [&](int threads) {
        const cpu::Options how{.metrics = set.metrics, .threads = threads};
        return rate(pairs, options.seconds,
                    [&] { cpu::score(made.batch, tables, Convention(), how, scores); });
      };
      const bool everything = set.metrics.all();
      rates.push_back(
          {b.shape.name, set.name, cells, with(1), with(0), everything ? reference : 0.0});
    }
    if (device != nullptr) {
      const std::size_t on_device = std::min(times_on_device * pairs, most_on_device);
      time_device(*device, uniform_pairs(random, b.shape, on_device).batch, options.seconds,
                  std::span(rates).last(metric_sets().size()));
    }
  }
  return rates;
}

std::size_t find_break_even(const std::function<double(std::size_t)>& cpu_seconds,
                            const std::function<double(std::size_t)>& cuda_seconds) {
  constexpr std::size_t smallest = std::size_t{1} << 10, largest = std::size_t{1} << 22;
  std::size_t enough = largest;
  for (std::size_t pairs = largest; pairs >= smallest; pairs /= 2) {
    if (cuda_seconds(pairs) >= cpu_seconds(pairs)) break;
    enough = pairs;
  }
  return enough;
}

std::size_t measure_break_even() {
  const std::unique_ptr<cuda::Device> device = cuda::find_device().device;
  const Shape shape{"R4R-like", {12, 12}, {14, 14}, 150};
  const auto seconds = [&](std::size_t pairs, bool on_device) {
    study::Random random(1);
    const MadeUp made = uniform_pairs(random, shape, pairs);
    const cpu::Tables tables(made.batch.scans, Convention());
    Scores scores;
    const double per_second = rate(pairs, 0.2, [&] {
      if (on_device)
        cuda::score(*device, made.batch, tables, Convention(), {}, scores);
      else
        cpu::score(made.batch, tables, Convention(), {}, scores);
    });
    return static_cast<double>(pairs) / per_second;
  };
  return find_break_even([&](std::size_t pairs) { return seconds(pairs, false); },
                         [&](std::size_t pairs) { return seconds(pairs, true); });
}

}  // namespace warpath::selftest
