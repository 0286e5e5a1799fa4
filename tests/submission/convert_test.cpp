// Tests that convert changes the form of predictions and nothing else.

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>

#include "host/files/io/json_writer.hpp"
#include "tests/support/episodes.hpp"

namespace warpath {
namespace {

namespace fs = std::filesystem;
using testing::CliResult;

TEST(JsonFloat, ReadsBackAsTheSameDouble) {
  for (const double number : {0.0, -0.0, 5.0, -12.25, 0.1, 1e22, 1e-7, 0.30000000000000004,
                              5.582849979400635, -1.6265579462051392, 123456789012345678.0}) {
    const std::string text = io::json_float(number);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(std::stod(text)), std::bit_cast<std::uint64_t>(number))
        << text;
    EXPECT_NE(text.find_first_of(".e"), std::string::npos) << text;
  }
  EXPECT_EQ(io::json_float(5.0), "5.0");
  EXPECT_EQ(io::json_float(5.582849979400635), "5.582849979400635");
}

class Convert : public testing::EpisodeTest {
 protected:
  static CliResult convert(const std::string& to, const std::string& file,
                           const std::vector<std::string>& more) {
    return testing::run(testing::with({"convert", file, "--to", to}, more));
  }

  // Returns what convert writes for a text, and keeps what it says in `said`.
  std::string converted(const std::string& to, const std::string& text,
                        const std::vector<std::string>& more = {}) {
    const CliResult result =
        convert(to, folder.write("agent.json", text), testing::with({"--out", "-"}, more));
    code = result.code;
    said = result.err;
    return result.out;
  }

  std::vector<std::string> with_dataset() const { return {"--dataset", dataset}; }
  std::vector<std::string> with_graphs() const { return {"--dataset", dataset, "--graphs", graph}; }

  int code = 0;
  std::string said;
};

class ConvertViewpoints : public Convert {
 protected:
  ConvertViewpoints() { use_reference(R"(["a", "b", "c"])"); }
};

const std::string plain_path = R"([["a", 0, 0], ["b", 0, 0], ["c", 0, 0]])";

TEST_F(ConvertViewpoints, WritesEveryFormAsEvalAisList) {
  const std::vector<std::string> forms{
      R"([{"instr_id": "1_0", "trajectory": [["a"], ["b", "c"]]}])",
      R"([{"instr_id": "1_0", "trajectory": [["a"], [], ["b"], ["c"]]}])",
      R"([{"instr_id": "1_0", "trajectory": ["a", "b", "c"]}])",
      R"([{"instr_id": "1_0", "trajectory": [{"viewpointId": "a"}, ["b"], ["c", 0.0]]}])",
      R"([{"instr_id": "1_0", "trajectory": {"path": [["a"], ["b"], ["c"]]}}])",
      R"({"1_0": {"trajectory": [["a"], ["b"], ["c"]]}})",
      R"({"1_0": ["a", "b", "c"]})",
      R"({"1_0": [{"trajectory": [["a"], ["b"], ["c"]]}, {"trajectory": [["d"]]}]})",
      R"({"results": [{"instr_id": "1_0", "trajectory": [["a"], ["b"], ["c"]]}]})",
      "{\"instruction_id\": \"1_0\", \"path\": [\"a\", \"b\", \"c\"]}\n",
      R"([{"inst_idx": "1_0", "trajectory": [["a", NaN, 0], ["b"], ["c"]]}])"};
  for (const std::string& form : forms) {
    EXPECT_EQ(converted("evalai", form), list({entry("1_0", plain_path)})) << form << said;
    EXPECT_EQ(code, 0) << form << said;
  }
}

TEST_F(ConvertViewpoints, KeepsAnglesKeysPlacesAndIntegers) {
  const std::string text = converted("evalai", R"([
      {"score": -1.5, "instr_id": 12, "trajectory": [["a", 0.5, -0.25], ["x", 1e-7, 3]], "n": [1]},
      {"instr_id": "1_0", "trajectory": []}])");
  EXPECT_EQ(text, list({R"({"score": -1.5, "instr_id": "12", )"
                        R"("trajectory": [["a", 0.5, -0.25], ["x", 1e-07, 3]], "n": [1]})",
                        entry("1_0", "[]")}));
  expect_in(said, "1 empty path written as it is");
  expect_in(said, "not checked: name --dataset FILE and --graphs DIR");
}

