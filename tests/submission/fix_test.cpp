#include <filesystem>

#include "tests/support/standard_input.hpp"
#include "tests/support/submissions.hpp"

namespace warpath {
namespace {

namespace fs = std::filesystem;
using testing::CliResult;

class Fix : public testing::SubmissionTest {
 protected:
  // Expects a refusal to write to a file, which then is unchanged.
  void expect_refused(const std::string& target, const std::vector<std::string>& more,
                      const std::string& why) {
    const std::string before = testing::read_text(target);
    const CliResult result =
        validate(folder.path("agent.json"), testing::with({"--fix", target}, more));
    EXPECT_EQ(result.code, 2) << target;
    EXPECT_EQ(result.out, "");
    expect_in(result.err, why);
    EXPECT_EQ(testing::read_text(target), before);
  }
};

TEST_F(Fix, FillsGapsAndTheResultEvaluates) {
  const std::string nested = R"([["a"], ["b", "c", "b"], ["e"]])";
  const std::string file = write_entries({entry("1_2", R"([["a", 0.5, 0], ["d", 0.25, 0]])"),
                                          entry("1_0", nested), entry("1_1", good)});
  EXPECT_EQ(fixed(file),
            list({entry("1_2", R"([["a", 0.5, 0], ["b", 0, 0], ["c", 0, 0], ["d", 0.25, 0]])"),
                  entry("1_0", R"([["a", 0, 0], ["b", 0, 0], ["c", 0, 0], ["b", 0, 0], )"
                               R"(["c", 0, 0], ["d", 0, 0], ["e", 0, 0]])"),
                  entry("1_1", good)}));
  expect_in(validate(file, {"--fix", folder.path("again.json")}).out,
            "again.json: 3 predictions written, 4 viewpoints filled into gaps, 0 left out");

  const CliResult eval = testing::run({"eval", "--preset", "r2r", "--strict", "--graphs", graph,
                                       "--dataset", dataset, folder.path("fixed.json")});
  EXPECT_EQ(eval.code, 0) << eval.out << eval.err;
  EXPECT_EQ(eval.err, "");
}

TEST_F(Fix, KeepsEveryOtherKey) {
  EXPECT_EQ(fixed_entry(R"({"details": {"steps": [1, 2.5, {"x": null}], "ok": true}, "score": -1.5,
                            "instr_id": "1_0", "pred_objid": 9007199254740993,
                            "trajectory": [["a"], ["b", "c"]], "say \"hi\"": "é\n"})"),
            R"({"details": {"steps": [1, 2.5, {"x": null}], "ok": true}, "score": -1.5, )"
            R"("instr_id": "1_0", "pred_objid": 9007199254740993, )"
            R"("trajectory": [["a", 0, 0], ["b", 0, 0], ["c", 0, 0]], "say \"hi\"": "é\n"})");
}

TEST_F(Fix, KeepsAValidTrajectoryUnchanged) {
  const std::string text = entry("1_0", R"([["a"], ["b", 0.30000000000000004, null], ["b", 1]])");
  EXPECT_EQ(fixed_entry(text), text);
}

TEST_F(Fix, KeepsIgnoredEntriesInTheirPlace) {
  const std::vector<std::string> entries{
      R"({"instr_id": "7_0", "trajectory": null, "why": "another split"})",
      entry("1_0", good),
      entry("1_3", R"([["a", "f"]])"),  // a fourth instruction
      entry("1_0", R"("a later copy")"),
      entry("1_1", good),
      entry("1_2", good)};
  EXPECT_EQ(fixed(write_entries(entries)), list(entries));
}

TEST_F(Fix, UsesALaterCopyIfTheFirstCannotBeRead) {
  const std::string file =
      write_entries({entry("1_0", "[]"), entry("1_1", good), entry("1_0", good),
                     entry("1_0", "null"), entry("1_2", good)});
  EXPECT_EQ(fixed(file), list({entry("1_1", good), entry("1_0", good), entry("1_0", "null"),
                               entry("1_2", good)}));
  const std::string out = validate(file, {"--fix", folder.path("again.json")}).out;
  expect_in(out, "4 predictions written, 0 viewpoints filled into gaps, 1 left out");
  expect_in(out.substr(out.find("written")), "1_0: entries 1 and 2");
}

