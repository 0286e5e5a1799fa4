// Tests the readers of SOON's annotations and submissions, and how the two are matched.

#include "tests/support/files.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>

#include "host/tasks/soon/starts.hpp"
#include "tests/support/formats.hpp"

namespace warpath::testing {
namespace {

const std::string corner = R"({"heading":0,"elevation":0})";

// Returns a box whose named field has another value; an empty value leaves it out.
std::string box_with(const std::string& field = "", const std::string& value = "") {
  const auto entry = [&](const std::string& key, const std::string& usual) {
    const std::string& text = key == field ? value : usual;
    return text.empty() ? "" : fmt::format(R"("{}":{},)", key, text);
  };
  const auto closed = [](std::string fields) {
    if (!fields.empty()) fields.pop_back();
    return "{" + fields + "}";
  };
  std::string corners;
  for (const char* key : {"left_top", "right_top", "right_bottom", "left_bottom", "center"}) {
    corners += entry(key, corner);
  }
  return closed(entry("image_id", "\"b\"") + entry("target", closed(corners)));
}

std::string annotation(const std::string& path, const std::string& bboxes,
                       const std::string& id = "7") {
  return fmt::format(R"({{"instr_id":{},"scan":"s","path":{},"bboxes":{},"instructions":["",""]}})",
                     id, path, bboxes);
}

const std::string paths = R"([["a","b"],["c","b"],["a","x","d"]])";

formats::Dataset read_soon(const std::string& text, formats::StringTable& table) {
  const TemporaryFolder folder;
  return formats::read_dataset(folder.write("d.json", text), {}, formats::ReferenceChoice::path,
                               table);
}

std::string error_in_soon(const std::string& text) {
  return error_of_call([&] {
    formats::StringTable table;
    read_soon("[" + text + "]", table);
  });
}

// ---------------------------------------------------------------- annotations

TEST(SoonDatasets, HaveAnItemForEachPathAndABoxForEachViewpoint) {
  formats::StringTable table;
  const std::string angles = R"({"heading":3.141592653589793,"elevation":-1.5707963267948966})";
  const formats::Dataset d =
      read_soon("[" +
                    annotation(paths, "[" + box_with("center", angles) + "," +
                                          box_with("image_id", "\"d\"") + "]") +
                    "," + annotation("[[\"a\",\"b\"]]", "[]", "\"x_1\"") + "]",
                table);
  EXPECT_EQ(d.task->form, "soon");
  EXPECT_EQ(d.task->title, "SOON");
  ASSERT_EQ(d.items.size(), 4u);
  EXPECT_EQ(d.items[2].id, "7_2");
  EXPECT_EQ(d.items[3].id, "x_1_0");
  // The third path begins where the first does, which is its reference.
  EXPECT_EQ(names(d.references[d.items[1].reference], table), (Names{"c", "b"}));
  EXPECT_EQ(names(d.references[d.items[2].reference], table), (Names{"a", "b"}));
  EXPECT_EQ(d.references.size(), 2u);
  EXPECT_EQ(names(d.goals[*d.items[2].goals], table), (Names{"b", "d"}));
  ASSERT_EQ(d.boxes.size(), 2u);
  const formats::TargetBox& box = d.boxes[*d.items[0].goals].at(0);
  EXPECT_EQ(table[box.viewpoint], "b");
  EXPECT_EQ(box.centre.heading, 0.5);
  EXPECT_EQ(box.centre.elevation, 0.25);
  EXPECT_EQ(box.corners[0].elevation, 0.5);
  EXPECT_TRUE(d.boxes[1].empty());
}

TEST(SoonDatasets, AreReadFromTheChallengesFile) {
  formats::StringTable table;
  const formats::Dataset d =
      read_soon(R"({"gt":[)" + annotation(paths, "[]") + R"(],"connectivity":{"s":[]}})", table);
  EXPECT_EQ(d.items.size(), 3u);
}

TEST(SoonDatasets, NameTheFaultAndARemedy) {
  const std::string far = R"({"heading":90.0,"elevation":0})";
  const std::vector<std::array<std::string, 3>> cases{
      {annotation("[]", "[]"), "7: path: has no path", "give one for each start"},
      {annotation("{}", "[]"), "7: path: should be a list, is an object", "formats"},
      {annotation(R"([["a","b"],[]])", "[]"), "7: path[1]: should be a list of viewpoint ids",
       "repair"},
      {annotation(R"(["a","b"])", "[]"), "7: path[0]: should be a list", "formats"},
      {annotation("[[1,2]]", "[]"), "7: path[0]: should be a list of viewpoint ids", "repair"},
      {annotation(paths, "{}"), "7: bboxes: should be a list", "formats"},
      {annotation(paths, "[3]"), "7: bboxes[0]: should be an object", "formats"},
      {annotation(paths, "[" + box_with() + "," + box_with("image_id") + "]"),
       "7: bboxes[1]: no key 'image_id'", "found target"},
      {annotation(paths, "[" + box_with("image_id", "5") + "]"),
       "7: bboxes[0].image_id: should be a string", "formats"},
      {annotation(paths, "[" + box_with("target") + "]"), "7: bboxes[0]: no key 'target'",
       "found image_id"},
      {annotation(paths, "[" + box_with("right_bottom") + "]"),
       "7: bboxes[0].target: no key 'right_bottom'", "found left_top"},
      {annotation(paths, "[" + box_with("left_top", R"({"heading":1})") + "]"),
       "7: bboxes[0].target.left_top: no key 'elevation'", "found heading"},
      {annotation(paths, "[" + box_with("center", R"({"heading":"1","elevation":0})") + "]"),
       "7: bboxes[0].target.center.heading: should be a finite number", "formats"},
      {annotation(paths, "[" + box_with("center", R"({"heading":NaN,"elevation":0})") + "]"),
       "7: bboxes[0].target.center.heading: should be a finite number", "formats"},
      {annotation(paths, "[" + box_with("left_bottom", far) + "]"),
       "7: bboxes[0].target.left_bottom.heading: is 90, which is more than four turns",
       "in radians"},
      {annotation(paths, "[]") + "," + annotation(paths, "[]"),
       "7_0: the dataset has this id twice", "remove one"},
      {R"({"scan":"s","path":[["a"]],"bboxes":[]})", "no key 'instr_id'", "found scan"},
      {R"({"instr_id":7,"path":[["a"]],"bboxes":[]})", "a SOON dataset without scan and path",
       "instr_id, scan, path and bboxes"},
  };
  for (const auto& [text, problem, remedy] : cases) {
    const std::string error = error_in_soon(text);
    EXPECT_NE(error.find("d.json"), std::string::npos) << error << text;
    EXPECT_NE(error.find(problem), std::string::npos) << error << "\nwanted " << problem;
    EXPECT_NE(error.find(remedy), std::string::npos) << error;
  }
}

// ---------------------------------------------------------------- submissions

class SoonMatching : public ::testing::Test {
 protected:
  formats::StringTable table;

