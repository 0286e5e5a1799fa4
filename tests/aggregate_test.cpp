#include "warpath/aggregate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace warpath {
namespace {

std::vector<double> random_values(std::size_t n, double scale, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> values(n);
  for (double& v : values) v = scale * static_cast<double>(random() >> 11) * 0x1p-53;
  return values;
}

Aggregate of(const std::vector<double>& values, Unit unit) {
  Aggregate a(unit);
  for (const double v : values) a.add(v);
  return a;
}

TEST(Aggregate, MeanAndInterval) {
  // 0, 0.25, 0.5, 1: mean 0.4375; squared deviations 0.19140625 + 0.03515625 + 0.00390625 +
  // 0.31640625 = 0.546875; s² = 0.546875 / 3.
  const Aggregate a = of({0.0, 0.25, 0.5, 1.0}, Unit::fraction);
  EXPECT_EQ(a.mean(), 0.4375);
  EXPECT_DOUBLE_EQ(*a.half_width(), 1.96 * std::sqrt(0.546875 / 3) / 2);
}

TEST(Aggregate, EqualsTheMeanInDouble) {
  for (const auto& [unit, scale] : {std::pair(Unit::fraction, 1.0), std::pair(Unit::length, 200.0)}) {
    const auto values = random_values(100'000, scale, 1);
    double sum = 0.0;
    for (const double v : values) sum += v;
    EXPECT_NEAR(*of(values, unit).mean(), sum / values.size(), 1e-12 * scale);
  }
}

TEST(Aggregate, OrderAndSplitsChangeNoBit) {
  auto values = random_values(10'000, 37.0, 2);
  const Aggregate whole = of(values, Unit::length);
  std::shuffle(values.begin(), values.end(), std::mt19937_64(3));
  Aggregate merged(Unit::length);
  for (std::size_t begin = 0; begin < values.size(); begin += 777) {
    const auto end = values.begin() + std::min(begin + 777, values.size());
    merged.merge(of({values.begin() + begin, end}, Unit::length));
  }
  EXPECT_EQ(merged.mean(), whole.mean());
  EXPECT_EQ(merged.half_width(), whole.half_width());
  EXPECT_EQ(merged.n(), whole.n());
}

TEST(Aggregate, NothingAndOneValue) {
  Aggregate a;
  EXPECT_FALSE(a.mean() || a.half_width());
  a.add(0.5);
  EXPECT_EQ(a.mean(), 0.5);
  EXPECT_FALSE(a.half_width());
}

TEST(Aggregate, WhatIsNoValueIsPassedOver) {
  Aggregate a;
  a.add(std::numeric_limits<double>::quiet_NaN());
  a.add(std::numeric_limits<double>::infinity());
  a.add(1.0);
  EXPECT_EQ(a.n(), 1u);
  EXPECT_EQ(a.mean(), 1.0);
}

TEST(Aggregate, TooLargeIsAnErrorAndNotAWrongMean) {
  Aggregate a(Unit::length);
  a.add(1e8);
  EXPECT_EQ(a.mean(), 1e8);
  EXPECT_THROW(a.add(1e20), std::overflow_error);
}

}  // namespace
}  // namespace warpath
