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
    Arguments all{"baseline", agent, "--graphs", scene.graphs, "--dataset", scene.data};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }

  // Returns what --out writes.
  std::string predictions(const std::string& agent, const Arguments& more = {}) const {
    Arguments all{"--out", out, "--force", "--quiet"};
    all.insert(all.end(), more.begin(), more.end());
    const CliResult result = baseline(agent, all);
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
  EXPECT_EQ(predictions("random-heading", {"--seed", "1", "--backend", "reference"}), one);
  EXPECT_NE(predictions("random-heading", {"--seed", "2"}), one);
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
           R"({"instr_id": "1_1", "trajectory": [["a", 0, 0], ["b", 1.5708, 0]]})"}));
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

TEST_F(BaselineTest, RefusesPredictionsThatCannotBeCut) {
  const auto cut = [&](const std::string& first) {
    scene.folder.write("agent.json", predictions_with(first));
    return baseline("oracle-stop", {"--predictions", scene.agent, "--out", out});
  };
  expect_refused(cut(R"({"instr_id":"1_0","trajectory":[["a",0,0],["q",0,0]]})"), 1,
                 "1_0: trajectory: names the viewpoint q");
  expect_refused(cut(R"({"instr_id":"1_0","trajectory":[]})"), 1, "1_0: trajectory: is empty");
  expect_refused(cut(R"({"instr_id":"1_0","trajectory":[["a",0,0],7]})"), 1,
                 "1_0: trajectory: is not a list of viewpoints");
  scene.folder.write("agent.json", R"([{"instr_id":"8_0","trajectory":[["a",0,0]]}])");
  expect_refused(baseline("oracle-stop", {"--predictions", scene.agent, "--out", out}), 1,
                 "no id of its 1 prediction is in");
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