  // Returns the predictions of a submission, matched with an annotation 7 whose paths start at a, c
  // and a.
  formats::Predictions match(const std::string& text) {
    const TemporaryFolder folder;
    const formats::Dataset dataset = read_soon("[" + annotation(paths, "[]") + "]", table);
    formats::Predictions p = formats::read_predictions(folder.write("p.json", text), {}, table);
    soon::match_starts(dataset, p);
    return p;
  }

  static Names ids(const formats::Predictions& p) {
    Names found;
    for (const formats::Prediction& entry : p.entries) found.push_back(entry.id);
    return found;
  }

  // Returns a submission for annotation 7 of trajectories that start there.
  static std::string from(const std::vector<std::string>& starts) {
    std::string all;
    for (const std::string& start : starts) {
      all += fmt::format(
          R"({}{{"path":[["{}",0,0],["b",0,0]],"obj_heading":[0.25],"obj_elevation":0.75}})",
          all.empty() ? "" : ",", start);
    }
    return fmt::format(R"([{{"instr_id":7,"trajectory":[{}]}}])", all);
  }
};

TEST_F(SoonMatching, GivesTrajectoriesThePathsWithTheirStartInOrder) {
  const formats::Predictions p = match(from({"a", "c", "a"}));
  EXPECT_EQ(p.format, formats::PredictionFormat::trajectories);
  EXPECT_EQ(ids(p), (Names{"7_0", "7_1", "7_2"}));
  for (const formats::Prediction& entry : p.entries) {
    ASSERT_TRUE(entry.direction);
    EXPECT_EQ(entry.direction->heading, 0.25);
    EXPECT_EQ(entry.direction->elevation, 0.75);
  }
  EXPECT_EQ(names(p.paths[p.entries[1].trajectory.path], table), (Names{"c", "b"}));
  EXPECT_TRUE(p.notes.empty());
  EXPECT_EQ(ids(match(from({"a", "a", "c"}))), (Names{"7_0", "7_2", "7_1"}));
  EXPECT_EQ(ids(match(from({"c"}))), Names{"7_1"});
}

TEST_F(SoonMatching, GivesAWrongStartThePathThatIsLeft) {
  EXPECT_EQ(ids(match(from({"z", "c", "a"}))), (Names{"7_2", "7_1", "7_0"}));
  EXPECT_EQ(ids(match(from({"z"}))), Names{"7_0"});
}

TEST_F(SoonMatching, TakesPathsTwiceIfThereAreTooManyTrajectories) {
  EXPECT_EQ(ids(match(from({"c", "c", "a", "a", "a", "z"}))),
            (Names{"7_1", "7_1", "7_0", "7_2", "7_0", "7_0"}));
}

TEST_F(SoonMatching, KeepsUnknownIdsAndIdsOfPaths) {
  EXPECT_EQ(ids(match(R"([{"instr_id":8,"trajectory":[{"path":["a"]},{"path":["c"]}]},
                          {"instr_id":"7_2","trajectory":{"path":["a"]}},
                          {"instr_id":7,"trajectory":[]},
                          {"instr_id":7,"trajectory":["c"]}])")),
            (Names{"8", "7_2", "7_0", "7_1"}));
}

TEST_F(SoonMatching, ReadsNestedMovesOfDuet) {
  const formats::Predictions p = match(
      R"([{"instr_id":7,"trajectory":{"path":[["a"],["x","b"]],"obj_heading":[0.5],"obj_elevation":[0.5]}}])");
  EXPECT_EQ(names(p.paths[p.entries.at(0).trajectory.path], table), (Names{"a", "x", "b"}));
  EXPECT_EQ(p.entries[0].direction->heading, 0.5);
}

}  // namespace
}  // namespace warpath::testing
