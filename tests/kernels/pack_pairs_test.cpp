// Tests the way of pairs from keys to runs to slots and tiles, by the bodies that a device runs:
// every pair once, tiles of one kind, no more room than stated.

#include "kernels/bodies/pack_pairs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cmath>
#include <thread>

#include "host/core/cuda/plan.hpp"
#include "tests/support/packed_case.hpp"
#include "tests/support/pair_cases.hpp"

namespace warpath::testing {
namespace {

using namespace kernels;

void expect_every_pair_once(const PackedCase& c, const PackedCase::Placed& placed) {
  std::vector<int> seen(c.count(), 0);
  for (const GroupPair& slot : placed.slots) {
    if (slot.row != no_row) ++seen[slot.row];
  }
  for (std::uint32_t i = 0; i < c.count(); ++i) {
    EXPECT_EQ(seen[i], c.is_active(i) && c.is_valid(i) ? 1 : 0) << i;
    const bool is_written = std::isnan(placed.result[i]);
    EXPECT_EQ(is_written, c.is_active(i) && !c.is_valid(i)) << "no scores, and no others";
    EXPECT_EQ(placed.flags[i], is_written ? flag_invalid : 0u);
  }
}

// Expects that the slices of each kernel cover its tiles in order, and that all pairs of a slice
// fit the kernel.
void expect_slices(const PackedCase& c, const PackedCase::Placed& placed) {
  for (std::uint32_t number = 0; number < kernel_numbers; ++number) {
    const LaunchRange& range = placed.ranges[number];
    const KernelChoice choice = choice_of(number);
    for (std::uint32_t s = range.first_slice; s < range.end_slice; ++s) {
      ASSERT_TRUE(in_slices(number));
      const Slice& slice = placed.slices[s];
      EXPECT_GE(slice.count, 1u);
      if (!in_tiles(number)) {
        for (std::uint32_t k = 0; k < slice.count; ++k) {
          const GroupPair& p = placed.slots[slice.first + k];
          ASSERT_NE(p.row, no_row);
          EXPECT_EQ(p.scan, slice.scan);
          EXPECT_EQ(choose_kernel(c.policy, c.n(p.reference), c.m(p.query), c.viewpoints(p.scan)),
                    choice);
        }
        continue;
      }
      std::uint32_t reference = no_row;
      EXPECT_NE(placed.slots[slice.first * tile_pairs].row, no_row) << "first lane";
      for (std::uint32_t k = 0; k < slice.count * tile_pairs; ++k) {
        const std::uint32_t slot = slice.first * tile_pairs + k, tile = slot / tile_pairs;
        EXPECT_EQ(placed.start[tile + 1].row - placed.start[tile].row,
                  static_cast<std::uint32_t>(choice.rows));
        const GroupPair& p = placed.slots[slot];
        if (p.row == no_row) continue;
        EXPECT_EQ(p.scan, slice.scan);
        EXPECT_EQ(choose_kernel(c.policy, c.n(p.reference), c.m(p.query), c.viewpoints(p.scan)),
                  choice);
        EXPECT_LE(static_cast<std::uint32_t>(c.m(p.query)),
                  placed.start[tile + 1].column - placed.start[tile].column);
        if (!by_reference(number_of(choice))) continue;
        if (reference == no_row) reference = p.reference;
        EXPECT_EQ(p.reference, reference);
      }
    }
    for (std::uint32_t k = 0; k < range.slots; ++k) {
      const GroupPair& p = placed.slots[range.first_slot + k];
      ASSERT_NE(p.row, no_row);
      EXPECT_EQ(choose_kernel(c.policy, c.n(p.reference), c.m(p.query), c.viewpoints(p.scan)),
                choice);
    }
  }
}

// Every pair in a tile is in a slice, and every other in the range of its kernel.
void expect_all_in_ranges(const PackedCase& c, const PackedCase::Placed& placed) {
  std::vector<int> seen(placed.slots.size(), 0);
  for (std::uint32_t number = 0; number < kernel_numbers; ++number) {
    const LaunchRange& range = placed.ranges[number];
    for (std::uint32_t k = 0; k < range.slots; ++k) ++seen[range.first_slot + k];
    const std::uint32_t unit = in_tiles(number) ? tile_pairs : 1;
    for (std::uint32_t s = range.first_slice; s < range.end_slice; ++s) {
      const Slice& slice = placed.slices[s];
      for (std::uint32_t k = 0; k < slice.count * unit; ++k) ++seen[slice.first * unit + k];
    }
  }
  for (std::size_t k = 0; k < seen.size(); ++k) {
    EXPECT_TRUE(seen[k] == 1 || placed.slots[k].row == no_row) << "slot " << k;
  }
  EXPECT_EQ(placed.active_pairs,
            static_cast<std::uint32_t>(std::ranges::count(c.active, std::uint8_t{1})));
}

void expect_room(const PackedCase& c, const PackedCase::Placed& placed) {
  cuda::Room room;
  room.pairs = c.count();
  room.runs = static_cast<std::uint32_t>(placed.runs.size() - 1);
  room.query_nodes = c.all_query_nodes();
  room.max_query = c.max_query();
  std::uint32_t slots = 0, slices = 0;
  for (const LaunchRange& range : placed.ranges) {
    slots = std::max(slots, range.first_slot + range.slots);
    slices = std::max(slices, range.end_slice);
  }
  EXPECT_LE(slots, room.tiles() * tile_pairs);
  EXPECT_LE(slices, room.slices());
  EXPECT_LE(placed.start.back().column, room.columns());
}

TEST(PackPairs, GiveEveryPairASlotAndEveryTileOneKind) {
  std::mt19937_64 random(run_seed() + 200);
  for (int round = 0; round < 300 && !HasFailure(); ++round) {
    const QuantitySet set = round % 7 == 6 ? QuantitySet::goal : QuantitySet::all_edges;
    const DispatchPolicy policy{set, round % 2 == 1, round % 5 == 4, {60, 120, 200}};
    const PackedCase c(
        random, 1 + static_cast<std::uint32_t>(below(random, round < 30 ? 40 : 3000)), policy);
    const PackedCase::Placed placed = c.place(1 + static_cast<std::uint32_t>(below(random, 20)));
    expect_every_pair_once(c, placed);
    expect_slices(c, placed);
    expect_all_in_ranges(c, placed);
    expect_room(c, placed);
  }
}

// Gives plan_runs a block of real threads.
struct BlockOfThreads {
  std::uint32_t thread, threads;
  std::barrier<>& barrier;
  std::vector<RunPlace>& shared;

