// Tests that a large pairs file is scored in windows as all at once. Rows are asked for by --csv,
// which reads the whole file.

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/files.hpp"
#include "warpath/evaluate.hpp"

namespace warpath::testing {
namespace {

class PairWindows : public ::testing::Test {
 protected:
  const TemporaryFolder folder;
  const std::string graphs = source("tests/golden/connectivity");
  const std::string pairs = folder.path("pairs.jsonl");

  // Writes more pairs than a window has.
  void SetUp() override {
    const CliResult result =
        run({"random", "--graphs", graphs, "--dataset", source("tests/golden/dataset.json"),
             "--walks", "20000", "--save", "20000", pairs, "--quiet"});
    ASSERT_EQ(result.code, 0) << result.err;
  }

  void append(const std::string& line) const {
    std::ofstream(pairs, std::ios::app) << line << '\n';
  }

  // Returns the code, the report and the messages of an evaluation.
  std::string report(const Arguments& more) const {
    const CliResult result = run(
        with({"eval", "--graphs", graphs, "--pairs", pairs, "--json", "-", "--no-run-info"}, more));
    return std::to_string(result.code) + result.out + result.err;
  }

  void expect_as_whole(Arguments options, char code) const {
    const std::string in_windows = report(options);
    options.insert(options.end(), {"--csv", folder.path("rows.csv")});
    EXPECT_EQ(in_windows, report(options));
    EXPECT_EQ(in_windows.front(), code) << in_windows;
  }

  AgentResult evaluate(bool summaries_only) const {
    EvalFiles files;
    files.graphs = graphs;
    files.pairs = pairs;
    files.summaries_only = summaries_only;
    Evaluator evaluator(files);
    return evaluator.evaluate({}).front();
  }
};

TEST_F(PairWindows, KeepTheFirstRowOfEachStatusOnly) {
  const AgentResult in_windows = evaluate(true), whole = evaluate(false);
  EXPECT_EQ(whole.rows.size(), 20000u);
  EXPECT_LT(in_windows.rows.size(), 5u);
  EXPECT_EQ(in_windows.scores.size(), 0u);
  EXPECT_EQ(in_windows.summary.counts, whole.summary.counts);
  EXPECT_EQ(in_windows.hash, whole.hash);
}

TEST_F(PairWindows, GiveTheReportOfAllPairs) {
  for (const char* interval : {"path", "scan", "none"}) {
    expect_as_whole({"--ci", interval, "--also", "r4r"}, '0');
  }
}

TEST_F(PairWindows, CountItemsThatTheConventionLeavesOut) {
  append(R"({"id": "x", "scan": "tower", "reference": ["nowhere"], "prediction": []})");
  expect_as_whole({"--invalid", "skip"}, '0');
  expect_as_whole({}, '1');
}

TEST_F(PairWindows, TellWhatIsWrongWithALaterPair) {
  append(R"({"id": "x", "scan": "tower"})");
  expect_as_whole({}, '1');
}

TEST_F(PairWindows, TakeTheFirstOfTwoPairsWithOneId) {
  append(R"({"id": "walk_0", "scan": "tower", "reference": ["a"], "prediction": ["b"]})");
  expect_as_whole({}, '0');
  expect_as_whole({"--strict"}, '1');
}

TEST_F(PairWindows, NameAScanWithoutAGraph) {
  append(R"({"id": "x", "scan": "elsewhere", "reference": ["a"], "prediction": ["b"]})");
  expect_as_whole({}, '1');
}

}  // namespace
}  // namespace warpath::testing