TEST_F(Fix, CorrectsTheKeysOfEveryEntry) {
  const std::string file = write_entries(
      {R"({"instruction_id": 99, "path": 3, "score": 1})",
       fmt::format(R"({{"trajectory": "of no use", "path": {}, "instruction_id": "1_0"}})", good),
       fmt::format(R"({{"path": {}, "instruction_id": "1_1"}})", good)});
  const std::string text = fixed(file, 1);
  expect_in(text, R"({"instr_id": 99, "trajectory": 3, "score": 1})");
  expect_in(text, fmt::format(R"({{"trajectory": {}, "instr_id": "1_1"}})", good));
}

TEST_F(Fix, TurnsADictIntoAList) {
  const std::string file =
      folder.write("agent.json", fmt::format(
                                     R"({{"1_0": {{"score": -2.5, "trajectory": {0}}}, "1_1": {0},
           "1_2": {{"instr_id": "wrong", "trajectory": {0}, "words": ["a"]}}}})",
                                     good));
  EXPECT_EQ(
      fixed(file),
      list({fmt::format(R"({{"instr_id": "1_0", "score": -2.5, "trajectory": {}}})", good),
            entry("1_1", good),
            fmt::format(R"({{"instr_id": "1_2", "trajectory": {}, "words": ["a"]}})", good)}));
}

TEST_F(Fix, TurnsObjectsIntoListsAndKeepsTheirOtherKeys) {
  EXPECT_EQ(fixed_entry(entry("1_0", R"([{"viewpointId": "a", "heading": 0.5}, {"viewpoint": "b",
                                          "elevation": -0.25, "reward": 1}])")),
            entry("1_0", R"([["a", 0.5, 0], ["b", 0, -0.25]])"));
  EXPECT_EQ(fixed_entry(entry("1_0", R"({"path": [["a", 0, 0]], "obj_heading": [0.5]})")),
            R"({"instr_id": "1_0", "trajectory": [["a", 0, 0]], "obj_heading": [0.5]})");
  EXPECT_EQ(fixed_entry(entry("1_0", R"([{"instr_id": "1_0", "trajectory": [["a"]], "score": -1},
                                         {"trajectory": [["b"]], "score": -2}])")),
            R"({"instr_id": "1_0", "trajectory": [["a", 0, 0]], "score": -1})");
}

TEST_F(Fix, WritesNumbersThatAreNotFiniteAsNull) {
  EXPECT_EQ(fixed_entry(R"({"instr_id": "1_0", "score": NaN, "scores": [1, -Infinity],
                            "trajectory": [["a", NaN, 1.5]]})"),
            R"({"instr_id": "1_0", "score": null, "scores": [1, null], )"
            R"("trajectory": [["a", 0, 1.5]]})");
  const CliResult result =
      validate(folder.path("agent.json"), {"--fix", folder.path("again.json")});
  expect_in(result.out, "again.json: 2 numbers that are not finite became null\n");
}

TEST_F(Fix, KeepsTheNumbersOfNdh) {
  dataset = folder.write("ndh.json", R"([{"inst_idx": 12, "scan": "house", "path": ["a", "b"],
      "player_path": ["a", "b"], "planner_path": ["a", "b"]}])");
  const std::string text = R"({"inst_idx": 12, "trajectory": [["a"], ["b"]], "note": ""})";
  const std::string file = write_entries({text});
  EXPECT_EQ(fixed(file), list({text}));
  expect_in(validate(file).out, "which --fix keeps but does not make");
}

TEST_F(Fix, ReportsTheProblemsThatRemain) {
  const std::string first = entry("1_0", R"([["b", 0, 0], ["x", 0, 0], ["d", 0, 0]])");
  const std::string file =
      write_entries({first, entry("7_0", "3"), entry("1_1", "[]"), entry("1_0", good)});
  EXPECT_EQ(fixed(file, 1), list({first, entry("7_0", "3"), entry("1_0", good)}));
  const std::string out = validate(file, {"--fix", folder.path("again.json")}).out;
  const std::string of_fixed = out.substr(out.find("again.json: 3 predictions written"));
  expect_in(of_fixed, "1 left out for want of a path\n");
  // The written file has the same problems when it is read again.
  const std::string findings =
      of_fixed.substr(of_fixed.find("\n\n"), of_fixed.find("\n\n" + file) - of_fixed.find("\n\n"));
  for (const char* problem : {"wrong_start (1)", "unknown_viewpoint (1)", "missing (2)",
                              "duplicate_id (1)", "1_0: entries 0 and 2", "unknown_id (1)"}) {
    expect_in(findings, problem);
  }
  expect_in(validate(folder.path("fixed.json")).out, findings);
  expect_in(of_fixed,
            verdict(folder.path("again.json"), submission::Outcome::rejected) + "3 kinds");
}

