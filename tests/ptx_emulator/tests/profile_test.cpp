#include "ptx/profile.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace ptx {
namespace {

// Profiles one access of each lane.
Traffic traffic_of(MemorySpace space, std::size_t bytes,
                   const std::function<std::uint64_t(std::uint64_t)>& address) {
  std::vector<std::vector<MemoryAccess>> lanes;
  for (std::uint64_t lane = 0; lane < 32; ++lane) {
    lanes.push_back({{7, space, Direction::load, address(lane), bytes}});
  }
  KernelProfile profile;
  profile.add_warp(lanes);
  return profile.traffic[space][Direction::load];
}

TEST(PtxProfile, CountsCyclesByBanksOfSharedMemory) {
  const auto cycles = [](std::size_t bytes, auto address) {
    return traffic_of(MemorySpace::shared, bytes, address).wavefronts;
  };
  EXPECT_EQ(cycles(4, [](auto lane) { return 4 * lane; }), 1u);
  EXPECT_EQ(cycles(4, [](auto) { return 64; }), 1u);  // the same word for all
  EXPECT_EQ(cycles(4, [](auto lane) { return 8 * lane; }), 2u);
  EXPECT_EQ(cycles(4, [](auto lane) { return 128 * lane; }), 32u);
  EXPECT_EQ(cycles(1, [](auto lane) { return lane; }), 1u);
  EXPECT_EQ(cycles(8, [](auto lane) { return 8 * lane; }), 2u);
  EXPECT_EQ(cycles(16, [](auto lane) { return 16 * lane; }), 4u);
  EXPECT_EQ(cycles(16, [](auto lane) { return 128 * lane; }), 32u);
}

TEST(PtxProfile, CountsLinesAndSectorsOfGlobalMemory) {
  const auto expect = [](std::size_t bytes, auto address, unsigned lines, unsigned sectors) {
    const Traffic t = traffic_of(MemorySpace::global, bytes, address);
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

TEST(PtxProfile, CountsTheNthAccessesOfOneInstructionAsOneRequest) {
  KernelProfile profile;
  const MemoryAccess first{1, MemorySpace::global, Direction::store, 0, 4};
  const MemoryAccess second{2, MemorySpace::global, Direction::store, 4, 4};
  profile.add_warp({{first, second, first}, {second, first}, {}});
  EXPECT_EQ(profile.traffic[MemorySpace::global][Direction::store].requests, 3u);
  EXPECT_EQ(profile.traffic[MemorySpace::global][Direction::load].requests, 0u);
}

}  // namespace
}  // namespace ptx
