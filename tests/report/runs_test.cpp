// Tests agents with several runs: one row with the mean of all runs and its deviation over runs.

#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "tests/support/files.hpp"

namespace warpath::testing {
namespace {

// Uses a street a - b - c with two metres per step, three paths, and runs of one agent.
class Runs : public ::testing::Test {
 protected:
  // Writes the predictions of a run. @param ends how many steps each path goes
  std::string predictions(const std::string& name, const std::vector<int>& steps) const {
    const char* paths[]{R"([["a"]])", R"([["a"],["b"]])", R"([["a"],["b"],["c"]])"};
    std::string text;
    for (std::size_t k = 0; k < steps.size(); ++k) {
      text += (k == 0 ? "[" : ",") + std::string(R"({"instr_id":")") + std::to_string(k) +
              R"(_0","trajectory":)" + paths[steps[k]] + "}";
    }
    return folder.write(name, text + "]");
  }
  CliResult eval(std::vector<std::string> more) const {
    more.insert(more.begin(), {"eval", "--graphs", graph, "--dataset", data, "--threshold", "1"});
    return run(more);
  }
  simdjson::dom::element json(std::vector<std::string> more) {
    more.insert(more.begin(), {"--json", "-", "--quiet"});
    const CliResult result = eval(more);
    EXPECT_EQ(result.code, 0) << result.err;
    return parsers.emplace_back().parse(result.out);
  }

  const TemporaryFolder folder;
  const std::string graph = folder.write("s.json", R"({"nodes":[{"id":"a","position":[0,0]},
    {"id":"b","position":[2,0]},{"id":"c","position":[4,0]}],"edges":[["a","b"],["b","c"]]})");
  const std::string data = folder.write("d.json", R"([
    {"path_id":0,"scan":"s","path":["a","b","c"],"instructions":[""]},
    {"path_id":1,"scan":"s","path":["a","b"],"instructions":[""]},
    {"path_id":2,"scan":"s","path":["b","c"],"instructions":[""]}])");
  const std::string one = predictions("one.json", {2, 0, 0});
  const std::string two = predictions("two.json", {2, 1, 0});
  const std::string three = predictions("three.json", {2, 0, 2});
  std::deque<simdjson::dom::parser> parsers;
};

// SR of the runs: 1/3, 2/3, 2/3. Mean 5/9; deviation √((4 + 1 + 1) / 81 / 2) = 0.19245.
TEST_F(Runs, HaveOneRowWithTheirMeanAndItsDeviation) {
  const CliResult result =
      eval({"--runs", "Ours=" + one + "," + two + "," + three, "--metrics", "SR", "Other=" + one});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("\n  Ours, 3 runs    0.5556 ± "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("\n    SD over runs           0.1925  3\n"), std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("\n  Other           0.3333 ± "), std::string::npos) << result.out;
  EXPECT_EQ(result.out.find("Ours [1]  "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("\nof several runs: "), std::string::npos) << result.out;
}

TEST_F(Runs, AreInTheReportBesideTheirAgent) {
  const auto report = json({"--runs", "Ours=" + one, "Other=" + one, "Ours=" + two + "," + three});
  EXPECT_EQ(std::string_view(report["runs"].at(0)["name"]), "Ours [1]");
  EXPECT_EQ(std::string_view(report["runs"].at(1)["name"]), "Other");
  EXPECT_EQ(std::string_view(report["runs"].at(3)["name"]), "Ours [3]");
  const simdjson::dom::array agents = report["agents"].get_array();
  ASSERT_EQ(agents.size(), 1u);
  const simdjson::dom::element ours = agents.at(0);
  EXPECT_EQ(std::string_view(ours["name"]), "Ours");
  EXPECT_EQ(std::string_view(ours["runs"].at(1)), "Ours [2]");
  const auto success = ours["metrics"]["SR"];
  EXPECT_DOUBLE_EQ(double(success["mean"]), 5.0 / 9.0);
  EXPECT_NEAR(double(success["sd_over_runs"]), std::sqrt(1.0 / 27.0), 1e-15);
  EXPECT_EQ(std::uint64_t(success["n"]), 9u);
  EXPECT_EQ(std::uint64_t(success["clusters"]), 3u);
}

// An interval is over items: running an agent twice does not narrow it.
TEST_F(Runs, OfEqualFilesHaveTheIntervalOfOne) {
  const std::string copy = folder.write("copy.json", read_text(one));
  for (const char* interval : {"path", "scan", "bootstrap"}) {
    const auto report =
        json({"--runs", "Ours=" + one + "," + copy, "Other=" + one, "--ci", interval});
    const auto twice = report["agents"].at(0)["metrics"]["nDTW"];
    const auto once = report["runs"].at(2)["metrics"]["nDTW"];
    EXPECT_DOUBLE_EQ(double(twice["mean"]), double(once["mean"]));
    EXPECT_EQ(double(twice["sd_over_runs"]), 0.0);
    EXPECT_EQ(once["ci95"].is_null(), twice["ci95"].is_null());
    if (once["ci95"].is_null()) continue;
    EXPECT_NEAR(double(twice["ci95"].at(0)), double(once["ci95"].at(0)), 1e-12) << interval;
    EXPECT_NEAR(double(twice["ci95"].at(1)), double(once["ci95"].at(1)), 1e-12) << interval;
  }
}

TEST_F(Runs, HaveNoDeviationWhereARunHasNoMean) {
  const std::string success = folder.write("success.json", R"({"0_0": 1, "1_0": 0, "2_0": 1})");
  const std::string none = folder.write("none.json", R"({"9_9": 1})");
  const auto report = json({"--runs", "Ours=" + one + "," + two, "--missing", "skip",
                            "--task-success", success, "--task-success", none});
  const auto metrics = report["agents"].at(0)["metrics"];
  EXPECT_TRUE(metrics["SDTW"]["sd_over_runs"].is_null());
  EXPECT_FALSE(metrics["SR"]["sd_over_runs"].is_null());
}

TEST_F(Runs, AreRefusedWhereThereAreNone) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--runs", one, two},
                                                {"--runs", "A=" + one, "B=" + two},
                                                {"--runs", "--merge", one, two},
                                                {"A=" + one, "A=" + two},
                                                {"--runs", "A=" + one + "," + two, "--ci", "none"},
                                                {"--runs", "A="},
                                                {"--runs", "A=" + one + "," + one},
                                                {"--runs", "A=" + one + "," + two, three, three}}) {
    const CliResult result = eval(words);
    EXPECT_EQ(result.code, 2) << result.out;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  }
}

}  // namespace
}  // namespace warpath::testing
