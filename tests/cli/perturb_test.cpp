// Tests warpath perturb: its file, its summary with the command that scores it, what it refuses.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "tests/support/files.hpp"
#include "tests/support/good_files.hpp"

namespace warpath::testing {
namespace {

// Uses a ladder of two rows of three viewpoints, 1 m apart:   a0 - a1 - a2
//                                                              |    |    |
//                                                             b0 - b1 - b2
class PerturbTest : public ::testing::Test {
 protected:
  PerturbTest() { use_references({R"("a0", "a1", "a2", "b2", "b1")", R"("a0")"}); }

  void use_references(const std::vector<std::string>& paths) const {
    std::vector<std::string> entries;
    for (const std::string& path : paths) {
      entries.push_back(
          fmt::format(R"({{"path_id": {}, "scan": "s", "path": [{}], "instructions": ["", ""]}})",
                      entries.size(), path));
    }
    folder.write("dataset.json", fmt::format("[{}]", fmt::join(entries, ", ")));
  }

  CliResult perturb(const std::string& kind, const Arguments& more = {}) const {
    return run(with({"perturb", kind, "--graphs", graph, "--dataset", data, "--out", out}, more));
  }

  // Runs the last line of a summary, without the program's name.
  static CliResult run_last_line(const std::string& summary, const Arguments& more) {
    const std::size_t end = summary.size() - 1;
    std::istringstream words(summary.substr(summary.rfind('\n', end - 1) + 1));
    Arguments all;
    for (std::string word; words >> word;) all.push_back(word);
    EXPECT_EQ(all.front(), "warpath");
    all.erase(all.begin());
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }

  void expect_refused(const CliResult& result, int code, const std::string& text) const {
    EXPECT_EQ(result.code, code) << result.out;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    EXPECT_NE(result.err.find(text), std::string::npos) << result.err;
    EXPECT_FALSE(std::filesystem::exists(out));
  }

  TemporaryFolder folder;
  const std::string graph = folder.write("s.json", R"({"scan": "s", "nodes": [
      {"id": "a0", "position": [0, 1]}, {"id": "a1", "position": [1, 1]},
      {"id": "a2", "position": [2, 1]}, {"id": "b0", "position": [0, 0]},
      {"id": "b1", "position": [1, 0]}, {"id": "b2", "position": [2, 0]}],
      "edges": [["a0", "a1"], ["a1", "a2"], ["b0", "b1"], ["b1", "b2"], ["a0", "b0"],
                ["a1", "b1"], ["a2", "b2"]]})");
  const std::string data = folder.path("dataset.json"), out = folder.path("out.json");
};

TEST_F(PerturbTest, WritesReversedPathsAndLeavesOutThoseThatAreTheirOwnReverse) {
  const CliResult result = perturb("reversal");
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out,
            fmt::format("{}: 2 perturbed paths of 4 items by reversal, seed 1\n"
                        "2 items left out, because none was found for their paths\n\n"
                        "Its scores:\nwarpath eval --graphs {} --dataset {} --start note "
                        "--adjacency note --missing skip {}\n",
                        out, graph, data, out));
  EXPECT_EQ(read_text(out), R"([
{"instr_id": "0_0", "trajectory": [["b1", 0, 0], ["b2", 1.5708, 0], ["a2", 0, 0], ["a1", 4.7124, 0], ["a0", 4.7124, 0]]},
{"instr_id": "0_1", "trajectory": [["b1", 0, 0], ["b2", 1.5708, 0], ["a2", 0, 0], ["a1", 4.7124, 0], ["a0", 4.7124, 0]]}
]
)");
}

TEST_F(PerturbTest, PrintsTheCommandThatScoresItsFile) {
  for (const char* kind : {"random-walk", "reversal", "viewpoint-swap"}) {
    const CliResult made = perturb(kind, {"--force"});
    ASSERT_EQ(made.code, 0) << made.err;
    const CliResult scored = run_last_line(made.out, {"--metrics", "nDTW"});
    EXPECT_EQ(scored.code, 0) << scored.err;
    EXPECT_NE(scored.out.find("nDTW"), std::string::npos);
  }
}

TEST_F(PerturbTest, CountsBrokenSteps) {
  folder.write("s.json", R"({"scan": "s", "nodes": [{"id": "a", "position": [0, 0]},
      {"id": "b", "position": [1, 0]}, {"id": "c", "position": [2, 0]},
      {"id": "d", "position": [3, 0]}, {"id": "e", "position": [0, 1]}],
      "edges": [["a", "b"], ["b", "c"], ["c", "d"], ["a", "e"]]})");
  use_references({R"("a", "b", "c", "d")"});
  const CliResult result = perturb("viewpoint-swap");
  EXPECT_NE(result.out.find("\n2 of them have a step that is no edge"), std::string::npos)
      << result.out << result.err;
  EXPECT_NE(read_text(out).find(R"([["a", 0, 0], ["e", 0, 0], ["c", )"), std::string::npos);
  const CliResult scored = run_last_line(result.out, {});
  EXPECT_EQ(scored.code, 0) << scored.err;
  EXPECT_NE(scored.out.find("non_adjacent: 2 items move"), std::string::npos) << scored.out;
}

