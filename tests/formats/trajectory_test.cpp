#include "host/files/formats/trajectory.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "host/files/formats/parse_json.hpp"
#include "host/files/formats/trajectory_details.hpp"

namespace warpath {
namespace {

// Holds a trajectory read from text, with the names of its viewpoints.
struct Read {
  explicit Read(std::string text, bool first_only = false) {
    const std::size_t size = text.size();
    text.resize(size + simdjson::SIMDJSON_PADDING);
    const json::Value value = formats::parse_json(parser, text.data(), size, {"text"});
    formats::StringTable table;
    formats::NamedPaths paths;
    form = formats::read_trajectory(value, table, paths, first_only);
    for (const formats::Token t : paths[form.path]) names += table[t] + " ";
    details = formats::read_trajectory_details(value);
    for (const formats::TrajectoryStep& p : details.places) {
      const auto [heading, elevation] = p.angles;
      places += fmt::format("{}{} {} {}; ", p.viewpoint, p.first ? "" : "+", heading, elevation);
    }
  }

  json::Parser parser;
  formats::Trajectory form;
  std::string names, places;
  formats::TrajectoryDetails details;
};

TEST(Trajectory, ReadsListsOfListsAndOfNames) {
  const Read lists(R"([["a", 0.5, -1], ["b"], ["c", "d", 2]])");
  EXPECT_EQ(lists.names, "a b c d ");
  EXPECT_TRUE(lists.form.has_headings && lists.form.nested);
  EXPECT_FALSE(lists.form.malformed || lists.form.plain || lists.form.has_objects);
  EXPECT_EQ(lists.places, "a 0.5 -1; b 0 0; c 0 0; d+ 2 0; ");
  EXPECT_EQ(lists.details.nested, "trajectory[2] names 2 viewpoints");
  EXPECT_EQ(Read(R"([["a"], ["c", "d"]])", true).names, "a c ");
  const Read names(R"(["a", "b"])");
  EXPECT_EQ(names.names, "a b ");
  EXPECT_TRUE(names.form.plain);
}

TEST(Trajectory, ReadsStepsThatAreObjects) {
  for (const char* key : {"viewpointId", "viewpoint", "viewpoint_id", "image_id", "vp", "panoid"}) {
    const Read read(fmt::format(
        R"([{{"{0}": "a", "heading": 1.5}}, {{"elevation": -0.5, "{0}": "b", "x": [1]}}])", key));
    EXPECT_EQ(read.names, "a b ") << key;
    EXPECT_EQ(read.places, "a 1.5 0; b 0 -0.5; ") << key;
    EXPECT_TRUE(read.form.has_objects && read.form.has_headings && !read.form.malformed);
    EXPECT_EQ(read.details.object, "trajectory[0] is an object");
  }
  EXPECT_TRUE(Read(R"([{"viewpoint": "a", "heading": NaN}])").form.not_finite);
}

TEST(Trajectory, ReadsAnObjectThatHoldsIt) {
  const Read read(R"({"path": [["a", 1, 2], ["b", 3, 4]], "obj_heading": [0.5]})");
  EXPECT_EQ(read.names, "a b ");
  EXPECT_EQ(read.places, "a 1 2; b 3 4; ");
  EXPECT_TRUE(read.form.has_objects);
  EXPECT_EQ(read.form.candidates, 1u);
  ASSERT_TRUE(read.details.holder);
  EXPECT_EQ(read.details.holder->size(), 2u);
}

TEST(Trajectory, ReadsTheFirstOfSeveralCandidates) {
  const Read read(R"([{"trajectory": [["a"]], "score": 1}, {"trajectory": [["b"]]}, 3])");
  EXPECT_EQ(read.names, "a ");
  EXPECT_EQ(read.form.candidates, 3u);
  EXPECT_FALSE(read.form.malformed);
  EXPECT_EQ(Read(R"([{"path": [["a"]]}])").form.candidates, 1u);
}

TEST(Trajectory, IsMalformedInAnyOtherForm) {
  for (const char* text : {R"("a")", "3", "null", "{}", R"({"path": "a"})", R"({"steps": [["a"]]})",
                           R"([{"path": "a"}])", R"([{"position": [0, 0, 0]}])",
                           R"([{"viewpoint": null}])", R"([[{"viewpoint": "a"}]])", "[[1]]",
                           R"([["a"], 3])", "[NaN]", "[[NaN]]", R"([{"viewpoint": NaN}])"}) {
    const Read read(text);
    EXPECT_TRUE(read.form.malformed && read.details.form.malformed) << text;
    EXPECT_NE(read.details.fault, "") << text;
  }
  for (const char* text : {"[]", "[[]]", R"({"path": []})"}) {
    EXPECT_FALSE(Read(text).form.malformed) << text;
    EXPECT_EQ(Read(text).names, "") << text;
  }
}

}  // namespace
}  // namespace warpath
