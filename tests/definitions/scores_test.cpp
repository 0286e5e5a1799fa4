// Tests the columns of scores: which there are, of what length, with which values.

#include "warpath/scores.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace warpath::testing {
namespace {

TEST(ScoresOfAnySize, HaveColumnsOfTheMetricsAskedForAndKeepTheirValues) {
  const MetricSet metrics = MetricSet().insert(Metric::nDTW).insert(Metric::SR);
  for (const std::size_t pairs : {0u, 10u, 100'000u}) {
    Scores scores(pairs, MetricSet().insert(Metric::SR));
    std::ranges::fill(scores.column[Metric::SR], 1.0);
    scores.resize(pairs + 5, metrics);
    EXPECT_EQ(scores.size(), pairs + 5);
    for (const Metric m : MetricSet::of_paths()) {
      EXPECT_EQ(scores.column[m].size(), metrics[m] ? pairs + 5 : 0) << info(m).name;
    }
    EXPECT_EQ(std::ranges::count(scores.column[Metric::SR], 1.0),
              static_cast<std::ptrdiff_t>(pairs));
    EXPECT_TRUE(std::ranges::all_of(scores.column[Metric::nDTW],
                                    [](double value) { return std::isnan(value); }));
  }
}

}  // namespace
}  // namespace warpath::testing
