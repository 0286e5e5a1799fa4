// Tests what `warpath eval` refuses because the evaluator that the preset equals fails there, and
// what it says of datasets that it cannot score as asked.

#include <gtest/gtest.h>

#include "tests/support/good_files.hpp"
#include "tests/support/json_text.hpp"

namespace warpath::testing {
namespace {

// Uses the line a, b, c of good_files.hpp. A test writes the dataset and the agent that it needs.
class SourceFailures : public ::testing::Test {
 protected:
  CliResult eval(const Arguments& more) const {
    return run(
        with({"eval", "--graphs", scene.graphs, "--dataset", scene.data, scene.agent}, more));
  }

  void expect_refused(const Arguments& more, const std::vector<std::string>& parts) const {
    const CliResult result = eval(more);
    EXPECT_EQ(result.code, 1) << result.out << result.err;
    EXPECT_EQ(result.out, "");
    for (const std::string& part : parts) {
      EXPECT_NE(result.err.find(part), std::string::npos) << part << " in " << result.err;
    }
  }

  // Expects the mean of one metric and the number of items that it is over.
  void expect_mean(const std::string& metric, double mean, std::uint64_t n,
                   const Arguments& more) const {
    const CliResult result = eval(with({"--json", "-", "--quiet"}, more));
    ASSERT_EQ(result.code, 0) << result.err;
    const std::string found = json_at(result.out, "/runs/0/metrics/" + metric);
    EXPECT_EQ(number_at(found, "/mean"), mean) << metric;
    EXPECT_EQ(json_at(found, "/n"), std::to_string(n)) << metric;
  }

  void expect_note(const std::string& note, const Arguments& more) const {
    const CliResult result = eval(more);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_NE((result.out + result.err).find(note), std::string::npos)
        << note << " in " << result.out << result.err;
  }

  void write_dataset(const std::string& text) const { scene.folder.write("dataset.json", text); }
  void write_agent(const std::string& text) const { scene.folder.write("agent.json", text); }

  Scene scene;
};

// ---------------------------------------------------------------- a dataset without items

TEST_F(SourceFailures, RefuseADatasetWithoutAnyInstruction) {
  for (const char* more : {"", R"(,"objId":7,"id":"1_7")"}) {
    write_dataset(
        std::string(
            R"([{"path_id":1,"scan":"s","path":["a","b"],"heading":0,"distance":1,"instructions":[])") +
        more + "}]");
    const Arguments files{"--graphs", scene.graphs, "--dataset", scene.data};
    const std::string out = scene.folder.path("made.json");
    for (const Arguments& command : std::vector<Arguments>{
             with({"eval"}, with(files, {scene.agent})),
             with({"explain"}, with(files, {scene.agent, "--item", "1_0"})),
             with({"validate"}, with(files, {scene.agent})),
             with({"rewards", "--reward", "hamt"}, with(files, {scene.agent})),
             with({"convert", "--to", "evalai", "--out", out}, with(files, {scene.agent})),
             with({"perturb", "random-walk", "--out", out}, files),
             with({"baseline", "oracle-stop", "--predictions", scene.agent, "--out", out}, files),
             with({"baseline", "stop", "--out", out}, files),
             with({"baseline", "shortest", "--out", out}, files),
             {"dataset", "--graphs", scene.graphs, scene.data},
             with({"r4r", "--out", out}, files),
             with({"random", "--walks", "10", "--steps", "3"}, files)}) {
      const CliResult result = run(command);
      EXPECT_EQ(result.code, 1) << command.front() << ": " << result.out << result.err;
      EXPECT_NE(result.err.find("dataset.json: the dataset has no items"), std::string::npos)
          << command.front() << " " << command.at(1) << ": " << result.err;
    }
  }
}

// ---------------------------------------------------------------- r2r: three instructions a path

// The source asks for 1_0 to 1_2 and 2_0 to 2_2 here, whatever the dataset lists.
TEST_F(SourceFailures, RefuseAPathOfFewerThanThreeInstructionsUnderR2r) {
  expect_refused({"--preset", "r2r"}, {"dataset.json: instructions: 2 paths list fewer than",
                                       "1, 2", "--instructions all", "--missing skip"});
  expect_refused({"--preset", "r2r", "--missing", "zero"}, {"fewer than three"});
  expect_mean("SR", 1.0, 3, {"--preset", "r2r", "--instructions", "all"});
  expect_mean("SR", 1.0, 3, {"--preset", "r2r", "--missing", "skip"});
  expect_mean("SR", 1.0, 3, {"--preset", "envdrop"});
}

TEST_F(SourceFailures, CountAPathWithoutInstructionsAmongThoseOfFewerThanThree) {
  write_dataset(R"([{"path_id":1,"scan":"s","path":["a","b"],"instructions":["","",""]},
                    {"path_id":2,"scan":"s","path":["a","b"],"instructions":[]}])");
  write_agent(R"([{"instr_id":"1_0","trajectory":[["a"],["b"]]},
    {"instr_id":"1_1","trajectory":[["a"],["b"]]},{"instr_id":"1_2","trajectory":[["a"],["b"]]}])");
  expect_refused({"--preset", "r2r"}, {"1 path lists fewer than three instructions", ": 2"});
}

