// Runs the device kernels' bodies on the host, over the views that a device would read: one lane
// after the other if nothing moves between lanes, otherwise on fibers. Results must equal the CPU
// back end's bit for bit.

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <optional>

#include "host/core/batch/results.hpp"
#include "host/core/cpu/backend.hpp"
#include "kernels/bodies/mapping.hpp"
#include "kernels/bodies/score_pair.hpp"
#include "kernels/lanes/scalar_lanes.hpp"
#include "tests/support/device_batch.hpp"
#include "tests/support/fiber_lanes.hpp"
#include "tests/support/pair_cases.hpp"

namespace warpath::testing {
namespace {

using namespace kernels;

// ---------------------------------------------------------------- kernels without a device

struct LaunchSize {
  std::uint32_t blocks, threads;
};
constexpr LaunchSize sizes[] = {{1, 32}, {2, 64}, {3, 96}, {7, 128}};

// Does what the kernels in tiles.cuh do; their barriers separate what runs here one after the
// other.
template <int K, unsigned Quantities, bool Edges>
void run_tiles(const TileView& view, TileKernel kernel, LaunchSize size) {
  const std::uint32_t wanted = wanted_columns(view.batch.results);
  for (std::uint32_t b = 0; b < size.blocks; ++b) {
    const StridedRange slices = slices_of({b, size.blocks, 0, size.threads});
    const LaunchRange range = *view.range;
    for (std::uint32_t s = range.first_slice + slices.first; s < range.end_slice;
         s += slices.step) {
      const Slice slice = view.slices[s];
      const PlainTable table = plain_table(view.batch, slice.scan);
      const ScanTable scan = view.batch.scans[slice.scan];
      const unsigned floats = shared_floats(kernel, K, scan.pad);
      std::vector<Quad> own(has_one_reference(kernel) ? floats / 4 : 0);
      std::vector<Quad> copy(kernel == TileKernel::shared_table ? floats / 4 : 0);
      for (std::uint32_t t = 0; t < size.threads; ++t) {
        if constexpr (K % 4 == 0) {
          if (kernel == TileKernel::shared_reference) {
            fill_reference_table<K>(own_table(view, slice), t, size.threads, own.data(),
                                    PlainCopy{});
          } else if (kernel == TileKernel::replicated_reference) {
            fill_replicated_rows<K, Quantities>(own_table(view, slice), t, size.threads,
                                                own.data());
          }
        }
        if (kernel == TileKernel::shared_table) {
          copy_table(view.batch, scan, t, size.threads, copy.data(), PlainCopy{});
        }
      }
      for (std::uint32_t t = 0; t < size.threads; ++t) {
        const ThreadId me{b, size.blocks, t, size.threads};
        const StridedRange tiles = tiles_of(me);
        for (std::uint32_t k = tiles.first; k < slice.count; k += tiles.step) {
          const std::uint32_t tile = slice.first + k;
          if constexpr (K % 4 == 0) {
            if (kernel == TileKernel::shared_reference) {
              score_by_reference<ScalarLanes, K, Quantities, Edges>(view, own.data(), table, tile,
                                                                    lane_of(me), wanted);
              continue;
            }
            if (kernel == TileKernel::replicated_reference) {
              score_by_replicated_rows<ScalarLanes, K, Quantities, Edges>(
                  view, own.data(), table, tile, lane_of(me), wanted);
              continue;
            }
          }
          const bool plain = kernel == TileKernel::plain_table;
          const PlainTable shared{plain ? table.first : copy.data()->value, table.pitch};
          score_by_table<ScalarLanes, K, Quantities, Edges>(view, shared, tile, lane_of(me),
                                                            wanted);
        }
      }
    }
  }
}

// Does what the kernel in groups.cuh does. Returns the fibers' first fault.
template <int W, int K, int C, unsigned Quantities, bool Edges, bool Strips>
std::string run_groups(const GroupView& view, LaunchSize size) {
  FiberWarp fibers(run_seed());
  std::string fault;
  for (std::uint32_t warp = 0; warp < size.blocks * size.threads / 32; ++warp) {
    const std::uint32_t warps = size.threads / 32, block = warp / warps;
    const std::string found = fibers.run(32, [&](int lane) {
      const std::uint32_t thread = warp % warps * 32 + lane;
      const StridedRange pairs = pairs_of<W>({block, size.blocks, thread, size.threads});
      const EntryRange entries = entries_of(view);
      for (std::uint32_t p = entries.first + pairs.first; p < entries.end; p += pairs.step) {
        score_by_group<FiberLanes<W>, K, C, Quantities, Edges, Strips>(view, p, pairs.first);
      }
    });
    if (fault.empty()) fault = found;
  }
  return fault;
}

// Does what the kernel in groups_shared_table.cu does. The scans' own tables cannot be read.
template <int W, int K, int C, bool Edges>
std::string run_group_slices(GroupSliceView view, LaunchSize size) {
  FiberWarp fibers(run_seed());
  const BatchView whole = view.groups.batch;
  view.groups.batch.distance = nullptr;
  std::string fault;
  for (std::uint32_t block = 0; block < size.blocks; ++block) {
    const StridedRange slices = slices_of({block, size.blocks, 0, size.threads});
    const LaunchRange range = *view.groups.range;
    for (std::uint32_t s = range.first_slice + slices.first; s < range.end_slice;
         s += slices.step) {
      const Slice slice = view.slices[s];
      const ScanTable scan = whole.scans[slice.scan];
      std::vector<Quad> copy(shared_floats(TileKernel::shared_table, 0, view.max_scan) / 4);
      for (std::uint32_t t = 0; t < size.threads; ++t) {
        copy_table(whole, scan, t, size.threads, copy.data(), PlainCopy{});
      }
      const PlainTable table{copy.data()->value, scan.pitch};
      for (std::uint32_t warp = 0; warp < size.threads / 32; ++warp) {
        const std::string found = fibers.run(32, [&](int lane) {
          const ThreadId me{block, size.blocks, warp * 32 + lane, size.threads};
          const StridedRange pairs = pairs_of_slice<W>(me);
          for (std::uint32_t p = pairs.first; p < slice.count; p += pairs.step) {
            score_by_group_with_table<FiberLanes<W>, K, C, quantity_all, Edges>(
                view.groups, table, slice.first + p, pairs_of<W>(me).first);
          }
        });
        if (fault.empty()) fault = found;
      }
    }
  }
  return fault;
}

template <int W>
std::uint32_t group_count(LaunchSize size) {
  return size.blocks * size.threads / W;
}

// ---------------------------------------------------------------- comparison

std::vector<std::uint32_t> rows_up_to(const PairBatch& batch, std::size_t longest) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < batch.pairs.size(); ++row) {
    if (batch.references.size_of(batch.pairs[row].reference) <= longest) rows.push_back(row);
  }
  return rows;
}

