// Tests of REVERIE's evaluation: what it asks for, what reports say, and what happens to
// predictions that name no object.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/good_files.hpp"
#include "tests/support/json_text.hpp"

namespace warpath::testing {
namespace {

constexpr const char* items = R"([
{"id":"1_66","path_id":1,"objId":66,"scan":"s","path":["a","b","c"],"instructions":["",""]},
{"id":"2_7","path_id":2,"objId":7,"scan":"s","path":["b","c"],"instructions":[""]}])";
// 66 is visible from b and from x, 7 from c.
constexpr const char* boxes = R"({"s_b":{"66":{"visible_pos":[1]}},"s_x":{"66":{"visible_pos":[1]}},
"s_c":{"7":{"visible_pos":[1]},"66":{"visible_pos":[]}}, "s_gone":{"7":{"visible_pos":[1]}}})";
// Ends where its object is visible, with the right object; passes it, with the right object; ends
// elsewhere, without an object.
constexpr const char* predictions = R"([
{"instr_id":"1_66_0","trajectory":["a","b"],"predObjId":66},
{"instr_id":"1_66_1","trajectory":["a","b","c"],"predObjId":"66"},
{"instr_id":"2_7_0","trajectory":["b","a"],"predObjId":-1}])";

class Reverie : public ::testing::Test {
 protected:
  CliResult eval(const std::string& text, const Arguments& extra) {
    Arguments arguments = inputs("eval", text);
    arguments.insert(arguments.end(), {"--json", json_});
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    return run(arguments);
  }
  CliResult eval_with_boxes(const std::string& text, Arguments extra = {}) {
    extra.insert(extra.end(), {"--objects", boxes_, "--preset", "reverie"});
    return eval(text, extra);
  }
  Arguments inputs(const std::string& command, const std::string& text) {
    return {command, "--graphs", graphs_, "--dataset", data_, folder_.write("agent.json", text)};
  }
  // Returns the mean of a metric and its n as in the JSON report, "0.500 3"; "none" without it.
  std::string mean(const std::string& metric) {
    const std::string found = json_at(read_text(json_), "/runs/0/metrics/" + metric);
    if (found.empty()) return "none";
    const std::string n = json_at(found, "/n");
    if (json_at(found, "/mean") == "null") return "null " + n;
    return fmt::format("{:.3f} {}", number_at(found, "/mean"), n);
  }

  TemporaryFolder folder_;
  std::string graphs_ = folder_.path("graphs");
  std::string scan_ = folder_.write("graphs/s_connectivity.json", graph);
  std::string data_ = folder_.write("dataset.json", items);
  std::string boxes_ = folder_.write("boxes.json", boxes);
  std::string json_ = folder_.path("out.json");
};

TEST_F(Reverie, SuccessIsToSeeTheTargetFromTheLastViewpoint) {
  const CliResult result = eval_with_boxes(predictions);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(mean("SR"), "0.333 3");
  EXPECT_EQ(mean("OSR"), "0.667 3");
  EXPECT_EQ(mean("RGS"), "0.667 3");
  EXPECT_EQ(mean("RGSPL"), "0.667 3");
  EXPECT_EQ(mean("SPL"), "0.333 3");
}

TEST_F(Reverie, ScaleVlnAsksForSuccessBesidesTheObject) {
  ASSERT_EQ(eval(predictions, {"--objects", boxes_, "--preset", "scalevln-reverie"}).code, 0);
  EXPECT_EQ(mean("RGS"), "0.333 3");
}

TEST_F(Reverie, ReportsNameTheBoxes) {
  const CliResult result = eval_with_boxes(predictions);
  const std::string said =
      "boxes of no known version, 4 visible objects at 4 viewpoints in 1 scan, hash ";
  EXPECT_NE(result.out.find(said), std::string::npos) << result.out;
  const std::string objects = json_at(read_text(json_), "/objects");
  EXPECT_EQ(json_at(objects, "/path"), '"' + boxes_ + '"');
  EXPECT_EQ(json_at(objects, "/hash").size(), 34u);  // with quotes
  EXPECT_TRUE(json_at(objects, "/format_description").starts_with('"' + said));
}

TEST_F(Reverie, ThePaperPresetNeedsNoBoxes) {
  ASSERT_EQ(eval(predictions, {}).code, 0);
  EXPECT_EQ(mean("SR"), "1.000 3");  // all within 3 m
  EXPECT_EQ(mean("RGS"), "0.667 3");
  EXPECT_EQ(json_at(read_text(json_), "/objects"), "");
}

TEST_F(Reverie, WithoutBoxesThePresetSaysWhatItLacks) {
  const CliResult result = eval(predictions, {"--preset", "reverie"});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("preset reverie asks from where targets are visible"),
            std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find("--objects"), std::string::npos) << result.err;
}