TEST_F(ConvertViewpoints, RenamesTheObjectForReverieAlone) {
  const std::string text = R"([{"instr_id": "1_0", "trajectory": [["a"]], "pred_objid": "66"},
                               {"instr_id": "1_1", "trajectory": [["a"]]}])";
  EXPECT_EQ(converted("reverie", text),
            list({R"({"instr_id": "1_0", "trajectory": [["a", 0, 0]], "predObjId": "66"})",
                  entry("1_1", R"([["a", 0, 0]])")}));
  expect_in(said, "1 entry without an object: REVERIE's server wants predObjId");
  expect_in(converted("evalai", text), R"("pred_objid": "66")");
}

TEST_F(ConvertViewpoints, FillsNoGapAndSaysWhatTheServerWouldReject) {
  const std::string text = R"([{"instr_id": "1_0", "trajectory": [["a"], ["c", "d"]]},
                               {"instr_id": "1_1", "trajectory": [["a"]]}])";
  EXPECT_EQ(converted("evalai", text, with_graphs()),
            list({entry("1_0", R"([["a", 0, 0], ["c", 0, 0], ["d", 0, 0]])"),
                  entry("1_1", R"([["a", 0, 0]])")}));
  EXPECT_EQ(code, 1);
  expect_in(said, "1 path with several viewpoints in an inner list: flattened");
  expect_in(said, "non_adjacent (1): ");
  expect_in(said, "missing (1): ");
  expect_in(said, "standard output: the official server would reject it (2 kinds of problems)\n");
  expect_in(said, "warpath validate --fix");
}

TEST_F(ConvertViewpoints, SaysWhatTheServerWouldAccept) {
  std::string text;
  for (int k = 0; k < 3; ++k) {
    text += fmt::format(R"({{"instr_id": "1_{}", "path": ["a", "b"]}}{})", k, "\n");
  }
  converted("evalai", text, with_graphs());
  EXPECT_EQ(code, 0);
  expect_in(said, "standard output: the official server would accept it\n");
}

TEST_F(ConvertViewpoints, RefusesWhatHasNoPath) {
  const std::vector<std::pair<std::string, std::string>> rows{
      {R"([{"instr_id": "1_0", "trajectory": [["a"]]}, {"instr_id": "1_1", "trajectory": null}])",
       "agent.json: 1_1: the trajectory is null"},
      {R"([{"instr_id": "1_0", "trajectory": [["a"], 3]}, {"instr_id": "2", "trajectory": []}])",
       "1_0: trajectory[1] is a number"},
      {R"([{"instr_id": "1_0", "trajectory": [["a"], [0, "b"]]}, )"
       R"({"instr_id": "2", "trajectory": []}])",
       "1_0: trajectory[1][0] is a number"},
      {R"([{"instr_id": "1_0"}])", "no key 'trajectory'"},
      {R"([{"trajectory": []}])", "no key 'instr_id'"},
      {R"([3])", "should be an object"},
      {R"({"1": [[0, 0, 0]]})", "a VLN-CE submission"},
      {"3", "not predictions"},
      {"", "is empty"},
      {"[{\"instr_id\": \"1_0\"", "ends in the middle"},
      {R"({"episodes": []})", "a VLN-CE dataset"},
  };
  for (const auto& [text, what] : rows) {
    const std::string out = folder.path("out.json");
    const CliResult result = convert("evalai", folder.write("agent.json", text), {"--out", out});
    EXPECT_EQ(result.code, 1) << text;
    expect_in(result.err, what);
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    EXPECT_FALSE(fs::exists(out)) << text;
  }
}

