// Tests properties of any two paths, on random walks over random grids. The seed is printed.

#include <gtest/gtest.h>

#include <cmath>

#include "host/checks/scans.hpp"
#include "tests/support/pair_cases.hpp"
#include "tests/support/score_pair.hpp"

namespace warpath::testing {
namespace {

using enum Metric;

class Properties : public ::testing::Test {
 protected:
  static constexpr int rounds = 2000;

  std::size_t below(std::size_t n) { return random.below(n); }
  std::vector<Node> walk(const Scan& scan, std::size_t nodes, Node start) {
    return checks::walk(random, scan, start, nodes);
  }

  // Returns a pair that starts at one viewpoint, as R2R's pairs do.
  std::pair<std::vector<Node>, std::vector<Node>> pair(const Scan& scan) {
    const auto start = static_cast<Node>(below(scan.size()));
    return {walk(scan, 1 + below(15), start), walk(scan, 1 + below(20), start)};
  }

  const std::uint64_t seed = run_seed();
  checks::Random random{seed};
};

TEST_F(Properties, KeepEveryMetricWithinItsBounds) {
  const Grid grid(6, 5, 1.3);
  for (int k = 0; k < rounds; ++k) {
    const auto [reference, query] = pair(grid.scan);
    const Scores s = score_pair(grid.scan, reference, query);
    for (const MetricInfo& m : path_metric_table()) {
      if (m.unit != Unit::fraction) continue;
      EXPECT_GE(s.at(m.metric, 0), 0.0) << m.name;
      EXPECT_LE(s.at(m.metric, 0), 1.0) << m.name;
    }
    EXPECT_LE(s.at(SED, 0), s.at(SR, 0));
    EXPECT_LE(s.at(SPL, 0), s.at(SR, 0));
    EXPECT_LE(s.at(SDTW, 0), s.at(SR, 0));
    EXPECT_LE(s.at(SR, 0), s.at(OSR, 0));
    EXPECT_LE(s.at(ONE, 0), s.at(NE, 0));
    EXPECT_GE(s.at(MD, 0), s.at(AD, 0));
    EXPECT_LE(s.at(NE, 0), s.at(DTW, 0));
  }
}

TEST_F(Properties, ScorePerfectlyForAPathAgainstItself) {
  const Grid grid(6, 5);
  for (int k = 0; k < rounds; ++k) {
    const auto path = walk(grid.scan, 1 + below(20), 0);
    const Scores s = score_pair(grid.scan, path, path);
    for (const Metric m : {SR, OSR, SED, PC, LS, CLS, nDTW, SDTW}) EXPECT_EQ(s.at(m, 0), 1.0);
    for (const Metric m : {NE, ONE, AD, MD, DTW, ED}) EXPECT_EQ(s.at(m, 0), 0.0);
  }
}

TEST_F(Properties, KeepDtwSymmetric) {
  const Grid grid(6, 5);  // unit edges: sums are exact in any order
  for (int k = 0; k < rounds; ++k) {
    const auto [a, b] = pair(grid.scan);
    EXPECT_EQ(score_pair(grid.scan, a, b).at(DTW, 0), score_pair(grid.scan, b, a).at(DTW, 0));
    EXPECT_EQ(score_pair(grid.scan, a, b).at(ED, 0), score_pair(grid.scan, b, a).at(ED, 0));
  }
}

TEST_F(Properties, DoNotDependOnTheScaleOfGraphAndThreshold) {
  const Grid small(6, 5, 1.0), large(6, 5, 8.0);  // a power of two scales without rounding
  Convention convention;
  for (int k = 0; k < rounds; ++k) {
    const auto [reference, query] = pair(small.scan);
    convention.threshold = 3.0;
    const Scores a = score_pair(small.scan, reference, query, convention);
    convention.threshold = 24.0;
    const Scores b = score_pair(large.scan, reference, query, convention);
    for (const Metric m : {nDTW, PC, SR, SPL, CLS}) EXPECT_EQ(a.at(m, 0), b.at(m, 0));
  }
}

TEST_F(Properties, FindAWarpingOfTheStatedCost) {
  const Grid grid(6, 5, 1.0);
  for (int k = 0; k < rounds; ++k) {
    const auto [reference, query] = pair(grid.scan);
    Distances distances(grid.scan, Distance::euclid_3d);
    const Eigen::MatrixXd d = reference::distance_matrix(distances, reference, query);
    const reference::Warping warping = reference::optimal_warping(d);
    EXPECT_EQ(warping.cost, score_pair(grid.scan, reference, query).at(DTW, 0));
    double cost = 0.0;
    for (const auto& [i, j] : warping.steps) cost += d(i, j);
    EXPECT_EQ(cost, warping.cost);
    EXPECT_EQ(warping.steps.front(), (std::pair<Eigen::Index, Eigen::Index>(0, 0)));
    EXPECT_EQ(warping.steps.back(),
              (std::pair<Eigen::Index, Eigen::Index>(d.rows() - 1, d.cols() - 1)));
    for (std::size_t s = 1; s < warping.steps.size(); ++s) {
      const auto di = warping.steps[s].first - warping.steps[s - 1].first;
      const auto dj = warping.steps[s].second - warping.steps[s - 1].second;
      EXPECT_TRUE(di >= 0 && di <= 1 && dj >= 0 && dj <= 1 && di + dj >= 1);
    }
  }
}

// Returns the minimum over all warpings. Their number grows exponentially, so the pairs are tiny.
double cheapest(const Eigen::MatrixXd& d, Eigen::Index i, Eigen::Index j) {
  if (i == d.rows() - 1 && j == d.cols() - 1) return d(i, j);
  double best = std::numeric_limits<double>::infinity();
  if (i + 1 < d.rows()) best = std::min(best, cheapest(d, i + 1, j));
  if (j + 1 < d.cols()) best = std::min(best, cheapest(d, i, j + 1));
  if (i + 1 < d.rows() && j + 1 < d.cols()) best = std::min(best, cheapest(d, i + 1, j + 1));
  return d(i, j) + best;
}

TEST_F(Properties, MakeDtwTheMinimumOverAllWarpings) {
  const Grid grid(6, 5);
  for (int k = 0; k < 300; ++k) {
    const auto reference = walk(grid.scan, 1 + below(5), 0),
               query = walk(grid.scan, 1 + below(5), 7);
    Distances distances(grid.scan, Distance::euclid_3d);
    const Eigen::MatrixXd d = reference::distance_matrix(distances, reference, query);
    EXPECT_EQ(score_pair(grid.scan, reference, query).at(DTW, 0), cheapest(d, 0, 0));
  }
}

TEST(WarpingTies, FollowTheOrderOfAlgorithm1) {
  // All cells are equal: from the end every predecessor ties, and (i−1, j) comes first.
  const reference::Warping warping = reference::optimal_warping(Eigen::MatrixXd::Zero(2, 3));
  const std::vector<std::pair<Eigen::Index, Eigen::Index>> expected{{0, 0}, {0, 1}, {0, 2}, {1, 2}};
  EXPECT_EQ(warping.steps, expected);
}

}  // namespace
}  // namespace warpath::testing
