#include "host/checks/selftest/device_workloads.hpp"

#include <algorithm>
#include <array>

#include "host/checks/point_pairs.hpp"
#include "host/checks/scans.hpp"

namespace warpath::selftest {

using namespace checks;
using enum Metric;

std::vector<DeviceWorkload> device_workloads(Random& random, std::size_t pairs) {
  const auto uniform = [&](LengthRange reference, std::size_t viewpoints, std::size_t count,
                           std::size_t queries = 1) {
    return uniform_pairs(random, {"", reference, {1, 40}, viewpoints, queries}, count);
  };
  std::vector<DeviceWorkload> all;
  const auto add = [&](std::string name, SyntheticBatch made,
                       std::size_t small_batch = no_batch_is_small) {
    all.push_back({std::move(name), std::move(made), small_batch});
  };
  add("a thread to a pair", adversarial_pairs(random, pairs, true));
  add("threads to a pair", adversarial_pairs(random, pairs, true), every_batch_is_small);
  // Sets of few quantities need scans whose viewpoints all reach each other.
  add("a thread to a pair, one scan", uniform({1, 32}, 150, pairs));
  add("threads to a pair, one scan", uniform({1, 60}, 150, pairs), every_batch_is_small);
  add("a large scan", uniform({1, 20}, 300, pairs));
  add("shared references", uniform({1, 20}, 150, pairs, 40));
  add("replicated references", uniform({1, 20}, 150, pairs, 160));
  add("long references", uniform({33, 1100}, 150, pairs / 50 + 8));
  add("long references, a large scan", uniform({33, 600}, 300, pairs / 50 + 8));
  add("the longest references", uniform({4097, 4200}, 85, pairs / 5000 + 1));
  return all;
}

PointBatch point_pairs(Random& random, std::span<const std::size_t> lengths, std::size_t pairs) {
  PointBatch all;
  for (const std::size_t n : lengths) {
    const std::size_t count = n > 4096 ? std::min<std::size_t>(pairs, 2) : pairs;
    PointBatch some = point_walks(random, {n, 12 + n % 50}, count);
    for (const PointPair& pair : some.pairs) {
      const auto reference = some.references[pair.reference];
      const std::size_t common = pair.query % 2 == 0 ? 0 : std::min<std::size_t>(n, 2);
      std::copy_n(reference.begin(), common,
                  some.queries.elements.begin() +
                      static_cast<std::ptrdiff_t>(some.queries.offsets[pair.query]) + 5);
      all.pairs.push_back(
          {add_path(all.references, reference), add_path(all.queries, some.queries[pair.query])});
    }
  }
  return all;
}

std::vector<Request> requests() {
  Convention edges, viewpoints;
  edges.edit_unit = EditUnit::edges;
  viewpoints.edit_unit = EditUnit::viewpoints;
  return {{MetricSet::of_paths(), edges},
          {MetricSet::of_paths(), viewpoints},
          {MetricSet().insert(DTW).insert(nDTW).insert(PC).insert(AD).insert(MD), edges},
          {MetricSet().insert(DTW), edges},
          {MetricSet().insert(NE).insert(SPL), edges}};
}

}  // namespace warpath::selftest
