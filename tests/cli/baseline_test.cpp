// Tests warpath baseline: what each agent predicts, its scores, and what it refuses.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/support/files.hpp"
#include "tests/support/good_files.hpp"

namespace warpath::testing {
namespace {

// Returns the text of a submission with these entries.
std::string file_of(const std::vector<std::string>& entries) {
  return fmt::format("[\n{}\n]\n", fmt::join(entries, ",\n"));
}

class BaselineTest : public ::testing::Test {
 protected:
  // Runs the command on the scene's files.
  CliResult baseline(const std::string& agent, const Arguments& more = {}) const {
    return run(with({"baseline", agent, "--graphs", scene.graphs, "--dataset", scene.data}, more));
  }

  // Returns what --out writes.
  std::string predictions(const std::string& agent, const Arguments& more = {}) const {
    const CliResult result = baseline(agent, with({"--out", out, "--force", "--quiet"}, more));
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out + result.err, "");
    return read_text(out);
  }

  void expect_refused(const CliResult& result, int code, const std::string& text) const {
    EXPECT_EQ(result.code, code) << result.out;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    EXPECT_NE(result.err.find(text), std::string::npos) << result.err;
    EXPECT_FALSE(std::filesystem::exists(out));
  }

  Scene scene;
  const std::string out = scene.folder.path("out.json");
};

TEST_F(BaselineTest, StopStays) {
  EXPECT_EQ(predictions("stop"), file_of({R"({"instr_id": "1_0", "trajectory": [["a", 0, 0]]})",
                                          R"({"instr_id": "1_1", "trajectory": [["a", 0, 0]]})",
                                          R"({"instr_id": "2_0", "trajectory": [["b", 0, 0]]})"}));
}

TEST_F(BaselineTest, ReferenceAndShortestLookWhereTheyGo) {
  // Eastwards is 90 degrees clockwise from +y.
  const std::string walked = file_of(
      {R"({"instr_id": "1_0", "trajectory": [["a", 0, 0], ["b", 1.5708, 0], ["c", 1.5708, 0]]})",
       R"({"instr_id": "1_1", "trajectory": [["a", 0, 0], ["b", 1.5708, 0], ["c", 1.5708, 0]]})",
       R"({"instr_id": "2_0", "trajectory": [["b", 0, 0], ["c", 1.5708, 0]]})"});
  EXPECT_EQ(predictions("reference"), walked);
  EXPECT_EQ(predictions("shortest"), walked);

  scene.folder.write("dataset.json", R"([{"path_id": 1, "scan": "s", "path": ["a", "b", "c", "b"],
      "heading": -1.5, "instructions": [""]}])");
  EXPECT_EQ(predictions("reference"),
            file_of({R"({"instr_id": "1_0", "trajectory": [["a", 4.7832, 0], ["b", 1.5708, 0], )"
                     R"(["c", 1.5708, 0], ["b", 4.7124, 0]]})"}));
  EXPECT_EQ(
      predictions("shortest"),
      file_of({R"({"instr_id": "1_0", "trajectory": [["a", 4.7832, 0], ["b", 1.5708, 0]]})"}));
}

TEST_F(BaselineTest, RandomHeadingStartsAtTheHeadingOfTheDataset) {
  scene.folder.write("dataset.json", R"([{"path_id": 1, "scan": "s", "path": ["x", "x"],
      "heading": 3.1, "instructions": [""]}])");
  const std::string text = predictions("random-heading");
  EXPECT_TRUE(text.starts_with(R"([
{"instr_id": "1_0", "trajectory": [["x", 3.141592653589793, 0], ["x", 3.665191429188092, 0], )"))
      << text;
  EXPECT_EQ(std::ranges::count(text, 'x'), 31);  // isolated: it turns to the end
}

TEST_F(BaselineTest, PassesOverAHeadingThatIsNoNumber) {
  scene.folder.write("dataset.json", R"([{"path_id": 1, "scan": "s", "path": ["a", "b"],
      "heading": "north", "instructions": [""]}])");
  EXPECT_EQ(predictions("stop"), file_of({R"({"instr_id": "1_0", "trajectory": [["a", 0, 0]]})"}));
}