void expect_same(const Scores& got, const Scores& want, const std::vector<std::uint32_t>& rows,
                 const std::vector<Metric>& metrics, const std::string& how) {
  for (const std::uint32_t row : rows) {
    for (const Metric m : metrics) {
      const double a = got.at(m, row), b = want.at(m, row);
      ASSERT_TRUE(same_bits(a, b)) << how << ": " << info(m).name << " " << a << " != " << b
                                   << ", row " << row << ", seed " << run_seed();
    }
    ASSERT_EQ(got.status[row], want.status[row]) << how << ", row " << row;
    ASSERT_EQ(got.zero_rules[row], want.zero_rules[row]) << how << ", row " << row;
  }
}

using enum Metric;
const std::vector<Metric> kernel_metrics = batch::kernel_metrics(MetricSet::of_paths());

// Says what a kernel of fewer quantities computes, and its flags.
struct Few {
  unsigned want;
  std::vector<Metric> metrics;
  std::uint32_t flags;
};
const Few few_goal{quantities_of(QuantitySet::goal),
                   {PL, NE, ONE, SR, OSR, SPL, GP, SP},
                   flag_unreachable | flag_zero_spl | flag_spl_undefined};
const Few few_dtw{quantity_dtw, {DTW, nDTW}, flag_unreachable | flag_dtw_undefined};
const Few few_alignment{quantities_of(QuantitySet::alignment),
                        {DTW, nDTW, PC, EPL, AD, MD},
                        flag_unreachable | flag_dtw_undefined};

// A kernel of few quantities may not notice that a pair is unreachable, so make_rules asks for all
// that do if scans are in parts. Here those pairs are left out.
void expect_few(const DeviceBatch& device, const Convention& convention, const Few& few,
                std::vector<std::uint32_t> rows, const std::string& how) {
  MetricSet metrics;
  for (const Metric m : few.metrics) metrics.insert(m);
  const Scores want = cpu::score(device.batch(), convention, {.metrics = metrics});
  std::erase_if(rows, [&](auto row) { return want.status[row] == Status::unreachable; });
  EXPECT_FALSE(rows.empty());
  expect_same(device.scores(few.flags), want, rows, few.metrics, how);
}