TEST_F(PerturbTest, DependsOnTheSeedAndDrawsForEachItem) {
  std::string items;
  for (int k = 0; k < 20; ++k) items += k == 0 ? R"("")" : R"(, "")";
  folder.write("dataset.json", R"([{"path_id": 1, "scan": "s", "path": ["a0", "a1", "a2", "b2",
      "b1"], "instructions": [)" + items +
                                   "]}]");
  for (const char* kind : {"random-walk", "viewpoint-swap"}) {
    const auto text = [&](const char* seed) {
      EXPECT_EQ(perturb(kind, {"--force", "--quiet", "--seed", seed}).out, "");
      return read_text(out);
    };
    const std::string one = text("1");
    EXPECT_EQ(text("1"), one);
    EXPECT_NE(text("2"), one);
    std::set<std::string> paths;
    std::istringstream lines(one);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t begin = line.find("trajectory");
      if (begin != std::string::npos) paths.insert(line.substr(begin, line.rfind('}') - begin));
    }
    EXPECT_GT(paths.size(), 1u) << kind;
  }
}

TEST_F(PerturbTest, WritesToStandardOutput) {
  EXPECT_EQ(perturb("reversal").code, 0);
  const CliResult result =
      run({"perturb", "reversal", "--graphs", graph, "--dataset", data, "--out", "-"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, read_text(out));
  EXPECT_TRUE(result.err.starts_with("standard output: 2 perturbed paths of 4 items"));
}

TEST_F(PerturbTest, RefusesWhatCannotBePerturbed) {
  expect_refused(perturb("revrsal"), 2, "no perturbation 'revrsal'; did you mean reversal?");
  expect_refused(perturb("reversal", {"--seed", "x"}), 2, "'x' is no whole number");
  use_references({R"("a0")", R"("b0")"});
  expect_refused(perturb("reversal"), 1,
                 "dataset.json: every reference has one viewpoint: a test split holds only the");
  use_references({R"("a0", "a9")"});
  expect_refused(perturb("reversal"), 1, "0_0: reference: names the viewpoint a9");
  use_references({""});
  expect_refused(perturb("reversal"), 1, "0_0: reference: is empty");
  expect_refused(run({"perturb", "reversal", "--graphs", graph, "--dataset", data}), 2,
                 "--out is required");
}

TEST_F(PerturbTest, RefusesADatasetThatAdmitsNothing) {
  folder.write("s.json", R"({"scan": "s", "nodes": [{"id": "a", "position": [0, 0]},
      {"id": "b", "position": [1, 0]}], "edges": [["a", "b"]]})");
  use_references({R"("a", "b", "a")", R"("a")"});
  for (const char* kind : {"random-walk", "reversal", "viewpoint-swap"}) {
    expect_refused(perturb(kind), 1,
                   fmt::format("none of the 4 paths admits {}; choose another", kind));
  }
}

// The dataset of an item by itself, a JSON line each, and one that must be told its reference.
TEST_F(PerturbTest, TakesDatasetsOfRxrAndNdh) {
  folder.write("dataset.json",
               R"({"instruction_id": 26, "language": "en-IN", "path_id": 11, "scan": "s",)"
               R"( "path": ["a0", "a1", "a2"], "instruction": "x", "timed_instruction": []})"
               "\n"
               R"({"instruction_id": 27, "language": "te-IN", "path_id": 11, "scan": "s",)"
               R"( "path": ["a0", "a1", "a2"], "instruction": "y"})");
  const CliResult rxr = perturb("reversal");
  EXPECT_EQ(rxr.code, 0) << rxr.err;
  EXPECT_EQ(read_text(out), R"([
{"instr_id": "26", "trajectory": [["a2", 0, 0], ["a1", 4.7124, 0], ["a0", 4.7124, 0]]},
{"instr_id": "27", "trajectory": [["a2", 0, 0], ["a1", 4.7124, 0], ["a0", 4.7124, 0]]}
]
)");
  EXPECT_EQ(run_last_line(rxr.out, {}).code, 0);

  folder.write("dataset.json", R"([{"inst_idx": 5, "scan": "s", "player_path": ["a0", "a1", "a2"],
      "planner_path": ["a0", "a1"]}])");
  const CliResult ndh = perturb("reversal", {"--force", "--reference", "planner"});
  EXPECT_EQ(ndh.code, 0) << ndh.err;
  EXPECT_EQ(read_text(out), R"([
{"instr_id": "5", "trajectory": [["a1", 0, 0], ["a0", 4.7124, 0]]}
]
)");
  const CliResult scored = run_last_line(ndh.out, {});
  EXPECT_EQ(scored.code, 0) << scored.err;
  EXPECT_NE(scored.out.find("NDH (reference: planner)"), std::string::npos) << scored.out;
}

TEST_F(PerturbTest, KeepsAFileThatIsThere) {
  folder.write("out.json", "mine");
  EXPECT_EQ(perturb("reversal").code, 2);
  EXPECT_EQ(read_text(out), "mine");
  EXPECT_EQ(perturb("reversal", {"--force"}).code, 0);
  EXPECT_NE(read_text(out), "mine");
}

}  // namespace
}  // namespace warpath::testing