TEST_F(BaselineTest, RandomHeadingDependsOnTheSeedAlone) {
  const std::string one = predictions("random-heading", {"--seed", "1"});
  EXPECT_EQ(predictions("random-heading"), one);
  EXPECT_EQ(predictions("random-heading", {"--seed", "1", "--backend", "cpu"}), one);
  EXPECT_NE(predictions("random-heading", {"--seed", "2"}), one);
  EXPECT_NE(predictions("random-heading", {"--seed", "18446744073709551615"}), one);
}

TEST_F(BaselineTest, OracleStopCutsAtTheFirstViewpointNearestToTheGoal) {
  const std::string source = scene.folder.write("walks.json", R"([
      {"instr_id": "2_0", "trajectory": [["b"], ["a"], ["b"]]},
      {"instr_id": "1_0", "trajectory": [["a"], ["b"], ["c"], ["b"], ["c"]]},
      {"instr_id": "1_1", "trajectory": [["x"], ["x"]]},
      {"instr_id": "1_1", "trajectory": [["a"], ["b"], ["a"]]},
      {"instr_id": "9_9", "trajectory": [["nowhere"]]}])");
  EXPECT_EQ(
      predictions("oracle-stop", {"--predictions", source, "--duplicates", "last"}),
      file_of(
          {R"({"instr_id": "2_0", "trajectory": [["b", 0, 0]]})",
           R"({"instr_id": "1_0", "trajectory": [["a", 0, 0], ["b", 1.5708, 0], ["c", 1.5708, 0]]})",
           R"({"instr_id": "1_1", "trajectory": [["x", 0, 0]]})",
           R"({"instr_id": "1_1", "trajectory": [["a", 0, 0], ["b", 1.5708, 0]]})",
           R"({"instr_id": "9_9", "trajectory": [["nowhere", 0, 0]]})"}));
}

TEST_F(BaselineTest, OracleStopPassesOnWhatItCannotCut) {
  const std::string source = scene.folder.write("walks.json", R"([
      {"instr_id": "1_0", "trajectory": [["a"], ["b"], ["q"], ["a"]]},
      {"instr_id": "1_1", "trajectory": [["a"], 7]},
      {"instr_id": "1_1", "trajectory": []},
      {"instr_id": "2_0", "trajectory": [["b"], ["c"], ["b"]]}])");
  EXPECT_EQ(predictions("oracle-stop",
                        {"--predictions", source, "--duplicates", "each", "--invalid", "skip"}),
            file_of({R"({"instr_id": "1_0", "trajectory": [["a", 0, 0], ["b", 0, 0], ["q", 0, 0], )"
                     R"(["a", 0, 0]]})",
                     R"({"instr_id": "1_1", "trajectory": [["a", 0, 0], null]})",
                     R"({"instr_id": "1_1", "trajectory": []})",
                     R"({"instr_id": "2_0", "trajectory": [["b", 0, 0], ["c", 1.5708, 0]]})"}));
}

TEST_F(BaselineTest, OracleStopKeepsTheNotesOnItsSource) {
  const std::string source = scene.folder.write("walks.json", R"([{"sr": 0.5},
      {"instr_id": "1_0", "trajectory": [["a"]]}, {"instr_id": "1_1", "trajectory": [["a"]]},
      {"instr_id": "2_0", "trajectory": [["b"]]}])");
  const CliResult result = baseline("oracle-stop", {"--predictions", source});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("baseline oracle-stop of " + source + ": the first entry has no id"),
            std::string::npos)
      << result.out;
}

