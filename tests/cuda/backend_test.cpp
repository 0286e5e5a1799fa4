// Tests the CUDA back end: the CPU back end's bits for any size of chunks and every kernel; on a
// fake device also any order of the streams' work, the memory limit, and failures.

#include "host/core/cpu/backend.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "host/checks/pairs.hpp"
#include "host/core/cuda/backend.hpp"
#include "tests/support/each_device.hpp"
#include "tests/support/pair_cases.hpp"
#include "warpath/error.hpp"

namespace warpath::testing {
namespace {

using enum Metric;

Scores score_on(cuda::Device& device, const PairBatch& batch, const Convention& convention,
                const cuda::Options& options = {}) {
  const batch::DistanceTables tables(batch.scans, convention);
  Scores scores;
  cuda::score(device, batch, tables, convention, options, scores);
  return scores;
}

class CudaBackend : public OnEachDevice {};
WARPATH_ON_EACH_DEVICE(CudaBackend);

TEST_P(CudaBackend, EqualsTheCpuUnderEveryConvention) {
  std::mt19937_64 random(run_seed() + 100);
  for (const Convention& convention : conventions()) {
    RandomBatch made(random());
    made.add_every_kind();
    const PairBatch& batch = made.batch();
    const Scores want = cpu::score(batch, convention);
    for (const std::uint32_t chunk : sizes_by_turns({1u << 20, 100, 7})) {
      cuda::Device& here = device(random());
      expect_same_scores(score_on(here, batch, convention, {.chunk_pairs = chunk}), want,
                         convention.preset + ", chunks of " + std::to_string(chunk));
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(CudaBackend, EqualsTheCpuOnDirectedScans) {
  std::mt19937_64 random(run_seed() + 103);
  for (const Convention& convention : conventions()) {
    RandomBatch made(random(), 5, true);
    made.add_every_kind();
    const Scores want = cpu::score(made.batch(), convention);
    expect_same_scores(score_on(device(random()), made.batch(), convention), want,
                       convention.preset);
    if (HasFatalFailure()) return;
  }
}

TEST_P(CudaBackend, TellsAWatchOfEachChunkAndEndsByWhatItThrows) {
  RandomBatch made(run_seed() + 120);
  made.add_every_kind();
  cuda::Device& here = device(run_seed());
  std::uint64_t done = 0, calls = 0;
  const Watch count = [&](std::uint64_t more) {
    done += more;
    ++calls;
  };
  const cuda::Options options{.chunk_pairs = 100, .watch = &count};
  expect_same_scores(score_on(here, made.batch(), {}, options), cpu::score(made.batch(), {}),
                     "watched");
  EXPECT_EQ(done, made.batch().pairs.size());
  EXPECT_GE(calls, done / 100);
  struct Stop {};
  const Watch stop = [&](std::uint64_t) { throw Stop(); };
  EXPECT_THROW(score_on(here, made.batch(), {}, {.chunk_pairs = 100, .watch = &stop}), Stop);
  expect_same_scores(score_on(here, made.batch(), {}), cpu::score(made.batch(), {}), "afterwards");
}

// Batches get one thread per pair from a tenth of the default size on, for the emulator's sake.
constexpr std::size_t small_batch = 3000;

PairBatch large_batch(RandomBatch& made, std::size_t queries, int longest,
                      std::size_t pairs = small_batch + 600) {
  made.add_pairs(pairs, longest, 12, queries);
  return made.batch();
}

TEST_P(CudaBackend, UploadsShortPairsAsBytesForTiles) {
  RandomBatch made(run_seed() + 101);
  const PairBatch batch = large_batch(made, 1, 12);
  const Scores want = cpu::score(batch, {});
  cuda::Device& here = device(run_seed());
  const cuda::Options options{.chunk_pairs = 1000, .small_batch = small_batch};
  expect_same_scores(score_on(here, batch, {}, options), want, "tiles");
  expect_started("bytes");
  expect_started("shared_table");
  if (fake() == nullptr) return;
  for (const char* kernel : {"lanes_4", "lanes_8", "lanes_32"}) {
    EXPECT_EQ(fake()->started[kernel], 0) << kernel;
  }
  EXPECT_GT(fake()->overlaps(), 0);
}

TEST_P(CudaBackend, UsesOneTableForQueriesOfOneReference) {
  RandomBatch made(run_seed() + 102);
  const PairBatch batch = large_batch(made, 600, 16);
  const Scores want = cpu::score(batch, {});
  cuda::Device& here = device(run_seed());
  const cuda::Options options{.chunk_pairs = 1000, .small_batch = small_batch};
  expect_same_scores(score_on(here, batch, {}, options), want, "shared reference");
  expect_started("replicated_reference");
}

// Covers every compiled set and number of rows, with each kind of table: scans of 300 viewpoints
// are too large for a block's memory.
TEST_P(CudaBackend, EqualsTheCpuByEveryTileKernel) {
  const checks::Shape shapes[] = {{"shared_table", {1, 32}, {1, 24}, 120},
                                  {"plain_table", {1, 20}, {1, 24}, 300},
                                  {"shared_reference", {1, 20}, {1, 24}, 60, 40},
                                  {"replicated_reference", {1, 20}, {1, 24}, 60, 160}};
  const std::vector<std::vector<Metric>> requests = {
      {DTW}, {nDTW, PC, AD, MD}, {NE, SPL}, {ED, SDTW, CLS, SED}};
  checks::Random random(run_seed() + 112);
  for (const checks::Shape& shape : shapes) {
    const checks::SyntheticBatch made = checks::uniform_pairs(random, shape, small_batch + 100);
    for (const auto& request : requests) {
      MetricSet asked;
      for (const Metric m : request) asked.insert(m);
      for (const EditUnit unit : {EditUnit::edges, EditUnit::viewpoints}) {
        Convention convention;
        convention.edit_unit = unit;
        const Scores want = cpu::score(made.batch, convention, {.metrics = asked});
        cuda::Device& here = device(run_seed());
        const cuda::Options options{.metrics = asked, .small_batch = small_batch};
        expect_same_scores(score_on(here, made.batch, convention, options), want,
                           shape.name + " " + std::string(info(request[0]).name));
        expect_started(asked[NE] ? "plain_table" : shape.name);
      }
    }
  }
}

TEST(FakeCudaBackend, UsesGlobalMemoryForScansTooLargeForABlock) {
  RandomBatch made(run_seed() + 103);
  const PairBatch batch = large_batch(made, 1, 20);
  FakeDevice device(run_seed());
  device.block_floats = 100;
  const cuda::Options options{.small_batch = small_batch};
  expect_same_scores(score_on(device, batch, {}, options), cpu::score(batch, {}), "plain table");
  EXPECT_GT(device.started["plain_table"], 0);
}

TEST_P(CudaBackend, EqualsTheCpuForReferencesTooLongForAWarp) {
  RandomBatch made(run_seed() + 109);
  made.add_pair(0, made.walk(0, 0, 4097), made.walk(0, 0, 300));
  made.add_pair(1, made.walk(1, 0, 4096), made.walk(1, 0, 300));
  made.add_pairs(50, 30, 40);
  cuda::Device& here = device(run_seed());
  expect_same_scores(score_on(here, made.batch(), {}), cpu::score(made.batch(), {}), "chain");
  expect_started("chain");
  expect_started("lanes_32, shared table");
}

TEST_P(CudaBackend, EqualsTheCpuForFewMetrics) {
  RandomBatch made(run_seed() + 104);
  large_batch(made, 1, 12);
  made.add_pairs(20, 60, 60);
  const std::vector<std::vector<Metric>> requests = {
      {NE, SR, PL, SPL}, {DTW}, {nDTW, PC, AD, MD}, {ED}, {n_query, steps}, {SDTW, CLS}};
  for (const auto& request : requests) {
    MetricSet asked;
    for (const Metric m : request) asked.insert(m);
    const Scores want = cpu::score(made.batch(), {}, {.metrics = asked});
    cuda::Device& here = device(run_seed());
    expect_same_scores(score_on(here, made.batch(), {}, {.metrics = asked}), want,
                       std::string(info(request[0]).name));
  }
}

TEST_P(CudaBackend, EqualsTheCpuForOneReferenceInTwoScans) {
  RandomBatch made(run_seed() + 105, 2);
  made.add_pairs(200, 10, 10);
  PairBatch batch = made.batch();
  const std::size_t viewpoints = std::min(batch.scans[0]->size(), batch.scans[1]->size());
  for (std::size_t row = 0; row < batch.pairs.size(); ++row) {
    batch.task_success.push_back(row % 4 == 0 ? std::nan("") : 0.5);
    const Pair& pair = batch.pairs[row];
    const auto fits = [&](std::span<const Node> path) {
      return std::ranges::all_of(path, [&](Node n) { return n < viewpoints; });
    };
    if (fits(batch.references[pair.reference]) && fits(batch.queries[pair.query])) {
      batch.pairs.push_back({1 - pair.scan, pair.reference, pair.query});
      batch.n_query_raw.push_back(1);
    }
    if (batch.pairs.size() > 600) break;
  }
  batch.task_success.resize(batch.pairs.size(), 1.0);
  cuda::Device& here = device(run_seed());
  expect_same_scores(score_on(here, batch, {}, {.chunk_pairs = 50}), cpu::score(batch, {}),
                     "two scans");
}

TEST_P(CudaBackend, EqualsTheCpuForLongReferencesOfTheLastScans) {
  RandomBatch made(run_seed() + 112, 20);
  const PairBatch batch = long_references_of_last_scans(made, 300);
  cuda::Device& here = device(run_seed());
  expect_same_scores(score_on(here, batch, {}, {.small_batch = 0}), cpu::score(batch, {}),
                     "few references, many scans");
  expect_started("lanes_8, shared table");
}

TEST_P(CudaBackend, AcceptsAReferenceWithoutPairs) {
  RandomBatch made(run_seed() + 108);
  PairBatch batch = large_batch(made, 3, 12);
  batch.references.elements.insert(batch.references.elements.begin(), 200, 0xffffu);
  for (std::uint64_t& offset : batch.references.offsets) offset += 200;
  batch.references.offsets.insert(batch.references.offsets.begin(), 0);
  for (Pair& pair : batch.pairs) ++pair.reference;
  cuda::Device& here = device(run_seed());
  const cuda::Options options{.chunk_pairs = 1000, .small_batch = small_batch};
  expect_same_scores(score_on(here, batch, {}, options), cpu::score(batch, {}),
                     "an unused reference");
}

// A chunk has room for slightly more nodes than pairs of the mean length have.
TEST_P(CudaBackend, EqualsTheCpuForLongQueriesInSmallChunks) {
  RandomBatch made(run_seed() + 109);
  large_batch(made, 1, 12);
  made.add_pairs(1200, 12, 300);
  const PairBatch batch = made.batch();
  const Scores want = cpu::score(batch, {});
  for (const std::uint32_t chunk : {3000u, 1200u, 500u}) {
    cuda::Device& here = device(run_seed());
    const cuda::Options options{.chunk_pairs = chunk, .small_batch = small_batch};
    expect_same_scores(score_on(here, batch, {}, options), want, "long queries");
    expect_started("bytes");
  }
}

TEST(FakeCudaBackend, StaysWithinItsMemory) {
  RandomBatch made(run_seed() + 106);
  const PairBatch batch = large_batch(made, 1, 12, 36'000);
  const Scores want = cpu::score(batch, {});
  for (const std::size_t mebibytes : {64, 8, 2}) {
    FakeDevice device(run_seed());
    expect_same_scores(score_on(device, batch, {}, {.memory = mebibytes << 20}), want,
                       "small memory");
    EXPECT_LE(device.max_memory(), mebibytes << 20);
  }
  FakeDevice device(run_seed());
  EXPECT_THROW(score_on(device, batch, {}, {.memory = 1000}), InputError);
}

TEST(FakeCudaBackend, StaysWithinTheMemoryOfTheEnvironmentVariable) {
  RandomBatch made(run_seed() + 113);
  const PairBatch batch = large_batch(made, 1, 12, 36'000);
  const Scores want = cpu::score(batch, {});
  const char* before = std::getenv("WARPATH_GPU_MEMORY");
  const std::string old = before != nullptr ? before : "";
  setenv("WARPATH_GPU_MEMORY", "3", 1);
  FakeDevice device(run_seed());
  expect_same_scores(score_on(device, batch, {}), want, "3 MiB");
  EXPECT_LE(device.max_memory(), std::size_t{3} << 20);
  for (const char* wrong : {"", "0", "-1", "4 GB", "99999999999999999999"}) {
    setenv("WARPATH_GPU_MEMORY", wrong, 1);
    EXPECT_THROW(score_on(device, batch, {}), UsageError) << wrong;
  }
  before != nullptr ? setenv("WARPATH_GPU_MEMORY", old.c_str(), 1) : unsetenv("WARPATH_GPU_MEMORY");
}

TEST(FakeCudaBackend, EveryFailingCallReportsAndReleases) {
  RandomBatch made(run_seed() + 107);
  made.add_every_kind();
  const cuda::Options options{.chunk_pairs = 300};
  expect_every_failure_reported(
      [&](FakeDevice& device) { score_on(device, made.batch(), {}, options); });
}

}  // namespace
}  // namespace warpath::testing
