// Tests that boxes of objects are read in both forms, and that bad ones are refused with their
// place and a remedy; and that predictions name objects in every form.

#include "host/tasks/reverie/objects.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "tests/support/files.hpp"
#include "tests/support/formats.hpp"

namespace warpath::testing {
namespace {

// Two targets in scan s_1, of which 66 has two instructions, and one in scan t.
constexpr const char* annotations = R"([
{"id":"1_66","path_id":1,"objId":66,"scan":"s_1","path":["a","b"],"instructions":["",""]},
{"id":"2_7","path_id":2,"objId":"7","scan":"s_1","path":["b","c"],"instructions":[""]},
{"id":"3_66","path_id":3,"scan":"t","path":["a"],"instructions":[""]}])";

// Object 66 of s_1 is visible from a and b, 7 from c, and 66 of t from a.
constexpr const char* one_file = R"({
"s_1_a":{"66":{"name":"x","visible_pos":[3,4],"bbox2d":[]},"7":{"visible_pos":[]}},
"s_1_b":{"66":{"visible_pos":[0]}}, "s_1_c":{"7":{"visible_pos":[35]},"66":{"visible_pos":[]}},
"s_1_d":{}, "t_a":{"66":{"visible_pos":[1]}}, "other_a":{"66":{"visible_pos":[1]}}})";

struct Boxes {
  TemporaryFolder folder;
  formats::StringTable viewpoints;
  formats::Dataset dataset;

  explicit Boxes(const std::string& items = annotations)
      : dataset(formats::read_dataset(folder.write("d.json", items), tasks::find_task("reverie"),
                                      formats::ReferenceChoice::path, viewpoints)) {}

  formats::ObjectsFile read(const std::string& text) {
    return reverie::read_objects(folder.write("boxes.json", text), dataset, viewpoints);
  }
  Names goals_of(std::size_t item) const {
    return names(dataset.goals[dataset.items.at(item).goals.value()], viewpoints);
  }
  std::string error(const std::string& text) {
    return error_of_call([&] { read(text); });
  }
};

void expect_goals(const Boxes& boxes) {
  EXPECT_EQ(boxes.goals_of(0), (Names{"a", "b"}));
  EXPECT_EQ(boxes.goals_of(1), (Names{"a", "b"}));
  EXPECT_EQ(boxes.goals_of(2), Names{"c"});
  EXPECT_EQ(boxes.goals_of(3), Names{"a"});
}

TEST(Objects, AreReadFromOneFile) {
  for (const bool packed : {false, true}) {
    Boxes boxes;
    const formats::ObjectsFile read = boxes.read(packed ? gzip(one_file) : one_file);
    expect_goals(boxes);
    EXPECT_EQ(read.scans, 2u);
    EXPECT_EQ(read.viewpoints, 5u);
    EXPECT_EQ(read.visible, 4u);
    EXPECT_EQ(read.hidden, 2u);
    EXPECT_EQ(read.hash.size(), 32u);
    EXPECT_TRUE(read.notes.empty()) << read.notes.front();
  }
}

TEST(Objects, AreReadFromAFolderOfBBoxFiles) {
  Boxes boxes;
  boxes.folder.write("BBox/s_1_a.json",
                     R"({"a":{"66":{"visible_pos":[3]},"7":{"visible_pos":[]}}})");
  boxes.folder.write("BBox/s_1_b.json.gz", gzip(R"({"b":{"66":{"visible_pos":[0]}}})"));
  boxes.folder.write("BBox/s_1_c.json", R"({"c":{"7":{"visible_pos":[35]}}})");
  boxes.folder.write("BBox/t_a.json", R"({"a":{"66":{"visible_pos":[1]}}})");
  boxes.folder.write("BBox/other_a.json", "not read");
  boxes.folder.write("BBox/s_1_c.txt", "not read");
  const formats::ObjectsFile read =
      reverie::read_objects(boxes.folder.path("BBox"), boxes.dataset, boxes.viewpoints);
  expect_goals(boxes);
  EXPECT_EQ(read.viewpoints, 4u);
  EXPECT_EQ(read.path, boxes.folder.path("BBox"));
  EXPECT_EQ(read.hash, Boxes().read(one_file).hash);
}

TEST(Objects, AreReadFromOneBBoxFile) {
  Boxes boxes(R"([{"id":"1_66","objId":66,"scan":"s_1","path":["a"],"instructions":[""]}])");
  const std::string file = boxes.folder.write("s_1_a.json", R"({"a":{"66":{"visible_pos":[3]}}})");
  reverie::read_objects(file, boxes.dataset, boxes.viewpoints);
  EXPECT_EQ(boxes.goals_of(0), Names{"a"});
}