// ---------------------------------------------------------------- ndh: a planner without a path

class NdhFailures : public SourceFailures {
 protected:
  NdhFailures() {
    write_dataset(R"([
{"inst_idx":4,"scan":"s","planner_path":[],"player_path":["a","b"],"end_panos":["b"]},
{"inst_idx":5,"scan":"s","planner_path":["a","b"],"player_path":["a","b"],"end_panos":["b"]}])");
    write_agent(R"([{"inst_idx":4,"trajectory":[["a",0,0],["b",0,0]]},
                    {"inst_idx":5,"trajectory":[["a",0,0],["b",0,0]]}])");
  }
};

TEST_F(NdhFailures, RefuseAnItemWithoutAPlannersPath) {
  expect_refused({"--preset", "ndh"},
                 {"dataset.json: planner_path: is empty or absent in 1 of 2 items", ": 4",
                  "--invalid skip", "--metrics"});
  expect_mean("SR", 1.0, 2, {"--preset", "ndh", "--metrics", "SR,GP"});
  expect_mean("OPSR", 1.0, 1, {"--preset", "ndh", "--invalid", "skip"});
  expect_mean("OPSR", 0.5, 2, {"--preset", "ndh", "--invalid", "zero"});
  expect_note("no OPSR and OPE: 1 item without a planner_path, 4", {"--invalid", "skip"});
}

// ---------------------------------------------------------------- SPL of 0/0

class SplFailures : public SourceFailures {
 protected:
  SplFailures() {
    write_dataset(R"([{"path_id":1,"scan":"s","path":["a"],"instructions":["","",""]},
                      {"path_id":2,"scan":"s","path":["a","b"],"instructions":["","",""]}])");
    std::string agent;
    for (const char* id : {"1_0", "1_1", "1_2", "2_0", "2_1", "2_2"}) {
      agent += std::string(agent.empty() ? "[" : ",") + R"({"instr_id":")" + id +
               R"(","trajectory":[["a",0,0]]})";
    }
    write_agent(agent + "]");
  }
};

TEST_F(SplFailures, AreRefusedWhereTheSourceDividesByZero) {
  expect_refused({"--preset", "r2r"}, {"agent.json: 3 of 6 items have SPL 0/0", "1_0, 1_1, 1_2",
                                       "--spl-zero", "--invalid skip"});
  expect_mean("SPL", 1.0, 3, {"--preset", "r2r", "--invalid", "skip"});
  expect_mean("SPL", 0.5, 6, {"--preset", "r2r", "--invalid", "zero"});
  expect_mean("SPL", 1.0, 6, {"--preset", "r2r", "--spl-zero", "success-if-unmoved"});
  expect_mean("SR", 1.0, 6, {"--preset", "r2r", "--metrics", "SR,NE"});
  expect_mean("SPL", 1.0, 6, {"--preset", "paper"});
}

// Its items, too: means are over them.
TEST_F(SplFailures, CountAsZeroInItemsAsInMeans) {
  const CliResult result =
      eval({"--preset", "r2r", "--invalid", "zero", "--json", "-", "--quiet", "--items"});
  ASSERT_EQ(result.code, 0) << result.err;
  const std::string values = json_at(result.out, "/runs/0/per_item/values/SPL");
  EXPECT_EQ(number_at(values, "/0"), 0.0);
  EXPECT_EQ(number_at(values, "/5"), 1.0);
}

// ---------------------------------------------------------------- unknown ids

const std::string typo = R"([{"instr_id":"1_0","trajectory":[["a",0,0],["b",0,0],["c",0,0]]},
{"instr_id":"1_1_0","trajectory":[["a",0,0],["b",0,0],["c",0,0]]},
{"instr_id":"2_0","trajectory":[["b",0,0],["c",0,0]]}])";

