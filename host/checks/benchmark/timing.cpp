#include "host/checks/benchmark/timing.hpp"

#include <sstream>

namespace warpath::benchmark {

std::vector<NamedSet> named_sets(std::initializer_list<const char*> names) {
  std::vector<NamedSet> sets;
  for (const std::string name : names) {
    MetricSet metrics;
    if (name == "everything") {
      metrics = MetricSet::of_paths();
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

}  // namespace warpath::benchmark
