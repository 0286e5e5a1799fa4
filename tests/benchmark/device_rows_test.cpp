// Tests the rows of `warpath bench --backend cuda`: each is timed, chosen by name, and leaves
// nothing on the device.

#include "host/checks/benchmark/device_rows.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "host/checks/benchmark/bandwidth.hpp"
#include "host/program/cli/cli.hpp"
#include "tests/support/each_device.hpp"
#include "tests/support/pair_cases.hpp"

namespace warpath::testing {
namespace {

using namespace benchmark;

TEST(Measure, ReturnsMedianAndExtremes) {
  int run = 0;
  const benchmark::Measured found = measure(10, 0.0, [&run] {
    constexpr int milliseconds[] = {1, 30, 2, 8};  // the first run warms up
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds[run++]));
  });
  EXPECT_EQ(run, 4);
  EXPECT_LE(found.low, 10 / 0.030);
  EXPECT_LE(found.median, 10 / 0.008);
  EXPECT_LE(found.high, 10 / 0.002);
  EXPECT_LT(found.low, found.median);
  EXPECT_LT(found.median, found.high);
}

class CudaDeviceRows : public OnEachDevice {
 protected:
  /// Times few pairs of every kind.
  std::vector<DeviceRow> time_all(const std::string& chosen) {
    const BenchOptions options{.backend = Backend::cuda, .seconds = 0.0, .rows = chosen};
    DeviceRows rows(device(run_seed()), options);
    const std::vector<NamedSet> sets = named_sets({"DTW", "ED", "everything"});
    time_viewpoints(rows, {"some 6x7", {6, 6}, {7, 7}, 20}, scaled(1'000'000, 0.0), sets);
    time_points(rows, "points 9x4", {9, 4}, 3, sets);
    time_scans(rows);
    time_rollouts(rows);
    return rows.take();
  }
};
WARPATH_ON_EACH_DEVICE(CudaDeviceRows);

TEST_P(CudaDeviceRows, AreAllTimed) {
  const std::vector<DeviceRow> rows = time_all("");
  std::multiset<std::string> groups;
  for (const DeviceRow& row : rows) {
    groups.insert(row.group);
    EXPECT_GT(row.pairs, 0u) << row.group;
    EXPECT_GT(row.cells, 0.0) << row.group;
    EXPECT_GT(row.per_second.low, 0.0) << row.group;
    EXPECT_LE(row.per_second.low, row.per_second.median) << row.group;
    EXPECT_LE(row.per_second.median, row.per_second.high) << row.group;
  }
  EXPECT_EQ(groups.count("resident"), 6u);
  EXPECT_EQ(groups.count("from the host to scores"), 5u);
  EXPECT_EQ(groups.count("from the host to statistics"), 2u);
  EXPECT_EQ(groups.count("many scans, resident"), 4u);
  EXPECT_EQ(groups.count("rollouts, stream"), 12u);
  EXPECT_EQ(groups.count("rollouts, graph"), 12u);
}

TEST_P(CudaDeviceRows, AreChosenByGroupShapeAndMetrics) {
  const std::vector<DeviceRow> rows = time_all("^resident: .*6x7, (DTW|every)");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].metrics, "DTW");
  EXPECT_EQ(rows[1].metrics, "everything");
  for (const DeviceRow& row : rows) EXPECT_EQ(row.shape, "some 6x7");
}

TEST_P(CudaDeviceRows, LaunchAGraphForTheRolloutsOfThatGroupOnly) {
  EXPECT_EQ(time_all("^rollouts, stream: .*16, nDTW").size(), 3u);
  if (is_fake()) {
    EXPECT_EQ(fake()->started["record"], 0);
  }
  EXPECT_EQ(time_all("^rollouts, graph: .*16, nDTW").size(), 3u);
  expect_started("record");
}

TEST(DeviceRows, MakeNoPairsForRowsThatAreNotAskedFor) {
  FakeDevice device(run_seed());
  const BenchOptions options{.backend = Backend::cuda, .seconds = 0.05, .rows = "^none of them$"};
  DeviceRows rows(device, options);
  const std::clock_t begin = std::clock();
  time_scans(rows);
  time_rollouts(rows);
  time_calls(rows);
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_LT(seconds, 0.2) << "of the processor, for millions of pairs";
  EXPECT_EQ(device.calls(), 0);
  EXPECT_TRUE(rows.take().empty());
}

// Kernels may still run when a call fails, so their memory is released behind them.
TEST(DeviceRows, ReleaseTheirMemoryBehindTheWorkWhereACallFails) {
  for (const char* chosen : {"^rollouts, stream: .*nDTW", "^rollouts, graph: .*nDTW"}) {
    for (int call = 0; call < 60; ++call) {
      FakeDevice device(run_seed());
      device.failing_call = call;
      const BenchOptions options{.backend = Backend::cuda, .seconds = 0.0, .rows = chosen};
      DeviceRows rows(device, options);
      EXPECT_THROW(time_rollouts(rows), FakeFailure) << chosen << ", call " << call;
      EXPECT_EQ(device.leaks(), 0u) << chosen << ", call " << call;
    }
  }
}

TEST(Bandwidth, IsMeasuredAndEveryFailureReported) {
  expect_every_failure_reported([](FakeDevice& device) {
    const Bandwidth found = measure_bandwidth(device, 4096);
    for (const double rate : {found.upload, found.download, found.fill, found.copy}) {
      EXPECT_GT(rate, 0.0);
    }
  });
}

// ---------------------------------------------------------------- the command

TEST(BenchCommand, RefusesToChooseAmongRowsThatOnlyAGpuHas) {
  for (const char* backend : {"cpu", "reference"}) {
    std::ostringstream out, err;
    EXPECT_EQ(cli::run_cli({"bench", "--backend", backend, "--rows", "resident"}, out, err), 2);
    EXPECT_NE(
        err.str().find(std::string("rows, and ") + backend + " has none: give --backend cuda"),
        std::string::npos)
        << err.str();
    EXPECT_EQ(out.str(), "");
  }
}

// The public functions take the machine's own device.
TEST_P(CudaDeviceRows, TimeCallsOfThePublicFunctions) {
  if (is_fake()) GTEST_SKIP() << "public functions find their device themselves";
  const BenchOptions options{.backend = Backend::cuda, .seconds = 0.0};
  DeviceRows rows(device(run_seed()), options);
  time_calls(rows);
  EXPECT_EQ(rows.take().size(), 8u);
}

}  // namespace
}  // namespace warpath::testing
