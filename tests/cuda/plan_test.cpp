// Tests the way of pairs from keys to runs to slots: every pair once, tiles of one kind, no more
// room than stated. Also tests what the command line needs of a device.

#include "host/cuda/plan.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <numeric>
#include <random>

#include "host/benchmark/bandwidth.hpp"
#include "host/benchmark/benchmark.hpp"
#include "host/scorer/break_even.hpp"
#include "tests/support/fake_device.hpp"
#include "tests/support/files.hpp"
#include "tests/support/pair_cases.hpp"

namespace warpath::testing {
namespace {

using namespace kernels;

// Holds pairs as they lie on the device, and the planner's input.
struct Case {
  std::vector<ScanTable> scans;
  std::vector<std::uint32_t> offsets{0}, scan_of, reference_of, length;
  DispatchPolicy policy{};
  KeyBits bits{};

  Case(std::mt19937_64& random, std::uint32_t pairs, DispatchPolicy s) : policy(s) {
    for (int k = 0; k < 7; ++k) {
      scans.push_back({0, 0, static_cast<std::int32_t>(1 + below(random, 300))});
    }
    const std::size_t references = 1 + below(random, s.by_reference ? 20 : pairs);
    for (std::size_t r = 0; r < references; ++r) {
      const bool is_long = below(random, 10) == 0;
      offsets.push_back(offsets.back() + 1 +
                        static_cast<std::uint32_t>(below(random, is_long ? 700 : 24)));
      scan_of.push_back(static_cast<std::uint32_t>(below(random, scans.size())));
    }
    for (std::uint32_t i = 0; i < pairs; ++i) {
      reference_of.push_back(static_cast<std::uint32_t>(below(random, references)));
      const bool is_long = below(random, 30) == 0;
      length.push_back(1 + static_cast<std::uint32_t>(below(random, is_long ? 3000 : 40)));
    }
    const std::uint32_t ids = static_cast<std::uint32_t>(std::max(references, scans.size()));
    bits = {10, static_cast<int>(std::bit_width(ids))};
  }

  PairsView view() const {
    return {static_cast<std::uint32_t>(length.size()),
            reference_of.data(),
            length.data(),
            offsets.data(),
            scan_of.data(),
            scans.data()};
  }
};

struct Placed {
  cuda::Plan plan;
  std::vector<GroupPair> slots;
  std::vector<std::uint32_t> columns;
};

// Does what the device does with a case, by the same bodies.
Placed place(const Case& c) {
  const std::uint32_t count = c.view().count;
  std::vector<std::uint64_t> key(count);
  std::vector<std::uint32_t> pair(count), order(count), sorted(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    make_key({c.view(), c.policy, c.bits, key.data(), pair.data()}, i);
  }
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return key[i]; });
  std::vector<std::uint64_t> run_key;
  std::vector<std::uint32_t> run_length;
  for (std::uint32_t k = 0; k < count; ++k) {
    sorted[k] = pair[order[k]];
    const std::uint64_t run = key[order[k]] >> c.bits.m_bits;
    if (run_key.empty() || run_key.back() != run) {
      run_key.push_back(run);
      run_length.push_back(0);
    }
    ++run_length.back();
  }
  Placed placed{cuda::make_plan(run_key, run_length, c.bits, c.scans, c.scan_of), {}, {}};
  placed.slots.assign(placed.plan.slots, {no_row, 0, 0, 0});
  placed.columns.assign(placed.plan.tile_slots / tile_pairs, 0);
  for (std::uint32_t k = 0; k < count; ++k) {
    place_pair({c.view(), sorted.data(), placed.plan.runs.data(),
                static_cast<std::uint32_t>(placed.plan.runs.size() - 1), placed.slots.data(),
                placed.columns.data(), placed.plan.tile_slots, false},
               k);
  }
  return placed;
}

void expect_every_pair_once(const Case& c, const Placed& placed) {
  std::vector<int> seen(c.length.size(), 0);
  for (const GroupPair& slot : placed.slots)
    seen[slot.row == no_row ? 0 : slot.row] += slot.row != no_row;
  EXPECT_TRUE(std::ranges::all_of(seen, [](int times) { return times == 1; }));
}

