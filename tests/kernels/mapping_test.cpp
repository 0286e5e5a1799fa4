// Tests which thread takes what, for every block and thread of small grids, and which kernel takes
// a pair.

#include "kernels/bodies/mapping.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/bodies/rows.hpp"
#include "kernels/views/shapes.hpp"

namespace warpath::testing {
namespace {

using namespace kernels;

template <class Fn>
void for_each_thread(std::uint32_t blocks, std::uint32_t threads, const Fn& fn) {
  for (std::uint32_t b = 0; b < blocks; ++b) {
    for (std::uint32_t t = 0; t < threads; ++t) fn(ThreadId{b, blocks, t, threads});
  }
}

TEST(DeviceMapping, TakesEverySlotOfEveryTileOnceByItsLane) {
  const std::uint32_t tiles_of_slice[] = {5, 1, 0, 7, 2, 40, 3};
  for (const std::uint32_t blocks : {1, 2, 3, 7, 20}) {
    for (const std::uint32_t threads : {32, 64, 96, 512}) {
      std::vector<std::vector<int>> taken;
      for (const std::uint32_t tiles : tiles_of_slice) taken.emplace_back(tiles * tile_pairs);
      for_each_thread(blocks, threads, [&](const ThreadId& me) {
        const StridedRange slices = slices_of(me), tiles = tiles_of(me);
        EXPECT_EQ(lane_of(me), me.thread % 32);
        std::uint32_t t = tiles.first;  // goes on from slice to slice
        for (std::uint32_t s = slices.first; s < std::size(tiles_of_slice); s += slices.step) {
          for (; t < tiles_of_slice[s]; t += tiles.step) {
            ++taken[s][t * tile_pairs + lane_of(me)];
          }
          t -= tiles_of_slice[s];
        }
      });
      for (const auto& slice : taken) {
        for (const int times : slice) ASSERT_EQ(times, 1) << blocks << " x " << threads;
      }
    }
  }
}

// Expects W neighbouring threads of one warp to take each pair, rank 0 first, with one border per
// group.
template <int W>
void expect_each_pair_once(std::uint32_t blocks, std::uint32_t threads, std::uint32_t pairs) {
  std::vector<std::vector<ThreadId>> taken(pairs);
  std::vector<std::vector<ThreadId>> border(blocks * threads / W);
  for_each_thread(blocks, threads, [&](const ThreadId& me) {
    const StridedRange share = pairs_of<W>(me);
    ASSERT_LT(share.first, border.size());
    border[share.first].push_back(me);
    for (std::uint32_t p = share.first; p < pairs; p += share.step) taken[p].push_back(me);
  });
  for (const auto& lanes : taken) {
    ASSERT_EQ(lanes.size(), std::size_t{W});
    for (int k = 0; k < W; ++k) {
      ASSERT_EQ(lanes[k].block, lanes[0].block);
      ASSERT_EQ(lanes[k].thread / 32, lanes[0].thread / 32);
      ASSERT_EQ(lanes[k].thread % W, static_cast<std::uint32_t>(k));
    }
  }
  for (const auto& lanes : border) ASSERT_EQ(lanes.size(), std::size_t{W});
}

TEST(DeviceMapping, TakesEveryPairOnceByTheLanesOfAGroup) {
  for (const std::uint32_t blocks : {1, 3, 8}) {
    for (const std::uint32_t threads : {32, 96, 256}) {
      for (const std::uint32_t pairs : {0, 1, 7, 33, 1000}) {
        expect_each_pair_once<1>(blocks, threads, pairs);
        expect_each_pair_once<4>(blocks, threads, pairs);
        expect_each_pair_once<8>(blocks, threads, pairs);
        expect_each_pair_once<32>(blocks, threads, pairs);
      }
    }
  }
}

TEST(DeviceMapping, TakesEveryStripOfEveryPairOnceByAWarpOfOneBlock) {
  constexpr std::uint32_t pairs = 11, strips = 13;
  for (const std::uint32_t blocks : {1, 3, 20}) {
    for (const std::uint32_t threads : {64, 256}) {
      std::vector<std::vector<ThreadId>> taken(pairs * strips);
      for_each_thread(blocks, threads, [&](const ThreadId& me) {
        const StridedRange of_block = pairs_of_block(me), of_warp = strips_of<32>(me);
        EXPECT_EQ(of_warp.step, threads / 32);
        for (std::uint32_t p = of_block.first; p < pairs; p += of_block.step) {
          for (std::uint32_t s = of_warp.first; s < strips; s += of_warp.step) {
            taken[p * strips + s].push_back(me);
          }
        }
      });
      for (std::uint32_t k = 0; k < taken.size(); ++k) {
        ASSERT_EQ(taken[k].size(), 32u);
        for (const ThreadId& lane : taken[k]) {
          ASSERT_EQ(lane.block, taken[k / strips * strips][0].block);
          ASSERT_EQ(lane.thread / 32, k % strips % (threads / 32));
        }
      }
    }
  }
}

TEST(DeviceShapes, UseTheSmallestKernelThatTakesThePair) {
  using enum TileKernel;
  EXPECT_EQ(tile_rows(shared_table, QuantitySet::all_edges, 1), 6);
  EXPECT_EQ(tile_rows(shared_table, QuantitySet::all_edges, 7), 8);
  EXPECT_EQ(tile_rows(shared_table, QuantitySet::alignment, 24), 24);
  EXPECT_EQ(tile_rows(shared_table, QuantitySet::dtw, 25), 32);
  EXPECT_EQ(tile_rows(shared_table, QuantitySet::dtw, 33), 0);
  EXPECT_EQ(tile_rows(shared_reference, QuantitySet::dtw, 13), 16);
  EXPECT_EQ(tile_rows(plain_table, QuantitySet::all_viewpoints, 20), 20);
  EXPECT_EQ(tile_rows(plain_table, QuantitySet::all_viewpoints, 21), 0);
  EXPECT_EQ(tile_rows(plain_table, QuantitySet::goal, 5000), 1);
  EXPECT_EQ(tile_rows(shared_table, QuantitySet::goal, 5), 0);
}

TEST(QuantitySets, UseTheSmallestSetThatCoversARequest) {
  EXPECT_EQ(quantity_set_covering(quantity_length, EditUnit::edges), QuantitySet::goal);
  EXPECT_EQ(quantity_set_covering(quantity_dtw, EditUnit::edges), QuantitySet::dtw);
  EXPECT_EQ(quantity_set_covering(quantity_coverage, EditUnit::viewpoints), QuantitySet::alignment);
  EXPECT_EQ(quantity_set_covering(quantity_dtw | quantity_goal, EditUnit::edges),
            QuantitySet::all_edges);
  EXPECT_EQ(quantity_set_covering(quantity_edits, EditUnit::viewpoints),
            QuantitySet::all_viewpoints);
}

TEST(QuantitySets, UseTheSetOfEditsAloneIfItHasKernels) {
  const auto covering = [](unsigned quantities, EditUnit unit) {
    return quantity_set_covering(quantities, unit, true);
  };
  EXPECT_EQ(covering(quantity_edits, EditUnit::edges), QuantitySet::edits_edges);
  EXPECT_EQ(covering(quantity_edits, EditUnit::viewpoints), QuantitySet::edits_viewpoints);
  EXPECT_EQ(covering(quantity_edits | quantity_goal, EditUnit::edges), QuantitySet::all_edges);
  EXPECT_EQ(covering(quantity_dtw, EditUnit::viewpoints), QuantitySet::dtw);
}

// The smallest set must contain all that is asked for, and sets are ordered by size.
TEST(QuantitySets, CoverEveryRequest) {
  for (unsigned quantities = 0; quantities <= quantity_all; ++quantities) {
    for (const bool edits_alone : {false, true}) {
      const QuantitySet set = quantity_set_covering(quantities, EditUnit::edges, edits_alone);
      EXPECT_TRUE(covers(set, quantities)) << quantities;
      EXPECT_TRUE(compares_edges(set)) << quantities;
    }
  }
}

TEST(Layout, AlignsRowsToTheEndAndRepeatsColumns) {
  EXPECT_EQ(padding_rows(8, 5), 3);
  for (int row = 0; row < 8; ++row) EXPECT_EQ(reference_index(row, 8, 5), row - 3);
  const int shown[] = {0, 0, 0, 1, 2, 2, 2};
  for (int j = -2; j <= 4; ++j) EXPECT_EQ(query_index(j, 3), shown[j + 2]) << j;
}

TEST(Layout, HasOddPitchesWithRoomForAColumnOfPadding) {
  for (int n = 0; n < 100; ++n) {
    EXPECT_TRUE(table_pitch(n) % 2 == 1 && table_pitch(n) > n && table_pitch(n) <= n + 2) << n;
  }
}

// Lane l must read entry l from the first one on: in step t column C (t − l) + c.
template <int W, int C>
void expect_reversed_columns(int m) {
  const ReversedColumns<W, C> columns(m);
  const int steps = (m + C - 1) / C + W - 1;
  for (int t = 0; t < steps; ++t) {
    for (int lane = 0; lane < W; ++lane) {
      const int entry = columns.first_entry(t) + lane;
      ASSERT_TRUE(entry >= 0 && entry < columns.entries()) << t;
      for (int c = 0; c < C; ++c) EXPECT_EQ(columns.column(entry, c), C * (t - lane) + c);
    }
  }
}
TEST(Layout, LetsEachLaneReadItsColumnOfAStep) {
  for (const int m : {1, 2, 7, 40}) {
    expect_reversed_columns<8, 1>(m);
    expect_reversed_columns<4, 2>(m);
  }
}

TEST(DeviceShapes, NeedSharedMemoryForTheirTable) {
  EXPECT_EQ(shared_floats(TileKernel::shared_table, 12, 150), 150u * 151 + 2);
  EXPECT_EQ(shared_floats(TileKernel::shared_table, 12, 151), 151u * 153 + 1);
  EXPECT_EQ(shared_floats(TileKernel::shared_reference, 12, 100), 1200u);
  EXPECT_EQ(shared_floats(TileKernel::shared_reference, 16, 100), 2000u);
  EXPECT_EQ(shared_floats(TileKernel::replicated_reference, 12, 100), 100u * 32 * 4);
  EXPECT_EQ(shared_floats(TileKernel::replicated_reference, 12, 100, false), 100u * 32 * 3);
  EXPECT_EQ(shared_floats(TileKernel::plain_table, 16, 100), 0u);
}

TEST(DeviceShapes, ChooseGroupsByLength) {
  EXPECT_EQ(group_shape(16, false), GroupShape::lanes_4);
  EXPECT_EQ(group_shape(16, true), GroupShape::lanes_8);
  EXPECT_EQ(group_shape(256, false), GroupShape::lanes_8);
  EXPECT_EQ(group_shape(257, true), GroupShape::lanes_32);
  EXPECT_EQ(group_shape(4096, false), GroupShape::lanes_32);
  EXPECT_EQ(group_shape(4097, true), GroupShape::chain);
  EXPECT_FALSE(has_border(GroupShape::lanes_4));
  EXPECT_TRUE(has_border(GroupShape::lanes_8));
  EXPECT_TRUE(has_border(GroupShape::chain));
}

// The table of the largest scan takes 4 GiB, which offsets of 32 bits just reach.
TEST(DeviceMapping, ReachesTheLastEntryOfTheLargestTable) {
  constexpr std::uint32_t n = 32'767, pitch = table_pitch(n);
  EXPECT_EQ(table_entries(std::uint64_t{n}), std::uint64_t{1} << 30);
  const PlainTable table{nullptr, static_cast<std::int32_t>(pitch)};
  const std::uint64_t entry = std::uint64_t{n - 1} * pitch + n;  // where padding reads
  EXPECT_EQ(table.row(n - 1) + table.column(n), 4 * entry);
  EXPECT_LT(4 * entry, std::uint64_t{1} << 32);
}

}  // namespace
}  // namespace warpath::testing
