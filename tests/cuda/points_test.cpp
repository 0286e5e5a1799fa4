// Tests continuous paths by the CUDA back end on a fake device: the CPU back end's bits for any
// size of chunks and any order of the streams' work, its memory, and failures.

#include "host/core/cpu/points.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "host/core/cuda/points.hpp"
#include "kernels/views/pairs.hpp"
#include "tests/support/each_device.hpp"
#include "tests/support/pair_cases.hpp"
#include "tests/support/point_cases.hpp"
#include "warpath/error.hpp"

namespace warpath::testing {
namespace {

using enum Metric;

// Makes paths of all lengths, some of which meet, and references that several pairs share.
PointBatch every_kind(std::uint64_t seed) {
  RandomPoints made(seed);
  made.add_pairs(40, 100, 100);
  checks::move_apart(made.batch());
  made.add_pairs(40, 100, 100);
  made.add_pairs(20, 4, 4);
  made.add_pair(1, 1);
  made.add_pair(1300, 90);
  made.add_pair(90, 700);
  return made.batch();
}

MetricSet set_of(const std::vector<Metric>& metrics) {
  MetricSet set;
  for (const Metric m : metrics) set.insert(m);
  return set;
}

class CudaPoints : public OnEachDevice {};
WARPATH_ON_EACH_DEVICE(CudaPoints);

TEST_P(CudaPoints, EqualsTheCpuUnderEveryConvention) {
  std::mt19937_64 random(run_seed() + 140);
  int overlaps = 0;
  for (const Convention& convention : conventions()) {
    const PointBatch batch = every_kind(random());
    const Scores want = cpu::score(batch, convention);
    for (const std::uint32_t chunk : sizes_by_turns({1u << 16, 20, 1})) {
      cuda::Device& here = device(random());
      expect_same_scores(cuda::score(here, batch, convention, {.chunk_pairs = chunk}), want,
                         convention.preset + ", chunks of " + std::to_string(chunk));
      if (fake() != nullptr) overlaps += fake()->overlaps();
      if (HasFailure()) return;
    }
  }
  EXPECT_TRUE(fake() == nullptr || overlaps > 0);
}

TEST_P(CudaPoints, EqualsTheCpuInTwoDimensions) {
  for (Convention convention : conventions()) {
    convention.distance = Distance::euclid_2d;
    const PointBatch batch = every_kind(run_seed() + 141);
    cuda::Device& here = device(run_seed());
    expect_same_scores(cuda::score(here, batch, convention, {.chunk_pairs = 30}),
                       cpu::score(batch, convention), convention.preset);
    if (HasFailure()) return;
  }
}

// The first query passes by its reference; the others follow theirs, one of them a long one.
TEST(FakeCudaPoints, StartsTheKernelOfEachPairsLength) {
  PointBatch batch;
  for (const auto& [points, beside] : {std::pair{20, 0.1}, {20, 0.0}, {600, 0.0}}) {
    for (int k = 0; k < points; ++k) {
      batch.references.elements.push_back({0.25 * k, 0, 0});
      batch.queries.elements.push_back({0.25 * k, beside, 0});
    }
    batch.pairs.push_back({batch.references.end_path(), batch.queries.end_path()});
  }
  for (const auto& [unit, all] :
       {std::pair{EditUnit::edges, "all_edges"}, {EditUnit::viewpoints, "all_viewpoints"}}) {
    Convention convention;
    convention.edit_unit = unit;
    FakeDevice device(run_seed());
    cuda::score(device, batch, convention);
    EXPECT_EQ(device.started, (std::map<std::string, int>{{"five", 1}, {all, 2}}));
  }
}

TEST_P(CudaPoints, EqualsTheCpuForReferencesTooLongForAWarp) {
  RandomPoints made(run_seed() + 149);
  made.add_pair(4097, 300);
  made.add_pair(4096, 20);
  cuda::Device& here = device(run_seed());
  expect_same_scores(cuda::score(here, made.batch(), {}), cpu::score(made.batch(), {}), "chain");
}

TEST_P(CudaPoints, EqualsTheCpuForFewMetrics) {
  const std::vector<std::vector<Metric>> requests = {
      {NE, SR, PL, SPL}, {ONE, OSR}, {DTW}, {nDTW}, {SDTW},   {DTW, PC, AD, MD, nDTW}, {PC},
      {AD, MD},          {ED},       {SED}, {PLR},  {GP, SP}, {n_query, steps},        {n_ref},
      {SDTW, CLS},       {EPL},      {LS}};
  const PointBatch batch = every_kind(run_seed() + 143);
  for (const auto& request : requests) {
    const MetricSet asked = set_of(request);
    cuda::Device& here = device(run_seed());
    expect_same_scores(cuda::score(here, batch, {}, {.metrics = asked, .chunk_pairs = 30}),
                       cpu::score(batch, {}, {.metrics = asked}),
                       std::string(info(request[0]).name));
  }
  cuda::Device& here = device(run_seed());
  cuda::score(here, batch, {}, {.metrics = set_of({NE, SPL})});
  if (fake() != nullptr) {
    EXPECT_EQ(fake()->started, (std::map<std::string, int>{{"goal", 1}}));
  }
}

TEST_P(CudaPoints, EqualsTheCpuWithTaskSuccess) {
  PointBatch batch = every_kind(run_seed() + 144);
  for (std::size_t row = 0; row < batch.pairs.size(); ++row) {
    batch.task_success.push_back(row % 5 == 0 ? std::nan("") : 0.25 * static_cast<double>(row % 5));
  }
  cuda::Device& here = device(run_seed());
  expect_same_scores(cuda::score(here, batch, {}, {.chunk_pairs = 17}), cpu::score(batch, {}),
                     "task success");
}

TEST(FakeCudaPoints, UploadsASharedReferenceOncePerChunk) {
  RandomPoints made(run_seed() + 145);
  made.add_pair(300, 5);
  PointBatch& batch = made.batch();
  for (int k = 0; k < 200; ++k) batch.pairs.push_back(batch.pairs[0]);
  const Scores want = cpu::score(batch, {});
  FakeDevice device(run_seed());
  expect_same_scores(cuda::score(device, batch, {}), want, "one chunk");
  constexpr std::size_t pairs = 201, points = 300 + 5 * pairs, borders = 256 * 24 * 5;
  constexpr std::size_t alignment = 6 * 255;
  EXPECT_LE(device.max_memory(), 16 * points + borders + pairs * (52 + 4 * 21) + alignment);
  FakeDevice small(run_seed());
  expect_same_scores(cuda::score(small, batch, {}, {.chunk_pairs = 7}), want, "chunks of 7");
}

TEST_P(CudaPoints, AcceptsABatchWithoutPairs) {
  cuda::Device& here = device(run_seed());
  EXPECT_EQ(cuda::score(here, {}, {}).size(), 0u);
}

TEST(FakeCudaPoints, StaysWithinItsMemory) {
  const PointBatch batch = every_kind(run_seed() + 146);
  const Scores want = cpu::score(batch, {});
  // The borders of the longest query take 256 * 24 * 700 bytes for each of three chunks.
  constexpr std::size_t borders = std::size_t{3} * 256 * 24 * 700;
  for (const std::size_t beyond : {1u << 20, 1u << 18, 1u << 17, 70'000u}) {
    FakeDevice device(run_seed());
    expect_same_scores(cuda::score(device, batch, {}, {.memory = borders + beyond}), want,
                       "memory " + std::to_string(beyond));
    EXPECT_LE(device.max_memory(), borders + beyond);
    EXPECT_GT(device.max_memory(), borders / 3);
  }
  FakeDevice device(run_seed());
  try {
    cuda::score(device, batch, {}, {.memory = borders});
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("not even one pair fits"), std::string::npos);
  }
  FakeDevice tiny(run_seed());
  tiny.capacity = 1 << 20;
  EXPECT_THROW(cuda::score(tiny, batch, {}), InputError);
}

TEST(FakeCudaPoints, EveryFailingCallReportsAndReleases) {
  const PointBatch batch = every_kind(run_seed() + 147);
  const cuda::PointOptions options{.chunk_pairs = 15};
  expect_every_failure_reported(
      [&](FakeDevice& device) { cuda::score(device, batch, {}, options); });
}

// ---------------------------------------------------------------- with a device, or without

TEST(FakeCudaPoints, GivesReasonAndRemedyWithoutADevice) {
  const cuda::FoundDevice found = cuda::find_device();
  if (found.device != nullptr) GTEST_SKIP() << "there is a device";
  const PointBatch batch = checks::pair_of({{0, 0, 0}}, {{1, 0, 0}});
  try {
    score(batch, {}, Backend::cuda);
    FAIL() << "no error";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find(found.reason), std::string::npos) << text;
    EXPECT_NE(text.find("use --backend cpu"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace warpath::testing
