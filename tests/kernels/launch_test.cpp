// Tests the launchers' answers, with or without a device: which kernels are compiled, and that a
// machine without a device gets an error code.

#ifdef WARPATH_HAS_CUDA

#include <gtest/gtest.h>

#include "kernels/launch/pack_pairs_launch.hpp"
#include "kernels/launch/statistics_launch.hpp"
#include "kernels/launch/walks_launch.hpp"

namespace warpath::testing {
namespace {

using namespace kernels;

constexpr int success = 0, invalid_value = 1;  // cudaSuccess, cudaErrorInvalidValue
// Sets that the device has kernels for.
constexpr QuantitySet every_quantity_set[] = {QuantitySet::goal, QuantitySet::dtw,
                                              QuantitySet::alignment, QuantitySet::all_edges,
                                              QuantitySet::all_viewpoints};

TEST(DeviceLaunch, CompilesEveryKernelThatAShapeNames) {
  for (const QuantitySet set : every_quantity_set) {
    for (const TileKernel kernel :
         {TileKernel::shared_table, TileKernel::plain_table, TileKernel::shared_reference,
          TileKernel::replicated_reference}) {
      for (int n = 1; n <= 40; ++n) {
        const int rows = tile_rows(kernel, set, n);
        EXPECT_EQ(score_tiles(TileView{}, kernel, set, rows, nullptr),
                  rows == 0 ? invalid_value : success)
            << n;
      }
    }
    for (int rows = 0; rows <= 24; rows += 4) {
      const bool exists = CoarseRows::has(rows) && set == walk_set(set);
      for (const bool replicated : {true, false}) {
        EXPECT_EQ(score_walks(WalkView{}, replicated, set, rows, nullptr),
                  exists ? success : invalid_value)
            << rows;
      }
    }
    for (const int n : {1, 16, 17, 256, 257}) {
      const GroupShape nodes = group_shape(n, false), points = group_shape(n, true);
      EXPECT_EQ(score_groups(GroupView{}, nodes, set, nullptr), success) << n;
      EXPECT_EQ(score_points(PointView{}, points, set, nullptr), success) << n;
      EXPECT_EQ(score_group_slices(GroupSliceView{}, nodes, set, nullptr),
                has_shared_table_kernel(nodes) ? success : invalid_value)
          << n;
    }
  }
  EXPECT_EQ(pack_tiles(PackView{}, nullptr), success);
  EXPECT_EQ(make_all_terms(TermsView{}, nullptr), success);
  EXPECT_EQ(make_all_keys(KeyView{}, nullptr), success);
  EXPECT_EQ(aggregate(AggregateView{}, nullptr), success);
  EXPECT_EQ(place_all_pairs(PlaceView{}, nullptr), success);
}

TEST(DeviceLaunch, RefusesTooLittleScratchMemoryAndTooManyElements) {
  constexpr std::uint32_t too_many = 0x7fffffff;
  int scratch = 0;
  for (const std::uint32_t count : {0u, 100u}) {
    SortView sort{};
    RunsView runs{};
    sort.count = runs.count = count;
    EXPECT_EQ(sort_pairs(sort, {}, nullptr), invalid_value);
    EXPECT_EQ(find_runs(runs, {}, nullptr), invalid_value);
    EXPECT_EQ(exclusive_sum(LengthSumView{{}, nullptr, count}, {}, nullptr), invalid_value);
    EXPECT_EQ(exclusive_sum(TileSumView{nullptr, nullptr, count}, {}, nullptr), invalid_value);
  }
  const LengthSumView lengths{{}, nullptr, too_many};
  EXPECT_EQ(exclusive_sum(lengths, {&scratch, 4}, nullptr), invalid_value);
  std::size_t bytes = 1;
  EXPECT_EQ(scratch_bytes(too_many, bytes), invalid_value);
  EXPECT_EQ(bytes, 0u);
}

TEST(DeviceLaunch, RefusesKernelsThatAreNotCompiled) {
  EXPECT_EQ(score_tiles(TileView{}, TileKernel::shared_table, QuantitySet::dtw, 7, nullptr),
            invalid_value);
  EXPECT_EQ(score_tiles(TileView{}, TileKernel::plain_table, QuantitySet::dtw, 6, nullptr),
            invalid_value);
  EXPECT_EQ(score_tiles(TileView{}, TileKernel::shared_table, QuantitySet::goal, 1, nullptr),
            invalid_value);
  EXPECT_EQ(score_points(PointView{}, GroupShape::lanes_4, QuantitySet::dtw, nullptr),
            invalid_value);
}

TEST(DeviceLaunch, ReturnsAnErrorCodeWithoutADevice) {
  unsigned floats = 0;
  const int code = max_shared_floats(floats);
  if (code == success) GTEST_SKIP() << "there is a device";
  EXPECT_EQ(floats, 0u);
  TileView tiles{};
  tiles.max_slices = 1;
  EXPECT_EQ(score_tiles(tiles, TileKernel::shared_table, QuantitySet::dtw, 8, nullptr), code);
  PointView points{};
  points.count = points.border_groups = 1;
  EXPECT_EQ(score_points(points, GroupShape::lanes_8, QuantitySet::dtw, nullptr), code);
  GroupSliceView slices{};
  slices.max_slices = slices.groups.border_groups = 1;
  EXPECT_EQ(score_group_slices(slices, GroupShape::lanes_8, QuantitySet::dtw, nullptr), code);
  PackView paths{};
  paths.tiles = 1;
  EXPECT_EQ(pack_tiles(paths, nullptr), code);
  TermsView terms{};
  terms.count = 1;
  EXPECT_EQ(make_all_terms(terms, nullptr), code);
  KeyView keys{};
  keys.pairs.count = 1;
  EXPECT_EQ(make_all_keys(keys, nullptr), code);
  EXPECT_EQ(plan_all_runs(PlanView{}, nullptr), code);
  PlaceView places{};
  places.pairs.count = 1;
  EXPECT_EQ(place_all_pairs(places, nullptr), code);
  AggregateView results{};
  results.count = 1;
  EXPECT_EQ(aggregate(results, nullptr), code);
  std::size_t bytes = 1;
  EXPECT_NE(scratch_bytes(1, bytes), success);
  EXPECT_EQ(bytes, 0u);
  EXPECT_NE(can_run_kernels(), success);
}

}  // namespace
}  // namespace warpath::testing

#endif
