#include "host/selftest/device_checks.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "host/batch/distance_tables.hpp"
#include "host/cpu/backend.hpp"
#include "host/cpu/points.hpp"
#include "host/cuda/backend.hpp"
#include "host/cuda/points.hpp"
#include "host/io/progress.hpp"
#include "host/selftest/compare.hpp"
#include "host/selftest/compare_points.hpp"
#include "host/selftest/order.hpp"
#include "host/synthetic/pairs.hpp"
#include "host/synthetic/point_paths.hpp"

namespace warpath::selftest {
namespace {

using synthetic::Random;
using synthetic::SyntheticBatch;
using enum Metric;

constexpr std::size_t any_size = 0, no_size = std::numeric_limits<std::size_t>::max();

/// Describes batches that go to certain kernels.
struct DeviceWorkload {
  std::string name;
  SyntheticBatch made;
  std::size_t small_batch;  ///< see cuda::Options
};

std::vector<DeviceWorkload> workloads(Random& random, std::size_t pairs) {
  const auto uniform = [&](synthetic::LengthRange reference, std::size_t viewpoints,
                           std::size_t count, std::size_t queries = 1) {
    return uniform_pairs(random, {"", reference, {1, 40}, viewpoints, queries}, count);
  };
  std::vector<DeviceWorkload> all;
  all.push_back({"a thread to a pair", adversarial_pairs(random, pairs, true), any_size});
  all.push_back({"threads to a pair", adversarial_pairs(random, pairs, true), no_size});
  // Sets of few quantities need scans whose viewpoints all reach each other.
  all.push_back({"a thread to a pair, one scan", uniform({1, 32}, 150, pairs), any_size});
  all.push_back({"threads to a pair, one scan", uniform({1, 60}, 150, pairs), no_size});
  all.push_back({"a large scan", uniform({1, 20}, 300, pairs), any_size});
  all.push_back({"shared references", uniform({1, 20}, 150, pairs, 64), any_size});
  all.push_back({"long references", uniform({33, 1100}, 150, pairs / 50 + 8), any_size});
  all.push_back({"the longest references", uniform({4097, 4200}, 85, pairs / 5000 + 1), any_size});
  return all;
}

/// Names metrics, and the convention that they are computed under.
struct Request {
  MetricSet metrics;
  Convention convention;
};

// Returns requests that between them need every set of quantities (QuantitySet).
std::vector<Request> requests() {
  Convention edges, viewpoints;
  edges.edit_unit = EditUnit::edges;
  viewpoints.edit_unit = EditUnit::viewpoints;
  return {{MetricSet::all(), edges},
          {MetricSet::all(), viewpoints},
          {MetricSet().insert(DTW).insert(nDTW).insert(PC).insert(AD).insert(MD), edges},
          {MetricSet().insert(DTW), edges},
          {MetricSet().insert(NE).insert(SPL), edges}};
}

PairBatch reordered(const PairBatch& batch, const Order& order) {
  PairBatch other{batch.scans, batch.references, batch.queries, {}, {}, {}};
  for (const std::size_t row : order) {
    other.pairs.push_back(batch.pairs[row]);
    other.n_query_raw.push_back(batch.n_query_raw[row]);
    if (!batch.task_success.empty()) other.task_success.push_back(batch.task_success[row]);
  }
  return other;
}

Mismatches same_scores(const Scores& got, const Scores& expected, const MetricSet& metrics) {
  Mismatches found = compare_bits(got, expected, metrics);
  found.add(compare_statuses(got, expected));
  return found;
}

Mismatches same_statistics(const BatchStatistics& got, const BatchStatistics& expected) {
  Mismatches found;
  for (const Metric m : MetricSet::all()) {
    found.add(got.summary.metrics[m] == expected.summary.metrics[m]);
    found.add(got.histograms[m] == expected.histograms[m]);
  }
  found.add(got == expected);
  return found;
}

Check line(const std::string& name, const Mismatches& found) {
  return {"same bits: " + name, found.cases, static_cast<double>(found.count), 0.0,
          found.count == 0 && found.cases > 0};
}

/// Scores batches on the device in several ways, and counts what differs from the CPU's bits.
class ViewpointChecks {
 public:
  ViewpointChecks(cuda::Device& device, std::uint64_t seed) : device_(device), random_(seed) {}