// The table and every file are those that eval makes of the predictions.
TEST_F(BaselineTest, IsScoredAsEvalScoresItsFile) {
  const Arguments scoring{"--preset", "r2r",  "--metrics", "SR,nDTW,NE", "--also",
                          "paper",    "--ci", "scan",      "--by",       "length",
                          "--digits", "6",    "--missing", "skip",       "--no-run-info",
                          "--json",   "JSON", "--csv",     "CSV"};
  const auto with_files = [&](Arguments all, const std::string& name) {
    all.insert(all.end(), scoring.begin(), scoring.end());
    std::ranges::replace(all, "JSON", scene.folder.path(name + ".json"));
    std::ranges::replace(all, "CSV", scene.folder.path(name + ".csv"));
    return all;
  };
  for (const char* agent : {"stop", "shortest", "reference", "random-heading", "oracle-stop"}) {
    Arguments more{"--out", out, "--force"};
    if (agent == std::string("oracle-stop"))
      more.insert(more.end(), {"--predictions", scene.agent});
    const CliResult made = baseline(agent, with_files(more, "a"));
    const CliResult scored = run(with_files(
        {"eval", "--graphs", scene.graphs, "--dataset", scene.data, "--name", agent, out}, "b"));
    EXPECT_EQ(made.code, 0) << made.err;
    EXPECT_EQ(made.out, scored.out);
    EXPECT_NE(made.out.find(agent), std::string::npos);
    EXPECT_EQ(read_text(scene.folder.path("a.json")), read_text(scene.folder.path("b.json")));
    EXPECT_EQ(read_text(scene.folder.path("a.csv")), read_text(scene.folder.path("b.csv")));
  }
}

TEST_F(BaselineTest, WritesNoFileThatWasNotAskedFor) {
  const auto before = scene.folder.list();
  const CliResult result = baseline("shortest", {"--metrics", "SR"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("shortest"), std::string::npos);
  EXPECT_EQ(scene.folder.list(), before);
}

TEST_F(BaselineTest, WritesPredictionsToStandardOutput) {
  const std::string expected = predictions("stop");
  const CliResult result = baseline("stop", {"--out", "-"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, expected);
  EXPECT_NE(result.err.find("nDTW"), std::string::npos);
  std::filesystem::remove(out);
  expect_refused(baseline("stop", {"--out", "-", "--json", "-"}), 2, "would both write to -");
}

TEST_F(BaselineTest, RefusesUsageThatMakesNoSense) {
  expect_refused(baseline("shortst"), 2, "no agent 'shortst'; did you mean shortest? there are ");
  expect_refused(baseline("oracle-stop"), 2, "name --predictions FILE");
  expect_refused(baseline("stop", {"--predictions", scene.agent}), 2,
                 "--predictions is for oracle-stop: stop makes its own");
  expect_refused(baseline("stop", {"--seed", "-1"}), 2, "'-1' is no whole number");
  expect_refused(baseline("stop", {"--format", "evalai"}), 2, "no format 'evalai'");
  expect_refused(baseline("stop", {"--out", out + ".gz"}), 2, "would not be compressed");
  expect_refused(baseline("stop", {"--out", scene.data, "--force"}), 2,
                 "--out " + scene.data + " would overwrite the input");
  expect_refused(baseline("stop", {"--out", out, "--csv", out}), 2, "would both write to");
  expect_refused(baseline("stop", {"--force"}), 2,
                 "--force lets --out replace a file: name one by --out");
}

TEST_F(BaselineTest, KeepsAFileThatIsThere) {
  scene.folder.write("out.json", "mine");
  const CliResult result = baseline("stop", {"--out", out});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("exists; name another file or say --force"), std::string::npos);
  EXPECT_EQ(read_text(out), "mine");
}

TEST_F(BaselineTest, RefusesReferencesThatAnAgentCannotUse) {
  const auto with_path = [&](const std::string& path) {
    scene.folder.write("dataset.json", R"([{"path_id": 1, "scan": "s", "path": )" + path +
                                           R"(, "instructions": [""]},
        {"path_id": 2, "scan": "s", "path": ["a", "b"], "instructions": [""]}])");
  };
  with_path(R"(["a", "x"])");
  expect_refused(baseline("shortest", {"--out", out}), 1,
                 "1_0: reference: no path leads from its start to its goal; repair the graph");
  with_path(R"(["a", "nowhere"])");
  for (const char* agent : {"shortest", "reference"}) {
    expect_refused(baseline(agent, {"--out", out}), 1,
                   "1_0: reference: names the viewpoint nowhere, which the graph of its scan has");
  }
  expect_refused(baseline("stop", {"--out", out}), 1, "names the viewpoint nowhere");  // by eval
  with_path("[]");
  expect_refused(baseline("stop", {"--out", out}), 1, "1_0: reference: is empty");
}

