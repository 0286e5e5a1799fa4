#include "host/benchmark/timing.hpp"

#include <sstream>

namespace warpath::benchmark {

std::vector<NamedSet> named_sets(std::initializer_list<const char*> names) {
  std::vector<NamedSet> sets;
  for (const std::string name : names) {
    MetricSet metrics;
    if (name == "everything") {
      metrics = MetricSet::all();
    } else {
      std::istringstream words(name);
      for (std::string word; words >> word;) {
        metrics.insert(find_metric(word).value());
      }
    }
    sets.push_back({name, metrics});
  }
  return sets;
}

// Starts kernels so often between two waits that the waits weigh little.
void ResidentTimer::add(std::uint32_t pairs, const std::function<void(int)>& again) {
  constexpr double long_enough = 0.005;
  int times = 1;
  while (times < 1024 && times / rate(times, 0.0, [&] { again(times); }) < long_enough) times *= 2;
  const double per_second = rate(times * std::size_t{pairs}, seconds_, [&] { again(times); });
  all_pairs_ += pairs;
  all_seconds_ += pairs / per_second;
  max_pairs_ = std::max<std::size_t>(max_pairs_, pairs);
}

void ResidentTimer::write(Rate& result) const {
  result.resident = all_pairs_ / all_seconds_;
  result.resident_pairs = max_pairs_;
}

}  // namespace warpath::benchmark
