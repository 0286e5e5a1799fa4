// Tests prediction files in less common forms: the notes say how they were interpreted, all their
// other fields are kept for rewriting, and files that are not predictions are named.

#include <gtest/gtest.h>

#include <algorithm>

#include "host/files/formats/json_file.hpp"
#include "host/files/formats/prediction_shapes.hpp"
#include "host/files/formats/predictions.hpp"
#include "host/tasks/soon/trajectories.hpp"
#include "tests/support/files.hpp"
#include "tests/support/formats.hpp"

namespace warpath::testing {
namespace {

formats::Predictions read_form(const std::string& text, formats::StringTable& table,
                               bool keep_document = false,
                               std::optional<formats::PredictionFormat> forced = {}) {
  const TemporaryFolder folder;
  return formats::read_predictions(folder.write("p.json", text), forced, table, keep_document);
}

formats::Predictions read_form(const std::string& text) {
  formats::StringTable table;
  return read_form(text, table);
}

std::string error_in_form(const std::string& text) {
  return error_of_call([&] { read_form(text); });
}

std::string member(json::Value entry, const char* key) {
  return std::string(formats::find_key(json::Object(entry), key).value.text());
}

// ---------------------------------------------------------------- notes

TEST(PredictionNotes, SayHowTheFileWasInterpreted) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"([{"sr":0.5,"spl":1},{"instr_id":"1_0","trajectory":["a"]}])", "taken for a summary"},
      {R"({"predictions":[{"instr_id":"1_0","trajectory":["a"]}]})",
       "the list under 'predictions'"},
      {R"({"1_0":[{"trajectory":["a"]},{"trajectory":["b"]}],"1_1":[{"trajectory":["a"]}]})",
       "each id has several candidates: the first is scored"},
      {R"([{"instr_id":"1_0","trajectory":["b"],"trajectory":["a"]}])",
       "a key is there several times"},
  };
  for (const auto& [text, says] : cases) {
    formats::StringTable table;
    const formats::Predictions p = read_form(text, table);
    ASSERT_EQ(p.notes.size(), 1u) << text;
    EXPECT_NE(p.notes[0].find(says), std::string::npos) << p.notes[0];
    EXPECT_EQ(names(p.paths[p.entries.at(0).trajectory.path], table), Names{"a"}) << text;
  }
}

TEST(PredictionNotes, AreAbsentForAnOrdinaryFile) {
  for (const char* text : {R"([{"instr_id":"1_0","trajectory":[["a",0,0]]}])",
                           R"({"1_0":{"trajectory":[["a",0,0]]}})", R"({"1_0":[["a",0,0]]})"}) {
    EXPECT_TRUE(read_form(text).notes.empty()) << text;
  }
}

TEST(PredictionNotes, ReachTheReportOnceWithTheirFiles) {
  const TemporaryFolder folder;
  folder.write(
      "g.json",
      R"({"nodes":[{"id":"a","position":[0,0]},{"id":"b","position":[1,0]}],"edges":[["a","b"]]})");
  folder.write("d.json", R"([{"path_id":1,"scan":"g","path":["a","b"],"instructions":[""]}])");
  const std::string with_object = R"([{"instr_id":"1_0","trajectory":["a","b"],"predObjId":7}])";
  folder.write("x.json", with_object);
  folder.write("y.json", with_object);
  const CliResult result =
      run({"eval", "--graphs", folder.path("g.json"), "--dataset", folder.path("d.json"),
           folder.path("x.json"), folder.path("y.json")});
  ASSERT_EQ(result.code, 0) << result.err;
  const std::size_t note = result.out.find("object ids (predObjId) are not scored");
  ASSERT_NE(note, std::string::npos) << result.out;
  EXPECT_EQ(result.out.find("object ids", note + 1), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("y.json: object ids"), std::string::npos) << result.out;
}

// ---------------------------------------------------------------- forms

