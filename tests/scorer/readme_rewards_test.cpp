// Compiles and runs the README's example of rewards.

#include <gtest/gtest.h>

#include "tests/support/files.hpp"
#include "warpath/warpath.hpp"

namespace warpath::testing {
namespace {

std::vector<float> run_example() {
  // README begins
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
  warpath::RolloutBatch batch;
  batch.count = 2;
  batch.queries = {viewpoints.data(), {.lengths = lengths.data(), .pitch = 3, .max_length = 3}};
  batch.reference = reference.data();
  rewards.compute(batch, {.reward = reward.data()});  // 0.2873 0.1993 1, 0.2873 -0.1596 0
  // README ends
  return reward;
}

// DTW of the prefixes of a b c is 6, 2 and 0 m, that of a b a is 4 m; |R| is 3, d_th is 3 m.
TEST(Readme, HasAnExampleOfRewardsThatComputesWhatItSays) {
  const double wanted[]{0.287320, 0.199263, 1.0, 0.287320, -0.159557, 0.0};
  const std::vector<float> reward = run_example();
  for (std::size_t k = 0; k < reward.size(); ++k) EXPECT_NEAR(reward[k], wanted[k], 2e-6) << k;
}

// Returns the lines between two markers, without their indentation.
TEST(Readme, HasTheExampleOfRewardsThatIsTested) {
  const std::string test = read_text(source("tests/scorer/readme_rewards_test.cpp"));
  const std::string begin = "  // README begins\n", end = "  // README ends\n";
  const std::size_t first = test.find(begin) + begin.size();
  std::string code = "\n" + test.substr(first, test.find(end, first) - first);
  for (std::size_t at = 0; (at = code.find("\n  ", at)) != std::string::npos; ++at) {
    code.erase(at + 1, 2);
  }
  EXPECT_NE(read_text(source("README.md")).find(code), std::string::npos) << code;
}

}  // namespace
}  // namespace warpath::testing