class ConvertPositions : public Convert {};

const std::string as_objects =
    R"({"2": [{"position": [0, 1, 0], "heading": 0.25, "stop": true, "distance": 4}],
        "1": [{"position": [0, 0, 0], "heading": 0, "stop": false},
              {"position": [0, 0, 0], "heading": -0.5, "stop": false},
              {"position": [0.1, 0, 1e-7], "stop": true}]})";

TEST_F(ConvertPositions, WritesVlnceWithHeadingsAndStops) {
  EXPECT_EQ(converted("vlnce", as_objects),
            "{\n\"2\": [{\"position\": [0.0, 1.0, 0.0], \"heading\": 0.25, \"stop\": true}],\n"
            "\"1\": [{\"position\": [0.0, 0.0, 0.0], \"heading\": 0.0, \"stop\": false}, "
            "{\"position\": [0.0, 0.0, 0.0], \"heading\": -0.5, \"stop\": false}, "
            "{\"position\": [0.1, 0.0, 1e-07], \"heading\": 0.0, \"stop\": true}]\n}\n");
  EXPECT_EQ(code, 0);
  expect_in(said, "1 path without a heading in every entry: written as 0");
  EXPECT_EQ(said.find("stop"), std::string::npos) << said;
}

TEST_F(ConvertPositions, EndsAPathWithAStopOnlyWhereItSaysSoOrIsTold) {
  const std::string stopped = R"("stop": true}],)", not_stopped = R"("stop": false}],)";
  const std::string rest = R"(, "2": [[0, 1, 0]]})";
  const auto first_of = [&](const std::string& path, const std::vector<std::string>& more) {
    const std::string text = converted("vlnce", R"({"1": )" + path + rest, more);
    return text.substr(0, text.find('\n', 3));
  };
  const std::string points = "[[0, 0, 0], [1, 0, 0]]";
  EXPECT_TRUE(first_of(points, {}).ends_with(not_stopped));
  expect_in(said, "2 paths that said nothing of a stop: written without one");
  expect_in(said, "--assume-stop");
  EXPECT_TRUE(first_of(points, {"--assume-stop"}).ends_with(stopped));
  expect_in(said, "the last entry is one, as told");
  EXPECT_TRUE(first_of(R"({"path": [[0, 0, 0]], "stop": true})", {}).ends_with(stopped));
  EXPECT_TRUE(first_of(R"({"path": [[0, 0, 0]], "stop": false})", {"--assume-stop"})
                  .ends_with(not_stopped));
  EXPECT_TRUE(first_of(R"([{"position": [0, 0, 0], "stop": false}])", {"--assume-stop"})
                  .ends_with(not_stopped));
  expect_in(said, "1 path that said nothing of a stop");
}

TEST_F(ConvertPositions, WritesRxrLinesInOrderWithoutRepeats) {
  use_rxr();
  EXPECT_EQ(converted("rxr-habitat", as_objects, with_dataset()),
            "{\"instruction_id\": 91, \"path\": [[0.0, 1.0, 0.0]]}\n"
            "{\"instruction_id\": 92, \"path\": [[0.0, 0.0, 0.0], [0.1, 0.0, 1e-07]]}\n");
  EXPECT_EQ(code, 1);  // no Telugu
  expect_in(said, "1 position that repeated the one before: left out");
  expect_in(said, "languages (1): ");
  expect_in(said, "missing (1): ");
  expect_in(said, "    100: te-IN\n");
  // Numbers are in the order of numbers, and need no dataset.
  EXPECT_EQ(converted("rxr-habitat",
                      "{\"instruction_id\": \"10\", \"path\": [[1, 2, 3]]}\n"
                      "{\"instruction_id\": 9, \"path\": []}\n"),
            "{\"instruction_id\": 9, \"path\": []}\n"
            "{\"instruction_id\": 10, \"path\": [[1.0, 2.0, 3.0]]}\n");
  EXPECT_EQ(code, 0);
  expect_in(said, "1 empty path");
}