TEST(PredictionForms, RefuseADictWithSeveralLists) {
  const std::string list = R"([{"instr_id":"1_0","path":["a"]},{"instr_id":"1_1","path":["a"]}])";
  const std::string error =
      error_in_form(R"({"val_seen":)" + list + R"(,"val_unseen":)" + list + "}");
  EXPECT_NE(error.find("2 lists of predictions, under val_seen, val_unseen"), std::string::npos)
      << error;
}

TEST(PredictionForms, DoNotTreatCandidatesWithIdsAsAWrappedList) {
  const formats::Predictions p = read_form(R"({"1_0":[{"instr_id":"1_0","trajectory":["a"]},
                                        {"instr_id":"1_0","trajectory":["b"]}]})");
  EXPECT_EQ(p.format, formats::PredictionFormat::beams);
  EXPECT_EQ(p.entries.at(0).id, "1_0");
}

TEST(PredictionForms, RefuseAForcedFormatOfTheWrongShape) {
  const std::string dict = R"({"1_0":[{"trajectory":["a"]}]})";
  const std::string list = R"([{"instr_id":"1_0","trajectory":["a"]}])";
  formats::StringTable table;
  EXPECT_EQ(read_form(dict, table, false, formats::PredictionFormat::beams).entries.size(), 1u);
  EXPECT_THROW(read_form(list, table, false, formats::PredictionFormat::beams), InputError);
  EXPECT_THROW(read_form(list, table, false, formats::PredictionFormat::speaker_follower),
               InputError);
  EXPECT_THROW(read_form(dict, table, false, formats::PredictionFormat::evalai), InputError);
}

TEST(PredictionForms, ReadObjectsAsTrajectoriesOfSoon) {
  const auto is_soon = [&](const std::string& text) {
    return soon::is_soon_trajectory(formats::JsonFile("text", text).root());
  };
  EXPECT_TRUE(is_soon(R"({"path":[["a",0,0]],"obj_heading":[0]})"));
  EXPECT_TRUE(is_soon(R"([{"path":[["a",0,0]],"obj_heading":[0]},{"path":[]}])"));
  EXPECT_FALSE(is_soon(R"([{"viewpointId":"a"}])"));
  EXPECT_FALSE(is_soon(R"([["a",0,0]])"));
  EXPECT_FALSE(is_soon("[]"));
}

TEST(PredictionForms, UseTheLastOfRepeatedKeys) {
  formats::StringTable table;
  const formats::Predictions p = read_form(
      R"({"1_0":{"trajectory":["a"]},"1_1":{"trajectory":["b"]},"1_0":{"trajectory":["c"]}})",
      table);
  ASSERT_EQ(p.entries.size(), 2u);
  EXPECT_EQ(p.entries[0].id, "1_0");
  EXPECT_EQ(names(p.paths[p.entries[0].trajectory.path], table), Names{"c"});
  EXPECT_EQ(p.notes.size(), 1u);
}

TEST(PredictionForms, AcceptControlCharactersInIds) {
  formats::StringTable table;
  const formats::Predictions p = read_form(
      R"([{"instr_id":"\u007fx","trajectory":[["\u007f",NaN,0]]},{"instr_id":"\u0000","trajectory":["a"]}])",
      table);
  EXPECT_EQ(p.entries[0].id, "\x7fx");
  EXPECT_EQ(names(p.paths[0], table), Names{"\x7f"});
  EXPECT_TRUE(p.entries[0].trajectory.not_finite);
  EXPECT_EQ(p.entries[1].id, std::string(1, '\0'));
}

TEST(PredictionForms, RefuseANanAsAnId) {
  EXPECT_NE(error_in_form(R"([{"instr_id":NaN,"trajectory":["a"]}])").find("is NaN or infinite"),
            std::string::npos);
}

