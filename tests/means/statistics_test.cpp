#include "warpath/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "warpath/batch_statistics.hpp"

namespace warpath {
namespace {

std::vector<double> random_values(std::size_t n, double scale, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> values(n);
  for (double& v : values) v = scale * static_cast<double>(random() >> 11) * 0x1p-53;
  return values;
}

Statistics of(const std::vector<double>& values, Unit unit) {
  Statistics a(unit);
  for (const double v : values) a.add(v);
  return a;
}

TEST(Statistics, EqualAHandWorkedMeanAndInterval) {
  // The mean of 0, 0.25, 0.5, 1 is 0.4375; squared deviations are 0.19140625 + 0.03515625 +
  // 0.00390625 + 0.31640625 = 0.546875; s² = 0.546875 / 3.
  const Statistics a = of({0.0, 0.25, 0.5, 1.0}, Unit::fraction);
  EXPECT_EQ(a.mean(), 0.4375);
  EXPECT_DOUBLE_EQ(*a.ci95_half_width(), 1.96 * std::sqrt(0.546875 / 3) / 2);
}

TEST(Statistics, EqualTheMeanInDouble) {
  for (const auto& [unit, scale] :
       {std::pair(Unit::fraction, 1.0), std::pair(Unit::length, 200.0)}) {
    const auto values = random_values(100'000, scale, 1);
    double sum = 0.0;
    for (const double v : values) sum += v;
    EXPECT_NEAR(*of(values, unit).mean(), sum / values.size(), 1e-12 * scale);
  }
}

TEST(Statistics, DoNotDependOnOrderAndSplits) {
  auto values = random_values(10'000, 37.0, 2);
  const Statistics whole = of(values, Unit::length);
  std::shuffle(values.begin(), values.end(), std::mt19937_64(3));
  Statistics merged(Unit::length);
  for (std::size_t begin = 0; begin < values.size(); begin += 777) {
    const auto end = values.begin() + std::min(begin + 777, values.size());
    merged.merge(of({values.begin() + begin, end}, Unit::length));
  }
  EXPECT_EQ(merged.mean(), whole.mean());
  EXPECT_EQ(merged.ci95_half_width(), whole.ci95_half_width());
  EXPECT_EQ(merged.n(), whole.n());
}

TEST(Statistics, OfManyValuesAtOnceAreThoseOfEach) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Unit unit : {Unit::fraction, Unit::length}) {
    // Beside small values some whose sums take more than 64 bits, and some that are no values.
    for (const std::vector<double>& special :
         {std::vector<double>{}, {-0.0}, {nan, infinity, -infinity}, {5e6, -5e6, 3.5e8}}) {
      std::vector<double> values = random_values(1000, 3.0, 5);
      for (double& v : values) v -= 1.0;
      values.insert(values.begin() + 500, special.begin(), special.end());
      Statistics together(unit);
      together.add(values);
      EXPECT_EQ(together.moments(), of(values, unit).moments());
      EXPECT_EQ(std::signbit(together.moments().minimum),
                std::signbit(of(values, unit).moments().minimum));
    }
    Statistics none(unit);
    none.add(std::vector<double>{});
    EXPECT_EQ(none.moments(), Statistics(unit).moments());
    EXPECT_THROW(none.add(std::vector<double>{1e300}), std::overflow_error);
  }
}

TEST(Statistics, HaveNoIntervalForFewerThanTwoValues) {
  Statistics a;
  EXPECT_FALSE(a.mean() || a.ci95_half_width());
  a.add(0.5);
  EXPECT_EQ(a.mean(), 0.5);
  EXPECT_FALSE(a.ci95_half_width());
}

TEST(Statistics, IgnoreNanAndInfinities) {
  Statistics a;
  a.add(std::numeric_limits<double>::quiet_NaN());
  a.add(std::numeric_limits<double>::infinity());
  a.add(1.0);
  EXPECT_EQ(a.n(), 1u);
  EXPECT_EQ(a.mean(), 1.0);
}

TEST(Statistics, ThrowIfASumOverflows) {
  Statistics a(Unit::length);
  a.add(1e8);
  EXPECT_EQ(a.mean(), 1e8);
  EXPECT_THROW(a.add(1e20), std::overflow_error);
}

TEST(Statistics, KeepMinimumAndMaximum) {
  const Statistics a = of({2.0, -1.5, 7.25}, Unit::length);
  EXPECT_EQ(a.minimum(), -1.5);
  EXPECT_EQ(a.maximum(), 7.25);
  EXPECT_FALSE(Statistics().minimum() || Statistics().maximum());
  EXPECT_EQ(of({-3.0}, Unit::length).maximum(), -3.0);
}

TEST(Statistics, TreatMinusZeroAsZeroInAnyOrder) {
  for (const auto& values : {std::vector{0.0, -0.0}, std::vector{-0.0, 0.0}, std::vector{-0.0}}) {
    const Statistics a = of(values, Unit::length);
    EXPECT_FALSE(std::signbit(*a.minimum()) || std::signbit(*a.maximum()));
  }
}

// The values are 0.5 and −0.25 on the grid of 2^-60, and so are their squares.
TEST(Statistics, EqualThoseOfTheirMoments) {
  constexpr std::uint64_t one = std::uint64_t{1} << 60;
  const Statistics made(Unit::fraction, {2, {one / 4, 0}, {one / 4 + one / 16, 0}, -0.25, 0.5});
  EXPECT_EQ(made, of({0.5, -0.25}, Unit::fraction));
  EXPECT_EQ(made.mean(), 0.125);
}

TEST(Statistics, OverflowInEveryOrderOrInNone) {
  // Its square is just below 2^126 on the grid; the sum of three is above 2^127.
  const double large = std::ldexp(1.0, 43) * std::sqrt(0.99);
  std::vector<double> values{large, -large, large, 1.0};
  for (int k = 0; k < 4; ++k) {
    std::rotate(values.begin(), values.begin() + 1, values.end());
    EXPECT_THROW(of(values, Unit::length), std::overflow_error);
  }
  Statistics half = of({large, 1.0}, Unit::length);
  EXPECT_THROW(half.merge(of({-large, large}, Unit::length)), std::overflow_error);
}

Histogram histogram_of(const std::vector<double>& values, Unit unit) {
  Histogram h(unit);
  for (const double v : values) h.add(v);
  return h;
}

// Returns the only bin that contains a value; −1: underflow, −2: overflow.
int bin_of(double value, Unit unit) {
  const Histogram h = histogram_of({value}, unit);
  EXPECT_EQ(h.n(), 1u) << value;
  for (int bin = 0; bin < h.bins(); ++bin) {
    if (h.count(bin) == 1) return bin;
  }
  return h.underflow() == 1 ? -1 : -2;
}

TEST(Histogram, PutsFractionsAtBordersIntoTheirBins) {
  EXPECT_EQ(Histogram(Unit::fraction).bins(), 20);
  EXPECT_DOUBLE_EQ(Histogram(Unit::fraction).width(), 0.05);
  for (int k = 0; k < 20; ++k) {
    const double border = k / 20.0;
    const auto single = static_cast<float>(border);
    EXPECT_EQ(bin_of(border, Unit::fraction), k);
    EXPECT_EQ(bin_of(single, Unit::fraction), k);
    EXPECT_EQ(bin_of(std::nextafter(single, 2.0f), Unit::fraction), k);
    EXPECT_EQ(bin_of(border + 0.049, Unit::fraction), k);
    EXPECT_EQ(bin_of(border - 1e-6, Unit::fraction), k - 1);  // below 0 where k is 0
  }
  EXPECT_EQ(bin_of(1.0, Unit::fraction), 19);
  EXPECT_EQ(bin_of(std::nextafter(1.0f, 0.0f), Unit::fraction), 19);
  EXPECT_EQ(bin_of(std::nextafter(1.0f, 2.0f), Unit::fraction), -2);
}

TEST(Histogram, CountsLengthsAndCountsInBinsOfWidthOne) {
  for (const Unit unit : {Unit::length, Unit::count}) {
    EXPECT_EQ(Histogram(unit).bins(), 64);
    EXPECT_EQ(Histogram(unit).width(), 1.0);
    for (int k = 0; k < 64; ++k) {
      EXPECT_EQ(bin_of(k, unit), k);
      EXPECT_EQ(bin_of(std::nextafter(k + 1.0f, 0.0f), unit), k);
    }
    EXPECT_EQ(bin_of(64.0, unit), -2);
    EXPECT_EQ(bin_of(1e300, unit), -2);
    EXPECT_EQ(bin_of(-1e-3, unit), -1);
    EXPECT_EQ(bin_of(-1e300, unit), -1);
    EXPECT_EQ(bin_of(-0.0, unit), 0);
  }
}

TEST(Histogram, IgnoresNanAndMergesSplits) {
  auto values = random_values(1000, 80.0, 5);
  for (double& v : values) v -= 5.0;
  const Histogram whole = histogram_of(values, Unit::length);
  Histogram merged(Unit::length);
  for (std::size_t begin = 0; begin < values.size(); begin += 77) {
    const auto end = values.begin() + std::min(begin + 77, values.size());
    merged.merge(histogram_of({values.begin() + begin, end}, Unit::length));
  }
  merged.add(std::numeric_limits<double>::quiet_NaN());
  merged.add(-std::numeric_limits<double>::infinity());
  EXPECT_EQ(merged, whole);
  EXPECT_EQ(whole.n(), 1000u);
  const std::vector<std::uint64_t> places = [] {
    std::vector<std::uint64_t> all(Histogram::max_cells, 0);
    all[0] = 2, all[1] = 3, all[21] = 4;
    return all;
  }();
  EXPECT_EQ(Histogram(Unit::fraction, places),
            histogram_of({-1, -1, 0, 0, 0, 2, 2, 2, 2}, Unit::fraction));
}

TEST(BatchStatistics, EqualAHandWorkedBatch) {
  Scores scores(3, MetricSet().insert(Metric::SR));
  scores.column[Metric::SR] = {1.0, 0.0, std::nan("")};
  scores.status = {Status::ok, Status::ok, Status::unreachable};
  constexpr auto spl = bit_of(ZeroByZero::SPL), ls = bit_of(ZeroByZero::LS),
                 sed = bit_of(ZeroByZero::SED);
  scores.zero_rules = {spl | sed, ls | sed, 0};
  BatchStatistics once, twice;
  once.add(scores);
  twice.merge(once);
  twice.merge(once);
  for (const std::uint64_t times : {1, 2}) {
    const BatchStatistics& batch = times == 1 ? once : twice;
    const ItemStatistics& s = batch.summary;
    EXPECT_EQ(s.items, 3 * times);
    EXPECT_EQ(s.statuses[static_cast<int>(Status::ok)], 2 * times);
    EXPECT_EQ(s.statuses[static_cast<int>(Status::unreachable)], times);
    EXPECT_TRUE(s.zero_spl == times && s.zero_ls == times && s.zero_sed == 2 * times);
    EXPECT_EQ(s.of(Metric::SR).n(), 2 * times);
    EXPECT_EQ(s.of(Metric::SR).mean(), 0.5);
    EXPECT_EQ(s.of(Metric::NE).n(), 0u);
    const Histogram& h = batch.histogram(Metric::SR);
    EXPECT_TRUE(h.count(0) == times && h.count(19) == times && h.n() == 2 * times);
  }
}

}  // namespace
}  // namespace warpath
