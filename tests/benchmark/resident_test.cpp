// Tests that the kernels' rate is measured over everything on the device, with enough repetitions.

#include "host/checks/benchmark/resident.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "tests/support/fake_device.hpp"
#include "tests/support/pair_cases.hpp"
#include "tests/support/point_cases.hpp"

namespace warpath::testing {
namespace {

TEST(ResidentRate, RepeatsUntilWaitsHardlyCount) {
  int most = 0;
  const auto again = [&most](int times) {
    most = std::max(most, times);
    std::this_thread::sleep_for(times * std::chrono::microseconds(200));
  };
  const benchmark::ResidentRate rate = benchmark::resident_rate(300, 0.001, again);
  EXPECT_EQ(rate.pairs, 300u);
  EXPECT_GT(rate.per_second.median, 0.0);
  EXPECT_LE(rate.per_second.median, 300 / 0.0002) << "no sleep is shorter";
  EXPECT_GT(most, 1) << "waits weigh too much";
}

TEST(ResidentRate, TimesOneChunkOfViewpointsThatFitsTheMemory) {
  RandomBatch made(run_seed() + 110);
  made.add_pairs(20'000, 4, 4);
  const PairBatch& batch = made.batch();
  const batch::DistanceTables tables(batch.scans, {});
  const MetricSet metrics = MetricSet().insert(Metric::NE);
  for (const bool fits : {true, false}) {
    FakeDevice device(run_seed());
    if (!fits) device.capacity = std::size_t{2} << 20;
    const benchmark::ResidentRate rate =
        benchmark::resident_rate(device, batch, tables, metrics, 0.0);
    EXPECT_GT(rate.per_second.median, 0.0);
    EXPECT_EQ(rate.pairs == batch.pairs.size(), fits) << rate.pairs;
    EXPECT_GT(rate.pairs, 0u);
    EXPECT_EQ(device.overlaps(), 0) << "kernels alone";
    EXPECT_EQ(device.leaks(), 0u);
  }
}

// The number of points is not limited: a device is timed only once it is full.
TEST(ResidentRate, TimesAllPointsTogether) {
  PointBatch batch;
  const checks::PointPath path(2000, {1.0, 2.0, 3.0});
  checks::add_path(batch.references, path);
  checks::add_path(batch.references, path);
  checks::add_path(batch.queries, checks::PointPath{{1, 2, 4}});
  for (std::uint32_t k = 0; k < 2200; ++k) batch.pairs.push_back({k % 2, 0});
  FakeDevice device(run_seed());
  const benchmark::ResidentRate rate =
      benchmark::resident_rate(device, batch, MetricSet().insert(Metric::NE), 0.0);
  EXPECT_EQ(rate.pairs, 2200u);
  EXPECT_GT(rate.per_second.median, 0.0);
  EXPECT_EQ(device.leaks(), 0u);
}

}  // namespace
}  // namespace warpath::testing
