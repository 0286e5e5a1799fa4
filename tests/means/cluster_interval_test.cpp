// Tests intervals over clusters; tests/means/intervals_test.py compares whole reports with a
// plain transcription.

#include "host/core/means/cluster_interval.hpp"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/philox.hpp"

namespace warpath::testing {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Philox, GivesThePublishedWords) {
  using Words = std::array<std::uint32_t, 4>;
  EXPECT_EQ(kernels::philox({0, 0, 0, 0}, {0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(kernels::philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(
      kernels::philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
      (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// The values are 1, 0 | 1, 1 | 0; the mean is 0.6; Σ(x − mean) by cluster is −0.2, 0.8, −0.6.
TEST(ClusterInterval, EqualsAHandWorkedCase) {
  const std::vector<double> values{1, 0, 1, 1, 0};
  const std::vector<std::uint32_t> cluster{0, 0, 1, 1, 2};
  const means::ClusterSums sums(values, cluster, 3);
  const auto bounds = means::cluster_interval(sums, 0.6);
  const double half = 1.96 * std::sqrt(1.5 * (0.04 + 0.64 + 0.36)) / 5.0;
  ASSERT_TRUE(bounds);
  EXPECT_NEAR((*bounds)[0], 0.6 - half, 1e-15);
  EXPECT_NEAR((*bounds)[1], 0.6 + half, 1e-15);
}

TEST(ClusterInterval, EqualsTheIntervalOfIndependentValuesForSingleItems) {
  const std::vector<double> values{1, 2, 4, 8};
  const means::ClusterSums sums(values, std::vector<std::uint32_t>{0, 1, 2, 3}, 4);
  const double deviation = std::sqrt((7.5625 + 3.0625 + 0.0625 + 18.0625) / 3.0);
  EXPECT_NEAR((*means::cluster_interval(sums, 3.75))[1] - 3.75, 1.96 * deviation / 2.0, 1e-14);
}

TEST(ClusterInterval, LeavesOutClustersWithoutValues) {
  const means::ClusterSums sums(std::vector<double>{nan, 3, nan},
                                std::vector<std::uint32_t>{0, 1, 2}, 3);
  EXPECT_EQ(sums.size(), 1u);
  EXPECT_FALSE(means::cluster_interval(sums, 3.0));
  EXPECT_FALSE(means::wilson_interval(sums.size(), true));
  EXPECT_FALSE(means::bootstrap_intervals(std::vector{sums})[0]);
}

TEST(WilsonInterval, EqualsHandWorkedBoundsForRatesOfZeroAndOne) {
  const double bound = 1.96 * 1.96 / (16.0 + 1.96 * 1.96);
  EXPECT_NEAR((*means::wilson_interval(16, true))[0], 1.0 - bound, 1e-15);
  EXPECT_EQ((*means::wilson_interval(16, true))[1], 1.0);
  EXPECT_EQ((*means::wilson_interval(16, false))[0], 0.0);
  EXPECT_NEAR((*means::wilson_interval(16, false))[1], bound, 1e-15);
}

means::ClusterSums many_clusters(std::size_t clusters, double step) {
  std::vector<double> values(3 * clusters);
  std::vector<std::uint32_t> cluster(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = std::fmod(step * static_cast<double>(i), 1.0);
    cluster[i] = static_cast<std::uint32_t>(i / 3);
  }
  return means::ClusterSums(values, cluster, clusters);
}

TEST(Bootstrap, IsTheSameOnAnyNumberOfThreads) {
  const std::vector<means::ClusterSums> metrics{many_clusters(50, 0.37), many_clusters(50, 0.61),
                                                many_clusters(20, 0.37)};
  std::vector<std::vector<std::optional<means::Bounds>>> results;
  for (const std::size_t threads : {1, 2, 5}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    results.push_back(means::bootstrap_intervals(metrics));
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
  // A metric's bounds do not depend on the others that are resampled with it.
  EXPECT_EQ(means::bootstrap_intervals(std::vector{metrics[1]})[0], results[0][1]);
}

// For many independent values the two intervals are nearly equal.
TEST(Bootstrap, AgreesWithTheNormalIntervalOfManyClusters) {
  const means::ClusterSums sums = many_clusters(400, 0.6180339887);
  const double n = std::accumulate(sums.count.begin(), sums.count.end(), 0.0);
  const double mean = std::accumulate(sums.sum.begin(), sums.sum.end(), 0.0) / n;
  const means::Bounds normal = *means::cluster_interval(sums, mean);
  const means::Bounds resampled = *means::bootstrap_intervals(std::vector{sums})[0];
  const double width = normal[1] - normal[0];
  EXPECT_NEAR(resampled[0], normal[0], 0.05 * width);
  EXPECT_NEAR(resampled[1], normal[1], 0.05 * width);
}

}  // namespace
}  // namespace warpath::testing