  void add(std::uint32_t* word, std::uint32_t x) const { std::atomic_ref(*word) += x; }
  void sync() const { barrier.arrive_and_wait(); }
  RunPlace exclusive_sum(const RunPlace& x, RunPlace& total) const {
    sync();
    shared[thread] = x;
    sync();
    RunPlace before{0, 0, 0};
    total = {0, 0, 0};
    for (std::uint32_t k = 0; k < threads; ++k) {
      if (k == thread) before = total;
      total = total + shared[k];
    }
    return before;
  }
};

TEST(PlanRuns, GiveTheSamePlanWithAnyNumberOfThreads) {
  std::mt19937_64 random(run_seed() + 201);
  for (int round = 0; round < 20; ++round) {
    const PackedCase c(random, 2000,
                       {QuantitySet::alignment, round % 2 == 1, false, {60, 120, 200}});
    const PackedCase::Placed alone = c.place(7);
    for (const std::uint32_t threads : {2u, 5u}) {
      PackedCase::Placed placed = c.sorted();
      const PlanView view = c.plan_view(placed, 7);
      TilesOfKernel tiles;
      std::barrier barrier(threads);
      std::vector<RunPlace> shared(threads);
      std::vector<std::jthread> block;
      for (std::uint32_t t = 0; t < threads; ++t) {
        block.emplace_back([&, t] {
          plan_runs(view, {0, 1, t, threads}, tiles, BlockOfThreads{t, threads, barrier, shared});
        });
      }
      block.clear();
      EXPECT_TRUE(placed.has_plan_of(alone)) << threads << " threads";
    }
  }
}

TEST(PackPairs, UnpackKeysAsPacked) {
  const KeyBits bits{4, 9};
  const std::uint64_t key = pack_key(bits, {33, 311}, 99);
  EXPECT_EQ(key & 15, 15u) << "|Q| is larger than the bits can hold";
  const RunKey run = unpack_run(bits, key >> bits.m_bits);
  EXPECT_EQ(run.number, 33u);
  EXPECT_EQ(run.id, 311u);
}

TEST(IntegerArray, AreReadAtAnyWidth) {
  const std::uint8_t bytes[] = {200, 7};
  const std::uint16_t words[] = {60'000, 7};
  const std::int32_t ints[] = {65'535, 2'000'000'000};
  const std::int64_t longs[] = {65'535, 3'000'000'000};
  const IntegerArray all[] = {{bytes, 1}, {words, 2}, {ints, 4}, {longs, 8}};
  const std::uint32_t first[] = {200, 60'000, 65'535, 65'535};
  const std::uint32_t second[] = {7, 7, 2'000'000'000, 3'000'000'000};
  for (int k = 0; k < 4; ++k) {
    EXPECT_EQ(all[k][0], first[k]);
    EXPECT_EQ(all[k].small(0), first[k]);
    EXPECT_EQ(all[k].from(1)[0], second[k]);
  }
}

TEST(PathLayout, IsOfRowsOrOfPathsOneAfterTheOther) {
  const std::int64_t offsets[] = {0, 3, 3, 8};
  const std::int32_t lengths[] = {2, 4};
  const PathLayout rows{{}, {lengths, 4}, 4, 3}, path{{offsets, 8}, {}, 0, 9};
  EXPECT_EQ(rows.begin(1), 4u);
  EXPECT_EQ(rows.length(0), 2u);
  EXPECT_EQ(rows.length(1), 3u) << "cut";
  EXPECT_EQ(path.begin(2), 3u);
  EXPECT_EQ(path.length(1), 0u);
  EXPECT_EQ(path.length(2), 5u);
}

}  // namespace
}  // namespace warpath::testing