TEST_F(Fix, WritesToStandardOutput) {
  const CliResult result = validate(write_first(good), {"--fix", "-"});
  EXPECT_EQ(result.out, list({entry("1_0", good), entry("1_1", good), entry("1_2", good)}));
  expect_in(result.err, "standard output: the official server would accept it\n");
}

TEST_F(Fix, LeavesNoFileIfItCannotBeWritten) {
  const CliResult result = validate(write_first(good), {"--fix", folder.path("absent/fixed.json")});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.out, "");
  expect_in(result.err, "make the folder first");
}

TEST_F(Fix, ChangesNothingTheSecondTime) {
  const std::string once = fixed(write_first(R"([["a"], ["b", "c"]])"));
  EXPECT_EQ(fixed(folder.write("once.json", once)), once);
}

TEST_F(Fix, EscapesIds) {
  dataset = folder.write("dataset.json", R"([{"path_id": "\"\\", "scan": "house",
      "path": ["a"], "instructions": [""]}])");
  const std::string text = entry(R"(\"\\_0)", R"([["a", 0, 0]])");
  EXPECT_EQ(fixed(write_entries({text})), list({text}));
}

TEST_F(Fix, RefusesToReplaceAnInput) {
  const std::string file = write_first(good);
  for (const std::string& input : {graph, dataset, file}) {
    const std::string link = folder.path("link.json"), hard_link = folder.path("hard_link.json");
    fs::create_symlink(input, link);
    fs::create_hard_link(input, hard_link);
    for (const std::string& target : {input, link, hard_link}) {
      expect_refused(target, {}, "would overwrite the input " + input);
      if (input != file) expect_refused(target, {"--force"}, "would overwrite the input " + input);
    }
    fs::remove(link);
    fs::remove(hard_link);
  }
}

TEST_F(Fix, RefusesToReplaceAGraphInAFolder) {
  const std::string one = folder.write("graphs/house_connectivity.json", testing::read_text(graph));
  fs::create_hard_link(one, folder.path("hard_link.json"));
  graph = folder.path("graphs");
  write_first(good);
  expect_refused(one, {"--force"}, "would overwrite the input");
  expect_refused(folder.path("hard_link.json"), {"--force"}, "would overwrite the input");
  for (const char* name : {"graphs/house.json", "graphs/house_navigable.json", "graphs/house.csv",
                           "graphs/nodes.txt", "graphs/links.txt.gz"}) {
    expect_refused(folder.write(name, "a graph"), {"--force"}, "would overwrite the input");
  }
}

TEST_F(Fix, RefusesToReplaceStandardInput) {
  const std::string file = write_first(good), before = testing::read_text(file);
  const testing::StandardInput input(file);
  const CliResult result = validate("-", {"--fix", file});
  EXPECT_EQ(result.code, 2);
  expect_in(result.err, "would overwrite the input standard input");
  EXPECT_EQ(testing::read_text(file), before);
}

TEST_F(Fix, ReplacesTheSubmissionIfForced) {
  const std::string file = write_first(R"([["a"], ["b", "c"]])");
  const std::string wanted = fixed(file);
  EXPECT_EQ(validate(file, {"--fix", file, "--force"}).code, 0);
  EXPECT_EQ(testing::read_text(file), wanted);
}

TEST_F(Fix, RefusesToReplaceAnExistingFileUnlessForced) {
  const std::string file = write_first(good);
  const std::string notes = folder.write("notes.txt", "of my own");
  expect_refused(notes, {}, "notes.txt exists; name another file or say --force");
  const std::string link = folder.path("link.json");
  fs::create_symlink(notes, link);
  expect_refused(link, {}, "link.json exists; name another file or say --force");

  const std::string compressed = folder.write("fixed.json.gz", "");
  expect_refused(compressed, {}, "fixed.json.gz would not be compressed");

  const CliResult nothing = validate(file, {"--force"});
  EXPECT_EQ(nothing.code, 2);
  expect_in(nothing.err, "--force lets --fix replace a file: name one by --fix");

  EXPECT_EQ(validate(file, {"--fix", notes, "--force"}).code, 0);
  EXPECT_TRUE(testing::read_text(notes).starts_with("[\n")) << testing::read_text(notes);
  EXPECT_EQ(validate(file, {"--fix", folder.write("empty.json", "")}).code, 0);
  EXPECT_TRUE(testing::read_text(folder.path("empty.json")).starts_with("[\n"));
}

}  // namespace
}  // namespace warpath
