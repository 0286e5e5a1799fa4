// Tests every metric by hand, with its arithmetic, and the doctests of google-research r4r.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/score_pair.hpp"

namespace warpath::testing {
namespace {

using enum Metric;

constexpr double tolerance = 1e-14;

// Uses a street of five viewpoints at x = 0, 2, 4, 6, 8 and one beside its middle at (4, 1.5):
//
//             5
//             |1.5
//   0 --2-- 1 --2-- 2 --2-- 3 --2-- 4
//
// Viewpoint 5 is joined with viewpoint 2. Reference 0 1 2 3, query 0 1 2 5, threshold 3.
class Street : public ::testing::Test {
 protected:
  Scan scan = make_scan({{0, 0, 0}, {2, 0, 0}, {4, 0, 0}, {6, 0, 0}, {8, 0, 0}, {4, 1.5, 0}},
                        {{0, 1, {}}, {1, 2, {}}, {2, 3, {}}, {3, 4, {}}, {2, 5, {}}});
  Convention convention;

  double value(Metric m, const std::vector<Node>& reference = {0, 1, 2, 3},
               const std::vector<Node>& query = {0, 1, 2, 5}) const {
    return score_pair(scan, reference, query, convention).at(m, 0);
  }
  Status status(const std::vector<Node>& reference, const std::vector<Node>& query) const {
    return score_pair(scan, reference, query, convention).status[0];
  }
};

TEST_F(Street, WorksOutLengths) {
  EXPECT_DOUBLE_EQ(value(PL), 2 + 2 + 1.5);
  EXPECT_DOUBLE_EQ(value(PLR), 2 + 2 + 2);
  EXPECT_DOUBLE_EQ(value(SP), 6);  // 0 → 3
  EXPECT_DOUBLE_EQ(value(steps), 3);
  EXPECT_DOUBLE_EQ(value(n_query), 4);
  EXPECT_DOUBLE_EQ(value(n_ref), 4);
}

TEST_F(Street, WorksOutErrors) {
  EXPECT_DOUBLE_EQ(value(NE), 1.5 + 2);  // 5 → 2 → 3
  EXPECT_DOUBLE_EQ(value(ONE), 2);       // from viewpoint 2
  EXPECT_DOUBLE_EQ(value(GP), 6 - 3.5);  // d(0, 3) − d(5, 3)
}

TEST_F(Street, ComparesErrorsWithTheThreshold) {
  EXPECT_EQ(value(SR), 0);   // 3.5 > 3
  EXPECT_EQ(value(OSR), 1);  // 2 ≤ 3
  convention.threshold = 3.5;
  EXPECT_EQ(value(SR), 1);  // 3.5 ≤ 3.5
  convention.success = Compare::less;
  EXPECT_EQ(value(SR), 0);  // not 3.5 < 3.5
  convention.threshold = 2;
  EXPECT_EQ(value(OSR), 1);
  convention.oracle = Compare::less;
  EXPECT_EQ(value(OSR), 0);
}

TEST_F(Street, DecidesAsInDouble) {
  convention.threshold = 3.5;
  const double just_below = std::nextafter(3.5, 0), just_above = std::nextafter(3.5, 4);
  EXPECT_TRUE(within(just_below, Compare::less, 3.5));
  EXPECT_FALSE(within(3.5, Compare::less, 3.5));
  EXPECT_TRUE(within(3.5, Compare::less_equal, 3.5));
  EXPECT_FALSE(within(just_above, Compare::less_equal, 3.5));
  convention.threshold = just_below;
  EXPECT_EQ(value(SR), 0);
  convention.threshold = just_above;
  EXPECT_EQ(value(SR), 1);
}

TEST_F(Street, WorksOutDeviations) {
  // d(q, R) = 0, 0, 0, 1.5
  EXPECT_DOUBLE_EQ(value(AD), 1.5 / 4);
  EXPECT_DOUBLE_EQ(value(MD), 1.5);
}

TEST_F(Street, WorksOutCoverage) {
  // d(Q, r) = 0, 0, 0, 2
  const double pc = (3 + std::exp(-2.0 / 3)) / 4;
  EXPECT_NEAR(value(PC), pc, tolerance);
  const double epl = pc * 6;
  EXPECT_NEAR(value(EPL), epl, tolerance);
  const double ls = epl / (epl + std::abs(epl - 5.5));
  EXPECT_NEAR(value(LS), ls, tolerance);
  EXPECT_NEAR(value(CLS), pc * ls, tolerance);
}

TEST_F(Street, WorksOutSpl) {
  EXPECT_EQ(value(SPL), 0);
  convention.threshold = 4;
  EXPECT_DOUBLE_EQ(value(SPL), 6.0 / 6);  // SP 6, PL 5.5
  // Detour 0 1 2 5 2 3: PL = 2 + 2 + 1.5 + 1.5 + 2 = 9, SP = 6.
  EXPECT_DOUBLE_EQ(value(SPL, {0, 1, 2, 3}, {0, 1, 2, 5, 2, 3}), 6.0 / 9);
  // Reference 0 1 2 5 2 3 has PL(R) = 9 but SP = 6; the query 0 1 2 3 has PL = 6.
  EXPECT_DOUBLE_EQ(value(SPL, {0, 1, 2, 5, 2, 3}, {0, 1, 2, 3}), 1.0);
  EXPECT_DOUBLE_EQ(value(SPL, {0, 1, 2, 5, 2, 3}, {0, 1, 2, 3, 4, 3}), 6.0 / 10);
  convention.spl_length = SplLength::reference;
  EXPECT_DOUBLE_EQ(value(SPL, {0, 1, 2, 5, 2, 3}, {0, 1, 2, 3, 4, 3}), 9.0 / 10);
}

TEST_F(Street, WorksOutTheEditDistance) {
  // Edges 01 12 23 against 01 12 25: one substitution.
  EXPECT_EQ(value(ED), 1);
  EXPECT_EQ(value(SED), 0);
  convention.threshold = 4;
  EXPECT_DOUBLE_EQ(value(SED), 1 - 1.0 / 3);
  convention.edit_unit = EditUnit::viewpoints;  // 0 1 2 3 against 0 1 2 5
  EXPECT_DOUBLE_EQ(value(SED), 1 - 1.0 / 4);
  convention.edit_norm = EditNorm::product;
  EXPECT_DOUBLE_EQ(value(SED), 1 - 1.0 / 16);
}

TEST_F(Street, CountsASwapOnceIfTold) {
  convention.edit_unit = EditUnit::viewpoints;
  EXPECT_EQ(value(ED, {0, 1, 2, 3}, {0, 2, 1, 3}), 2);
  convention.edit = Edit::osa;
  EXPECT_EQ(value(ED, {0, 1, 2, 3}, {0, 2, 1, 3}), 1);
  // No viewpoint is edited twice: 2 0 becomes 0 1 2 by three edits, not by a swap and one more.
  EXPECT_EQ(value(ED, {0, 1, 2}, {2, 0}), 3);
  // Two swaps: 01 and 23.
  EXPECT_EQ(value(ED, {0, 1, 2, 3}, {1, 0, 3, 2}), 2);
}

TEST_F(Street, ComparesEdgesWithTheirDirection) {
  // 01 10 against 10 01: a deletion and an insertion.
  EXPECT_EQ(value(ED, {0, 1, 0}, {1, 0, 1}), 2);
}

TEST_F(Street, WorksOutTheWarping) {
  //        q: 0    1    2    5
  // r 0       0    2    4    5.5        C: 0   2   6   11.5
  // r 1       2    0    2    3.5           2   0   2   5.5
  // r 2       4    2    0    1.5           6   2   0   1.5
  // r 3       6    4    2    3.5          12   6   2   3.5
  EXPECT_DOUBLE_EQ(value(DTW), 3.5);
  EXPECT_NEAR(value(nDTW), std::exp(-3.5 / (4 * 3)), tolerance);
  EXPECT_EQ(value(SDTW), 0);
  convention.threshold = 4;
  EXPECT_NEAR(value(SDTW), std::exp(-3.5 / (4 * 4)), tolerance);
  convention.ndtw_norm = NdtwNorm::sqrt_nodes;
  EXPECT_NEAR(value(nDTW), std::exp(-3.5 / (2 * 4)), tolerance);
  convention.ndtw_norm = NdtwNorm::reference_length;
  EXPECT_NEAR(value(nDTW), std::exp(-3.5 / (6 * 4)), tolerance);
  convention.dtw_norm = DtwNorm::reference_length;
  EXPECT_DOUBLE_EQ(value(DTW), 3.5 / 6);
}

TEST_F(Street, GivesNormalisedDtwItsOwnThreshold) {
  const double coverage = value(PC);
  convention.ndtw_threshold = 2;
  EXPECT_NEAR(value(nDTW), std::exp(-3.5 / (4 * 2)), tolerance);
  EXPECT_EQ(value(PC), coverage);
  EXPECT_EQ(value(SR), 0);
}

TEST_F(Street, CountsViewpointsInsideCls) {
  const double coverage = value(PC), length = value(PL);
  convention.cls_length = ClsLength::nodes;
  EXPECT_NEAR(value(EPL), coverage * 4, tolerance);
  EXPECT_NEAR(value(CLS), coverage * (coverage * 4) / (coverage * 4 + std::abs(coverage * 4 - 4)),
              tolerance);
  EXPECT_EQ(value(PL), length);
  // A step that is no edge counts, too.
  convention.cls_step = ClsStep::edge;
  EXPECT_GT(value(CLS, {0, 1, 2}, {0, 2}), 0);
}

TEST_F(Street, CountsHops) {
  convention.distance = Distance::hops;
  EXPECT_DOUBLE_EQ(value(PL), 3);
  EXPECT_DOUBLE_EQ(value(NE), 2);
}

TEST_F(Street, IgnoresTheThirdCoordinateInTwoDimensions) {
  const Scan tower = make_scan({{0, 0, 0}, {3, 4, 12}}, {{0, 1, {}}});
  EXPECT_DOUBLE_EQ(score_pair(tower, {0, 1}, {0}).at(NE, 0), 13);
  convention.distance = Distance::euclid_2d;
  EXPECT_DOUBLE_EQ(score_pair(tower, {0, 1}, {0}, convention).at(NE, 0), 5);
}

TEST_F(Street, UsesGivenWeightsInsteadOfLengths) {
  const Scan shortcut = make_scan({{0, 0, 0}, {5, 0, 0}}, {{0, 1, 1.25}});
  EXPECT_DOUBLE_EQ(score_pair(shortcut, {0, 1}, {0}).at(NE, 0), 1.25);
}

TEST_F(Street, UsesTheStepsOfTheConventionInsideCls) {
  // 0 → 2 is not an edge: its length is the shortest path, or CLS has no length.
  EXPECT_DOUBLE_EQ(value(PL, {0, 1, 2}, {0, 2}), 4);
  const double cls = value(CLS, {0, 1, 2}, {0, 2}), spl = value(SPL, {0, 1, 2}, {0, 2});
  EXPECT_GT(cls, 0);
  convention.cls_step = ClsStep::edge;
  EXPECT_DOUBLE_EQ(value(PL, {0, 1, 2}, {0, 2}), 4);
  EXPECT_EQ(value(SPL, {0, 1, 2}, {0, 2}), spl);
  EXPECT_DOUBLE_EQ(value(DTW, {0, 1, 2}, {0, 2}), 2);
  EXPECT_TRUE(std::isnan(value(CLS, {0, 1, 2}, {0, 2})));
  EXPECT_TRUE(std::isnan(value(LS, {0, 1, 2}, {0, 2})));
  EXPECT_EQ(status({0, 1, 2}, {0, 2}), Status::length_undefined);
  EXPECT_EQ(value(CLS, {0, 1, 2}, {0, 1, 2}), 1);
  // An edge may be longer than another path: inside CLS its own length is used.
  const Scan bow =
      make_scan({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{0, 1, {}}, {1, 2, {}}, {0, 2, 5.0}});
  const Scores s = score_pair(bow, {0, 2}, {0, 2}, convention);
  EXPECT_EQ(s.at(PL, 0), 2);
  EXPECT_EQ(s.at(EPL, 0), 5);
}

// ---------------------------------------------------------------- 0/0

TEST_F(Street, AppliesTheRuleForSplZeroByZero) {
  const auto spl = [&] { return value(SPL, {0}, {0}); };
  EXPECT_EQ(spl(), 1);
  EXPECT_EQ(score_pair(scan, {0}, {0}).zero_rules[0],
            bit_of(ZeroByZero::SPL) | bit_of(ZeroByZero::LS) | bit_of(ZeroByZero::SED));
  convention.spl_zero = SplZero::zero;
  EXPECT_EQ(spl(), 0);
  convention.spl_zero = SplZero::undefined;
  EXPECT_TRUE(std::isnan(spl()));
  EXPECT_EQ(status({0}, {0}), Status::spl_undefined);
  EXPECT_EQ(value(SR, {0}, {0}), 1);  // only SPL has no value
  convention.spl_min_denominator = 0.01;
  EXPECT_EQ(spl(), 0);  // 0 / 0.01
  // The query starts at the goal but moves: SR · 0 / PL.
  EXPECT_EQ(value(SPL, {0, 1, 0}, {0, 1, 0}), 0);
}

TEST_F(Street, AppliesTheRuleForClsZeroByZero) {
  const auto cls = [&] { return value(CLS, {0}, {1}); };  // PC = exp(−2/3), EPL = PL = 0
  EXPECT_NEAR(cls(), std::exp(-2.0 / 3), tolerance);
  EXPECT_EQ(value(LS, {0}, {1}), 1);
  convention.cls_zero = ClsZero::cls_one;
  EXPECT_EQ(cls(), 1);
  convention.cls_zero = ClsZero::undefined;
  EXPECT_TRUE(std::isnan(cls()));
  EXPECT_EQ(status({0}, {1}), Status::cls_undefined);
}

TEST_F(Street, ScoresSedWithoutEdges) {
  EXPECT_EQ(value(SED, {0}, {0}), 1);
  EXPECT_EQ(value(SED, {0}, {4}), 0);  // no success: NE = 8
}

TEST_F(Street, HasNoDtwOverAReferenceWithoutLength) {
  convention.dtw_norm = DtwNorm::reference_length;
  EXPECT_TRUE(std::isnan(value(DTW, {0}, {1})));
  EXPECT_EQ(status({0}, {1}), Status::dtw_undefined);
  EXPECT_NEAR(value(nDTW, {0}, {1}), std::exp(-2.0 / 3), tolerance);
}

TEST_F(Street, GivesUnreachablePairsNoValue) {
  const Scan two = make_scan({{0, 0, 0}, {1, 0, 0}, {9, 0, 0}}, {{0, 1, {}}});
  const Scores scores = score_pair(two, {0, 2}, {0, 1});
  EXPECT_EQ(scores.status[0], Status::unreachable);
  for (const MetricInfo& m : path_metric_table()) {
    EXPECT_TRUE(std::isnan(scores.at(m.metric, 0))) << m.name;
  }
}

// ---------------------------------------------------------------- google-research r4r doctests

TEST(R4rDoctests, EqualDtw) {
  const Grid grid(4, 3);
  const auto prediction = grid.path({{0, 0}, {1, 0}, {2, 0}, {3, 0}});
  const auto reference = grid.path({{0, 0}, {1, 0}, {2, 1}, {3, 2}});
  const Convention r4r = find_preset("r4r").convention;
  const Scores whole = score_pair(grid.scan, reference, prediction, r4r);
  EXPECT_EQ(whole.at(DTW, 0), 3.0);
  EXPECT_DOUBLE_EQ(whole.at(nDTW, 0), .77880078307140488);
  EXPECT_DOUBLE_EQ(whole.at(SDTW, 0), .77880078307140488);
  const Scores cut = score_pair(grid.scan, reference, {prediction[0], prediction[1]}, r4r);
  EXPECT_EQ(cut.at(SDTW, 0), 0.0);
}

TEST(R4rDoctests, EqualCls) {
  const Grid grid(4, 3);
  // The doctest calls cls(prediction, reference) with the two exchanged.
  const auto first = grid.path({{0, 0}, {1, 0}, {1, 1}, {2, 1}, {2, 2}, {3, 2}});
  const auto cls = [&](const std::vector<Node>& second) {
    return score_pair(grid.scan, second, first, find_preset("r4r").convention).at(CLS, 0);
  };
  EXPECT_EQ(cls(first), 1.0);
  EXPECT_NEAR(cls(grid.path({{0, 0}, {0, 1}, {1, 1}, {2, 1}, {3, 1}, {3, 2}})), .81994915125863865,
              tolerance);
  EXPECT_NEAR(cls(grid.path({{0, 1}, {1, 1}, {2, 1}, {3, 1}})), .44197196102702557, tolerance);
}

}  // namespace
}  // namespace warpath::testing