// Makes the batch that all kernels share: every |R| and |Q| from 1, scans in two parts, walks that
// jump.
RandomBatch make_batch(std::uint64_t seed, int longest = 24) {
  RandomBatch made(seed);
  made.add_pairs(150, longest, 40);
  made.add_pairs(160, longest, 30, 40);
  made.add_pairs(20, 1, 5);
  made.add_pairs(20, 5, 1);
  return made;
}

// ---------------------------------------------------------------- one thread per pair

template <int K, bool Edges>
void expect_tiles(const PairBatch& batch, const Convention& convention, const Scores& want,
                  TileKernel kernel) {
  DeviceBatch device(batch, convention, quantity_all);
  const auto rows = rows_up_to(batch, K);
  for (const bool small_ids : {false, true}) {
    const LaunchSize size = sizes[(K + small_ids) % std::size(sizes)];
    const Tiles tiles(device, rows, K, kernel, small_ids ? 1 : 4, small_ids);
    device.clear();
    run_tiles<K, quantity_all, Edges>(tiles.view(), kernel, size);
    EXPECT_EQ(device.missing(), batch.pairs.size() - rows.size());
    expect_same(device.scores(), want, rows, kernel_metrics,
                convention.preset + " K " + std::to_string(K));
  }
}

TEST(DeviceKernels, EqualTheCpuWithOneThreadPerPair) {
  std::mt19937_64 random(run_seed() + 70);
  const auto all = conventions();
  const std::size_t rounds = std::max(all.size(), run_pairs() / 1000);
  for (std::size_t round = 0; round < rounds; ++round) {
    const Convention& convention = all[round % all.size()];
    RandomBatch made = make_batch(random());
    const PairBatch& batch = made.batch();
    const Scores want = score_plainly(batch, convention);
    for (const TileKernel kernel : {TileKernel::shared_table, TileKernel::shared_reference,
                                    TileKernel::replicated_reference}) {
      if (convention.edit_unit == EditUnit::edges) {
        expect_tiles<8, true>(batch, convention, want, kernel);
        expect_tiles<20, true>(batch, convention, want, kernel);
      } else {
        expect_tiles<12, false>(batch, convention, want, kernel);
        expect_tiles<24, false>(batch, convention, want, kernel);
      }
      if (HasFailure()) return;
    }
  }
}

TEST(DeviceKernels, EqualTheCpuBackEnd) {
  RandomBatch made = make_batch(run_seed() + 71);
  expect_tiles<24, true>(made.batch(), {}, cpu::score(made.batch(), {}), TileKernel::shared_table);
}

TEST(DeviceKernels, UseTaskSuccessInSdtw) {
  RandomBatch made = make_batch(run_seed() + 72);
  PairBatch batch = made.batch();
  for (std::size_t row = 0; row < batch.pairs.size(); ++row) {
    batch.task_success.push_back(row % 5 == 0 ? std::nan("") : 0.25 * static_cast<double>(row % 5));
  }
  expect_tiles<20, true>(batch, {}, score_plainly(batch, {}), TileKernel::shared_table);
}

template <int K, unsigned Quantities>
void expect_few_in_tiles(const PairBatch& batch, const Convention& convention, const Few& few,
                         TileKernel kernel, const std::vector<std::uint32_t>& rows) {
  DeviceBatch device(batch, convention, few.want);
  const Tiles tiles(device, rows, K, kernel, 3, false);
  run_tiles<K, Quantities, true>(tiles.view(), kernel, {2, 64});
  EXPECT_EQ(device.missing(), batch.pairs.size() - rows.size());
  expect_few(device, convention, few, rows, convention.preset + " K " + std::to_string(K));
}

TEST(DeviceKernels, EqualTheCpuWithFewerQuantities) {
  std::mt19937_64 random(run_seed() + 73);
  for (const Convention& convention : conventions()) {
    RandomBatch made = make_batch(random());
    const PairBatch& batch = made.batch();
    const auto rows = rows_up_to(batch, 12);
    expect_few_in_tiles<12, quantity_dtw>(batch, convention, few_dtw, TileKernel::shared_table,
                                          rows);
    expect_few_in_tiles<12, quantities_of(QuantitySet::alignment)>(batch, convention, few_alignment,
                                                                   TileKernel::shared_table, rows);
    for (const TileKernel kernel :
         {TileKernel::shared_reference, TileKernel::replicated_reference}) {
      expect_few_in_tiles<12, quantities_of(QuantitySet::alignment)>(batch, convention,
                                                                     few_alignment, kernel, rows);
      expect_few_in_tiles<12, quantity_dtw>(batch, convention, few_dtw, kernel, rows);
    }
    if (HasFailure()) return;
  }
}

