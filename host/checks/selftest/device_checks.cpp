#include "host/checks/selftest/device_checks.hpp"

#include <stdexcept>
#include <string>

#include "host/checks/compare.hpp"
#include "host/checks/order.hpp"
#include "host/checks/selftest/device_workloads.hpp"
#include "host/checks/selftest/resident_checks.hpp"
#include "host/checks/selftest/reward_checks.hpp"
#include "host/checks/selftest/walk_checks.hpp"
#include "host/core/base/progress.hpp"
#include "host/core/batch/distance_tables.hpp"
#include "host/core/cpu/backend.hpp"
#include "host/core/cpu/points.hpp"
#include "host/core/cuda/backend.hpp"
#include "host/core/cuda/points.hpp"

namespace warpath::selftest {

using namespace checks;

namespace {

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
    order_.add(compare_values_and_statuses(in_order(other, order), expected, metrics));
    check_totals(batch, tables, convention, options);
    return compare_values_and_statuses(got, expected, metrics);
  }

  std::vector<Check> results() const {
    return {counted("same bits: order of pairs, every kernel", order_),
            counted("same bits: totals, every kernel", totals_)};
  }

 private:
  void check_totals(const PairBatch& batch, const batch::DistanceTables& tables,
                    const Convention& convention, const cuda::Options& options) {
    const BatchStatistics expected =
        cpu::statistics(batch, tables, convention, {.metrics = options.metrics});
    try {
      totals_.add(compare_statistics(cuda::statistics(device_, batch, tables, convention, options),
                                     expected));
    } catch (const std::overflow_error&) {  // by values that no kernel should have written
      totals_.add(false);
    }
  }

  cuda::Device& device_;
  Random random_;
  Mismatches order_, totals_;
};

Check check_points_on(cuda::Device& device, Random& random, std::size_t pairs) {
  Mismatches found;
  const std::size_t lengths[] = {1, 9, 64, 65, 256, 257, 600, 4097};
  const PointBatch batch = point_pairs(random, lengths, pairs / 200 + 2);
  for (const auto& [metrics, convention] : requests()) {
    found.add(
        compare_values_and_statuses(cuda::score(device, batch, convention, {.metrics = metrics}),
                                    cpu::score(batch, convention, {.metrics = metrics}), metrics));
  }
  return counted("same bits: points, every kernel", found);
}

}  // namespace

std::vector<Check> check_device(cuda::Device& device, std::size_t pairs, std::uint64_t seed) {
  Random random(seed);
  const std::vector<DeviceWorkload> all = device_workloads(random, pairs);
  ViewpointChecks viewpoints(device, seed);
  base::Progress progress("testing the kernels", all.size() + 5, "kinds of batches");
  std::vector<Check> checks;
  for (const DeviceWorkload& w : all) {
    Mismatches found;
    for (const Request& request : requests()) {
      found.add(viewpoints.check(w.made.batch, w.small_batch, request));
    }
    checks.push_back(counted("same bits: " + w.name, found));
    progress.add();
  }
  for (const Check& check : viewpoints.results()) checks.push_back(check);
  checks.push_back(check_points_on(device, random, pairs));
  progress.add();
  checks.push_back(check_walks(device, pairs, seed));
  progress.add();
  checks.push_back(check_rewards(device, pairs, seed));
  progress.add();
  checks.push_back(check_point_rewards(device, pairs / 10 + 1, seed));
  progress.add();
  for (const Check& check : check_resident(device, pairs, seed)) checks.push_back(check);
  progress.add();
  return checks;
}

}  // namespace warpath::selftest
