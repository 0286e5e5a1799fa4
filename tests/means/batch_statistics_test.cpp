// Tests that statistics() equals the sums over the columns of score(), on every back end.

#include <gtest/gtest.h>

#include "tests/support/each_backend.hpp"
#include "tests/support/pair_cases.hpp"
#include "tests/support/score_pair.hpp"
#include "warpath/distances.hpp"
#include "warpath/error.hpp"
#include "warpath/scorer.hpp"

namespace warpath::testing {
namespace {

class ScoreStatistics : public OnEachBackend {};
WARPATH_ON_EACH_BACKEND(ScoreStatistics);

TEST_P(ScoreStatistics, EqualTheSumsOverTheColumns) {
  RandomBatch made(run_seed() + 400);
  made.add_pairs(300, 20, 30);
  BatchStatistics want;
  want.add(score(made.batch(), {}, GetParam()));
  want.precision =
      GetParam() == Backend::reference ? Precision::double_precision : Precision::single_precision;
  const BatchStatistics got = statistics(made.batch(), {}, GetParam());
  EXPECT_TRUE(got == want);
  EXPECT_EQ(got.summary.items, made.batch().pairs.size());
  EXPECT_GT(got.summary.of(Metric::nDTW).n(), 0u);
}

TEST_P(ScoreStatistics, MergeOnlyTheSamePrecision) {
  RandomBatch made(run_seed() + 402);
  made.add_pairs(20, 5, 5);
  const bool is_double = GetParam() == Backend::reference;
  const BatchStatistics of_other =
      statistics(made.batch(), {}, is_double ? Backend::cpu : Backend::reference);
  BatchStatistics merged;
  merged.merge(statistics(made.batch(), {}, GetParam()));
  merged.merge(statistics(made.batch(), {}, GetParam()));
  EXPECT_EQ(merged.summary.items, 2 * made.batch().pairs.size());
  EXPECT_THROW(merged.merge(of_other), InputError);
}

// Parts that are merged later must be in one precision, however the work was cut.
TEST(ScoreStatisticsAutomatically, NeverUseReferenceForSmallBatches) {
  RandomBatch made(run_seed() + 403);
  made.add_pairs(1, 5, 5);
  EXPECT_EQ(statistics(made.batch(), {}).precision, Precision::single_precision);
  EXPECT_EQ(resolve_backend(Backend::automatic, 1).backend, Backend::cpu);
  EXPECT_EQ(resolve_for_evaluation(Backend::automatic, 1, {}).backend, Backend::reference);
  EXPECT_EQ(resolve_for_evaluation(Backend::automatic, max_reference_items, {}).backend,
            Backend::reference);
  EXPECT_NE(resolve_for_evaluation(Backend::automatic, max_reference_items + 1, {}).backend,
            Backend::reference);
}

// Whether a pair counts must not depend on what else is asked for, or means of equal runs would
// differ.
TEST_P(ScoreStatistics, CountTheSameItemsWhicheverMetricsAreRequested) {
  RandomBatch made(run_seed() + 401);
  made.add_pairs(300, 20, 30);
  const BatchStatistics all = statistics(made.batch(), {}, GetParam());
  for (const MetricInfo& metric : path_metric_table()) {
    MetricSet asked;
    asked.insert(metric.metric);
    const BatchStatistics some = statistics(made.batch(), {}, GetParam(), asked);
    for (const MetricInfo& m : path_metric_table()) {
      const bool is_asked = m.metric == metric.metric;
      EXPECT_EQ(some.summary.of(m.metric).n(), is_asked ? all.summary.of(m.metric).n() : 0u);
    }
    EXPECT_EQ(some.summary.of(metric.metric).mean(), all.summary.of(metric.metric).mean());
    EXPECT_TRUE(some.histogram(metric.metric) == all.histogram(metric.metric)) << metric.name;
    EXPECT_EQ(some.summary.statuses[static_cast<int>(Status::unreachable)],
              all.summary.statuses[static_cast<int>(Status::unreachable)]);
  }
}

// A sum of edges may differ in its last bit depending on the end it starts from, and so decide
// differently at the threshold. Whether other pairs share the reference must not matter.
TEST_P(ScoreStatistics, DecideEquallyHoweverManyShareAReference) {
  const Scan scan =
      make_scan({{0, 0, 0}, {0.1, 0, 0}, {0.3, 0, 0}, {3, 0, 0}}, {{0, 1}, {1, 2}, {2, 3}});
  constexpr std::uint32_t pairs = 36'000;  // more than go to small groups on a GPU
  for (const bool forwards : {true, false}) {
    const Node goal = forwards ? 0 : 3, end = 3 - goal;
    PairBatch batch = checks::pair_of(scan, {1, goal}, {0, 1, end});
    batch.pairs.assign(pairs, {0, 0, 0});
    batch.n_query_raw.assign(pairs, 3);
    Distances distances(scan, Convention().distance);
    const bool succeeds =
        within(distances.between(goal, end), Convention().success, Convention().threshold);
    EXPECT_EQ(statistics(batch, {}, GetParam()).summary.of(Metric::SR).mean(), succeeds);
  }
}

// Reference and query both jump onto an island: DTW is 0, but neither path has a length.
TEST_P(ScoreStatistics, LeaveOutUnreachablePairsWhicheverMetricsAreRequested) {
  const Scan scan = make_scan({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{0, 1}});
  PairBatch batch;
  batch.scans.push_back(&scan);
  for (const Node last : {1u, 2u}) {
    for (const Node n : {0u, last}) {
      batch.references.elements.push_back(n);
      batch.queries.elements.push_back(n);
    }
    batch.pairs.push_back({0, batch.references.end_path(), batch.queries.end_path()});
    batch.n_query_raw.push_back(2);
  }
  MetricSet asked;
  asked.insert(Metric::nDTW);
  const BatchStatistics got = statistics(batch, {}, GetParam(), asked);
  EXPECT_EQ(got.summary.of(Metric::nDTW).n(), 1u);
  EXPECT_EQ(got.summary.statuses[static_cast<int>(Status::unreachable)], 1u);
}

}  // namespace
}  // namespace warpath::testing
