// Tests a Scorer on scans of more viewpoints than a table of all distances may have.

#include "tests/support/large_scans.hpp"

#include <gtest/gtest.h>
#include <tbb/parallel_for.h>

#include <atomic>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "host/checks/compare.hpp"
#include "host/checks/grid.hpp"
#include "tests/support/each_backend.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/pair_cases.hpp"
#include "warpath/error.hpp"
#include "warpath/reference_scorer.hpp"
#include "warpath/scorer.hpp"

namespace warpath::testing {
namespace {

// Makes walks on a grid of 6,000 viewpoints, on one with streets one way, and on small scans.
class PairsOnLargeScans {
 public:
  explicit PairsOnLargeScans(std::uint64_t seed)
      : random_(seed),
        grid_(100, 60, 0.7),
        one_way_(checks::make_directed(random_, grid_.scan)),
        small_(seed + 1) {
    small_.add_pairs(100, 12, 20);
    batch_ = small_.batch();
    batch_.task_success.clear();
    for (const Scan* scan : {&grid_.scan, static_cast<const Scan*>(&one_way_)}) {
      batch_.scans.push_back(scan);
      for (int k = 0; k < 40; ++k) add_pair(*scan, k);
    }
  }

  const PairBatch& batch() const { return batch_; }
  PairBatch& batch() { return batch_; }

 private:
  // Every third reference has two queries.
  void add_pair(const Scan& scan, int k) {
    const auto start = static_cast<Node>(random_.below(scan.size()));
    const auto walk = [&](std::size_t size) {
      return checks::walk(random_, scan, start, size, {.stay = 0.1, .jump = 0.02});
    };
    const auto number = static_cast<std::uint32_t>(batch_.scans.size() - 1);
    const std::uint32_t reference = checks::add_path(batch_.references, walk(1 + k % 30));
    for (int queries = k % 3 == 0 ? 2 : 1; queries > 0; --queries) {
      const std::vector<Node> query = walk(1 + k % 41);
      batch_.pairs.push_back({number, reference, checks::add_path(batch_.queries, query)});
      batch_.n_query_raw.push_back(static_cast<std::uint32_t>(query.size()) + 1);
    }
  }