// They are refused, left out or counted as eval does with those of the source.
TEST_F(BaselineTest, JudgesPredictionsThatCannotBeCutAsEvalDoes) {
  const std::string source = "baseline oracle-stop of " + scene.agent + ": ";
  const auto cut = [&](const std::string& first, const Arguments& more = {}) {
    scene.folder.write("agent.json", predictions_with(first));
    return baseline("oracle-stop", with({"--predictions", scene.agent, "--out", out}, more));
  };
  for (const auto& [trajectory, status] :
       {std::pair(R"([["a",0,0],["q",0,0]])", "unknown_viewpoint"), std::pair("[]", "empty_path"),
        std::pair(R"([["a",0,0],7])", "malformed")}) {
    const std::string first = fmt::format(R"({{"instr_id":"1_0","trajectory":{}}})", trajectory);
    expect_refused(cut(first), 1, source + "1 of 3 items cannot be scored under the preset paper");
    expect_refused(cut(first), 1, fmt::format("({}: 1_0; ", status));
    for (const char* invalid : {"skip", "zero"}) {
      const CliResult made = cut(first, {"--invalid", invalid, "--force", "--metrics", "SR"});
      EXPECT_EQ(made.code, 0) << made.err;
      EXPECT_NE(made.out.find(fmt::format("{}: 1 item ", status)), std::string::npos) << made.out;
      std::filesystem::remove(out);
    }
  }
  scene.folder.write("agent.json", R"([{"instr_id":"8_0","trajectory":[["a",0,0]]}])");
  expect_refused(baseline("oracle-stop", {"--predictions", scene.agent, "--out", out}), 1,
                 source + "no id of its 1 prediction is in");
}

TEST_F(BaselineTest, RefusesUnknownIdsOfItsSourceWhereStrict) {
  scene.folder.write(
      "agent.json",
      predictions_with(std::string(good) + R"(,{"instr_id":"9_9","trajectory":[["a",0,0]]})"));
  const Arguments cut{"--predictions", scene.agent, "--out", out};
  Arguments strict = cut;
  strict.push_back("--strict");
  expect_refused(baseline("oracle-stop", strict), 1, "(unknown_id: 9_9; ");
  EXPECT_EQ(baseline("oracle-stop", cut).code, 0);
}

TEST_F(BaselineTest, NamesTheGraphThatHasNoPositions) {
  const std::string edges = scene.folder.write("edges/s.csv", "a,b,1.0\nb,c,1.0\n");
  const auto run_on_edges = [&](const char* agent) {
    return run({"baseline", agent, "--graphs", scene.folder.path("edges"), "--dataset", scene.data,
                "--out", out});
  };
  expect_refused(run_on_edges("random-heading"), 1,
                 edges +
                     ": scan s: its viewpoints have no positions, by which random-heading "
                     "moves; give them positions, or choose another agent");
  EXPECT_EQ(run_on_edges("shortest").code, 0);
}

// ---------------------------------------------------------------- other datasets