// Expects that the slices of each launch cover its tiles in order, and that all pairs of a slice
// fit its kernel.
void expect_slices(const Case& c, const Placed& placed) {
  std::uint32_t slot = 0;
  for (const cuda::Launch& launch : placed.plan.launches) {
    EXPECT_EQ(launch.first_slot, (slot + tile_pairs - 1) / tile_pairs * tile_pairs);
    slot = launch.first_slot + launch.slots;
    if (!in_tiles(launch.target)) continue;
    std::uint32_t tile = 0;
    for (std::uint32_t s = 0; s < launch.slices; ++s) {
      const Slice& slice = placed.plan.slices[launch.first_slice + s];
      EXPECT_EQ(slice.first_tile, tile);
      EXPECT_GE(slice.tiles, 1u);
      EXPECT_LE(slice.tiles, cuda::slice_tiles);
      tile += slice.tiles;
      std::uint32_t reference = no_row;
      for (std::uint32_t k = 0; k < slice.tiles * tile_pairs; ++k) {
        const std::uint32_t at = launch.first_slot + slice.first_tile * tile_pairs + k;
        if (at >= placed.slots.size() || placed.slots[at].row == no_row) continue;
        const GroupPair& p = placed.slots[at];
        EXPECT_EQ(p.scan, slice.scan);
        const auto n = static_cast<int>(c.offsets[p.reference + 1] - c.offsets[p.reference]);
        EXPECT_TRUE(c.policy.set == QuantitySet::goal || n <= launch.rows) << n;
        EXPECT_LE(c.length[p.row], placed.columns[at / tile_pairs]);
        EXPECT_LE(static_cast<std::uint32_t>(c.scans[p.scan].pad), launch.max_viewpoints);
        if (!has_one_reference(launch.target)) continue;
        if (reference == no_row) reference = p.reference;
        EXPECT_EQ(p.reference, reference);
      }
    }
    EXPECT_EQ(tile, (launch.slots + tile_pairs - 1) / tile_pairs);
  }
}

void expect_room(const Case& c, const Placed& placed) {
  cuda::Room room;
  room.pairs = static_cast<std::uint32_t>(c.length.size());
  room.runs = static_cast<std::uint32_t>(placed.plan.runs.size() - 1);
  room.query_nodes = std::accumulate(c.length.begin(), c.length.end(), std::uint64_t{0});
  room.max_query = std::ranges::max(c.length);
  EXPECT_LE(placed.plan.slots, room.slots());
  EXPECT_LE(std::accumulate(placed.columns.begin(), placed.columns.end(), std::uint64_t{0}),
            room.columns());
  EXPECT_LE(room.runs, std::max(16 * c.scans.size(), c.scan_of.size()) + 3);
}

TEST(CudaPlan, GivesEveryPairASlotAndEveryTileOneKind) {
  std::mt19937_64 random(run_seed() + 200);
  for (int round = 0; round < 300 && !HasFailure(); ++round) {
    const bool by_reference = round % 2, small = round % 5 == 4;
    const QuantitySet set = round % 7 == 6 ? QuantitySet::goal : QuantitySet::all_edges;
    const Case c(random, 1 + static_cast<std::uint32_t>(below(random, round < 30 ? 40 : 3000)),
                 {set, by_reference, small, 200, round % 4 == 3 ? 20'000u : 0u});
    const Placed placed = place(c);
    expect_every_pair_once(c, placed);
    expect_slices(c, placed);
    expect_room(c, placed);
  }
}

TEST(CudaPlan, ReplicatesRowsThatFitForReferencesWithManyQueries) {
  DispatchPolicy policy{QuantitySet::all_edges, true, false, 200, 150 * 128};
  EXPECT_EQ(choose_kernel(policy, 12, 14, 150).target, KernelId::replicated_reference);
  EXPECT_EQ(choose_kernel(policy, 12, 14, 151).target, KernelId::shared_reference);
  EXPECT_EQ(choose_kernel(policy, 13, 14, 150).target, KernelId::shared_reference);
  EXPECT_EQ(choose_kernel(policy, 21, 14, 150).target, KernelId::lanes_8);
  policy.max_replicated_floats = 0;
  EXPECT_EQ(choose_kernel(policy, 12, 14, 150).target, KernelId::shared_reference);
}

TEST(CudaPlan, UnpacksKeysAsPacked) {
  const KeyBits bits{4, 9};
  const std::uint64_t key = pack_key(bits, {KernelId::shared_reference, 20, 311}, 99);
  EXPECT_EQ(key & 15, 15u);  // |Q| is larger than the bits can hold
  const Key run = unpack_run(bits, key >> bits.m_bits);
  EXPECT_EQ(run.target, KernelId::shared_reference);
  EXPECT_EQ(run.rows, 20);
  EXPECT_EQ(run.id, 311u);
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
  EXPECT_EQ(break_even(), 1'000'000u);
  const std::string file = save_break_even(12'345);
  EXPECT_TRUE(std::filesystem::exists(file));
  EXPECT_EQ(break_even(), 12'345u);
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