TEST(Objects, HashIsOfWhatIsVisible) {
  const auto hash = [](const std::string& text) {
    Boxes boxes(R"([{"id":"1_66","objId":66,"scan":"s","path":["a"],"instructions":[""]}])");
    return boxes.read(text).hash;
  };
  const std::string plain = hash(R"({"s_a":{"66":{"visible_pos":[3]}},"s_b":{}})");
  EXPECT_EQ(plain, hash(R"({"s_a":{"7":{"visible_pos":[]},"66":{"visible_pos":[4]}}})"));
  EXPECT_NE(plain, hash(R"({"s_b":{"66":{"visible_pos":[3]}}})"));
  EXPECT_NE(plain, hash(R"({"s_a":{"66":{"visible_pos":[3]},"7":{"visible_pos":[3]}}})"));
}

TEST(Objects, TakeTheLastOfARepeatedKey) {
  Boxes boxes(R"([{"id":"1_66","objId":66,"scan":"s","path":["a"],"instructions":[""]}])");
  const formats::ObjectsFile read = boxes.read(
      R"({"s_a":{"66":{"visible_pos":[]},"66":{"visible_pos":[1]}}, "s_b":{"66":{"visible_pos":[1],"visible_pos":[]}}})");
  EXPECT_EQ(boxes.goals_of(0), Names{"a"});
  ASSERT_EQ(read.notes.size(), 1u);
  EXPECT_NE(read.notes[0].find("2 keys are there several times"), std::string::npos);
}

TEST(Objects, NoteTargetsThatNobodyCanReachAndAnotherVersion) {
  Boxes boxes;
  const formats::ObjectsFile read =
      boxes.read(R"({"s_1_a":{"66":{"visible_pos":[1]}}, "t_a":{"66":{"visible_pos":[1]}}})");
  ASSERT_EQ(read.notes.size(), 2u);
  EXPECT_EQ(read.notes[0],
            "the target of 1 of 4 items is visible from no viewpoint, so nobody can succeed there: "
            "2_7_0");
  EXPECT_NE(read.notes[1].find("the target of 2 of 4 items is not visible from the last viewpoint "
                               "of its reference"),
            std::string::npos);
  EXPECT_NE(read.notes[1].find("1_66_0, 1_66_1"), std::string::npos);
  EXPECT_TRUE(boxes.goals_of(2).empty());
}

// ---------------------------------------------------------------- bad boxes

struct BadBoxes {
  std::string name, text;
  std::vector<std::string> says;
};

class BadObjects : public ::testing::TestWithParam<BadBoxes> {};

