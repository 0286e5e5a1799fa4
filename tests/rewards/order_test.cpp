// Tests the order in which rollouts are rewarded, and that rewards do not depend on it.

#include <gtest/gtest.h>

#include <deque>
#include <span>
#include <string>
#include <vector>

#include "host/checks/scans.hpp"
#include "host/core/batch/check_views.hpp"
#include "host/core/cpu/cpu_kernels.hpp"
#include "host/core/cpu/reward_order.hpp"
#include "host/core/cpu/rewards.hpp"
#include "tests/support/pair_cases.hpp"
#include "tests/support/reward_cases.hpp"

namespace warpath::testing {
namespace {

using InOrder = std::vector<std::uint32_t>;

TEST(RewardOrder, HasTheLongestFirst) {
  const std::vector<std::int32_t> lengths = {3, 9, 0, 9, 4};
  const Layout layout{.lengths = lengths.data(), .pitch = 9, .max_length = 9};
  const kernels::PathLayout view = batch::view_of(layout);
  EXPECT_EQ(cpu::order_by_length(5, view, nullptr), (InOrder{1, 3, 4, 0, 2}));
  const std::uint8_t active[] = {1, 0, 0, 1, 1};
  EXPECT_EQ(cpu::order_by_length(5, view, active), (InOrder{3, 4, 0}));
  const std::uint8_t none[5] = {};
  EXPECT_EQ(cpu::order_by_length(5, view, none), InOrder{});
}

batch::DistanceTables tables_of(std::span<const std::size_t> viewpoints) {
  std::deque<Scan> scans;
  std::vector<const Scan*> list;
  checks::Random random(run_seed());
  for (const std::size_t n : viewpoints) {
    scans.push_back(checks::random_scan(random, "scan" + std::to_string(scans.size()), n));
    list.push_back(&scans.back());
  }
  return {list, Convention{}};
}

TEST(RewardOrder, HasWindowsThatStayInTheCache) {
  // 300 viewpoints have 90,300 entries, and a window has room for 131,072.
  constexpr std::size_t large[] = {100, 150, 300, 20, 300, 20}, small[] = {100, 150, 200};
  EXPECT_EQ(cpu::windows_of_scans(tables_of(large), 48), (InOrder{0, 0, 0, 0, 1, 1}));
  EXPECT_EQ(cpu::windows_of_scans(tables_of(large), 31), InOrder{}) << "too few come together";
  EXPECT_EQ(cpu::windows_of_scans(tables_of(small), 48), InOrder{}) << "all stay in the cache";
  EXPECT_EQ(cpu::windows_of_scans(batch::DistanceTables(), 48), InOrder{});
}

TEST(RewardOrder, KeepsTheOrderOfAWindow) {
  InOrder rollouts = {7, 3, 9, 1, 4};
  cpu::sort_by_window(InOrder{2, 0, 2, 1, 0}, rollouts);
  EXPECT_EQ(rollouts, (InOrder{3, 4, 1, 7, 9}));
}

TEST(RewardOrder, LeavesTheBits) {
  const RewardWorld world = make_reward_world(
      run_seed() + 980,
      {.references = 60, .rollouts = 1500, .max_query = 20, .max_viewpoints = 1000});
  const rewards::RewardTables tables(world.scan_list, world.references, world.scan_of,
                                     find_reward_preset("hamt").settings, {});
  const HostRollouts host(world.rollouts, {}, false);
  for (const cpu::CpuKernels* isa : cpu::usable_kernels()) {
    const cpu::Rewarder rewarder(tables, 2, isa);
    RewardResults got(host.size());
    rewarder.compute(host.batch(), got.arrays());
    for (std::size_t k = 0; k < world.rollouts.size(); k += 7) {
      const HostRollouts alone({world.rollouts[k]}, {}, false);
      RewardResults want(alone.size());
      rewarder.compute(alone.batch(), want.arrays());
      for (std::size_t t = 0; t < world.rollouts[k].nodes.size(); ++t) {
        ASSERT_TRUE(same_bits(got.reward[host.at(k, t)], want.reward[t]))
            << isa->name << ", rollout " << k << ", column " << t << ", seed " << run_seed();
      }
    }
  }
}

}  // namespace
}  // namespace warpath::testing
