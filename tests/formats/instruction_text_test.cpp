// Tests that every dataset's instructions are found, and are kept only where they are asked for.

#include "host/files/formats/instruction_text.hpp"

#include <gtest/gtest.h>

#include "host/files/formats/dataset.hpp"
#include "tests/support/files.hpp"

namespace warpath::testing {
namespace {

using Texts = std::vector<std::string>;

Texts texts_of(const std::string& text,
               formats::DatasetChoice choice = {formats::ReferenceChoice::path, false, true}) {
  const TemporaryFolder folder;
  formats::StringTable table;
  return formats::read_dataset(folder.write("d.json", text), {}, choice, table).instructions;
}

constexpr const char* r2r =
    R"([{"path_id":1,"scan":"s","path":["a","b"],"instructions":["Turn left.","Über die Schwelle.",7]},
        {"path_id":2,"scan":"s","path":["a"],"instructions":["Wait."]}])";

TEST(Instructions, AreThoseOfEachItem) {
  EXPECT_EQ(texts_of(r2r), (Texts{"Turn left.", "Über die Schwelle.", "", "Wait."}));
}

TEST(Instructions, AreNotKeptUnlessTheyAreAskedFor) {
  EXPECT_EQ(texts_of(r2r, {formats::ReferenceChoice::path}), Texts{});
}

TEST(Instructions, AreCutWhereTheyAreEndless) {
  const std::string endless(30'001, 'x');
  const Texts texts =
      texts_of(R"([{"path_id":1,"scan":"s","path":["a"],"instructions":["ä)" + endless + R"("]}])");
  EXPECT_EQ(texts, Texts{"ä" + endless.substr(0, 19'998) + "…"});
}

TEST(Instructions, OfOneAnEntryBelongToIt) {
  EXPECT_EQ(texts_of(R"([{"instruction_id":26,"language":"te-IN","path_id":1,"scan":"s",
                          "path":["a","b"],"instruction":"x"}])"),
            Texts{"x"});
  EXPECT_EQ(texts_of(R"([{"instr_id":"9_2","scan":"s","path":["a","b"],"path_id":9,
                          "instruction":"the third","instr_encoding":[1]}])"),
            Texts{"the third"});
}

TEST(Instructions, OfNdhAreTheDialogue) {
  const std::string item = R"([{"inst_idx":3,"scan":"s","player_path":["a"],"planner_path":["a"],
      "end_panos":["a"],"target":"plant","dialog_history":[)";
  EXPECT_EQ(texts_of(item + R"({"nav_idx":0,"role":"navigator","message":"Left?"},
      {"nav_idx":1,"role":"oracle","message":"Yes."}]}])"),
            Texts{"target: plant\nnavigator: Left?\noracle: Yes."});
  EXPECT_EQ(texts_of(item + "]}]"), Texts{"target: plant"});
}

TEST(Instructions, OfSoonAreTheLongestPart) {
  EXPECT_EQ(texts_of(R"([{"instr_id":4,"scan":"s","path":[["a","b"]],"bboxes":[{"image_id":"b",
      "heading":0,"elevation":0,"target":{"left_top":{"heading":0,"elevation":1},
      "right_top":{"heading":1,"elevation":1},"right_bottom":{"heading":1,"elevation":0},
      "left_bottom":{"heading":0,"elevation":0},"center":{"heading":0.5,"elevation":0.5}}}],
      "instructions":[["lamp","white","by the bed","bedroom","Find the white lamp."]]}])"),
            Texts{"Find the white lamp."});
}

TEST(Instructions, OfEpisodesHaveAText) {
  EXPECT_EQ(
      texts_of(R"({"episodes":[{"episode_id":1,"scene_id":"mp3d/s/s.glb","start_position":[0,0,0],
      "goals":[{"position":[1,0,0]}],"reference_path":[[0,0,0],[1,0,0]],
      "instruction":{"instruction_text":"Go on.","language":"en-US"}}]})"),
      Texts{"Go on."});
}

TEST(Instructions, OfPartsAreTheirOwn) {
  EXPECT_EQ(
      texts_of(
          R"([{"instruction_id":1,"path_id":1,"scan":"s","path":["a","b","c"],"language":"en-US",
      "instruction":"whole","sub_paths":[["a","b"],["b","c"]],"sub_instructions":["first","second"]}])",
          {formats::ReferenceChoice::path, true, true}),
      (Texts{"first", "second"}));
  EXPECT_EQ(texts_of(R"([{"path_id":1,"scan":"s","path":["a","b","c"],"instructions":["one","two"],
      "chunk_view":[[[1,2],[2,3]],[[1,3]]]}])",
                     {formats::ReferenceChoice::path, true, true}),
            (Texts{"one", "one", "two"}));
}

}  // namespace
}  // namespace warpath::testing
