// Tests one scorer for many batches: the caller's columns, views, checks, threads.

#include "warpath/scorer.hpp"

#include <gtest/gtest.h>
#include <tbb/parallel_for.h>

#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/each_backend.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/pair_cases.hpp"
#include "tests/support/point_cases.hpp"
#include "tests/support/score_pair.hpp"
#include "warpath/error.hpp"

namespace warpath::testing {
namespace {

class ScorerOnEachBackend : public OnEachBackend {
 protected:
  Scorer scorer_of(const PairBatch& batch, const Convention& convention = {},
                   const MetricSet& metrics = MetricSet::of_paths()) {
    return Scorer(batch.scans, convention, {.backend = GetParam(), .metrics = metrics});
  }
};
WARPATH_ON_EACH_BACKEND(ScorerOnEachBackend);

TEST_P(ScorerOnEachBackend, EqualsTheFreeFunctionForEachBatch) {
  RandomBatch first(run_seed() + 700), second(run_seed() + 700);  // the same scans
  first.add_pairs(200, 12, 20);
  second.add_pairs(40, 30, 5, 20);
  PairBatch other = second.batch();
  other.scans = first.batch().scans;
  const Scorer scorer = scorer_of(first.batch());
  for (int round = 0; round < 2; ++round) {
    expect_same_scores(scorer.score(first.batch()), score(first.batch(), {}, GetParam()), "first");
    expect_same_scores(scorer.score(other), score(other, {}, GetParam()), "second");
  }
}

TEST_P(ScorerOnEachBackend, WritesOnlyTheCallersColumns) {
  RandomBatch made(run_seed() + 701);
  made.add_pairs(150, 12, 20);
  const std::size_t pairs = made.batch().pairs.size();
  const Scores want = score(made.batch(), {}, GetParam(), {Metric::nDTW, Metric::steps});
  const Scorer scorer = scorer_of(made.batch(), {}, {Metric::SR});
  std::vector<float> ndtw(pairs + 1, -7.0f);
  std::vector<double> steps(pairs + 1, -7.0);
  std::vector<Status> status(pairs + 1, Status::missing);
  ScoreColumns<float> floats;
  floats.column[Metric::nDTW] = ndtw.data();
  scorer.score(made.batch(), floats);
  ScoreColumns<double> doubles;
  std::vector<double> also_ndtw(pairs);
  doubles.column[Metric::nDTW] = also_ndtw.data();
  doubles.column[Metric::steps] = steps.data();
  doubles.status = status.data();
  scorer.score(made.batch(), doubles);
  for (std::size_t k = 0; k < pairs; ++k) {
    EXPECT_TRUE(same_bits(ndtw[k], static_cast<float>(want.at(Metric::nDTW, k)))) << k;
    EXPECT_TRUE(same_bits(also_ndtw[k], want.at(Metric::nDTW, k))) << k;
    EXPECT_TRUE(same_bits(steps[k], want.at(Metric::steps, k))) << k;
    EXPECT_EQ(status[k], want.status[k]) << k;
  }
  EXPECT_EQ(ndtw[pairs], -7.0f);
  EXPECT_EQ(steps[pairs], -7.0);
  EXPECT_EQ(status[pairs], Status::missing);
}

TEST_P(ScorerOnEachBackend, ScoresPointsIntoFloats) {
  RandomPoints made(run_seed() + 702);
  made.add_pairs(50, 20, 30);
  const PointBatch& batch = made.batch();
  const Scores want = score(batch, {}, GetParam());
  const Scorer scorer({}, {}, {.backend = GetParam()});
  std::vector<float> dtw(batch.pairs.size());
  ScoreColumns<float> columns;
  columns.column[Metric::DTW] = dtw.data();
  scorer.score(batch, columns);
  for (std::size_t k = 0; k < dtw.size(); ++k) {
    EXPECT_TRUE(same_bits(dtw[k], static_cast<float>(want.at(Metric::DTW, k)))) << k;
  }
  BatchStatistics statistics;
  statistics.add(want);
  EXPECT_EQ(scorer.statistics(batch).summary, statistics.summary);
}

TEST_P(ScorerOnEachBackend, CollapsesRepeatsOfPointsInStatisticsToo) {
  RandomPoints made(run_seed() + 706);
  made.add_pairs(50, 20, 30);
  Convention collapse;
  collapse.repeats = Repeats::collapse;
  BatchStatistics want;
  want.add(score(made.batch(), collapse, GetParam()));
  EXPECT_EQ(statistics(made.batch(), collapse, GetParam()).summary, want.summary);
  PointBatch bad = made.batch();
  bad.task_success = {1.0};
  EXPECT_THROW(statistics(bad, collapse, GetParam()), InputError);
}

TEST_P(ScorerOnEachBackend, UsesTheQuerysSizeIfNoRawSizeIsGiven) {
  RandomBatch made(run_seed() + 703);
  made.add_pairs(60, 12, 20);
  PairBatch batch = made.batch();
  batch.n_query_raw.clear();
  const Scores scores = score(batch, {}, GetParam());
  for (std::size_t k = 0; k < batch.pairs.size(); ++k) {
    EXPECT_TRUE(same_bits(scores.at(Metric::n_query_raw, k), scores.at(Metric::n_query, k))) << k;
  }
  EXPECT_EQ(statistics(batch, {}, GetParam()).summary.of(Metric::n_query_raw),
            statistics(batch, {}, GetParam()).summary.of(Metric::n_query));
}

TEST_P(ScorerOnEachBackend, CollapsesRepeatsOfViewpoints) {
  const Grid grid(5, 2);
  PairBatch batch;
  batch.scans = {&grid.scan};
  const auto add = [](PathSet& paths, const std::vector<Node>& path) {
    checks::add_path(paths, path);
  };
  add(batch.references, {0, 1, 2});
  add(batch.queries, {0, 0, 1, 1, 1, 2});
  add(batch.queries, {0, 1, 2});
  batch.pairs = {{0, 0, 0}, {0, 0, 1}};
  Convention collapse;
  collapse.repeats = Repeats::collapse;
  const Scores scores = score(batch, collapse, GetParam());
  for (const Metric m : {Metric::DTW, Metric::AD, Metric::ED, Metric::n_query, Metric::SED}) {
    EXPECT_EQ(scores.at(m, 0), scores.at(m, 1)) << info(m).name;
  }
  EXPECT_EQ(scores.at(Metric::n_query, 0), 3.0);
  EXPECT_EQ(scores.at(Metric::n_query_raw, 0), 6.0);
  EXPECT_EQ(scores.at(Metric::n_query_raw, 1), 3.0);
  EXPECT_EQ(score(batch, {}, GetParam()).at(Metric::n_query, 0), 6.0);
}

TEST_P(ScorerOnEachBackend, ScoresBatchesOfSeveralThreadsAtOnce) {
  RandomBatch made(run_seed() + 704);
  made.add_pairs(300, 12, 20);
  const Scores want = score(made.batch(), {}, GetParam());
  const Scorer scorer = scorer_of(made.batch());  // makes tables, and finds its device, when called
  std::vector<Scores> got(4);
  std::vector<std::thread> threads;
  for (Scores& scores : got) {
    threads.emplace_back([&] { scores = scorer.score(made.batch()); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Scores& scores : got) expect_same_scores(scores, want, "a thread's");
}

TEST(Scorer, ScoresTheSameWhenMoved) {
  RandomBatch made(run_seed() + 705);
  made.add_pairs(20, 5, 5);
  Scorer first(made.batch().scans, {}, {.backend = Backend::cpu});
  const Scores want = first.score(made.batch());
  const Scorer second = std::move(first);
  expect_same_scores(second.score(made.batch()), want, "moved");
}

// The first of these calls makes the tables that all of them need.
TEST(Scorer, ServesTasksThatCallItAtOnce) {
  RandomBatch made(run_seed() + 706);
  made.add_pairs(50, 12, 20);
  const Scores want = score(made.batch(), {}, Backend::cpu);
  for (int round = 0; round < 20; ++round) {
    const Scorer scorer(made.batch().scans, {}, {.backend = Backend::cpu});
    std::vector<Scores> got(16);
    tbb::parallel_for(std::size_t{0}, got.size(),
                      [&](std::size_t k) { got[k] = scorer.score(made.batch()); });
    for (const Scores& scores : got) expect_same_scores(scores, want, "a task's");
  }
}

TEST(Scorer, NamesTheResolvedBackEnd) {
  Convention tiny;
  tiny.threshold = 1e-20;
  EXPECT_EQ(Scorer({}, {}, {.backend = Backend::cpu}).backend(10).backend, Backend::cpu);
  EXPECT_EQ(Scorer({}, tiny, {.backend = Backend::cpu}).backend(10).backend, Backend::reference);
  EXPECT_NE(Scorer({}, tiny).backend(10).note, "");
}

// ---------------------------------------------------------------- bad batches

PairBatch good_batch() {
  static const Grid grid(4, 2);
  PairBatch batch = checks::pair_of(grid.scan, {0, 1, 2}, {0, 1});
  batch.n_query_raw.clear();
  return batch;
}

struct BadBatch {
  std::string name;
  std::function<void(PairBatch&)> spoil;
  std::string message;  // a part of the message
};

std::vector<BadBatch> bad_batches() {
  return {
      {"Scan", [](auto& b) { b.pairs[0].scan = 1; }, "pair 0: scan: is 1, but there are 1"},
      {"Reference", [](auto& b) { b.pairs[0].reference = 3; },
       "pair 0: reference: is 3, but there are 1"},
      {"Query", [](auto& b) { b.pairs[0].query = 1; }, "pair 0: query: is 1, but there are 1"},
      {"ReferenceViewpoint", [](auto& b) { b.references.elements[2] = 8; },
       "pair 0: reference: names viewpoint 8, but scan scan has 8"},
      {"QueryViewpoint", [](auto& b) { b.queries.elements[1] = 0xffffffff; },
       "pair 0: query: names viewpoint 4294967295, but scan scan has 8"},
      {"EmptyQuery", [](auto& b) { b.queries.end_path(); }, "query 1: is empty"},
      {"EmptyReference", [](auto& b) { b.references.end_path(); }, "reference 1: is empty"},
      {"OffsetsBeyondTheElements", [](auto& b) { b.queries.offsets[1] = 9; },
       "query 0: has the offsets 0 and 9 among 2 elements"},
      {"OffsetsThatFall",
       [](auto& b) {
         b.queries.offsets = {0, 2, 1};
       },
       "query 1: has the offsets 2 and 1"},
      {"OffsetsThatBeginLate", [](auto& b) { b.queries.offsets[0] = 1; },
       "query 0: begins at element 1"},
      {"RawSizes",
       [](auto& b) {
         b.n_query_raw = {2, 2};
       },
       "n_query_raw: has 2 values for 1 pairs"},
      {"TaskSuccess",
       [](auto& b) {
         b.task_success = {1.0, 1.0, 1.0};
       },
       "task_success: has 3 values for 1 pairs"},
  };
}

class BadPairBatch : public ::testing::TestWithParam<BadBatch> {};

TEST_P(BadPairBatch, IsNamedWithARemedy) {
  PairBatch batch = good_batch();
  EXPECT_NO_THROW(score(batch, {}, Backend::cpu));
  GetParam().spoil(batch);
  for (const Backend backend : {Backend::reference, Backend::cpu, Backend::automatic}) {
    const std::string message = error_of_call([&] { score(batch, {}, backend); });
    EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
    EXPECT_NE(message.find("; "), std::string::npos) << message;
    EXPECT_THROW(statistics(batch, {}, backend), InputError);
  }
}

INSTANTIATE_TEST_SUITE_P(Table, BadPairBatch, ::testing::ValuesIn(bad_batches()),
                         [](const auto& given) { return given.param.name; });

TEST(Scorer, SkipsChecksIfTheCallerHasChecked) {
  PairBatch batch = good_batch();
  const Scores want = score(batch, {}, Backend::cpu);
  const ScorerOptions checked{.backend = Backend::cpu};
  ScorerOptions unchecked = checked;
  unchecked.check_input = false;
  batch.n_query_raw = {2, 2};  // one too many, which does no harm
  EXPECT_THROW(Scorer(batch.scans, {}, checked).score(batch), InputError);
  expect_same_scores(Scorer(batch.scans, {}, unchecked).score(batch), want, "unchecked");
}

}  // namespace
}  // namespace warpath::testing
