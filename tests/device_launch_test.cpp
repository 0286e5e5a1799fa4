// What the launchers answer, with or without a device: which kernels are compiled, and that a
// machine without one gets a code.

#ifdef WARPATH_HAS_CUDA

#include <gtest/gtest.h>

#include "kernels/launch.hpp"

namespace warpath::testing {
namespace {

using namespace kernels;

constexpr int success = 0, invalid_value = 1;  // cudaSuccess, cudaErrorInvalidValue
constexpr Parts every_parts[] = {Parts::goal, Parts::dtw, Parts::five, Parts::all_edges,
                                 Parts::all_viewpoints};

TEST(DeviceLaunch, EveryKernelThatAShapeNamesIsCompiled) {
  for (const Parts parts : every_parts) {
    for (const TileKernel kernel :
         {TileKernel::shared_table, TileKernel::plain_table, TileKernel::shared_reference}) {
      for (int n = 1; n <= 40; ++n) {
        const int rows = tile_rows(kernel, parts, n);
        EXPECT_EQ(score_tiles(TileView{}, kernel, parts, rows, nullptr),
                  rows == 0 ? invalid_value : success)
            << n;
      }
    }
    for (const int n : {1, 16, 17, 256, 257}) {
      const GroupShape nodes = group_shape(n, false), points = group_shape(n, true);
      EXPECT_EQ(score_groups(GroupView<std::uint16_t>{}, nodes, parts, nullptr), success) << n;
      EXPECT_EQ(score_points(GroupView<DevicePoint>{}, points, parts, nullptr), success) << n;
    }
  }
  EXPECT_EQ(pack_tiles(PackView<std::uint8_t>{}, nullptr), success);
  EXPECT_EQ(pack_tiles(PackView<std::uint16_t>{}, nullptr), success);
}

TEST(DeviceLaunch, KernelsThatAreNotCompiled) {
  EXPECT_EQ(score_tiles(TileView{}, TileKernel::shared_table, Parts::dtw, 7, nullptr),
            invalid_value);
  EXPECT_EQ(score_tiles(TileView{}, TileKernel::plain_table, Parts::dtw, 6, nullptr),
            invalid_value);
  EXPECT_EQ(score_tiles(TileView{}, TileKernel::shared_table, Parts::goal, 1, nullptr),
            invalid_value);
  EXPECT_EQ(score_points(GroupView<DevicePoint>{}, GroupShape::lanes_4, Parts::dtw, nullptr),
            invalid_value);
}

TEST(DeviceLaunch, WithoutADeviceACode) {
  unsigned floats = 0;
  const int code = largest_shared_floats(floats);
  if (code == success) GTEST_SKIP() << "there is a device";
  EXPECT_EQ(floats, 0u);
  TileView tiles{};
  tiles.slice_count = 1;
  EXPECT_EQ(score_tiles(tiles, TileKernel::shared_table, Parts::dtw, 8, nullptr), code);
  GroupView<DevicePoint> points{};
  points.count = points.border_groups = 1;
  EXPECT_EQ(score_points(points, GroupShape::lanes_8, Parts::dtw, nullptr), code);
  PackView<std::uint8_t> paths{};
  paths.slots = 1;
  EXPECT_EQ(pack_tiles(paths, nullptr), code);
}

}  // namespace
}  // namespace warpath::testing

#endif