TEST_P(BadObjects, AreRefusedWithTheirPlaceAndARemedy) {
  Boxes boxes;
  const std::string error = boxes.error(GetParam().text);
  EXPECT_NE(error.find(boxes.folder.path("boxes.json")), std::string::npos) << error;
  for (const std::string& part : GetParam().says) {
    EXPECT_NE(error.find(part), std::string::npos) << part << " is not in: " << error;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, BadObjects,
    ::testing::Values(
        BadBoxes{"Empty", "", {"is empty"}},
        BadBoxes{"Truncated", R"({"t_a":{"66":{"visible_pos":[1)", {"ends in the middle"}},
        BadBoxes{"LfsPointer",
                 "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
                 {"Git LFS pointer", "git lfs pull"}},
        BadBoxes{"List", "[]", {"an object", "a list"}},
        BadBoxes{"Predictions", R"([{"instr_id":"1_66_0","trajectory":["a"]}])", {"a list"}},
        BadBoxes{
            "NoKeys", "{}", {"no viewpoint of the dataset's 2 scans", "s_1", "<scan>_<viewpoint>"}},
        BadBoxes{"OtherScans",
                 R"({"u_a":{"66":{"visible_pos":[1]}}})",
                 {"no viewpoint of the dataset's 2 scans", "the first key is 'u_a'"}},
        BadBoxes{"NoScans",
                 R"({"a":{"66":{"visible_pos":[1]}}})",
                 {"no viewpoint of the dataset's 2 scans", "the first key is 'a'"}},
        BadBoxes{"OtherTargets",
                 R"({"t_a":{"5":{"visible_pos":[1]}}})",
                 {"none of the dataset's 3 targets", "annotations"}},
        BadBoxes{"HiddenTargets",
                 R"({"t_a":{"66":{"visible_pos":[]}}})",
                 {"none of the dataset's 3 targets"}},
        BadBoxes{"ViewpointIsAList", R"({"t_a":[1]})", {"t_a", "is a list", "visible_pos"}},
        BadBoxes{"ViewpointIsNaN", R"({"t_a":NaN})", {"t_a", "is NaN or infinite"}},
        BadBoxes{"ObjectIsANumber", R"({"t_a":{"66":1}})", {"t_a: object 66", "is a number"}},
        BadBoxes{"NoVisiblePos",
                 R"({"t_a":{"66":{"name":"x","bbox2d":[]}}})",
                 {"t_a: object 66", "has no visible_pos; found name, bbox2d"}},
        BadBoxes{"VisiblePosIsNull",
                 R"({"t_a":{"66":{"visible_pos":null}}})",
                 {"object 66", "visible_pos is null"}},
        BadBoxes{"ViewpointTwice",
                 R"({"t_a":{"66":{"visible_pos":[1]}},"t_a":{}})",
                 {"t_a", "is there twice", "keep one"}}),
    [](const auto& test) { return test.param.name; });

TEST(Objects, RefuseAFolderWithoutBBoxFiles) {
  Boxes boxes;
  boxes.folder.write("BBox/BBoxes.json", one_file);
  const std::string error = error_of_call(
      [&] { reverie::read_objects(boxes.folder.path("BBox"), boxes.dataset, boxes.viewpoints); });
  EXPECT_NE(error.find("no viewpoint of the dataset's 2 scans"), std::string::npos) << error;
}

TEST(Objects, RefuseTheSameViewpointInTwoFiles) {
  Boxes boxes;
  for (const char* name : {"BBox/t_a.json", "BBox/t_a.json.gz"}) {
    boxes.folder.write(name, R"({"a":{"66":{"visible_pos":[1]}}})");
  }
  const std::string error = error_of_call(
      [&] { reverie::read_objects(boxes.folder.path("BBox"), boxes.dataset, boxes.viewpoints); });
  EXPECT_NE(error.find("is there twice"), std::string::npos) << error;
}

TEST(Objects, RefuseItemsWithoutATarget) {
  Boxes boxes(R"([{"id":"77","scan":"t","path":["a"],"instructions":[""]}])");
  const std::string error = boxes.error(one_file);
  for (const char* part : {"d.json", "77_0", "objId", "has no target", "leave --objects away"}) {
    EXPECT_NE(error.find(part), std::string::npos) << error;
  }
}

// ---------------------------------------------------------------- what predictions name

std::optional<std::string> object_in_entry(const std::string& rest) {
  const TemporaryFolder folder;
  formats::StringTable table;
  return formats::read_predictions(
             folder.write("p.json", R"([{"instr_id":"1_0","trajectory":["a"])" + rest + "}]"), {},
             table)
      .entries.at(0)
      .object;
}

TEST(PredictedObjects, AreNumbersOrTexts) {
  using Object = std::optional<std::string>;
  EXPECT_EQ(object_in_entry(R"(,"predObjId":66)"), Object("66"));
  EXPECT_EQ(object_in_entry(R"(,"predObjId":"66")"), Object("66"));
  EXPECT_EQ(object_in_entry(R"(,"pred_objid":"66")"), Object("66"));
  EXPECT_EQ(object_in_entry(R"(,"pred_objid":7,"predObjId":66)"), Object("66"));
  for (const char* none : {"null", "-1", R"("-1")", R"("")"}) {
    EXPECT_EQ(object_in_entry(std::string(R"(,"predObjId":)") + none), Object("")) << none;
  }
  for (const char* unreadable : {"66.5", "[66]", "{}", "true", "NaN"}) {
    EXPECT_EQ(object_in_entry(std::string(R"(,"predObjId":)") + unreadable), Object())
        << unreadable;
  }
  EXPECT_EQ(object_in_entry(""), Object());
}

TEST(PredictedObjects, AreReadFromADict) {
  const TemporaryFolder folder;
  formats::StringTable table;
  const formats::Predictions p = formats::read_predictions(
      folder.write("p.json", R"({"1_0":{"trajectory":["a"],"predObjId":5},"1_1":["a"]})"), {},
      table);
  EXPECT_EQ(p.entries.at(0).object, "5");
  EXPECT_EQ(p.entries.at(1).object, std::nullopt);
  EXPECT_EQ(p.object_key, "predObjId");
}

TEST(PredictedObjects, OfShardsAreMerged) {
  const TemporaryFolder folder;
  formats::StringTable table;
  formats::Predictions p = formats::read_predictions(
      folder.write("p.json", R"([{"instr_id":"1_0","path":["a"]}])"), {}, table);
  p.append(formats::read_predictions(
      folder.write("q.json", R"([{"instr_id":"1_1","path":["a"],"pred_objid":5}])"), {}, table));
  EXPECT_EQ(p.entries.at(1).object, "5");
  EXPECT_EQ(p.object_key, "pred_objid");
  EXPECT_EQ(p.object_notes.size(), 1u);
}

TEST(PredictedObjects, NoteWhatTheServerIgnoresAndWhatIsNoId) {
  const TemporaryFolder folder;
  formats::StringTable table;
  const formats::Predictions p = formats::read_predictions(
      folder.write("p.json", R"([{"instr_id":"1_0","path":["a"],"pred_objid":1.5}])"), {}, table);
  EXPECT_EQ(p.object_notes,
            (std::vector<std::string>{
                "the REVERIE server reads predObjId, and ignores pred_objid",
                "pred_objid is neither an integer nor a string in 1 prediction, and was not read "
                "there: 1_0"}));
}

}  // namespace
}  // namespace warpath::testing