  checks::Random random_;
  const checks::Grid grid_;
  const Scan one_way_;
  RandomBatch small_;
  PairBatch batch_;
};

void expect_near(const Scores& got, const Scores& want, const PairBatch& batch,
                 const Convention& convention) {
  const checks::Comparison all = checks::compare(got, want, batch, convention);
  for (const MetricInfo& m : path_metric_table()) {
    EXPECT_LE(all.metric[m.metric].worst, checks::allowed(m.metric))
        << m.name << ", " << convention.preset << ", seed " << run_seed();
  }
  EXPECT_EQ(all.status.count, 0u) << convention.preset << ", seed " << run_seed();
}

using LargeScansOnEachBackend = OnEachBackend;
WARPATH_ON_EACH_BACKEND(LargeScansOnEachBackend);

TEST_P(LargeScansOnEachBackend, AreWithinToleranceOfTheReference) {
  const PairsOnLargeScans made(run_seed() + 1100);
  const PairBatch& batch = made.batch();
  for (const char* preset : {"paper", "r2r", "r4r", "vlnce"}) {
    const Convention convention = find_preset(preset).convention;
    const Scores want = score(batch, convention, Backend::reference);
    const Scorer scorer(batch.scans, convention, {.backend = GetParam()});
    const Scores got = scorer.score(batch);
    expect_near(got, want, batch, convention);
    expect_same_scores(scorer.score(batch), got, convention.preset);
    if (HasFailure()) return;
  }
}

TEST_P(LargeScansOnEachBackend, DecideAsInDoubleAtEveryThreshold) {
  const PairsOnLargeScans made(run_seed() + 1101);
  const PairBatch& batch = made.batch();
  const Scores first = score(batch, {}, Backend::reference);
  for (std::size_t row = batch.pairs.size() - 1; row > 100; row -= 29) {
    Convention convention;
    convention.threshold = first.at(Metric::NE, row);
    if (!(convention.threshold > 0.0 && convention.threshold < 1e6)) continue;
    const Scores want = score(batch, convention, Backend::reference);
    const Scores got = score(batch, convention, GetParam());
    EXPECT_EQ(checks::compare_bits(got, want, {Metric::SR, Metric::OSR}).count, 0u) << row;
  }
}

TEST_P(LargeScansOnEachBackend, HaveStatisticsOfTheirScores) {
  PairsOnLargeScans made(run_seed() + 1102);
  const PairBatch& batch = made.batch();
  const Scorer scorer(batch.scans, {}, {.backend = GetParam()});
  BatchStatistics want;
  want.add(scorer.score(batch));
  for (int call = 0; call < 3; ++call) {
    std::atomic<std::uint64_t> done = 0;
    const BatchStatistics got = scorer.statistics(batch, [&](std::uint64_t n) { done += n; });
    EXPECT_EQ(got.summary, want.summary);
    EXPECT_EQ(done, batch.pairs.size());
  }
}

TEST_P(LargeScansOnEachBackend, AreScoredInSeveralThreadsAtOnce) {
  const PairsOnLargeScans made(run_seed() + 1103);
  const PairBatch& batch = made.batch();
  const Scorer scorer(batch.scans, {}, {.backend = GetParam()});
  const Scores want = score(batch, {}, GetParam());
  std::vector<std::optional<Scores>> got(6);
  tbb::parallel_for(std::size_t{0}, got.size(),
                    [&](std::size_t k) { got[k] = scorer.score(batch); });
  for (const auto& scores : got) expect_same_scores(*scores, want, "threads");
}

TEST_P(LargeScansOnEachBackend, ScorePairsOfVeryManyViewpointsByTheReference) {
  PairsOnLargeScans made(run_seed() + 1104);
  PairBatch& batch = made.batch();
  std::vector<Node> all(batch.scans.back()->size());
  std::iota(all.begin(), all.end(), Node{0});
  batch.pairs.insert(batch.pairs.begin() + 3,
                     {static_cast<std::uint32_t>(batch.scans.size() - 2),
                      batch.pairs[100].reference, checks::add_path(batch.queries, all)});
  batch.n_query_raw.insert(batch.n_query_raw.begin() + 3, 7);
  const Scores want = score(batch, {}, Backend::reference), got = score(batch, {}, GetParam());
  for (const MetricInfo& info : path_metric_table()) {
    EXPECT_TRUE(same_bits(got.at(info.metric, 3), want.at(info.metric, 3))) << info.name;
  }
  expect_near(got, want, batch, {});
}

// ---------------------------------------------------------------- standing references

std::vector<float> scores_of(const PairBatch& batch, const ReferenceScorer& scorer) {
  const MetricSet metrics{Metric::nDTW, Metric::SDTW, Metric::CLS, Metric::SPL, Metric::NE};
  const auto count = static_cast<std::uint32_t>(batch.pairs.size());
  Batch queries;
  queries.count = count;
  queries.queries = {batch.queries.elements.data(),
                     {.offsets = {batch.queries.offsets.data(), sizeof(std::uint64_t)},
                      .lengths = {},
                      .pitch = 0,
                      .max_length = 1000}};
  std::vector<float> all(static_cast<std::size_t>(metrics.size()) * count);
  ScoreArrays scores;
  std::size_t first = 0;
  for (const Metric m : metrics) {
    scores.column[m] = all.data() + first;
    first += count;
  }
  scorer.score(queries, scores);
  return all;
}

TEST(ReferenceScorerOnLargeScans, HasTheScoresOfAnEqualSmallScan) {
  const EqualScans scans(41);
  const PairBatch small = scans.pairs(run_seed() + 1105, 200, 14, 33),
                  large = scans.in_large(small);
  const std::vector<std::uint32_t> scan_of(small.pairs.size(), 0);
  for (const bool is_kept : {false, true}) {
    ReferenceScorerOptions options;
    if (is_kept) options.graphs = scans.graphs;
    const ReferenceScorer here(small.scans, small.references, scan_of, {}, options),
        there(large.scans, large.references, scan_of, {}, options);
    const checks::Mismatches found =
        checks::compare_bits(scores_of(large, there), scores_of(small, here), "large");
    EXPECT_GT(found.cases, 500u);
    EXPECT_EQ(found.count, 0u) << found.first << ", seed " << run_seed();
  }
}

TEST(ReferenceScorerOnLargeScans, RefusesTablesOnAGpuThatIndicesDoNotReach) {
  std::vector<std::string> names(32'768);
  for (std::size_t n = 0; n < names.size(); ++n) names[n] = std::to_string(n);
  const Scan scan("field", names, {}, {});
  const std::vector<const Scan*> scans{&scan};
  const PathSet references = checks::path_set({{0, 1}});
  const std::string text = error_of_call([&] {
    ReferenceScorer(scans, references, std::vector<std::uint32_t>{0}, {}, {.place = Place::gpu()});
  });
  EXPECT_NE(text.find("scan field: has 32768 viewpoints: its table of distances would have "
                      "1073774592 entries, more than 2^30"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("or score them on the host"), std::string::npos) << text;
}

}  // namespace
}  // namespace warpath::testing