TEST(PredictionForms, RefuseANanAsAnEntry) {
  const std::string error = error_in_form(R"([NaN,{"instr_id":"1_0","trajectory":["a"]}])");
  EXPECT_NE(error.find("entry 0: should be an object with instr_id and trajectory, is NaN"),
            std::string::npos)
      << error;
}

TEST(PredictionForms, TakeANanForAMalformedTrajectory) {
  const formats::Predictions p = read_form(R"({"1_0":NaN,"1_1":["a"]})");
  ASSERT_EQ(p.entries.size(), 2u);
  EXPECT_TRUE(p.entries[0].trajectory.malformed);
  EXPECT_FALSE(p.entries[1].trajectory.malformed);
}

TEST(PredictionForms, FindFormatsByName) {
  const std::vector<std::string_view> names = formats::prediction_format_names();
  for (const std::string_view form : names) {
    EXPECT_EQ(formats::name(formats::find_prediction_format(form).value()), form);
    EXPECT_EQ(std::ranges::count(names, form), 1);
  }
}

// ---------------------------------------------------------------- entries as in the file

TEST(KeptDocument, HoldsEachEntryWithAllItsKeys) {
  formats::StringTable table;
  const std::vector<std::string> texts{
      R"([{"instr_id":"1_0","trajectory":["a"],"note":"x"},{"instr_id":"1_1","trajectory":["a"],"note":"y"}])",
      "{\"instr_id\":\"1_0\",\"path\":[\"a\"],\"note\":\"x\"}\n{\"instr_id\":\"1_1\",\"path\":["
      "\"a\"],\"note\":\"y\"}\n",
      R"([{"sr":1},{"instr_id":"1_0","trajectory":["a"],"note":"x"},{"instr_id":"1_1","trajectory":["a"],"note":"y"}])",
      R"({"results":[{"instr_id":"1_0","trajectory":["a"],"note":"x"},{"instr_id":"1_1","trajectory":["a"],"note":"y"}]})",
      R"({"1_0":{"trajectory":["a"],"note":"x"},"1_1":{"trajectory":["a"],"note":"y"}})",
      R"({"1_0":[{"trajectory":["a"],"note":"x"},{"trajectory":["b"],"note":"z"}],"1_1":[{"trajectory":["a"],"note":"y"}]})"};
  for (const std::string& text : texts) {
    const formats::Predictions p = read_form(text, table, true);
    ASSERT_NE(p.document, nullptr);
    ASSERT_EQ(p.entries.size(), 2u) << text;
    EXPECT_EQ(member(*p.entries[0].entry, "note"), "x") << text;
    EXPECT_EQ(member(*p.entries[1].entry, "note"), "y") << text;
  }
}

TEST(KeptDocument, IsAbsentUnlessRequested) {
  EXPECT_EQ(read_form(R"([{"instr_id":"1_0","trajectory":["a"]}])").document, nullptr);
}

// ---------------------------------------------------------------- no predictions

