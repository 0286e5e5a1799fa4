// Compiles and runs the C++ examples of the README and of docs/rewards.md.

#include <gtest/gtest.h>

#include "tests/support/documents.hpp"
#include "warpath/warpath.hpp"

namespace warpath::testing {
namespace {

constexpr const char* this_file = "tests/scorer/document_examples_test.cpp";

double run_scorer_example() {
  // Scorer begins
  const std::vector<warpath::Edge> edges{{0, 1}, {1, 2}};
  const warpath::Scan scan("lab", {"a", "b", "c"}, {{0, 0, 0}, {2, 0, 0}, {4, 0, 0}}, edges);
  warpath::PairBatch batch;
  batch.scans = {&scan};
  batch.references = {.elements = {0, 1, 2}, .offsets = {0, 3}};
  batch.queries = {.elements = {0, 1}, .offsets = {0, 2}};
  batch.pairs = {{.scan = 0, .reference = 0, .query = 0}};
  const warpath::Scorer scorer(batch.scans, warpath::Convention{},
                               {.metrics = {warpath::Metric::nDTW}});
  // 0.8007: DTW is 2 m, |R| is 3, d_th is 3 m
  const double ndtw = scorer.score(batch).at(warpath::Metric::nDTW, 0);
  // Scorer ends
  return ndtw;
}

std::vector<float> run_rewards_example() {
  // Rewards begins
  const std::vector<warpath::Edge> edges{{0, 1}, {1, 2}};
  const warpath::Scan scan("lab", {"a", "b", "c"}, {{0, 0, 0}, {2, 0, 0}, {4, 0, 0}}, edges);
  const std::vector<const warpath::Scan*> scans{&scan};
  const warpath::PathSet references{.elements = {0, 1, 2}, .offsets = {0, 3}};
  const std::vector<std::uint32_t> scan_of{0};  // of each reference
  const warpath::Rewards rewards(scans, references, scan_of,
                                 warpath::find_reward_preset("ndtw-gain").settings);

  const std::vector<std::int64_t> viewpoints{0, 1, 2, 0, 1, 0};  // [2][3]
  const std::vector<std::uint32_t> lengths{3, 3}, reference{0, 0};
  std::vector<float> reward(6);  // [2][3]: two moves and the end of each rollout
  warpath::Batch batch;
  batch.count = 2;
  batch.queries = {viewpoints.data(), {.lengths = lengths.data(), .pitch = 3, .max_length = 3}};
  batch.reference = reference.data();
  rewards.compute(batch, {.reward = reward.data()});  // 0.2873 0.1993 1, 0.2873 -0.1596 0
  // Rewards ends
  return reward;
}

TEST(DocumentExamples, OfAScorerComputesWhatItSays) {
  EXPECT_NEAR(run_scorer_example(), 0.8007, 5e-5);
}

// DTW of the prefixes of a b c is 6, 2 and 0 m, that of a b a is 4 m; |R| is 3, d_th is 3 m.
TEST(DocumentExamples, OfRewardsComputesWhatItSays) {
  const double wanted[]{0.287320, 0.199263, 1.0, 0.287320, -0.159557, 0.0};
  const std::vector<float> reward = run_rewards_example();
  for (std::size_t k = 0; k < reward.size(); ++k) EXPECT_NEAR(reward[k], wanted[k], 2e-6) << k;
}

TEST(DocumentExamples, StandInTheDocuments) {
  expect_example("README.md", this_file, "Scorer");
  expect_example("docs/rewards.md", this_file, "Rewards");
}

}  // namespace
}  // namespace warpath::testing
