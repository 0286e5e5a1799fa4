// Compares every preset with the numbers of make_reward_goldens.py.

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <sstream>

#include "tests/support/files.hpp"
#include "tests/support/reward_cases.hpp"

namespace warpath::testing {
namespace {

std::vector<Node> nodes_of(const std::string& letters) {
  std::vector<Node> nodes;
  for (const char letter : letters) nodes.push_back(static_cast<Node>(letter - 'A'));
  return nodes;
}

// Parses with strtod, which reads "nan" everywhere.
std::vector<double> numbers_of(const std::string& text) {
  std::istringstream words(text);
  std::vector<double> numbers;
  for (std::string word; words >> word;) numbers.push_back(std::strtod(word.c_str(), nullptr));
  return numbers;
}

TEST(RewardGoldens, EveryPresetHasTheNumbersOfItsFormulas) {
  const std::vector<Edge> edges = {{0, 1, 2.0}, {1, 2, 1.5}, {2, 3, 2.5},
                                   {1, 4, 4.0}, {3, 5, 0.8}, {5, 6, 1.0}};
  const Scan scan("toy", {"A", "B", "C", "D", "E", "F", "G"}, {}, edges);
  const std::vector<const Scan*> scans = {&scan};
  const std::vector<std::uint32_t> scan_of = {0};
  PathSet reference;
  reference.elements = nodes_of("ABCD");
  reference.end_path();
  std::set<std::string> presets;
  for (const CsvRow& row : read_csv(source("tests/rewards/reward_goldens.csv"))) {
    PathSet goals;
    goals.elements = nodes_of(row.at("goals"));
    goals.end_path();
    const Rewards rewards(scans, reference, scan_of, find_reward_preset(row.at("preset")).settings,
                          {.goals = goals});
    const std::vector<double> want = numbers_of(row.at("rewards"));
    const HostRollouts host(
        {{.reference = 0, .nodes = nodes_of(row.at("query")), .stopped = row.at("stopped") == "1"}},
        {1, 1, false}, false);
    RewardResults got(host.size());
    rewards.compute(host.batch(), got.arrays());
    ASSERT_EQ(want.size(), host.size());
    for (std::size_t t = 0; t < want.size(); ++t) {
      const std::string what = row.at("preset") + ", goal " + row.at("goals") + ", " +
                               row.at("query") + ", stopped " + row.at("stopped") + ", column " +
                               std::to_string(t);
      EXPECT_EQ(std::isnan(got.reward[t]), std::isnan(want[t])) << what << ": " << got.reward[t];
      if (std::isnan(want[t])) continue;
      EXPECT_NEAR(got.reward[t], want[t], 2e-6) << what;
    }
    presets.insert(row.at("preset"));
  }
  EXPECT_EQ(presets.size(), reward_presets().size());
}

}  // namespace
}  // namespace warpath::testing