// VLN-DUET looks each prediction up by its id: a KeyError.
TEST_F(SourceFailures, RefuseAnUnknownIdWhereTheSourceLooksItUp) {
  write_agent(typo);
  for (const char* preset : {"duet", "hamt", "scalevln-reverie", "ndh-hamt", "valan"}) {
    expect_refused({"--preset", preset, "--goal", "end", "--spl-length", "shortest"},
                   {"agent.json: 1 prediction has an id that is not in the dataset (1_1_0)",
                    "1 item has no prediction (1_1)", "--invalid skip"});
  }
  expect_mean("SR", 1.0, 2, {"--preset", "duet", "--invalid", "skip"});
  expect_note("unknown_id: 1 item is predicted but not in the dataset",
              {"--preset", "duet", "--invalid", "skip"});
}

// Matterport3DSimulator passes over them.
TEST_F(SourceFailures, AcceptAnUnknownIdWhereTheSourceDoes) {
  write_agent(typo.substr(0, typo.size() - 1) +
              R"(,{"instr_id":"1_1","trajectory":[["a",0,0],["b",0,0],["c",0,0]]}])");
  expect_mean("SR", 1.0, 3, {"--preset", "envdrop"});
  expect_mean("SR", 1.0, 3, {"--preset", "paper"});
  expect_refused({"--preset", "duet"}, {"1 prediction has an id that is not in the dataset"});
}

TEST_F(SourceFailures, AcceptAMissingPredictionAloneUnderDuet) {
  write_agent(R"([{"instr_id":"1_0","trajectory":[["a",0,0],["b",0,0],["c",0,0]]}])");
  expect_mean("SR", 1.0, 1, {"--preset", "duet"});
}

// ---------------------------------------------------------------- presets of other tasks, aliases

TEST_F(SourceFailures, SayThatAPresetIsOfAnotherTask) {
  const std::string note =
      "preset ndh is of NDH; for R2R see r2r, envdrop, duet, r4r, r4r-hops, "
      "valan";
  expect_note(note, {"--preset", "ndh"});
  expect_note(note, {"--also", "ndh"});
  const CliResult in_json = eval({"--preset", "ndh", "--json", "-", "--quiet"});
  EXPECT_EQ(json_at(in_json.out, "/preset_note"), '"' + note + '"');
  for (const char* preset : {"paper", "envdrop", "duet", "r4r", "valan"}) {
    const CliResult fit = eval({"--preset", preset});
    EXPECT_EQ(fit.out.find(" is of "), std::string::npos) << fit.out;
  }
}

TEST_F(SourceFailures, NameThePresetAsItWasAskedFor) {
  const CliResult result = eval({"--preset", "HAMT", "--also", "duet"});
  EXPECT_NE(result.out.find("preset hamt\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("also duet: every mean is the same"), std::string::npos) << result.out;
  const CliResult in_json = eval({"--preset", "hamt", "--json", "-", "--quiet"});
  EXPECT_EQ(json_at(in_json.out, "/preset"), R"("hamt")");
}

// ---------------------------------------------------------------- messages

TEST_F(SourceFailures, NameTheTaskSuccessThatIsNoFraction) {
  for (const char* text :
       {R"({"1_0": 1.0000000000000002})", R"([{"instr_id":"1_0","success":2}])", "1_0,-0.5\n"}) {
    const std::string file = scene.folder.write("t.json", text);
    expect_refused({"--task-success", file}, {"t.json: 1_0: is ", ", not from 0 to 1"});
    expect_refused({"--task-success", file, "--missing", "skip"}, {"t.json: 1_0: is "});
  }
}

TEST_F(SourceFailures, SayHowIdsAreMadeWhereOnesOfPathsAreGiven) {
  write_agent(R"([{"instr_id":1,"trajectory":[["a",0,0],["b",0,0]]}])");
  expect_refused({}, {"begins with '1'", "PATH_ID_k", "such as 1_0"});
  write_agent(R"([{"instr_id":"7_0","trajectory":[["a",0,0],["b",0,0]]}])");
  expect_refused({}, {"name the dataset of the same split"});
}

TEST_F(SourceFailures, SayWhatObjectsNeed) {
  write_dataset(R"([{"id":"1_7","path_id":1,"objId":7,"scan":"s","path":["a","b"],
                     "instructions":["",""]},
                    {"id":"2_7","path_id":2,"objId":7,"scan":"s","path":["b","c"],
                     "instructions":[""]}])");
  write_agent(R"([{"instr_id":"1_7_0","trajectory":[["a",0,0],["b",0,0]]}])");
  const CliResult result = eval({"--metrics", "RGS", "--missing", "skip"});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("predObjId"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("name REVERIE's boxes by --objects"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace warpath::testing