TEST(DeviceKernels, MeasureTheGoalForReferencesOfAnyLength) {
  std::mt19937_64 random(run_seed() + 74);
  for (const Convention& convention : conventions()) {
    RandomBatch made = make_batch(random(), 300);
    expect_few_in_tiles<1, quantities_of(QuantitySet::goal)>(
        made.batch(), convention, few_goal, TileKernel::plain_table, rows_up_to(made.batch(), 300));
    if (HasFailure()) return;
  }
}

TEST(DeviceKernels, AcceptViewsWithoutPairs) {
  RandomBatch made(run_seed() + 75);
  DeviceBatch device(made.batch(), {}, quantity_all);
  const Tiles tiles(device, {}, 8, TileKernel::shared_table, 1, false);
  run_tiles<8, quantity_all, true>(tiles.view(), TileKernel::shared_table, {2, 64});
  EXPECT_EQ(tiles.view().range->end_slice, 0u);
}

// ---------------------------------------------------------------- several lanes per pair

template <int W, int K, int C, bool Edges, bool Strips>
void expect_groups(const PairBatch& batch, const Convention& convention, const Scores& want,
                   std::size_t longest) {
  DeviceBatch device(batch, convention, quantity_all);
  const auto rows = rows_up_to(batch, longest);
  constexpr LaunchSize size{2, 64};
  Groups groups(device, rows, group_count<W>(size));
  const std::string fault = run_groups<W, K, C, quantity_all, Edges, Strips>(groups.view(), size);
  const std::string how = convention.preset + " W " + std::to_string(W);
  EXPECT_EQ(fault, "") << how << ", seed " << run_seed();
  EXPECT_EQ(device.missing(), batch.pairs.size() - rows.size());
  expect_same(device.scores(), want, rows, kernel_metrics, how);
}

TEST(DeviceKernels, EqualTheCpuWithAGroupOfLanesPerPair) {
  std::mt19937_64 random(run_seed() + 80);
  constexpr std::size_t any = 10'000;
  for (const Convention& convention : conventions()) {
    RandomBatch made(random());
    made.add_pairs(60, 40, 40);
    made.add_pairs(10, 1, 9);
    made.add_pairs(10, 9, 1);
    made.add_pairs(6, 200, 70);
    made.add_pairs(3, 1300, 30);
    const PairBatch& batch = made.batch();
    const Scores want = score_plainly(batch, convention);
    if (convention.edit_unit == EditUnit::edges) {
      expect_groups<4, 4, 1, true, false>(batch, convention, want, 16);
      expect_groups<8, 8, 1, true, true>(batch, convention, want, any);
      expect_groups<32, 16, 2, true, true>(batch, convention, want, any);
    } else {
      expect_groups<4, 4, 1, false, false>(batch, convention, want, 16);
      expect_groups<8, 8, 1, false, true>(batch, convention, want, any);
      expect_groups<32, 16, 2, false, true>(batch, convention, want, any);
    }
    if (HasFailure()) return;
  }
}

// Does what the kernel of long pairs in groups.cuh does, with blocks of few and narrow groups.
template <class L, int K, int C, unsigned Quantities, bool Edges>
std::string run_chains(const GroupView& view, std::uint32_t blocks, std::uint32_t groups) {
  FiberWarp fibers(run_seed());
  std::string fault;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    const std::uint32_t lanes = groups * L::W;
    const std::string found = fibers.run(static_cast<int>(lanes), [&](std::uint32_t lane) {
      const ThreadId me{block, blocks, lane, lanes};
      const StridedRange pairs = pairs_of_block(me);
      const EntryRange entries = entries_of(view);
      for (std::uint32_t p = entries.first + pairs.first; p < entries.end; p += pairs.step) {
        score_by_chain<L, K, C, Quantities, Edges>(view, p, me);
      }
    });
    if (fault.empty()) fault = found;
  }
  return fault;
}

