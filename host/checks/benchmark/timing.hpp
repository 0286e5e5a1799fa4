#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

#include "host/checks/benchmark/benchmark.hpp"
#include "warpath/metrics.hpp"

// What the rows of `warpath bench` have in common.

namespace warpath::benchmark {

struct NamedSet {
  std::string name;
  MetricSet metrics;
};

/// Returns sets by their names: "everything", or metrics separated by blanks. @pre they are spelled
/// as in the metric table
std::vector<NamedSet> named_sets(std::initializer_list<const char*> names);

/// Returns how many of a batch's pairs suffice for the reference back end, which is some hundred
/// times slower.
inline std::size_t few_of(std::size_t pairs) {
  return (pairs + 199) / 200;
}

/// Returns runs per second times `pairs` over at least three repetitions, and more until the time
/// is up. The first run only warms up.
template <class Run>
Measured measure(std::size_t pairs, double seconds, Run run) {
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
  std::ranges::sort(taken);
  const auto scored = static_cast<double>(pairs);
  return {scored / taken[taken.size() / 2], scored / taken.back(), scored / taken.front()};
}

/// Returns the median of measure().
template <class Run>
double rate(std::size_t pairs, double seconds, Run run) {
  return measure(pairs, seconds, run).median;
}

class DeviceRows;

/// Times the rows of continuous paths, on the host only if `options.rows` is empty.
/// @param device null: no device is timed
std::vector<Rate> bench_points(const BenchOptions& options, DeviceRows* device);

}  // namespace warpath::benchmark
