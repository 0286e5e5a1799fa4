#include "tests/ptx/profile.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace warpath::testing::ptx {
namespace {

// What one access of each lane comes to.
Traffic traffic_of(Where where, std::size_t bytes,
                   const std::function<std::uint64_t(std::uint64_t)>& address) {
  std::vector<std::vector<Visit>> lanes;
  for (std::uint64_t lane = 0; lane < 32; ++lane) {
    lanes.push_back({{7, where, Direction::load, address(lane), bytes}});
  }
  KernelProfile profile;
  profile.add_warp(lanes);
  return profile.traffic[where][Direction::load];
}

TEST(PtxProfile, BanksOfSharedMemory) {
  const auto cycles = [](std::size_t bytes, auto address) {
    return traffic_of(Where::shared, bytes, address).wavefronts;
  };
  EXPECT_EQ(cycles(4, [](auto lane) { return 4 * lane; }), 1u);
  EXPECT_EQ(cycles(4, [](auto) { return 64; }), 1u);  // one word for all
  EXPECT_EQ(cycles(4, [](auto lane) { return 8 * lane; }), 2u);
  EXPECT_EQ(cycles(4, [](auto lane) { return 128 * lane; }), 32u);
  EXPECT_EQ(cycles(1, [](auto lane) { return lane; }), 1u);
  EXPECT_EQ(cycles(8, [](auto lane) { return 8 * lane; }), 2u);
  EXPECT_EQ(cycles(16, [](auto lane) { return 16 * lane; }), 4u);
  EXPECT_EQ(cycles(16, [](auto lane) { return 128 * lane; }), 32u);
}

TEST(PtxProfile, LinesAndSectorsOfGlobalMemory) {
  const auto expect = [](std::size_t bytes, auto address, unsigned lines, unsigned sectors) {
    const Traffic t = traffic_of(Where::global, bytes, address);
    EXPECT_EQ(t.requests, 1u);
    EXPECT_EQ(t.wavefronts, lines);
    EXPECT_EQ(t.sectors, sectors);
  };
  expect(
      4, [](auto lane) { return 1024 + 4 * lane; }, 1, 4);
  expect(
      4, [](auto lane) { return 1088 + 4 * lane; }, 2, 4);
  expect(
      2, [](auto lane) { return 1024 + 2 * lane; }, 1, 2);
  expect(
      16, [](auto lane) { return 1024 + 16 * lane; }, 4, 16);
  expect(
      4, [](auto lane) { return 4096 * lane; }, 32, 32);
}

TEST(PtxProfile, LanesMeetAtTheSameInstructionForTheSameTime) {
  KernelProfile profile;
  const Visit first{1, Where::global, Direction::store, 0, 4};
  const Visit second{2, Where::global, Direction::store, 4, 4};
  profile.add_warp({{first, second, first}, {second, first}, {}});
  EXPECT_EQ(profile.traffic[Where::global][Direction::store].requests, 3u);
  EXPECT_EQ(profile.traffic[Where::global][Direction::load].requests, 0u);
}

}  // namespace
}  // namespace warpath::testing::ptx
