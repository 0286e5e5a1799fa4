// Tests RandomBaseline: parts, threads and back ends give the same bits; a stopped run; and the
// papers' figures on the shared data.

#include "warpath/random_baseline.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "tests/support/good_files.hpp"
#include "tests/support/walk_scene.hpp"
#include "warpath/error.hpp"
#include "warpath/scorer.hpp"

namespace warpath::testing {
namespace {

class RandomBaselineTest : public ::testing::Test {
 protected:
  RandomBaselineFiles files() const { return {.graphs = scene.graphs, .dataset = scene.data}; }

  const WalkScene scene;
};

TEST_F(RandomBaselineTest, HasTheStatisticsOfItsWalksAsABatch) {
  const RandomBaseline baseline(files(), 11);
  for (const char* preset : {"paper", "r2r", "r4r"}) {
    const Convention convention = find_preset(preset).convention;
    const RandomBaselineResult result = baseline.statistics(convention, {.walks = 5000});
    const PairBatch batch = baseline.walks().batch(0, 5000);
    EXPECT_EQ(result.statistics, statistics(batch, convention, Backend::cpu)) << preset;
    EXPECT_EQ(result.walks, 5000u);
    EXPECT_EQ(result.summary.of(Metric::SR).of, 5000u);
  }
}

TEST_F(RandomBaselineTest, SavesPairsWithTheScoresOfItsWalks) {
  const RandomBaseline baseline(files(), 11);
  std::string lines;
  baseline.append_pairs(5, 300, lines);
  const std::string csv = scene.folder.path("out.csv");
  const CliResult result =
      run({"eval", "--graphs", scene.graphs, "--pairs", scene.folder.write("pairs.jsonl", lines),
           "--backend", "cpu", "--quiet", "--csv", csv});
  ASSERT_EQ(result.code, 0) << result.err;
  const Scores scores = score(baseline.walks().batch(5, 300), {}, Backend::cpu);
  const auto rows = read_csv(csv);
  ASSERT_EQ(rows.size(), 300u);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    ASSERT_EQ(rows[k].at("instr_id"), "walk_" + std::to_string(5 + k));
    for (const MetricInfo& m : path_metric_table()) {
      ASSERT_EQ(std::stof(rows[k].at(std::string(m.name))),
                static_cast<float>(scores.at(m.metric, k)))
          << m.name << " of walk " << 5 + k;
    }
  }
}

TEST_F(RandomBaselineTest, DoesNotDependOnThreadsOrShards) {
  const RandomBaseline baseline(files(), 11);
  // Several parts: the first have 16,384 walks.
  constexpr std::uint64_t walks = 200'000;
  const Convention convention;
  const BatchStatistics whole =
      baseline.statistics(convention, {.walks = walks, .threads = 1}).statistics;
  EXPECT_EQ(whole.summary.items, walks);
  EXPECT_EQ(baseline.statistics(convention, {.walks = walks, .threads = 2}).statistics, whole);
  BatchStatistics merged;
  for (const auto& [first, count] : {std::pair(100'001u, 99'999u), std::pair(0u, 100'001u)}) {
    merged.merge(baseline.statistics(convention, {.first = first, .walks = count}).statistics);
  }
  EXPECT_EQ(merged, whole);
}

TEST_F(RandomBaselineTest, EndsAfterAPartIfItIsStopped) {
  const RandomBaseline baseline(files(), 11);
  int asked = 0;
  RandomBaselineOptions options{.walks = std::uint64_t{1} << 60};
  options.is_stopped = [&] { return asked++ == 2; };
  const RandomBaselineResult stopped = baseline.statistics({}, options);
  EXPECT_GT(stopped.walks, 16'384u);
  EXPECT_LT(stopped.walks, std::uint64_t{1} << 40);
  EXPECT_EQ(stopped.statistics, baseline.statistics({}, {.walks = stopped.walks}).statistics);
  options.is_stopped = [] { return true; };
  EXPECT_EQ(baseline.statistics({}, options).walks, 0u);
}

TEST_F(RandomBaselineTest, TellsAWatchOfEveryWalkAndEndsByWhatItThrows) {
  const RandomBaseline baseline(files(), 11);
  for (const Backend backend : {Backend::reference, Backend::cpu}) {
    RandomBaselineOptions options{.walks = 30'000, .backend = backend};
    const BatchStatistics want = baseline.statistics({}, options).statistics;
    std::atomic<std::uint64_t> done = 0;
    options.watch = [&](std::uint64_t more) { done += more; };
    EXPECT_EQ(baseline.statistics({}, options).statistics, want);
    EXPECT_EQ(done, options.walks);
    struct Stop {};
    options.watch = [](std::uint64_t) { throw Stop(); };
    EXPECT_THROW(baseline.statistics({}, options), Stop);
  }
}

TEST_F(RandomBaselineTest, HasOnlyTheMetricsAskedFor) {
  const RandomBaseline baseline(files(), 11);
  RandomBaselineOptions options{.walks = 100};
  options.metrics = {};
  options.metrics.insert(Metric::SPL);
  const RandomBaselineResult result = baseline.statistics({}, options);
  EXPECT_EQ(result.statistics.summary.of(Metric::SPL).n(), 100u);
  EXPECT_EQ(result.statistics.summary.of(Metric::PL).n(), 0u);
  EXPECT_FALSE(result.summary.of(Metric::PL).mean);
}

TEST_F(RandomBaselineTest, StatesIntervalsOfTheSampling) {
  const RandomBaseline baseline(files(), 11);
  const RandomBaselineResult result = baseline.statistics({}, {.walks = 1000});
  const Estimate& estimate = result.summary.of(Metric::nDTW);
  const Statistics& values = result.statistics.summary.of(Metric::nDTW);
  ASSERT_TRUE(estimate.ci95);
  EXPECT_EQ((*estimate.ci95)[1], *values.mean() + *values.ci95_half_width());
  EXPECT_EQ(estimate.clusters, 1000u);
  // A rate of 0 has Wilson's bounds.
  const Scene small;  // no reference ends where it begins
  const RandomBaselineFiles still{.graphs = small.graphs, .dataset = small.data, .steps = 0};
  Convention strict;
  strict.threshold = 0.5;
  const RandomBaselineResult stop = RandomBaseline(still, 1).statistics(strict, {.walks = 100});
  ASSERT_EQ(stop.summary.of(Metric::SR).mean, 0.0);
  EXPECT_EQ((*stop.summary.of(Metric::SR).ci95)[0], 0.0);
  EXPECT_NEAR((*stop.summary.of(Metric::SR).ci95)[1], 1.96 * 1.96 / (100 + 1.96 * 1.96), 1e-15);
}

TEST_F(RandomBaselineTest, RefusesStepsFromTwoPlaces) {
  RandomBaselineFiles both = files();
  both.steps = 3;
  both.steps_from = scene.data;
  EXPECT_THROW(RandomBaseline(both, 1), UsageError);
  RandomBaselineFiles input = files();
  input.dataset = input.steps_from = "-";
  EXPECT_THROW(RandomBaseline(input, 1), UsageError);
}

// ---------------------------------------------------------------- the papers' tables

struct Published {
  const char *dataset, *steps_from;
  double ne, sr, spl, cls;  // as printed, fractions x 100
  double pl;                // ours; the paper's is 10.4 and 21.8, which nothing explains
};

class PublishedWalks : public ::testing::TestWithParam<Published> {};

TEST_P(PublishedWalks, AreWithinTwoFifthsOfThePrintedFigures) {
  if (data_folder().empty()) GTEST_SKIP() << "no real data: set WARPATH_DATA to their folder";
  const Published& paper = GetParam();
  RandomBaselineFiles files;
  files.graphs = data_folder() + "/connectivity";
  files.dataset = data_folder() + "/" + paper.dataset;
  files.steps_from = data_folder() + "/" + paper.steps_from;
  const RandomBaseline baseline(files, 1);
  const RandomBaselineResult result =
      baseline.statistics(find_preset("r2r").convention, {.walks = 1'000'000});
  const auto mean = [&](Metric m) { return *result.summary.of(m).mean; };
  EXPECT_NEAR(mean(Metric::NE), paper.ne, 0.4);
  EXPECT_NEAR(100.0 * mean(Metric::SR), paper.sr, 0.4);
  EXPECT_NEAR(100.0 * mean(Metric::SPL), paper.spl, 0.4);
  EXPECT_NEAR(100.0 * mean(Metric::CLS), paper.cls, 0.4);
  EXPECT_NEAR(mean(Metric::PL), paper.pl, 0.03);
}

// Jain et al. 2019, Tables 3 and 4, the random agent on val_seen.
INSTANTIATE_TEST_SUITE_P(Tables, PublishedWalks,
                         ::testing::Values(Published{"R2R_val_seen.json", "R2R_train.json.gz", 9.82,
                                                     5.0, 3.7, 29.4, 10.24},
                                           Published{"R4R_val_seen.json.gz", "R4R_train.json.gz",
                                                     11.4, 13.1, 2.0, 23.1, 21.51}));

}  // namespace
}  // namespace warpath::testing
