// Tests that thresholds which single precision cannot represent give the results of double
// precision.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/errors.hpp"
#include "tests/support/score_pair.hpp"
#include "warpath/batch_statistics.hpp"
#include "warpath/error.hpp"
#include "warpath/reference_scorer.hpp"
#include "warpath/scorer.hpp"

namespace warpath::testing {
namespace {

constexpr double thresholds[] = {1e-300, 1e-40, 1e-30, 1e-12, 1e12, 1e30, 1e300};

void expect_near(const Scores& got, const Scores& want, double threshold) {
  EXPECT_EQ(got.status, want.status);
  for (const MetricInfo& m : path_metric_table()) {
    for (std::size_t row = 0; row < want.size(); ++row) {
      const double value = want.at(m.metric, row);
      if (std::isnan(value))
        EXPECT_TRUE(std::isnan(got.at(m.metric, row))) << m.name;
      else
        EXPECT_NEAR(got.at(m.metric, row), value, 1e-6 * (1.0 + std::abs(value)))
            << m.name << " at " << threshold;
    }
  }
}

TEST(Thresholds, GiveTheSameOnCpuAndReference) {
  const Grid grid(6, 4, 0.7);
  PairBatch batch;
  batch.scans.push_back(&grid.scan);
  const auto add = [&](const std::vector<Node>& reference, const std::vector<Node>& query) {
    batch.pairs.push_back(
        {0, checks::add_path(batch.references, reference), checks::add_path(batch.queries, query)});
    batch.n_query_raw.push_back(static_cast<std::uint32_t>(query.size()));
  };
  add({0, 1, 2, 3, 4}, {0, 1, 2});
  add({0, 1, 2}, {0, 1, 2});
  add({0}, {5, 6});
  for (const double threshold : thresholds) {
    for (const NdtwNorm norm : {NdtwNorm::nodes, NdtwNorm::reference_length}) {
      Convention convention;
      convention.threshold = threshold;
      convention.ndtw_norm = norm;
      const Scores want = score(batch, convention, Backend::reference);
      expect_near(score(batch, convention, Backend::cpu), want, threshold);
      const BatchStatistics summary = statistics(batch, convention, Backend::cpu);
      double coverage = 0.0;
      for (std::size_t row = 0; row < 3; ++row) coverage += want.at(Metric::PC, row);
      EXPECT_NEAR(*summary.summary.of(Metric::PC).mean(), coverage / 3.0, 1e-6);
    }
  }
}

TEST(Thresholds, GiveTheSameForAMinimumOfSplsDenominator) {
  const Grid grid(2, 2);
  PairBatch batch;
  batch.scans.push_back(&grid.scan);
  batch.references.elements = batch.queries.elements = {0};
  batch.references.end_path();
  batch.queries.end_path();
  batch.pairs.push_back({0, 0, 0});
  batch.n_query_raw.push_back(1);
  Convention convention;
  convention.spl_min_denominator = 1e-50;
  const Scores want = score(batch, convention, Backend::reference);
  EXPECT_EQ(want.at(Metric::SPL, 0), 0.0);  // not 0/0
  expect_near(score(batch, convention, Backend::cpu), want, convention.threshold);
}

TEST(Thresholds, GiveTheSameOnPoints) {
  PointBatch batch;
  batch.references.elements = batch.queries.elements = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  batch.queries.elements.pop_back();
  batch.references.end_path();
  batch.queries.end_path();
  batch.pairs.push_back({0, 0});
  for (const double threshold : thresholds) {
    Convention convention;
    convention.threshold = threshold;
    expect_near(score(batch, convention, Backend::cpu),
                score(batch, convention, Backend::reference), threshold);
  }
}

TEST(Thresholds, AreRefusedForBatchesOnADevice) {
  const Grid grid(2, 2);
  const Scan* scan = &grid.scan;
  PathSet references;
  references.elements = {0, 1};
  references.end_path();
  const std::uint32_t scan_of = 0;
  Convention convention;
  convention.threshold = 1e-40;
  const std::string error = error_of_call([&] {
    ReferenceScorer({&scan, 1}, references, {&scan_of, 1}, convention, {.place = Place::gpu()});
  });
  EXPECT_NE(error.find("threshold of 1e-40"), std::string::npos) << error;
}

}  // namespace
}  // namespace warpath::testing
