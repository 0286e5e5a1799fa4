// Tests that what the CPU back end adds up by lanes has the bits of Statistics and Histogram.

#include "host/core/cpu/thread_statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "kernels/metrics/flags.hpp"
#include "tests/support/pair_cases.hpp"

namespace warpath::testing {
namespace {

// Each kind of column: fractions, lengths, counts, and fractions that are 0 or 1.
constexpr Metric metric_of_each_kind[] = {Metric::nDTW, Metric::GP, Metric::ED, Metric::SR};

BatchStatistics one_by_one(Metric metric, std::span<const float> values) {
  BatchStatistics statistics;
  for (const float v : values) statistics.add(metric, v);
  return statistics;
}

// Compares on every instruction set, in columns of `max_column` values, then of one, two, …
void expect_same_bits(Metric metric, std::span<const float> values, std::size_t max_column) {
  const BatchStatistics want = one_by_one(metric, values);
  for (const cpu::CpuKernels* kernels : cpu::usable_kernels()) {
    cpu::ThreadStatistics got(*kernels);
    for (std::size_t begin = 0, size = max_column - 1; begin < values.size(); begin += size) {
      size = std::min(size % max_column + 1, values.size() - begin);
      got.add(metric, values.subspan(begin, size));
    }
    EXPECT_TRUE(got.fold() == want) << kernels->name << ", " << info(metric).name;
  }
}

TEST(ThreadStatistics, EqualSingleAdditionsForValuesOfEachMagnitude) {
  std::mt19937 random(run_seed());
  std::vector<float> values;
  for (int k = 0; k < 20'000; ++k) {
    const float mantissa = std::ldexp(static_cast<float>(random() >> 8), -24);
    const int exponent = static_cast<int>(random() % 70) - 60;
    values.push_back(std::ldexp(random() % 2 ? mantissa : -mantissa, exponent));
  }
  for (const Metric m : metric_of_each_kind) {
    expect_same_bits(m, values, 37);
    expect_same_bits(m, values, values.size());
  }
}

// As many as one sum of the kernels takes, all of the largest size.
TEST(ThreadStatistics, EqualSingleAdditionsForManyOfTheLargestQuickValues) {
  const std::vector<float> fractions(2 * kernels::max_quick_sum + 3, 1.0f);
  const std::vector<float> lengths(2 * kernels::max_quick_sum + 3, std::nextafter(2048.0f, 0.0f));
  const std::vector<float> negative(lengths.size(), -lengths[0]);
  for (const auto& values : {fractions, lengths, negative}) {
    for (const Metric m : metric_of_each_kind) expect_same_bits(m, values, values.size());
  }
}

TEST(ThreadStatistics, EqualSingleAdditionsAtTheEdgesOfBinsAndOfTheGrid) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> values = {0.0f, -0.0f, infinity, -infinity, std::nanf(""), 0x1p-149f, 1.0f};
  for (const float edge :
       {1.0f, 2.0f, 64.0f, 255.0f, 256.0f, 2048.0f, 0x1p-61f, 0x1p-41f, 0x1.8p-60f}) {
    for (const float v : {edge, std::nextafter(edge, 0.0f), std::nextafter(edge, infinity)}) {
      values.push_back(v);
      values.push_back(-v);
    }
  }
  for (int bin = 0; bin <= 20; ++bin) values.push_back(static_cast<float>(bin / 20.0));
  for (int bin = 0; bin <= 70; ++bin) values.push_back(static_cast<float>(bin));
  for (const Metric m : metric_of_each_kind) {
    for (const float v : values) expect_same_bits(m, {&v, 1}, 1);
    expect_same_bits(m, values, 5);
  }
}

TEST(ThreadStatistics, AreEmptyIfNoValueIsFinite) {
  const float values[] = {std::nanf(""), std::numeric_limits<float>::infinity()};
  for (const cpu::CpuKernels* kernels : cpu::usable_kernels()) {
    cpu::ThreadStatistics got(*kernels);
    got.add(Metric::nDTW, values);
    EXPECT_TRUE(got.fold() == BatchStatistics()) << kernels->name;
  }
}

TEST(ThreadStatistics, ThrowIfASumOverflows) {
  const float values[] = {1e20f, 1.0f};
  cpu::ThreadStatistics statistics(cpu::chosen_kernels());
  EXPECT_THROW(statistics.add(Metric::PL, values), std::overflow_error);
}

TEST(ThreadStatistics, ThrowIfASumOverflowsWhenItIsFolded) {
  const float values[] = {0x1.fffffep42f, 1.0f};  // the square is just below 2^126 on the grid
  cpu::ThreadStatistics statistics(cpu::chosen_kernels());
  for (int k = 0; k < 2; ++k) statistics.add(Metric::PL, values);
  EXPECT_THROW(statistics.add(Metric::PL, values), std::overflow_error);
}

TEST(ThreadStatistics, EqualSingleAdditionsForCountsOfAnySize) {
  for (const std::uint64_t max_values : {std::uint64_t{1} << 31, std::uint64_t{5}}) {
    cpu::ThreadStatistics got(cpu::chosen_kernels(), max_values);
    BatchStatistics want;
    for (std::size_t n : {0, 1, 7, 7, 7, 63, 64, 255, 256, 300, (1 << 24) + 1, 2, 3, 4}) {
      got.add_count(Metric::n_query, n);
      want.add(Metric::n_query, static_cast<double>(n));
    }
    EXPECT_TRUE(got.fold() == want);
  }
}

TEST(ThreadStatistics, EqualSingleAdditionsIfFoldedOften) {
  std::vector<float> values;
  for (int k = 0; k < 500; ++k) values.push_back(static_cast<float>(k % 9) / 8.0f);
  for (const Metric m : metric_of_each_kind) {
    cpu::ThreadStatistics got(cpu::chosen_kernels(), 30);
    for (std::size_t begin = 0; begin < values.size(); begin += 20) {
      got.add(m, std::span<const float>(values).subspan(begin, 20));
    }
    EXPECT_TRUE(got.fold() == one_by_one(m, values)) << info(m).name;
  }
}

TEST(ThreadStatistics, CountItemsByStatusAndRule) {
  const std::uint32_t flags[] = {0, kernels::flag_unreachable, 0, kernels::flag_zero_spl,
                                 kernels::flag_zero_sed};
  cpu::ThreadStatistics statistics(cpu::chosen_kernels());
  statistics.count_items(flags, ~std::uint32_t{kernels::flag_zero_sed});
  const ItemStatistics& got = statistics.fold().summary;
  EXPECT_EQ(got.items, 5u);
  EXPECT_EQ(got.statuses[static_cast<int>(Status::ok)], 4u);
  EXPECT_EQ(got.statuses[static_cast<int>(Status::unreachable)], 1u);
  EXPECT_EQ(got.zero_spl, 1u);
  EXPECT_EQ(got.zero_sed, 0u);
  EXPECT_EQ(statistics.fold().summary.items, 5u);  // folding twice counts once
}

}  // namespace
}  // namespace warpath::testing
