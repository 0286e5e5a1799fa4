// Tests continuous paths through the public interface on both back ends: worked cases, conventions,
// decisions, bad input and the golden scores of the real data.

#include <gtest/gtest.h>
#include <simdjson.h>

#include <cmath>
#include <iostream>
#include <limits>

#include "host/checks/scans.hpp"
#include "tests/support/each_backend.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/files.hpp"
#include "tests/support/point_cases.hpp"
#include "warpath/error.hpp"
#include "warpath/scorer.hpp"

namespace warpath::testing {
namespace {

using enum Metric;

constexpr double infinity = std::numeric_limits<double>::infinity();

class Points : public OnEachBackend {
 protected:
  Scores score_pair(const checks::PointPath& reference, const checks::PointPath& query,
                    const Convention& convention = {}) const {
    return score(checks::pair_of(reference, query), convention, GetParam());
  }
};

WARPATH_ON_EACH_BACKEND(Points);

// ---------------------------------------------------------------- worked by hand

// Geometry: r1 ── 3 ── r2. q2 lies on r2, q1 is 4 above r1, q3 is 4 from r2 along z.
TEST_P(Points, EqualAWorkedPairInAllMetrics) {
  const checks::PointPath reference{{0, 0, 0}, {3, 0, 0}}, query{{0, 4, 0}, {3, 0, 0}, {3, 0, 4}};
  const Scores s = score_pair(reference, query);
  const double pc = (std::exp(-1.0) + 1.0) / 2, ndtw = std::exp(-8.0 / 6.0);
  // d(q1, r1) = 4, d(q1, r2) = 5, d(q2, r1) = 3, d(q2, r2) = 0, d(q3, r1) = 5, d(q3, r2) = 4.
  const std::pair<Metric, double> expected[] = {{PL, 9},
                                                {NE, 4},
                                                {ONE, 0},
                                                {SR, 0},
                                                {OSR, 1},
                                                {AD, 8 / 3.0},
                                                {MD, 4},
                                                {SPL, 0},
                                                {SED, 0},
                                                {PC, pc},
                                                {EPL, 3 * pc},
                                                {LS, 3 * pc / (3 * pc + 9 - 3 * pc)},
                                                {CLS, pc * pc / 3},
                                                {DTW, 8},
                                                {nDTW, ndtw},
                                                {SDTW, 0},
                                                {GP, -1},
                                                {ED, 2},
                                                {SP, 5},
                                                {PLR, 3},
                                                {steps, 2},
                                                {n_query, 3},
                                                {n_query_raw, 3},
                                                {n_ref, 2}};
  for (const auto& [metric, value] : expected) {
    EXPECT_NEAR(s.at(metric, 0), value, 1e-6) << info(metric).name;
  }
  EXPECT_EQ(std::size(expected), static_cast<std::size_t>(path_metric_count));
  EXPECT_EQ(s.status[0], Status::ok);
}

TEST_P(Points, ScorePerfectlyForAPathAgainstItself) {
  checks::PointPath path;
  for (int k = 0; k < 150; ++k) path.push_back({5e6 + 0.25 * k, std::sin(k), 1e-3 * k});
  const Scores s = score_pair(path, path);
  for (const Metric m : {SR, OSR, SED, PC, nDTW, SDTW}) EXPECT_EQ(s.at(m, 0), 1.0);
  EXPECT_NEAR(s.at(CLS, 0), 1.0, 1e-6);
  for (const Metric m : {NE, ONE, AD, MD, DTW, ED}) EXPECT_EQ(s.at(m, 0), 0.0);
}

TEST_P(Points, ScorePathsOfOnePoint) {
  const Scores same = score_pair({{1, 2, 3}}, {{1, 2, 3}});
  EXPECT_EQ(same.at(DTW, 0), 0.0);
  EXPECT_EQ(same.at(SPL, 0), 1.0);
  EXPECT_EQ(same.zero_rules[0],
            bit_of(ZeroByZero::SPL) | bit_of(ZeroByZero::LS) | bit_of(ZeroByZero::SED));
  const Scores apart = score_pair({{1, 2, 3}}, {{1, 2, 5}});
  EXPECT_EQ(apart.at(DTW, 0), 2.0);
  EXPECT_EQ(apart.at(ED, 0), 0.0);
  EXPECT_NEAR(apart.at(nDTW, 0), std::exp(-2.0 / 3.0), 1e-6);
}

TEST_P(Points, AcceptABatchWithoutPairs) {
  EXPECT_EQ(score(PointBatch{}, Convention{}, GetParam()).size(), 0u);
}

// ---------------------------------------------------------------- conventions

TEST_P(Points, IgnoreTheThirdCoordinateInTwoDimensions) {
  Convention flat;
  flat.distance = Distance::euclid_2d;
  flat.edit_unit = EditUnit::viewpoints;
  const Scores s = score_pair({{0, 0, 0}, {3, 4, 0}}, {{0, 0, 7}, {3, 4, 9}}, flat);
  for (const Metric m : {NE, DTW, AD}) EXPECT_EQ(s.at(m, 0), 0.0);
  EXPECT_EQ(s.at(PL, 0), 5.0);
  EXPECT_EQ(s.at(ED, 0), 2.0) << "the coordinates are not identical";
}

TEST_P(Points, IgnoreHopsAndEdgesInsideCls) {
  Convention other;
  other.distance = Distance::hops;
  other.cls_step = ClsStep::edge;
  const checks::PointPath reference{{0, 0, 0}, {2, 0, 0}, {2, 1, 0}};
  const checks::PointPath query{{0, 0, 0}, {0, 0, 0}, {1, 1, 1}};
  const Scores a = score_pair(reference, query, other), b = score_pair(reference, query);
  for (const MetricInfo& m : path_metric_table()) {
    EXPECT_EQ(a.at(m.metric, 0), b.at(m.metric, 0)) << m.name;
  }
}

TEST_P(Points, CollapseRepeatsIfTheConventionSaysSo) {
  Convention collapse;
  collapse.repeats = Repeats::collapse;
  const checks::PointPath reference{{0, 0, 0}, {2, 0, 0}};
  const checks::PointPath query{{0, 0, 0}, {0, 0, 0}, {-0.0, 0, 0},
                                {1, 0, 0}, {1, 0, 0}, {0, 0, 0}};
  const Scores got = score_pair(reference, query, collapse);
  const Scores want = score_pair(reference, {{0, 0, 0}, {1, 0, 0}, {0, 0, 0}});
  for (const MetricInfo& m : path_metric_table()) {
    const double expected = m.metric == n_query_raw ? 6.0 : want.at(m.metric, 0);
    EXPECT_EQ(got.at(m.metric, 0), expected) << m.name;
  }
  EXPECT_EQ(score_pair(reference, query).at(n_query, 0), 6.0);
}

// Some distinct points cannot be told apart in single precision, or their distance becomes 0.
TEST_P(Points, CountEditsByIdenticalCoordinates) {
  Convention viewpoints;
  viewpoints.edit_unit = EditUnit::viewpoints;
  for (const double near : {1e-10, 1e-15, 1e-30, 1e-200}) {
    const checks::PointPath reference{{-9, 0, 0}, {0, 0, 0}, {9, 1, 2}};
    const checks::PointPath query{{-9, 0, 0}, {0, near, 0}, {9, 1, 2}};
    EXPECT_EQ(score_pair(reference, reference, viewpoints).at(ED, 0), 0.0);
    EXPECT_EQ(score_pair(reference, query, viewpoints).at(ED, 0), 1.0) << near;
    EXPECT_EQ(score_pair(reference, query).at(ED, 0), 2.0) << near;
  }
}

TEST_P(Points, CountMinusZeroAsZeroInEdits) {
  checks::PointPath reference, query;
  for (int k = 0; k < 150; ++k) {
    reference.push_back({0.25 * k, 1.0, 0.0});
    query.push_back({0.25 * k, 1.0, -0.0});
  }
  EXPECT_EQ(score_pair(reference, query).at(ED, 0), 0.0);
}

TEST_P(Points, UseTaskSuccessInsteadOfSr) {
  PointBatch batch = checks::pair_of({{0, 0, 0}, {1, 0, 0}}, {{0, 0, 0}, {1, 1, 0}});
  batch.pairs.push_back(batch.pairs[0]);
  batch.task_success = {0.5, std::nan("")};
  const Scores s = score(batch, {}, GetParam());
  EXPECT_NEAR(s.at(SDTW, 0), 0.5 * s.at(nDTW, 0), 1e-7);
  EXPECT_TRUE(std::isnan(s.at(SDTW, 1)));
  EXPECT_EQ(s.status[1], Status::no_task_success);
}

TEST_P(Points, HaveColumnsOnlyForRequestedMetrics) {
  MetricSet asked;
  asked.insert(MD);
  const Scores s = score(checks::pair_of({{0, 0, 0}}, {{0, 0, 2}}), {}, GetParam(), asked);
  for (const MetricInfo& m : path_metric_table()) {
    EXPECT_EQ(s.column[m.metric].size(), m.metric == MD ? 1u : 0u) << m.name;
  }
  EXPECT_EQ(s.at(MD, 0), 2.0);
  EXPECT_EQ(s.zero_rules[0], 0) << "SPL and LS were not asked for";
}

// ---------------------------------------------------------------- decisions

// Tests the threshold and the neighbouring double on either side.
TEST_P(Points, DecideAtTheThresholdAsInDouble) {
  for (const double threshold : {3.0, 0.1 + 0.2, 1.4178781489211116, 20.0, 1.0 / 3.0}) {
    for (const double offset : {0.0, 4096.0}) {
      // Neighbours in double of the coordinate at the threshold.
      const double at = offset + threshold;
      for (const double x : {std::nextafter(at, 0.0), at, std::nextafter(at, infinity)}) {
        const double error = x - offset;
        for (const Compare compare : {Compare::less, Compare::less_equal}) {
          Convention convention;
          convention.threshold = threshold;
          convention.success = convention.oracle = compare;
          const checks::PointPath goal{{offset, 7, 1}};
          const Scores last = score_pair(goal, {{x, 7, 1}}, convention);
          const Scores nearest = score_pair(goal, {{x, 7, 1}, {x + 50, 7, 1}}, convention);
          const double success = within(error, compare, threshold);
          EXPECT_EQ(last.at(SR, 0), success) << error - threshold << " at " << threshold;
          EXPECT_EQ(last.at(SDTW, 0) > 0.0, success == 1.0);
          EXPECT_EQ(nearest.at(OSR, 0), success) << error - threshold << " at " << threshold;
          EXPECT_EQ(nearest.at(SR, 0), 0.0);
        }
      }
    }
  }
}

// ---------------------------------------------------------------- the range of single precision

void expect_close_to_the_reference(const Scores& got, const PointBatch& batch,
                                   const Convention& convention, double relative) {
  const Scores want = score(batch, convention, Backend::reference);
  for (const MetricInfo& m : path_metric_table()) {
    const double a = got.at(m.metric, 0), b = want.at(m.metric, 0);
    EXPECT_NEAR(a, b, relative * std::max(1.0, std::abs(b))) << m.name;
  }
}

// The warping has |R| + |Q| - 2 cells, each of them two points at one place.
TEST_P(Points, HaveNoCostWherePathsCoincideHoweverLong) {
  checks::PointPath reference(3000, {4, 2, 3}), query(3000, {1, 2, 3});
  reference.front() = query.front();
  query.back() = reference.back();
  const Scores s = score_pair(reference, query);
  for (const Metric m : {PC, nDTW}) EXPECT_EQ(s.at(m, 0), 1.0);
  for (const Metric m : {AD, MD, DTW}) EXPECT_EQ(s.at(m, 0), 0.0);
}

TEST_P(Points, KeepDistancesThatAreSmallButNotZero) {
  const Scores s = score_pair({{0, 0, 0}, {0, 0, 0}}, {{1e-12, 0, 0}, {1e-12, 0, 0}});
  for (const Metric m : {AD, MD}) EXPECT_NEAR(s.at(m, 0), 1e-12, 1e-15);
  EXPECT_NEAR(s.at(DTW, 0), 2e-12, 2e-15);
}

// Coordinates reach to 1e12 m. Neither DTW nor a minimum may take the padding for a point.
TEST_P(Points, ScoreCoordinatesAtTheLimit) {
  const double far = 1e12;
  const checks::PointPath reference{{-far, -far, -far}, {far, far, far}, {far, far, -far}};
  const checks::PointPath query{
      {far, far, far}, {far, -far, far}, {-far, -far, far}, {-far, far, -far}};
  for (const double threshold : {3.0, 2e12, 1e15}) {
    Convention convention;
    convention.threshold = threshold;
    SCOPED_TRACE(threshold);
    expect_close_to_the_reference(score_pair(reference, query, convention),
                                  checks::pair_of(reference, query), convention, 1e-6);
  }
}

TEST_P(Points, AreScoredInDoubleUnderThresholdsBeyondSinglePrecision) {
  const checks::PointPath path{{0, 0, 0}, {1, 0, 0}}, other{{0, 0, 0}, {0.3, 0.1, 0}};
  for (const double threshold : {0.99e-6, 1.01e15}) {
    Convention convention;
    convention.threshold = threshold;
    expect_close_to_the_reference(score_pair(path, other, convention), checks::pair_of(path, other),
                                  convention, 0.0);
  }
  Convention least;
  least.threshold = 1e-6;
  for (const Metric m : {PC, nDTW}) EXPECT_EQ(score_pair(path, path, least).at(m, 0), 1.0);
}

// ---------------------------------------------------------------- bad input

struct BadPointBatch {
  std::string name;
  void (*spoil)(PointBatch&);
  std::vector<std::string> told;
};

void PrintTo(const BadPointBatch& bad, std::ostream* out) {
  *out << bad.name;
}

const std::vector<BadPointBatch>& bad_point_batches() {
  static const std::vector<BadPointBatch> all{
      {"EmptyReference",
       [](PointBatch& b) { b.references.end_path(); },
       {"reference 1: is empty; give it at least its start"}},
      {"EmptyQuery", [](PointBatch& b) { b.queries.end_path(); }, {"query 1: is empty"}},
      {"NotANumber",
       [](PointBatch& b) { b.queries.elements[1][2] = std::nan(""); },
       {"query 0: point 1: the coordinate nan", "give finite coordinates"}},
      {"Infinite",
       [](PointBatch& b) { b.references.elements[0][0] = -infinity; },
       {"reference 0: point 0: the coordinate -inf"}},
      {"TooFar",
       [](PointBatch& b) { b.references.elements[1][1] = 1e13; },
       {"reference 0: point 1: the coordinate 1e+13", "up to 1e+12 m"}},
      {"NoSuchReference",
       [](PointBatch& b) {
         b.pairs.push_back({1, 0});
       },
       {"pair 1: reference: is 1, but there are 1; number them from 0"}},
      {"NoSuchQuery",
       [](PointBatch& b) { b.pairs[0].query = 4; },
       {"pair 0: query: is 4, but there are 1"}},
      {"TaskSuccessOfAnotherNumber",
       [](PointBatch& b) {
         b.task_success = {1.0, 0.0};
       },
       {"task_success: has 2 values for 1 pairs; give one for each"}}};
  return all;
}

class BadPoints : public ::testing::TestWithParam<BadPointBatch> {};

TEST_P(BadPoints, AreNamedWithARemedy) {
  PointBatch batch = checks::pair_of({{0, 0, 0}, {1, 0, 0}}, {{0, 0, 0}, {1, 1, 0}});
  GetParam().spoil(batch);
  for (const Backend backend : {Backend::reference, Backend::cpu}) {
    const std::string error = error_of_call([&] { score(batch, {}, backend); });
    EXPECT_NE(error, "");
    for (const std::string& part : GetParam().told) {
      EXPECT_NE(error.find(part), std::string::npos) << error;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Table, BadPoints, ::testing::ValuesIn(bad_point_batches()),
                         [](const auto& test) { return test.param.name; });

// ---------------------------------------------------------------- the real data

checks::PointPath walk_of(simdjson::dom::array points) {
  checks::PointPath path;
  for (simdjson::dom::array point : points) {
    auto& p = path.emplace_back();
    for (std::size_t axis = 0; axis < 3; ++axis) p[axis] = double(point.at(axis));
  }
  return path;
}

PointBatch read_golden_pairs(const std::string& file) {
  const std::string text = read_text(file);
  simdjson::dom::parser parser;
  PointBatch batch;
  for (simdjson::dom::element line : parser.parse_many(text)) {
    checks::add_path(batch.references, walk_of(line["reference"]));
    checks::add_path(batch.queries, walk_of(line["prediction"]));
    const auto k = static_cast<std::uint32_t>(batch.pairs.size());
    batch.pairs.push_back({k, k});
  }
  return batch;
}

TEST_P(Points, EqualTheGoldenScores) {
  const std::string data = data_folder();
  if (data.empty()) GTEST_SKIP() << "no real data: set WARPATH_DATA to their folder";
  const std::string set = data + "/golden/VLNCE_R2R_val_seen";
  const auto golden = read_csv(set + ".csv.gz");
  const Scores s = score(read_golden_pairs(set + ".jsonl.gz"), {}, GetParam());
  ASSERT_EQ(s.size(), golden.size());
  const std::pair<const char*, Metric> columns[] = {
      {"pl", PL}, {"ref_len", PLR}, {"ne", NE},     {"one", ONE},   {"ad", AD},  {"md", MD},
      {"pc", PC}, {"dtw", DTW},     {"ndtw", nDTW}, {"sdtw", SDTW}, {"cls", CLS}};
  const double allowed = GetParam() == Backend::reference ? 1e-12 : 1e-6;
  double worst = 0.0;
  for (std::size_t row = 0; row < golden.size(); ++row) {
    for (const auto& [column, metric] : columns) {
      const double want = std::stod(golden[row].at(column)), got = s.at(metric, row);
      const double difference = std::abs(got - want) / std::max(1.0, want);
      EXPECT_LE(difference, allowed)
          << golden[row].at("id") << " " << column << ": golden " << want << ", ours " << got;
      worst = std::max(worst, difference);
    }
  }
  std::cout << golden.size() << " pairs, largest difference " << worst << "\n";
}

}  // namespace
}  // namespace warpath::testing