TEST(ForeignPredictions, AreNamedWithARemedy) {
  const std::vector<std::array<std::string, 3>> cases{
      {R"({"0":[{"position":[0,0,0],"heading":0,"stop":false}]})", "VLN-CE submission",
       "as --dataset"},
      {R"({"0":[],"1":[[0.5,0,1],[0.5,0,2]]})", "VLN-CE submission", "as --dataset"},
      {"{\"instruction_id\":1,\"path\":[[0,0,1]]}\n{\"instruction_id\":2,\"path\":[[0,0,1]]}",
       "VLN-CE submission", "as --dataset"},
      {R"({"0":{"distance_to_goal":1,"success":0}})", "statistics of VLN-CE", "warpath aggregate"},
      {R"({"episodes":[{"episode_id":1}]})", "VLN-CE dataset", "as --dataset"},
      {R"([{"instr_id":1,"route_panoids":["x"]}])", "routes of Touchdown or map2seq", "--dataset"},
      {R"([{"route_id":1,"target":[1,2]}])", "targets of Touchdown", "trajectory"},
      {R"([{"bboxes":[]}])", "SOON dataset", "--dataset"},
      {R"([{"image_id":"a"}])", "connectivity", "--graphs"},
      {R"({"1_0":3,"1_1":"b"})", "no entry gives a path (read as speaker-follower dict)",
       "docs/formats.md"},
      {R"([{"instr_id":"1_0","trajectory":"abc"},{"instr_id":"1_1","trajectory":null}])",
       "no entry gives a path", "docs/formats.md"},
      {R"([{"sr":0.5}])", "no key 'instr_id'; found sr", "expected"},
      {R"([{"instr_id":"1_0","tour":["a"]}])", "no key 'trajectory'; found instr_id, tour",
       "expected"},
      {R"("x")", "is a string, not predictions", "expected a list"},
  };
  for (const auto& [text, what, remedy] : cases) {
    const std::string error = error_in_form(text);
    EXPECT_NE(error.find(what), std::string::npos) << text << ": " << error;
    EXPECT_NE(error.find(remedy), std::string::npos) << text << ": " << error;
    EXPECT_NE(error.find("p.json"), std::string::npos) << error;
  }
}

TEST(ForeignPredictions, AreNotReportedForOneBrokenEntryOfMany) {
  const formats::Predictions p =
      read_form(R"([{"instr_id":"1_0","trajectory":null},{"instr_id":"1_1","trajectory":["a"]}])");
  EXPECT_TRUE(p.entries.at(0).trajectory.malformed);
  EXPECT_FALSE(p.entries.at(1).trajectory.malformed);
}

// ---------------------------------------------------------------- shards

TEST(Shards, RefuseAnotherFormat) {
  const TemporaryFolder folder;
  formats::StringTable table;
  const auto shard = [&](const std::string& name, const std::string& text) {
    return formats::read_predictions(folder.write(name, text), {}, table);
  };
  const formats::Predictions ndh = shard("b.json", R"([{"inst_idx":1,"trajectory":[["a",0,0]]}])");
  for (const char* text : {R"([{"instr_id":"1_0","trajectory":[["a",0,0]]}])",
                           R"([{"instruction_id":1,"path":["a"]}])", R"({"1_0":[["a",0,0]]})"}) {
    formats::Predictions all = shard("a.json", text);
    const std::string error = error_of_call([&] { all.append(ndh); });
    EXPECT_NE(error.find("b.json: NDH submission with inst_idx, but "), std::string::npos) << error;
    EXPECT_NE(error.find("a.json is "), std::string::npos) << error;
    EXPECT_EQ(all.entries.size(), 1u);
  }
  formats::Predictions lists = shard("a.json", R"([{"instr_id":"1_0","trajectory":[["a",0,0]]}])");
  lists.append(shard("b.json", R"([{"instr_id":"1_1","trajectory":["a"]}])"));
  lists.append(shard("c.json", R"([{"instr_id":"1_2","trajectory":[["a","b"]]}])"));
  lists.append(shard("d.json", "[]"));
  EXPECT_EQ(lists.entries.size(), 3u);
  EXPECT_NE(
      error_of_call([&] { lists.append(shard("b.json", R"([{"instr_id":"1_1","path":["a"]}])")); }),
      "");
}

TEST(Shards, TakeTheFormatOfTheNextIfEmpty) {
  const TemporaryFolder folder;
  formats::StringTable table;
  formats::Predictions all = formats::read_predictions(folder.write("a.json", "[]"), {}, table);
  all.append(formats::read_predictions(
      folder.write("b.json", R"([{"inst_idx":1,"trajectory":[["a",0,0]]}])"), {}, table));
  EXPECT_EQ(all.format, formats::PredictionFormat::inst_idx);
  EXPECT_EQ(all.id_key, "inst_idx");
}

}  // namespace
}  // namespace warpath::testing