TEST_F(ConvertPositions, FindsEpisodesOfInstructions) {
  use_rxr();
  const std::string lines = line("100", "[[0, 0, 0]]") + "\n" + line("91", "[[0, 1, 0]]") + "\n";
  const std::string text = converted("vlnce", lines, with_dataset());
  expect_in(text, "\"3\": [{\"position\": [0.0, 0.0, 0.0]");
  expect_in(text, "\"2\": [{\"position\": [0.0, 1.0, 0.0]");
}

TEST_F(ConvertPositions, SaysThatRxrHasNoStops) {
  use_rxr();
  converted("rxr-habitat", R"({"1": [{"position": [0, 0, 0], "stop": false}]})", with_dataset());
  expect_in(said, "1 path that did not end with a stop");
}

TEST_F(ConvertPositions, ItsSubmissionsAreAccepted) {
  use_rxr();
  const std::string all = R"({"3": [[0, 0, 0]], "1": [[0, 0, 0], [0, 0, 0]], "2": [[0, 1, 0]]})";
  converted("rxr-habitat", all, with_dataset());
  EXPECT_EQ(code, 0) << said;
  use_vlnce();
  converted("vlnce", R"({"1": [[0, 0, 0]], "2": [[0, 1, 0]]})",
            {"--dataset", dataset, "--assume-stop"});
  EXPECT_EQ(code, 0) << said;
  expect_in(said, "the official server would accept it\n");
}

TEST_F(ConvertPositions, RxrLinesKeepTheScores) {
  use_rxr();
  const std::string before = folder.write("before.json", R"({
      "1": [{"position": [0, 0, 0], "stop": false}, {"position": [0, 0, 0], "stop": false},
            {"position": [1.1, 0, 0.3], "stop": false}, {"position": [3.7, 0, 0], "stop": true}],
      "2": [{"position": [0, 1, 0], "stop": true}],
      "3": [{"position": [0, 0, 0], "stop": false}, {"position": [0.7, 0, 0], "stop": false},
            {"position": [0.7, 0, 0], "stop": true}]})");
  const std::string after = folder.path("after.jsonl");
  ASSERT_EQ(convert("rxr-habitat", before, {"--dataset", dataset, "--out", after}).code, 0);
  std::vector<std::vector<testing::CsvRow>> rows;
  for (const std::string& file : {before, after}) {
    const std::string csv = folder.path("scores.csv");
    const CliResult result = testing::run(
        {"eval", "--preset", "vlnce", "--dataset", dataset, "--quiet", "--csv", csv, file});
    ASSERT_EQ(result.code, 0) << result.err;
    rows.push_back(testing::read_csv(csv));
    ASSERT_EQ(rows.back().size(), 3u);
  }
  for (std::size_t k = 0; k < 3; ++k) {
    for (const char* metric : {"PL", "NE", "ONE", "SR", "OSR", "SPL", "SoftSPL", "DTW", "nDTW"}) {
      EXPECT_FALSE(rows[0][k].at(metric).empty()) << metric;
      EXPECT_EQ(rows[0][k].at(metric), rows[1][k].at(metric)) << metric << k;
    }
  }
}

