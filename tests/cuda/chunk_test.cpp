// Tests a single chunk: it takes the memory that it states, and kernels that run again leave the
// same results.

#include "host/core/cuda/chunk.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "host/core/cpu/backend.hpp"
#include "host/core/cpu/points.hpp"
#include "host/core/cuda/prepared_batch.hpp"
#include "host/core/cuda/prepared_points.hpp"
#include "host/core/cuda/totals.hpp"
#include "tests/support/each_device.hpp"
#include "tests/support/pair_cases.hpp"
#include "tests/support/point_cases.hpp"

namespace warpath::testing {
namespace {

class CudaChunk : public OnEachDevice {};
WARPATH_ON_EACH_DEVICE(CudaChunk);

bool same_bits(float is, double wanted) {
  return is == static_cast<float>(wanted) || (std::isnan(is) && std::isnan(wanted));
}

template <class Chunk>
void expect_results(const Chunk& chunk, std::span<const Metric> metrics, const Scores& want,
                    const std::string& how) {
  for (std::size_t c = 0; c < metrics.size(); ++c) {
    for (std::uint32_t k = 0; k < chunk.count(); ++k) {
      ASSERT_TRUE(same_bits(chunk.column(c)[k], want.column[metrics[c]][chunk.first() + k]))
          << how << ", pair " << k << ": " << info(metrics[c]).name;
    }
  }
}

void score_again(auto& chunk, int times) {
  for (int k = 0; k < times; ++k) chunk.score();
  chunk.start_output();
  chunk.finish();
}

const MetricSet few_metrics = MetricSet().insert(Metric::DTW).insert(Metric::ED).insert(Metric::SR);

void expect_same_results(cuda::Device& device, const PairBatch& batch, int times) {
  const batch::DistanceTables tables(batch.scans, {});
  const cuda::PreparedBatch prepared(device, batch, tables, {},
                                     {.metrics = few_metrics, .small_batch = 3000}, nullptr);
  const cuda::PreparedSpan span(prepared, 0);
  cuda::Chunk chunk(device, span.context(), span.capacity(batch.pairs.size(), 1));
  const std::uint32_t count = chunk.upload(0);
  EXPECT_GT(count, batch.pairs.size() / 2);
  score_again(chunk, times);
  expect_results(chunk, span.context().metrics, cpu::score(batch, {}, {.metrics = few_metrics}),
                 std::to_string(times) + " times");
}

TEST_P(CudaChunk, LeavesTheSameResultsWhenKernelsRunAgain) {
  RandomBatch small(run_seed() + 110), large(run_seed() + 111);
  small.add_every_kind();
  large.add_pairs(3600, 12, 12);
  std::map<std::string, int> once;
  for (const int times : {1, 3}) {
    expect_same_results(device(run_seed()), large.batch(), times);
    if (fake() != nullptr) {
      EXPECT_GE(fake()->started["shared_table"], times);
      EXPECT_EQ(fake()->started["shared_table"] % times, 0);
      EXPECT_GT(fake()->overlaps(), 0) << "tile kernels run beside each other";
    }
    expect_same_results(device(run_seed()), small.batch(), times);
    if (fake() == nullptr) continue;
    if (times == 1) once = fake()->started;
    for (const char* kernel : {"lanes_4", "lanes_8", "lanes_32"}) {
      EXPECT_EQ(fake()->started[kernel], times * once[kernel]) << kernel;
    }
    EXPECT_EQ(fake()->overlaps(), 0);
  }
}

TEST_P(CudaChunk, LeavesTheSameResultsWhenPointKernelsRunAgain) {
  RandomPoints made(run_seed() + 150);
  made.add_pairs(60, 100, 100);
  made.add_pair(1300, 90);
  const PointBatch& batch = made.batch();
  const Convention convention;
  const cuda::PointOptions options{.metrics = few_metrics};
  for (const int times : {1, 3}) {
    cuda::Device& here = device(run_seed());
    const cuda::PreparedPoints prepared(here, batch, convention, options);
    cuda::PointChunk chunk(here, prepared.context(), prepared.capacity(1u << 20, 1));
    EXPECT_EQ(chunk.upload(0), batch.pairs.size());
    score_again(chunk, times);
    expect_results(chunk, prepared.context().metrics,
                   cpu::score(batch, {}, {.metrics = few_metrics}),
                   std::to_string(times) + " times");
  }
}

TEST(FakeCudaChunk, EveryFailingCallReportsAndReleases) {
  RandomBatch made(run_seed() + 111);
  made.add_pairs(50, 12, 12);
  expect_every_failure_reported(
      [&](FakeDevice& device) { expect_same_results(device, made.batch(), 2); });
}

/// Runs make() and returns how much it adds to a device's memory.
template <class Make>
std::size_t added_memory(FakeDevice& device, std::size_t streams, Make make) {
  const std::size_t free = device.free_memory(), leaks = device.leaks();
  const auto made = make();
  EXPECT_EQ(device.leaks(), leaks + streams + 2) << "streams, and one allocation on either side";
  return free - device.free_memory();
}

void expect_memory_of(const cuda::ChunkCapacity& capacity) {
  FakeDevice device(run_seed());
  const PairBatch none;
  const cuda::ChunkContext context{.batch = none};
  const auto make = [&] { return std::make_unique<cuda::Chunk>(device, context, capacity); };
  EXPECT_EQ(added_memory(device, 4, make), cuda::Chunk::device_bytes(capacity));
}

TEST(FakeCudaChunk, TakesTheMemoryThatItStates) {
  for (const bool more : {false, true}) {
    cuda::ChunkCapacity capacity;
    capacity.packed = {.room = {.pairs = 1001, .runs = 30, .query_nodes = 12'345, .max_query = 77},
                       .max_rows = more ? 20u : 0u,
                       .border_groups = more ? 256u : 0u,
                       .scratch_bytes = 999};
    capacity.id_bytes = more ? 1 : 2;
    capacity.metrics = 5;
    capacity.task_success = capacity.cls_lengths = capacity.query_raw = more;
    capacity.are_results_returned = more;
    expect_memory_of(capacity);
  }
}

TEST(FakeCudaChunk, OfPointsTakesTheMemoryThatItStates) {
  RandomPoints made(run_seed() + 152);
  made.add_pairs(5, 30, 30);
  FakeDevice device(run_seed());
  const Convention convention;
  const cuda::PointOptions options;
  const cuda::PreparedPoints prepared(device, made.batch(), convention, options);
  const cuda::PointCapacity capacity{
      .pairs = 33, .points = 1001, .metrics = 7, .border_columns = 55, .border_groups = 256};
  const auto make = [&] {
    return std::make_unique<cuda::PointChunk>(device, prepared.context(), capacity);
  };
  EXPECT_EQ(added_memory(device, 1, make), cuda::PointChunk::device_bytes(capacity));
}

// A context's budget holds for all chunks of a batch.
TEST(FakeCudaChunk, UsesNoMoreThanItsBudget) {
  RandomBatch made(run_seed() + 112);
  made.add_pairs(3000, 12, 12);
  const batch::DistanceTables tables(made.batch().scans, {});
  for (const std::size_t budget : {std::size_t{4} << 20, std::size_t{8} << 20}) {
    FakeDevice device(run_seed());
    const cuda::PreparedBatch prepared(device, made.batch(), tables, {}, {.memory = budget},
                                       nullptr);
    const cuda::PreparedSpan span(prepared, 0);
    const cuda::ChunkCapacity capacity = span.capacity(3000, 2);
    EXPECT_LE(2 * cuda::Chunk::device_bytes(capacity), budget);
    const cuda::Chunk first(device, span.context(), capacity);
    const cuda::Chunk second(device, span.context(), capacity);
    EXPECT_LE(device.max_memory(), budget);
  }
}

}  // namespace
}  // namespace warpath::testing
