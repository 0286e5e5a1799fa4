// Tests the order in which rollouts are rewarded, and that rewards do not depend on it.

#include <gtest/gtest.h>

#include <deque>
#include <span>
#include <string>
#include <vector>

#include "host/checks/scans.hpp"
#include "host/core/batch/check_views.hpp"
#include "host/core/cpu/cpu_kernels.hpp"
#include "host/core/cpu/own_tables.hpp"
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
  cpu::sort_by_key(InOrder{2, 0, 2, 1, 0}, rollouts);
  EXPECT_EQ(rollouts, (InOrder{3, 4, 1, 7, 9}));
}

TEST(RewardOrder, BringsRolloutsOfAReferenceTogether) {
  const std::vector<std::int32_t> lengths = {5, 5, 5, 5, 4, 4, 4, 4};
  const Layout layout{.lengths = lengths.data(), .pitch = 9, .max_length = 9};
  const InOrder by_length = {0, 1, 2, 3, 4, 5, 6, 7}, references = {9, 2, 9, 2, 9, 2, 9, 2};
  InOrder rollouts = by_length;
  EXPECT_TRUE(cpu::order_by_reference(references, batch::view_of(layout), 4, rollouts));
  EXPECT_EQ(rollouts, (InOrder{0, 2, 4, 6, 1, 3, 5, 7})) << "9 and 2 are 1 and 2 of eight keys";
  rollouts = by_length;
  EXPECT_FALSE(cpu::order_by_reference(InOrder{9, 2, 9, 2, 7, 7, 9, 2}, batch::view_of(layout), 4,
                                       rollouts));
  EXPECT_EQ(rollouts, by_length) << "too few have the same";
}

TEST(RewardOrder, DoesNotLetLanesWait) {
  const std::vector<std::int32_t> lengths = {9, 9, 9, 9, 1, 1, 1, 1};
  const Layout layout{.lengths = lengths.data(), .pitch = 9, .max_length = 9};
  const InOrder by_length = {0, 1, 2, 3, 4, 5, 6, 7};
  InOrder rollouts = by_length;
  EXPECT_FALSE(cpu::order_by_reference(InOrder{0, 1, 0, 1, 0, 1, 0, 1}, batch::view_of(layout), 4,
                                       rollouts));
  EXPECT_EQ(rollouts, by_length) << "18 columns in place of 10";
}

// Rewards rollouts together, and some of them alone, by every instruction set.
void expect_same_bits(const RewardWorld& world, const char* preset) {
  const rewards::RewardTables tables(world.scan_list, world.references, world.scan_of,
                                     find_reward_preset(preset).settings, {});
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

TEST(RewardOrder, LeavesTheBits) {
  expect_same_bits(
      make_reward_world(
          run_seed() + 980,
          {.references = 60, .rollouts = 1500, .max_query = 20, .max_viewpoints = 1000}),
      "hamt");
}

TEST(RewardOrder, LeavesTheBitsWhereReferencesAreShared) {
  const RewardWorld world = make_reward_world(run_seed() + 981, {.references = 25,
                                                                 .rollouts = 800,
                                                                 .max_reference = 16,
                                                                 .max_query = 60,
                                                                 .max_viewpoints = 50});
  expect_same_bits(world, "hamt");
  expect_same_bits(world, "etp-r1-rxr");
}

class OwnTables : public ::testing::Test {
 protected:
  // Returns the kernels of the first instruction set whose lanes transpose; null: there is none.
  static const cpu::CpuKernels* kernels() {
    for (const cpu::CpuKernels* isa : cpu::usable_kernels()) {
      if (isa->score_shared != nullptr) return isa;
    }
    return nullptr;
  }

  void SetUp() override {
    if (kernels() == nullptr) GTEST_SKIP() << "no instruction set here has lanes that transpose";
  }

  const RewardWorld world = make_reward_world(run_seed() + 982, {.references = 200,
                                                                 .rollouts = 1,
                                                                 .max_reference = 16,
                                                                 .max_query = 5,
                                                                 .max_viewpoints = 40});
  const rewards::RewardTables tables{
      world.scan_list, world.references, world.scan_of, find_reward_preset("hamt").settings, {}};

  // Returns the first references on scans that are, or are not, symmetric. Two scans of six have
  // edges of one length, so they are.
  InOrder on_scans(bool symmetric, std::size_t count) const {
    InOrder found;
    for (std::uint32_t r = 0; r < tables.references.size() && found.size() < count; ++r) {
      if (tables.distances.is_symmetric(tables.scan_of[r]) == symmetric) found.push_back(r);
    }
    return found;
  }
};

TEST_F(OwnTables, HaveTheDistancesOfTheScans) {
  cpu::OwnTables own(tables, *kernels());
  InOrder references = on_scans(true, 5);
  references[3] = references[1];
  ASSERT_TRUE(own.make(references, 1000, 16));
  for (std::size_t lane = 0; lane < references.size(); ++lane) {
    const std::uint32_t r = references[lane], scan = tables.scan_of[r];
    const auto path = tables.references[r];
    for (std::uint32_t v = 0; v < tables.viewpoints(r); ++v) {
      const float* row = own.data() + (static_cast<std::size_t>(own.first()[lane]) + v) * 16;
      for (std::size_t i = 0; i < path.size(); ++i) {
        ASSERT_TRUE(
            same_bits(row[16 - path.size() + i], tables.distances.distance(scan, v, path[i])))
            << "lane " << lane << ", viewpoint " << v << ", row " << i << ", seed " << run_seed();
      }
    }
  }
}

TEST_F(OwnTables, AreMadeWhereTheySaveTime) {
  cpu::OwnTables own(tables, *kernels());
  const InOrder all = on_scans(true, 17), lanes(all.begin(), all.begin() + 16);
  ASSERT_EQ(all.size(), 17U);
  EXPECT_FALSE(own.make(lanes, 1, 4)) << "few distances of many references";
  EXPECT_FALSE(own.make(lanes, 1000, 32)) << "references in strips";
  EXPECT_TRUE(own.make(lanes, 1000, 16));
  EXPECT_TRUE(own.make(InOrder{all[5], all[5], all[9]}, 1, 4)) << "they are there";
  EXPECT_FALSE(own.make(InOrder{all[5], all[16]}, 1, 4)) << "one is not";
  EXPECT_FALSE(own.make(InOrder{all[5]}, 1, 4)) << "nor are the others any more";
  for (const std::uint32_t r : on_scans(false, 1)) {
    EXPECT_FALSE(own.make(InOrder{all[0], r}, 1000, 16)) << "not symmetric";
  }
}

}  // namespace
}  // namespace warpath::testing
