// Tests that the self-test of the CUDA back end starts every kernel that is compiled, and that it
// sees a wrong result.

#include "host/selftest/device_checks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/each_device.hpp"
#include "tests/support/pair_cases.hpp"

namespace warpath::testing {
namespace {

using namespace kernels;
using selftest::Check;
using selftest::check_device;

constexpr QuantitySet sets[] = {QuantitySet::goal, QuantitySet::dtw, QuantitySet::alignment,
                                QuantitySet::all_edges, QuantitySet::all_viewpoints};
constexpr GroupShape shapes[] = {GroupShape::lanes_4, GroupShape::lanes_8, GroupShape::lanes_32,
                                 GroupShape::chain};

// Names all kernels that score, by the functions that choose them; see launch_test.cpp.
std::vector<std::string> compiled_kernels() {
  std::vector<std::string> names;
  for (const QuantitySet set : sets) {
    for (const TileKernel kernel :
         {TileKernel::shared_table, TileKernel::plain_table, TileKernel::shared_reference}) {
      for (int n = 1; n <= 32; ++n) {
        const int rows = tile_rows(kernel, set, n);
        if (rows > 0) {
          names.push_back(
              kernel_of(cuda::ScoreTiles{.view = {}, .kernel = kernel, .set = set, .rows = rows}));
        }
      }
    }
    for (const GroupShape shape : shapes) {
      names.push_back(kernel_of(cuda::ScoreGroups{.view = {}, .shape = shape, .set = set}));
      if (shape == GroupShape::lanes_4) continue;
      names.push_back(kernel_of(cuda::ScorePoints{.view = {}, .shape = shape, .set = set}));
    }
  }
  return names;
}

TEST(DeviceChecks, StartEveryKernelInTheDefaultSize) {
  FakeDevice device(run_seed());
  const std::vector<Check> checks =
      check_device(device, selftest::SelftestOptions().pairs, run_seed());
  for (const Check& check : checks) {
    EXPECT_TRUE(check.ok) << check.name << ": " << check.worst << " of " << check.cases;
  }
  EXPECT_GT(compiled_kernels().size(), 50u);
  for (const std::string& kernel : compiled_kernels()) {
    EXPECT_GT(device.kernels[kernel], 0) << kernel;
  }
  for (const char* kind : {"aggregate", "bytes"}) EXPECT_GT(device.started[kind], 0) << kind;
}

/// Does nothing in one kind of work.
template <class Left>
class LazyDevice : public FakeDevice {
 public:
  using FakeDevice::FakeDevice;
  void launch(const cuda::Work& work, cuda::Stream stream) override {
    if (!std::holds_alternative<Left>(work)) FakeDevice::launch(work, stream);
  }
};

std::vector<std::string> failed_on(FakeDevice& device) {
  std::vector<std::string> names;
  for (const Check& check : check_device(device, 100, run_seed())) {
    if (!check.ok) names.push_back(check.name);
  }
  return names;
}

TEST(DeviceChecks, FailWhereAKernelDoesNothing) {
  LazyDevice<cuda::ScorePoints> no_points(run_seed());
  EXPECT_EQ(failed_on(no_points), std::vector<std::string>{"same bits: points, every kernel"});
  LazyDevice<AggregateView> no_totals(run_seed());
  EXPECT_EQ(failed_on(no_totals), std::vector<std::string>{"same bits: totals, every kernel"});
  LazyDevice<cuda::ScoreTiles> no_tiles(run_seed());
  const std::vector<std::string> of_tiles = failed_on(no_tiles);
  for (const char* name : {"a thread to a pair", "a thread to a pair, one scan", "a large scan",
                           "shared references", "order of pairs, every kernel"}) {
    EXPECT_EQ(std::ranges::count(of_tiles, std::string("same bits: ") + name), 1) << name;
  }
}

class CudaDeviceChecks : public OnEachDevice {};
WARPATH_ON_EACH_DEVICE(CudaDeviceChecks);

TEST_P(CudaDeviceChecks, PassWithFewPairs) {
  for (const Check& check : check_device(device(run_seed()), 40, run_seed())) {
    EXPECT_TRUE(check.ok) << check.name << ": " << check.worst << " of " << check.cases;
  }
}

}  // namespace
}  // namespace warpath::testing
