// Tests what the CUDA back end adds up on a device: the host's integers for any float, and, on a
// fake device, statistics of a batch that equal the CPU back end's to the last bit.

#include "host/core/cuda/totals.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include "host/core/cpu/backend.hpp"
#include "host/core/cuda/backend.hpp"
#include "kernels/bodies/partial_statistics.hpp"
#include "tests/support/each_device.hpp"
#include "tests/support/fake_kernels.hpp"
#include "tests/support/pair_cases.hpp"

namespace warpath::testing {
namespace {

using namespace kernels;

constexpr Unit units[] = {Unit::fraction, Unit::length, Unit::count};
constexpr Metric metric_of[] = {Metric::SR, Metric::GP, Metric::ED};  // by unit

Statistics on_host(std::span<const float> values, Unit unit) {
  Statistics a(unit);
  for (const float v : values) a.add(v);
  return a;
}

// Computes statistics by the kernels' bodies, in parts of one to `together` values.
Statistics as_on_device(std::span<const float> values, Unit unit, std::size_t together) {
  const ColumnRules rules = cuda::column_rules(unit);
  ColumnTotals totals{};
  for (std::size_t begin = 0; begin < values.size(); begin += together) {
    PartialStatistics partial;
    for (const float v : values.subspan(begin, std::min(together, values.size() - begin))) {
      if (is_value(v)) partial.add(v, rules);
    }
    add_to(totals, partial, PlainMemory{});
  }
  return cuda::read_statistics(totals, metric_of[static_cast<std::size_t>(unit)]);
}

bool overflows(auto&& make) {
  try {
    make();
    return false;
  } catch (const std::overflow_error&) {
    return true;
  }
}

// Adds one value at a time, so that a wrong one is named.
void expect_same_integers(float value) {
  const float values[] = {value};
  for (const Unit unit : units) {
    const bool wanted = overflows([&] { on_host(values, unit); });
    const bool got = overflows([&] { as_on_device(values, unit, 1); });
    ASSERT_EQ(got, wanted) << value;
    if (wanted) continue;
    ASSERT_EQ(as_on_device(values, unit, 1), on_host(values, unit))
        << std::hexfloat << value << ", unit " << static_cast<int>(unit);
  }
}

TEST(CudaPartialStatistics, EqualTheHostsIntegersForAnyFloat) {
  std::mt19937_64 random(run_seed() + 200);
  for (int k = 0; k < 20'000; ++k) {
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    expect_same_integers(value);
    if (HasFatalFailure()) return;
  }
}

// Covers halves of the grid's last place, which round to even; the smallest and the largest floats;
// and those around the first that overflows.
TEST(CudaPartialStatistics, EqualTheHostsIntegersAtEveryBorder) {
  for (const float digits : {1.0f, 1.5f, 1.25f, 0x1.fffffep0f, 0x1.000002p0f, 1.75f}) {
    for (int power = -149; power < 128; ++power) {
      expect_same_integers(std::ldexp(digits, power));
      expect_same_integers(-std::ldexp(digits, power));
      if (HasFatalFailure()) return;
    }
  }
  for (const float zero : {0.0f, -0.0f}) expect_same_integers(zero);
}

TEST(CudaPartialStatistics, RoundToTheGridAsWorkedByHand) {
  EXPECT_TRUE(shifted(5, -1) == 2 && shifted(7, -1) == 4 && shifted(6, -2) == 2);
  EXPECT_TRUE(shifted(3, -2) == 1 && shifted(2, -2) == 0 && shifted(1, -1) == 0);
  EXPECT_TRUE(shifted(1, -63) == 0 && shifted(std::uint64_t{3} << 62, -64) == 0);
  EXPECT_TRUE(shifted(1, 100) == Int128{1} << 100);
  EXPECT_TRUE(shifted(std::uint64_t{5} << 60, -62) == 1 &&
              shifted(std::uint64_t{3} << 61, -63) == 1);
  const Number half = number_of(-0.5f);
  EXPECT_TRUE(half.mantissa == 1u << 23 && half.exponent == -24 && half.negative);
  EXPECT_TRUE(number_of(0x1p-149f).mantissa == 1 && number_of(0x1p-149f).exponent == -149);
}

TEST(CudaPartialStatistics, HaveKeysInTheOrderOfTheValues) {
  constexpr float most = std::numeric_limits<float>::max();
  const float values[] = {-most, -1.5f, -1.0f, -0x1p-149f, 0.0f, 0x1p-149f, 1.0f, 1.5f, most};
  for (std::size_t k = 1; k < std::size(values); ++k) {
    EXPECT_LT(key_of(values[k - 1]), key_of(values[k])) << values[k];
  }
  EXPECT_TRUE(key_of(-most) != 0 && ~key_of(most) != 0);
  EXPECT_EQ(key_of(-0.0f), key_of(0.0f));
}

// Adds small terms beside large ones, of both signs: carries and borrows between the limbs.
TEST(CudaPartialStatistics, CarryLimbsInAnySplit) {
  std::mt19937_64 random(run_seed() + 201);
  for (const Unit unit : units) {
    std::vector<float> values;
    for (int k = 0; k < 3000; ++k) {
      const float digits = 1.0f + static_cast<float>(random() % 8'388'608) * 0x1p-23f;
      const float v = std::ldexp(digits, static_cast<int>(random() % 54) - 30);
      values.push_back(random() % 2 == 0 ? v : -v);
    }
    values.push_back(std::numeric_limits<float>::quiet_NaN());
    values.push_back(-std::numeric_limits<float>::infinity());
    const Statistics want = on_host(values, unit);
    for (const std::size_t together : {1, 7, 100, 5000}) {
      EXPECT_EQ(as_on_device(values, unit, together), want) << together;
    }
  }
}

TEST(CudaPartialStatistics, NoteSumsThatOverflow) {
  const float large = 0x1.fffffep42f;  // its square is just below 2^126 on the grid of lengths
  for (const std::size_t together : {1, 2, 3, 4, 5}) {
    const auto sum = [&](int n) {
      const std::vector<float> values(n, large);
      return as_on_device(values, Unit::length, together);
    };
    EXPECT_EQ(sum(2), on_host(std::vector(2, large), Unit::length));
    for (const int n : {3, 4, 5, 9}) {
      EXPECT_TRUE(overflows([&] { sum(n); })) << n << " by " << together;
    }
  }
}

TEST(CudaPartialStatistics, AddCountsOfAnySize) {
  const ColumnRules rules = cuda::column_rules(Unit::count);
  ColumnTotals totals{};
  Statistics want(Unit::count);
  PartialStatistics partial;
  for (const std::uint32_t count : {0u, 1u, 7u, 16'777'217u, 4'000'000'001u}) {
    partial.add(count, rules);
    want.add(count);
  }
  add_to(totals, partial, PlainMemory{});
  EXPECT_EQ(cuda::read_statistics(totals, Metric::n_query), want);
}

BatchStatistics on_device(cuda::Device& device, const PairBatch& batch,
                          const Convention& convention, const cuda::Options& options) {
  return cuda::statistics(device, batch, batch::DistanceTables(batch.scans, convention), convention,
                          options);
}

BatchStatistics of_columns(const PairBatch& batch, const Convention& convention,
                           const MetricSet& metrics) {
  BatchStatistics summary;
  summary.add(cpu::score(batch, convention, {.metrics = metrics}));
  return summary;
}

void expect_same(const BatchStatistics& got, const BatchStatistics& want, const std::string& how) {
  for (const MetricInfo& m : path_metric_table()) {
    EXPECT_EQ(got.summary.of(m.metric), want.summary.of(m.metric)) << how << ": " << m.name;
    EXPECT_EQ(got.histogram(m.metric), want.histogram(m.metric)) << how << ": " << m.name;
  }
  EXPECT_EQ(got.summary.statuses, want.summary.statuses) << how;
  EXPECT_EQ(got, want) << how << ", seed " << run_seed();
}

class CudaStatistics : public OnEachDevice {};
WARPATH_ON_EACH_DEVICE(CudaStatistics);

TEST_P(CudaStatistics, EqualsTheCpuUnderEveryConvention) {
  std::mt19937_64 random(run_seed() + 202);
  for (const Convention& convention : conventions()) {
    RandomBatch made(random());
    made.add_every_kind();
    const PairBatch& batch = made.batch();
    const batch::DistanceTables tables(batch.scans, convention);
    const BatchStatistics want = of_columns(batch, convention, MetricSet::of_paths());
    expect_same(cpu::statistics(batch, tables, convention), want, convention.preset + ", cpu");
    for (const std::uint32_t chunk : sizes_by_turns({1u << 20, 100, 25})) {
      cuda::Device& here = device(random());
      expect_same(on_device(here, batch, convention, {.chunk_pairs = chunk}), want,
                  convention.preset + ", chunks of " + std::to_string(chunk));
      expect_started("aggregate");
    }
    if (HasFailure()) return;
  }
}

TEST_P(CudaStatistics, EqualsTheCpuForColumnsOfSeveralSlices) {
  RandomBatch made(run_seed() + 203);
  made.add_pairs(80'000, 12, 12);
  const BatchStatistics want = of_columns(made.batch(), {}, MetricSet::of_paths());
  EXPECT_EQ(want.summary.items, 80'000u);
  for (const std::size_t window : {100, 4096}) {
    const batch::DistanceTables tables(made.batch().scans, {});
    expect_same(cpu::statistics(made.batch(), tables, {}, {.window = window, .threads = 2}), want,
                "windows of " + std::to_string(window));
  }
  for (const std::uint32_t chunk : {1u << 20, 40'000u}) {
    cuda::Device& here = device(run_seed() + chunk);
    expect_same(on_device(here, made.batch(), {}, {.chunk_pairs = chunk}), want, "pieces");
  }
}

TEST_P(CudaStatistics, EqualsTheCpuForFewMetricsAndTaskSuccess) {
  using enum Metric;
  RandomBatch made(run_seed() + 204);
  made.add_every_kind();
  PairBatch batch = made.batch();
  for (std::size_t row = 0; row < batch.pairs.size(); ++row) {
    batch.task_success.push_back(row % 4 == 0 ? std::nan("") : 0.5);
  }
  const std::vector<std::vector<Metric>> requests = {{NE, SR, PL, SPL}, {DTW},       {n_query_raw},
                                                     {n_query, steps},  {SDTW, CLS}, {GP, n_ref}};
  for (const auto& request : requests) {
    MetricSet asked;
    for (const Metric m : request) asked.insert(m);
    const BatchStatistics want = of_columns(batch, {}, asked);
    const std::string how(info(request[0]).name);
    expect_same(
        cpu::statistics(batch, batch::DistanceTables(batch.scans, {}), {}, {.metrics = asked}),
        want, how + ", cpu");
    cuda::Device& here = device(run_seed());
    expect_same(on_device(here, batch, {}, {.metrics = asked, .chunk_pairs = 200}), want, how);
  }
}

TEST_P(CudaStatistics, AcceptsABatchWithNothingToScore) {
  RandomBatch made(run_seed() + 206);
  cuda::Device& here = device(run_seed());
  expect_same(on_device(here, made.batch(), {}, {}), BatchStatistics(), "device");
  expect_same(cpu::statistics(made.batch(), batch::DistanceTables(made.batch().scans, {}), {}),
              BatchStatistics(), "cpu");
}

TEST(FakeCudaStatistics, StaysWithinItsMemory) {
  RandomBatch made(run_seed() + 207);
  made.add_pairs(36'000, 12, 12);
  const BatchStatistics want = of_columns(made.batch(), {}, MetricSet::of_paths());
  FakeDevice device(run_seed());
  expect_same(on_device(device, made.batch(), {}, {.memory = 8 << 20}), want, "small memory");
  EXPECT_LE(device.max_memory(), std::size_t{8} << 20);
}

TEST(FakeCudaStatistics, EveryFailingCallReportsAndReleases) {
  RandomBatch made(run_seed() + 208);
  made.add_every_kind();
  const cuda::Options options{.chunk_pairs = 300};
  expect_every_failure_reported(
      [&](FakeDevice& device) { on_device(device, made.batch(), {}, options); });
}

}  // namespace
}  // namespace warpath::testing