  Mismatches check(const PairBatch& batch, std::size_t small_batch, const Request& request) {
    const auto& [metrics, convention] = request;
    const batch::DistanceTables tables(batch.scans, convention);
    const cuda::Options options{.metrics = metrics, .small_batch = small_batch};
    Scores got, expected;
    cuda::score(device_, batch, tables, convention, options, got);
    cpu::score(batch, tables, convention, {.metrics = metrics}, expected);
    const Order order = random_order(random_, batch.pairs.size());
    Scores other;
    cuda::score(device_, reordered(batch, order), tables, convention, options, other);
    order_.add(same_scores(in_order(other, order), expected, metrics));
    check_totals(batch, tables, convention, options);
    return same_scores(got, expected, metrics);
  }

  std::vector<Check> results() const {
    return {line("order of pairs, every kernel", order_), line("totals, every kernel", totals_)};
  }

 private:
  void check_totals(const PairBatch& batch, const batch::DistanceTables& tables,
                    const Convention& convention, const cuda::Options& options) {
    const BatchStatistics expected =
        cpu::statistics(batch, tables, convention, {.metrics = options.metrics});
    try {
      totals_.add(
          same_statistics(cuda::statistics(device_, batch, tables, convention, options), expected));
    } catch (const std::overflow_error&) {  // by values that no kernel should have written
      totals_.add(false);
    }
  }

  cuda::Device& device_;
  Random random_;
  Mismatches order_, totals_;
};

/// Makes pairs of points for every shape, half of which have two neighbouring points in common.
PointBatch point_pairs(Random& random, std::size_t pairs) {
  PointBatch all;
  const auto add = [](PointSet& paths, std::span<const std::array<double, 3>> path) {
    paths.elements.insert(paths.elements.end(), path.begin(), path.end());
    return paths.end_path();
  };
  for (const std::size_t n : {1, 9, 64, 65, 256, 257, 600, 4097}) {
    PointBatch some = point_walks(random, {n, 12 + n % 50}, n > 4096 ? 2 : pairs / 200 + 2);
    for (const PointPair& pair : some.pairs) {
      const auto reference = some.references[pair.reference];
      const std::size_t common = pair.query % 2 == 0 ? 0 : std::min<std::size_t>(n, 2);
      std::copy_n(reference.begin(), common,
                  some.queries.elements.begin() +
                      static_cast<std::ptrdiff_t>(some.queries.offsets[pair.query]) + 5);
      all.pairs.push_back(
          {add(all.references, reference), add(all.queries, some.queries[pair.query])});
    }
  }
  return all;
}

Check check_points_on(cuda::Device& device, Random& random, std::size_t pairs) {
  Mismatches found;
  const PointBatch batch = point_pairs(random, pairs);
  for (const auto& [metrics, convention] : requests()) {
    found.add(same_scores(cuda::score(device, batch, convention, {.metrics = metrics}),
                          cpu::score(batch, convention, {.metrics = metrics}), metrics));
  }
  return line("points, every kernel", found);
}

}  // namespace

std::vector<Check> check_device(cuda::Device& device, std::size_t pairs, std::uint64_t seed) {
  Random random(seed);
  std::vector<DeviceWorkload> all = workloads(random, pairs);
  ViewpointChecks viewpoints(device, seed);
  Progress progress("testing the kernels", all.size() + 1, "kinds of batches");
  std::vector<Check> checks;
  for (const DeviceWorkload& w : all) {
    Mismatches found;
    for (const Request& request : requests()) {
      found.add(viewpoints.check(w.made.batch, w.small_batch, request));
    }
    checks.push_back(line(w.name, found));
    progress.add();
  }
  for (const Check& check : viewpoints.results()) checks.push_back(check);
  checks.push_back(check_points_on(device, random, pairs));
  progress.add();
  return checks;
}

}  // namespace warpath::selftest