TEST_F(Reverie, BoxesAreForReverieOnly) {
  folder_.write("dataset.json", dataset);
  const CliResult result = eval(predictions, {"--objects", boxes_});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("--objects is for REVERIE annotations"), std::string::npos)
      << result.err;
}

TEST_F(Reverie, BoxesAreNotOverwritten) {
  const CliResult result = eval_with_boxes(predictions, {"--csv", boxes_});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("would overwrite the input"), std::string::npos) << result.err;
}

TEST_F(Reverie, GroupsHaveTheMetricsOfTheTask) {
  const CliResult result = eval_with_boxes(predictions, {"--by", "scan", "--metrics", "RGS,RGSPL"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(json_at(read_text(json_), "/runs/0/groups/0/metrics/RGSPL/n"), "3");
}

// ---------------------------------------------------------------- predictions without objects

std::string without(const std::string& key_and_value) {
  return replaced(predictions, "," + key_and_value, "");
}

std::string no_objects() {
  return replaced(replaced(without(R"("predObjId":66)"), R"(,"predObjId":"66")", ""),
                  R"(,"predObjId":-1)", "");
}

TEST_F(Reverie, RefusesADumpWithoutObjects) {
  const CliResult result = eval_with_boxes(no_objects());
  EXPECT_EQ(result.code, 1);
  for (const char* part :
       {"agent.json: predObjId: 3 of 3 items have a prediction that does not say which object",
        "1_66_0, 1_66_1, 2_7_0", "--metrics SR,OSR,SPL", "--invalid zero", "--invalid skip"}) {
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  }
  EXPECT_FALSE(std::filesystem::exists(json_));
}

TEST_F(Reverie, RefusesOnePredictionWithoutAnObject) {
  const CliResult result = eval_with_boxes(without(R"("predObjId":66)"));
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("1 of 3 items"), std::string::npos) << result.err;
  EXPECT_EQ(eval(without(R"("predObjId":66)"), {}).code, 1);  // without boxes, too
}

TEST_F(Reverie, ScoresNavigationAloneIfAsked) {
  const CliResult result = eval_with_boxes(no_objects(), {"--metrics", "SR,OSR,SPL"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(mean("SR"), "0.333 3");
  EXPECT_EQ(mean("RGS"), "none");
}

TEST_F(Reverie, CountsOrLeavesOutWhatHasNoObject) {
  const std::string one = without(R"("predObjId":66)");
  ASSERT_EQ(eval_with_boxes(one, {"--invalid", "zero"}).code, 0);
  EXPECT_EQ(mean("RGS"), "0.333 3");
  EXPECT_EQ(mean("SR"), "0.333 3");
  ASSERT_EQ(eval_with_boxes(one, {"--invalid", "skip"}).code, 0);
  EXPECT_EQ(mean("RGS"), "0.500 2");
  EXPECT_EQ(mean("SR"), "0.333 3");
  ASSERT_EQ(eval_with_boxes(no_objects(), {"--invalid", "skip"}).code, 0);
  EXPECT_EQ(mean("RGS"), "null 0");
}

TEST_F(Reverie, APaperRunWithoutAnyObjectHasNoGroundingMetrics) {
  ASSERT_EQ(eval(no_objects(), {}).code, 0);
  EXPECT_EQ(mean("RGS"), "none");
  const CliResult asked = eval(no_objects(), {"--metrics", "RGS"});
  EXPECT_EQ(asked.code, 2);
  EXPECT_NE(asked.err.find("--metrics RGS"), std::string::npos) << asked.err;
}

TEST_F(Reverie, NotesTheKeyThatTheServerIgnores) {
  const std::string duet = replaced(predictions, R"("predObjId":66)", R"("pred_objid":66)");
  const CliResult result = eval_with_boxes(duet);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("the REVERIE server reads predObjId, and ignores pred_objid"),
            std::string::npos)
      << result.out;
  EXPECT_EQ(mean("RGS"), "0.667 3");
}

TEST_F(Reverie, ShardsMayNotDisagreeOnTheObject) {
  const std::string other =
      folder_.write("other.json", replaced(predictions, R"("predObjId":66)", R"("predObjId":5)"));
  const CliResult result =
      eval(predictions, {other, "--merge", "--objects", boxes_, "--preset", "reverie"});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("1 item different paths or objects: 1_66_0"), std::string::npos)
      << result.err;
}

// ---------------------------------------------------------------- explain

TEST_F(Reverie, ExplainShowsGoalsAndObjects) {
  Arguments arguments = inputs("explain", predictions);
  arguments.insert(arguments.end(),
                   {"--item", "1_66_0", "--preset", "reverie", "--objects", boxes_});
  const CliResult result = run(arguments);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("object 66, target 66"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("first visited at q"), std::string::npos) << result.out;
}

}  // namespace
}  // namespace warpath::testing
