// Tests which kernels a batch may need, how much room its pairs take, and what the command line
// needs of a device.

#include "host/core/cuda/plan.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "host/checks/benchmark/bandwidth.hpp"
#include "host/checks/benchmark/benchmark.hpp"
#include "host/core/scorer/break_even.hpp"
#include "kernels/views/kernel_choice.hpp"
#include "tests/support/fake_device.hpp"
#include "tests/support/files.hpp"
#include "tests/support/pair_cases.hpp"

namespace warpath::testing {
namespace {

using namespace kernels;

std::vector<ScanTable> scans_of_sizes(std::initializer_list<int> viewpoints) {
  std::vector<ScanTable> scans;
  for (const int n : viewpoints) scans.push_back({0, table_pitch(n), n});
  return scans;
}

// 232,448 bytes of shared memory for a block, as an H200 has: tables of up to 118, 168 and 240
// viewpoints fit four times, twice and once.
constexpr unsigned h200_floats = 232'448 / 4;

TEST(CudaDispatch, TellsScansApartByHowManyTablesFitAtOnce) {
  DispatchPolicy policy{};
  cuda::set_scan_sizes(policy, scans_of_sizes({20, 117, 118, 119, 166, 240, 241, 3000}),
                       h200_floats);
  EXPECT_EQ(policy.max_viewpoints[0], 118u);
  EXPECT_EQ(policy.max_viewpoints[1], 166u);
  EXPECT_EQ(policy.max_viewpoints[2], 240u);
  cuda::set_scan_sizes(policy, scans_of_sizes({119}), h200_floats);
  EXPECT_EQ(policy.max_viewpoints[0], 0u);
  EXPECT_EQ(policy.max_viewpoints[1], 119u);
  const KernelChoice one{KernelId::shared_table, 12, 1};
  EXPECT_EQ(choose_kernel({QuantitySet::dtw, false, false, {0, 119, 0}}, 11, 9, 119), one);
}

TEST(CudaDispatch, NumbersEveryKernelOnce) {
  for (std::uint32_t number = 0; number < kernel_numbers; ++number) {
    const KernelChoice choice = choice_of(number);
    EXPECT_EQ(number_of(choice), number);
    EXPECT_EQ(rows_of(number), choice.rows);
    EXPECT_EQ(in_tiles(number), in_tiles(choice.target));
    EXPECT_EQ(by_reference(number), choice.target == KernelId::shared_reference ||
                                        choice.target == KernelId::replicated_reference)
        << number;
  }
}

TEST(CudaDispatch, ReplicatesRowsThatFitForEveryScan) {
  EXPECT_EQ(cuda::max_replicated_rows(scans_of_sizes({20, 302}), h200_floats), 20);
  EXPECT_EQ(cuda::max_replicated_rows(scans_of_sizes({20, 303}), h200_floats), 16);
  EXPECT_EQ(cuda::max_replicated_rows(scans_of_sizes({3000}), h200_floats), 0);
  DispatchPolicy policy{QuantitySet::all_edges, true, false, {100, 150, 200}, 16};
  EXPECT_EQ(choose_kernel(policy, 16, 14, 150).target, KernelId::replicated_reference);
  EXPECT_EQ(choose_kernel(policy, 17, 14, 150).target, KernelId::shared_reference);
  policy.max_replicated_rows = 0;
  EXPECT_EQ(choose_kernel(policy, 8, 14, 150).target, KernelId::shared_reference);
}

// A pair goes to one of the kernels that are started.
TEST(CudaDispatch, ListsTheKernelOfEveryPair) {
  std::mt19937_64 random(run_seed() + 210);
  for (int round = 0; round < 2000; ++round) {
    const DispatchPolicy policy{round % 7 == 0 ? QuantitySet::goal : QuantitySet::alignment,
                                round % 2 == 0,
                                round % 5 == 0,
                                {100, 150, 200},
                                round % 3 == 0 ? 12 : 0};
    const auto n = 1 + static_cast<std::uint32_t>(below(random, 500));
    const auto max_query = 1 + static_cast<std::uint32_t>(below(random, 2000));
    const auto m = 1 + static_cast<std::uint32_t>(below(random, max_query));
    const auto viewpoints = static_cast<std::uint32_t>(below(random, 300));
    const std::uint32_t number =
        number_of(choose_kernel(policy, static_cast<int>(n), static_cast<int>(m), viewpoints));
    cuda::Dispatch dispatch;
    dispatch.policy = policy;
    const cuda::KernelNumbers numbers[] = {cuda::kernels_for(policy, n, max_query, viewpoints)};
    dispatch.set_kernels(numbers, 5);
    EXPECT_TRUE(std::ranges::count(dispatch.kernels, number) == 1) << number;
    EXPECT_EQ(dispatch.max_runs, dispatch.kernels.size() + (policy.by_reference ? 5 : 0) + 2);
    EXPECT_GE(dispatch.max_rows(), static_cast<std::uint32_t>(rows_of(number)));
    EXPECT_TRUE(in_tiles(number) ? dispatch.has_tiles() : dispatch.has_groups());
  }
}

TEST(CudaBreakEven, FindsTheSizeFromWhichTheDeviceIsFaster) {
  const auto cpu = [](std::size_t pairs) { return static_cast<double>(pairs); };
  const auto cuda = [](std::size_t pairs) { return 20'000.0 + 0.1 * static_cast<double>(pairs); };
  EXPECT_EQ(benchmark::find_break_even(cpu, cuda), std::size_t{1} << 15);
  EXPECT_EQ(benchmark::find_break_even(cpu, [](std::size_t) { return 0.0; }), std::size_t{1} << 10);
  EXPECT_EQ(benchmark::find_break_even([](std::size_t) { return 0.0; }, cuda),
            std::size_t{1} << 22);
}

TEST(CudaBreakEven, IsSavedForTheUser) {
  const TemporaryFolder folder;
  const char* before = std::getenv("XDG_CACHE_HOME");
  const std::string old = before != nullptr ? before : "";
  setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
  EXPECT_EQ(scorer::break_even(), 1'000'000u);
  const std::string file = scorer::save_break_even(12'345);
  EXPECT_TRUE(std::filesystem::exists(file));
  EXPECT_EQ(scorer::break_even(), 12'345u);
  before != nullptr ? setenv("XDG_CACHE_HOME", old.c_str(), 1) : unsetenv("XDG_CACHE_HOME");
}

TEST(CudaBandwidth, TimesEveryCopyAndReleasesItsMemory) {
  FakeDevice device(run_seed());
  const benchmark::Bandwidth bandwidth = benchmark::measure_bandwidth(device, 1 << 16);
  for (const double rate : {bandwidth.upload, bandwidth.download, bandwidth.fill})
    EXPECT_GT(rate, 0);
  EXPECT_EQ(device.leaks(), 0u);
}

}  // namespace
}  // namespace warpath::testing