TEST_F(BaselineTest, TakesDatasetsOfRxr) {
  scene.folder.write("dataset.json",
                     R"({"instruction_id": 26, "language": "en-IN", "path_id": 11, "scan": "s",)"
                     R"( "path": ["a", "b", "c"], "instruction": "x", "timed_instruction": []})"
                     "\n"
                     R"({"instruction_id": 27, "language": "te-IN", "path_id": 11, "scan": "s",)"
                     R"( "path": ["a", "b", "c"], "instruction": "y"})");
  EXPECT_EQ(predictions("shortest", {"--by", "language"}),
            file_of({R"({"instr_id": "26", "trajectory": [["a", 0, 0], ["b", 1.5708, 0], )"
                     R"(["c", 1.5708, 0]]})",
                     R"({"instr_id": "27", "trajectory": [["a", 0, 0], ["b", 1.5708, 0], )"
                     R"(["c", 1.5708, 0]]})"}));
  const std::string source =
      scene.folder.write("walks.jsonl", R"({"instruction_id": 27, "path": ["a", "b", "a"]})"
                                        "\n"
                                        R"({"instruction_id": 26, "path": ["a", "b", "c", "b"]})");
  EXPECT_EQ(predictions("oracle-stop", {"--predictions", source}),
            file_of({R"({"instr_id": "27", "trajectory": [["a", 0, 0], ["b", 1.5708, 0]]})",
                     R"({"instr_id": "26", "trajectory": [["a", 0, 0], ["b", 1.5708, 0], )"
                     R"(["c", 1.5708, 0]]})"}));
}

// An agent goes by the reference that is chosen, and ids are numbers.
TEST_F(BaselineTest, TakesDatasetsOfNdh) {
  scene.folder.write("dataset.json", R"([{"inst_idx": 5, "scan": "s",
      "player_path": ["a", "b", "c"], "planner_path": ["a", "b"]}])");
  const std::string short_walk = R"([["a", 0, 0], ["b", 1.5708, 0]])";
  const std::string long_walk = R"([["a", 0, 0], ["b", 1.5708, 0], ["c", 1.5708, 0]])";
  const auto prediction = [](const std::string& walk) {
    return file_of({R"({"instr_id": "5", "trajectory": )" + walk + "}"});
  };
  const std::string source =
      scene.folder.write("walks.json", R"([{"inst_idx": 5, "trajectory": [["a"], ["b"], ["c"]]}])");
  for (const auto& [reference, walk] :
       {std::pair("path", long_walk), std::pair("planner", short_walk)}) {
    for (const char* agent : {"shortest", "reference"}) {
      EXPECT_EQ(predictions(agent, {"--reference", reference}), prediction(walk)) << agent;
    }
    EXPECT_EQ(predictions("oracle-stop", {"--predictions", source, "--reference", reference}),
              prediction(walk));
  }
}

TEST_F(BaselineTest, WritesSubmissionsToTestSplitsUnscored) {
  scene.folder.write("dataset.json", R"([{"path_id": 1, "scan": "s", "path": ["a"],
      "instructions": ["", ""]}])");
  const CliResult result = baseline("stop", {"--out", out});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, out + ": 2 predictions written; no scores, because " + scene.data +
                            " is a test split, without goals\n");
  EXPECT_EQ(read_text(out), file_of({R"({"instr_id": "1_0", "trajectory": [["a", 0, 0]]})",
                                     R"({"instr_id": "1_1", "trajectory": [["a", 0, 0]]})"}));
  std::filesystem::remove(out);
  expect_refused(baseline("stop"), 1, "a test split holds only the starts");
  expect_refused(baseline("stop", {"--out", out, "--json", scene.folder.path("a.json")}), 1,
                 "a test split holds only the starts");
  for (const char* agent : {"shortest", "reference"}) {
    expect_refused(baseline(agent, {"--out", out}), 1, "a test split holds only the starts");
  }
}

}  // namespace
}  // namespace warpath::testing