TEST_F(ConvertPositions, RefusesWhatTheFormCannotHold) {
  use_rxr();
  const std::string rest = R"(, "2": [[0, 1, 0]]})";
  struct Row {
    std::string to, text, what;
    bool has_dataset = false;
  };
  const std::vector<Row> rows{
      {"vlnce", R"({"1": null)" + rest, "agent.json: 1: path: is null"},
      {"vlnce", R"({"1": [[0, 0]])" + rest, "1: [0]: has 2 elements"},
      {"vlnce", R"({"1": [[0, NaN, 0]])" + rest, "1: [0]: has NaN"},
      {"vlnce", R"({"1": [[0, 1e9, 0]])" + rest, "1: [0]: has the coordinate"},
      {"vlnce", R"({"1": [{"heading": 0}])" + rest, "1: [0]: has no position"},
      {"vlnce", R"({"1": [{"position": [0, 0, 0], "stop": 1}])" + rest, "1: [0].stop: is a number"},
      {"vlnce", R"({"1": ["a"])" + rest, "1: [0]: is a string"},
      {"vlnce", R"({"2": [[0, 1, 0]])" + rest, "2: is there twice"},
      {"vlnce", line("92", "[[0, 0, 0]]") + "\n" + line("91", "[[0, 0, 0]]"),
       "92: is an instruction_id, and the form names the episode_id"},
      {"vlnce", line("77", "[[0, 0, 0]]") + "\n" + line("92", "[[0, 0, 0]]"), "77: is not in",
       true},
      {"rxr-habitat", R"({"1": [[0, 0, 0]]})", "1: is an episode_id"},
      {"rxr-habitat", R"({"9": [[0, 0, 0]]})", "9: is not in", true},
      {"rxr-habitat", line("\"x\"", "[[0, 0, 0]]"), "the instruction_id x is no whole number"},
      {"rxr-habitat", line("92", "[[0, 0, 0]]") + "\n" + line("\"92\"", "[[0, 0, 0]]"),
       "92: is there twice"},
      {"rxr-habitat", line("92", "[[0, 0, 0], [\"a\", 0, 0]]") + "\n" + line("91", "[]"),
       "92: [1]: has a string for a coordinate"},
      {"rxr-habitat", R"({"1": {"success": 1.0}})", "aggregate"},
  };
  for (const Row& row : rows) {
    const std::string out = folder.path("out.json");
    std::vector<std::string> more{"--out", out};
    if (row.has_dataset) more.insert(more.end(), {"--dataset", dataset});
    const CliResult result = convert(row.to, folder.write("agent.json", row.text), more);
    EXPECT_EQ(result.code, 1) << row.text;
    expect_in(result.err, row.what);
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    EXPECT_FALSE(fs::exists(out)) << row.text;
  }
}

TEST_F(ConvertPositions, NeedsInstructionIdsForRxr) {
  const std::string file = folder.write("agent.json", R"({"1": [[0, 0, 0]]})");
  const CliResult result = convert("rxr-habitat", file, {"--dataset", dataset, "--out", "-"});
  EXPECT_EQ(result.code, 1);
  expect_in(result.err, "has no instruction_id");
}

TEST_F(Convert, RefusesInvalidCommandLines) {
  const std::string file = folder.write("agent.json", R"({"1": [[0, 0, 0]]})");
  const std::string out = folder.path("out.json");
  const auto expect_refused = [&](const std::string& to, std::vector<std::string> more,
                                  const std::string& why) {
    const CliResult result = convert(to, file, more);
    EXPECT_EQ(result.code, 2) << why;
    expect_in(result.err, why);
  };
  expect_refused("vlnc", {"--out", out}, "vlnce");
  expect_refused("vlnce", {}, "--out");
  expect_refused("vlnce", {"--out", out + ".gz"}, "compressed");
  expect_refused("vlnce", {"--out", file}, "agent.json");
  expect_refused("vlnce", {"--out", dataset, "--dataset", dataset, "--force"}, "dataset.json");
  expect_refused("evalai", {"--out", out, "--dataset", dataset}, "--to evalai is not for");
  expect_refused("rxr-habitat", {"--out", out, "--assume-stop"}, "--assume-stop");
  expect_refused("vlnce", {"--out", out, "--graphs", graph}, "--dataset");
  EXPECT_FALSE(fs::exists(out));
  folder.write("out.json", "mine");
  expect_refused("vlnce", {"--out", out}, "--force");
  EXPECT_EQ(testing::read_text(out), "mine");
  EXPECT_EQ(convert("vlnce", file, {"--out", out, "--force"}).code, 0);
  expect_in(testing::read_text(out), "\"position\"");
}

}  // namespace
}  // namespace warpath