template <class L, int K, int C, bool Edges>
void expect_chains(const PairBatch& batch, const Convention& convention, const Scores& want,
                   std::uint32_t groups) {
  DeviceBatch device(batch, convention, quantity_all);
  const auto rows = rows_up_to(batch, 10'000);
  constexpr std::uint32_t blocks = 3;
  Groups pairs(device, rows, blocks * groups);
  const std::string how = convention.preset + ", " + std::to_string(groups) + " groups of " +
                          std::to_string(L::W) + ", seed " + std::to_string(run_seed());
  EXPECT_EQ((run_chains<L, K, C, quantity_all, Edges>(pairs.view(), blocks, groups)), "") << how;
  EXPECT_EQ(device.missing(), 0u);
  expect_same(device.scores(), want, rows, kernel_metrics, how);
}

// Covers fewer strips than groups, as many, and many more; rows of one entry; blocks without a
// pair.
TEST(DeviceKernels, EqualTheCpuWithAllGroupsOfABlockPerPair) {
  std::mt19937_64 random(run_seed() + 83);
  for (const Convention& convention : conventions()) {
    RandomBatch made(random());
    made.add_pairs(12, 150, 90);
    made.add_pairs(2, 1, 5);
    made.add_pairs(3, 60, 1);
    made.add_pairs(2, 400, 200);
    const PairBatch& batch = made.batch();
    const Scores want = score_plainly(batch, convention);
    if (convention.edit_unit == EditUnit::edges) {
      expect_chains<FiberLanes<4>, 4, 2, true>(batch, convention, want, 8);
      expect_chains<FiberLanes<4>, 2, 1, true>(batch, convention, want, 3);
      expect_chains<FiberLanes<16>, 16, 2, true>(batch, convention, want, 2);
    } else {
      expect_chains<FiberLanes<8>, 4, 2, false>(batch, convention, want, 4);
      expect_chains<FiberLanes<2>, 2, 1, false>(batch, convention, want, 2);
    }
    if (HasFailure()) return;
  }
}

TEST(DeviceKernels, ReportAChainWithoutItsBarriers) {
  RandomBatch made(run_seed() + 84);
  made.add_pairs(5, 100, 60);
  made.add_pairs(1, 100, 60);
  DeviceBatch device(made.batch(), {}, quantity_all);
  Groups pairs(device, rows_up_to(made.batch(), 100), 4);
  const std::string fault =
      run_chains<FiberLanes<4, Fault::no_barrier>, 2, 1, quantity_all, true>(pairs.view(), 1, 4);
  EXPECT_NE(fault.find("a lane reads unwritten"), std::string::npos) << fault;
}

template <int W, int K, int C, bool Edges>
void expect_group_slices(const PairBatch& batch, const Convention& convention, const Scores& want,
                         std::uint32_t max_pairs) {
  DeviceBatch device(batch, convention, quantity_all);
  constexpr LaunchSize size{2, 64};
  GroupSlices slices(device, rows_up_to(batch, 10'000), max_pairs, group_count<W>(size));
  const std::string how = convention.preset + " W " + std::to_string(W);
  EXPECT_EQ((run_group_slices<W, K, C, Edges>(slices.view(), size)), "") << how;
  EXPECT_EQ(device.missing(), 0u);
  expect_same(device.scores(), want, rows_up_to(batch, 10'000), kernel_metrics, how);
}

TEST(DeviceKernels, EqualTheCpuWithAGroupOfLanesPerPairAndASharedTable) {
  std::mt19937_64 random(run_seed() + 85);
  for (const Convention& convention : conventions()) {
    RandomBatch made(random());
    made.add_pairs(50, 40, 40);
    made.add_pairs(20, 200, 70);
    made.add_pairs(3, 1300, 30);
    const PairBatch& batch = made.batch();
    const Scores want = score_plainly(batch, convention);
    if (convention.edit_unit == EditUnit::edges) {
      expect_group_slices<8, 8, 1, true>(batch, convention, want, 5);
      expect_group_slices<32, 16, 2, true>(batch, convention, want, 9);
    } else {
      expect_group_slices<8, 8, 1, false>(batch, convention, want, 100);
      expect_group_slices<32, 16, 2, false>(batch, convention, want, 1);
    }
    if (HasFailure()) return;
  }
}

TEST(DeviceKernels, EqualTheCpuWithAGroupOfLanesForDtwAlone) {
  RandomBatch made(run_seed() + 81);
  made.add_pairs(40, 150, 60);
  const PairBatch& batch = made.batch();
  DeviceBatch device(batch, {}, quantity_dtw);
  const auto rows = rows_up_to(batch, 150);
  Groups groups(device, rows, 16);
  EXPECT_EQ((run_groups<8, 8, 1, quantity_dtw, true, true>(groups.view(), {2, 64})), "");
  expect_few(device, {}, few_dtw, rows, "");
}

}  // namespace
}  // namespace warpath::testing
