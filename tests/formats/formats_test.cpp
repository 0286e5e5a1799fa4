// Tests that every format is recognised by its content and read to the same paths.

#include "tests/support/formats.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "host/files/formats/dataset.hpp"
#include "host/files/formats/graphs.hpp"
#include "host/files/formats/task_success.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/files.hpp"

namespace warpath::testing {
namespace {

// ---------------------------------------------------------------- predictions

struct PredictionCase {
  std::string name, text;
  formats::PredictionFormat format;
};

class PredictionFormats : public ::testing::TestWithParam<PredictionCase> {};

TEST_P(PredictionFormats, AreDetectedAndReadEveryViewpoint) {
  const TemporaryFolder folder;
  for (const bool packed : {false, true}) {
    const std::string text = packed ? gzip(GetParam().text) : GetParam().text;
    formats::StringTable table;
    const formats::Predictions p =
        formats::read_predictions(folder.write("p.json", text), std::nullopt, table);
    EXPECT_EQ(p.format, GetParam().format);
    ASSERT_EQ(p.entries.size(), 2u);
    EXPECT_EQ(p.entries[0].id, "7_0");
    EXPECT_EQ(names(p.paths[p.entries[0].trajectory.path], table), (Names{"a", "b", "c", "b"}));
    EXPECT_EQ(p.entries[1].id, "7_1");
    EXPECT_EQ(names(p.paths[p.entries[1].trajectory.path], table), (Names{"a"}));
    for (const formats::Prediction& entry : p.entries) EXPECT_FALSE(entry.trajectory.malformed);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, PredictionFormats,
    ::testing::Values(
        PredictionCase{
            "EvalAi",
            R"([{"instr_id":"7_0","trajectory":[["a",0.1,0],["b",0,0],["c",1,0],["b",2,-1]]},
          {"instr_id":"7_1","trajectory":[["a",0,0]]}])",
            formats::PredictionFormat::evalai},
        PredictionCase{"Viewpoints", R"([{"instr_id":"7_0","trajectory":[["a"],["b"],["c"],["b"]]},
          {"instr_id":"7_1","trajectory":[["a"]]}])",
                       formats::PredictionFormat::viewpoints},
        PredictionCase{"PlainViewpoints", R"([{"instr_id":"7_0","path":["a","b","c","b"]},
          {"instr_id":"7_1","path":["a"]}])",
                       formats::PredictionFormat::viewpoints},
        PredictionCase{"Nested", R"([{"instr_id":"7_0","trajectory":[["a"],["b","c","b"]]},
          {"instr_id":"7_1","trajectory":[["a"]]}])",
                       formats::PredictionFormat::nested},
        PredictionCase{"SpeakerFollower",
                       R"({"7_0":{"trajectory":[["a",0,0],["b",0,0],["c",0,0],["b",0,0]],"score":1},
          "7_1":{"trajectory":[["a",0,0]]}})",
                       formats::PredictionFormat::speaker_follower},
        PredictionCase{
            "InstIdx",
            R"([{"inst_idx":"7_0","trajectory":[["a",0,0],["b",0,0],["c",0,0],["b",0,0]]},
          {"inst_idx":"7_1","trajectory":[["a",0,0]]}])",
            formats::PredictionFormat::inst_idx},
        PredictionCase{"EvalAiLines",
                       R"({"instr_id":"7_0","trajectory":[["a",0,0],["b",0,0],["c",0,0],["b",0,0]]}
          {"instr_id":"7_1","trajectory":[["a",0,0]]})",
                       formats::PredictionFormat::evalai},
        PredictionCase{"InstructionId", R"([{"instruction_id":"7_0","path":["a","b","c","b"]},
          {"instruction_id":"7_1","path":["a"]}])",
                       formats::PredictionFormat::instruction_id},
        PredictionCase{
            "Wrapped",
            R"({"agent":"x","predictions":[{"instr_id":"7_0","trajectory":[["a"],["b"],["c"],["b"]]},
          {"instr_id":"7_1","trajectory":[["a"]]}]})",
            formats::PredictionFormat::viewpoints},
        PredictionCase{
            "SummaryFirst",
            R"([{"sr":0.5,"spl":NaN},{"instr_id":"7_0","trajectory":[["a"],["b"],["c"],["b"]]},
          {"instr_id":"7_1","trajectory":[["a"]]}])",
            formats::PredictionFormat::viewpoints},
        PredictionCase{"WrappedSummaryFirst",
                       R"({"results":[{"sr":0.5},{"instr_id":"7_0","path":["a","b","c","b"]},
          {"instr_id":"7_1","path":["a"]}]})",
                       formats::PredictionFormat::viewpoints},
        PredictionCase{"PredPath",
                       R"([{"instr_id":"7_0","gt_path":["z"],"pred_path":["a","b","c","b"]},
          {"instr_id":"7_1","pred_path":["a"]}])",
                       formats::PredictionFormat::viewpoints},
        PredictionCase{
            "Soon",
            R"([{"instr_id":"7_0","trajectory":{"path":[["a",0,0],["b",0,0],["c",0,0],["b",0,0]],"obj_heading":[0]}},
          {"instr_id":"7_1","trajectory":[{"path":[["a",0,0]],"obj_heading":[0]},{"path":[["z",0,0]]}]}])",
            formats::PredictionFormat::trajectories},
        PredictionCase{
            "StepsAreObjects",
            R"([{"instr_id":"7_0","trajectory":[{"viewpointId":"a","heading":0},{"viewpointId":"b"},
            {"viewpointId":"c"},{"viewpointId":"b"}]},{"instr_id":"7_1","trajectory":[{"viewpointId":"a"}]}])",
            formats::PredictionFormat::evalai},
        PredictionCase{
            "Beams",
            R"({"7_0":[{"instr_id":"7_0","trajectory":[["a",0,0],["b",0,0],["c",0,0],["b",0,0]]},
            {"instr_id":"7_0","trajectory":[["z",0,0]]}],
          "7_1":[{"instr_id":"7_1","trajectory":[["a",0,0]]}]})",
            formats::PredictionFormat::beams}),
    [](const auto& test) { return test.param.name; });

TEST(Predictions, AcceptNumbersAsIds) {
  const TemporaryFolder folder;
  formats::StringTable table;
  const formats::Predictions p = formats::read_predictions(
      folder.write("p.json", R"([{"inst_idx":42,"trajectory":[["a",0,0]]}])"), {}, table);
  EXPECT_EQ(p.entries[0].id, "42");
}

TEST(Predictions, ReadAsTheServerDoesIfEvalAiIsForced) {
  const TemporaryFolder folder;
  formats::StringTable table;
  const formats::Predictions p = formats::read_predictions(
      folder.write("p.json", R"([{"instr_id":"7_0","trajectory":[["a"],["b","c"]]}])"),
      formats::PredictionFormat::evalai, table);
  EXPECT_EQ(names(p.paths[0], table), (Names{"a", "b"}));
  EXPECT_TRUE(p.entries[0].trajectory.nested);
}

TEST(Predictions, ReadAndNoteNans) {
  const TemporaryFolder folder;
  formats::StringTable table;
  const formats::Predictions p = formats::read_predictions(
      folder.write("p.json", R"([{"instr_id":"NaN_0","trajectory":[["Infinity",NaN,-Infinity]]}])"),
      {}, table);
  EXPECT_EQ(p.entries[0].id, "NaN_0");  // within strings they are plain letters
  EXPECT_EQ(names(p.paths[0], table), Names{"Infinity"});
  EXPECT_TRUE(p.entries[0].trajectory.not_finite);
  EXPECT_FALSE(p.entries[0].trajectory.malformed);
}

TEST(Predictions, ReadNumbersBeyondDoubleAsInfinite) {
  const TemporaryFolder folder;
  formats::StringTable table;
  const formats::Predictions p = formats::read_predictions(
      folder.write("p.json", R"([{"instr_id":"1_0","trajectory":[["a",1e999,0]]},
        {"instr_id":"1_1","trajectory":[["1e999",1e-999,0.001e300]]}])"),
      {}, table);
  EXPECT_TRUE(p.entries[0].trajectory.not_finite);
  EXPECT_FALSE(p.entries[1].trajectory.not_finite);
  EXPECT_EQ(names(p.paths[1], table), Names{"1e999"});
}

TEST(Predictions, SkipAByteOrderMarkAndZerosBehindGzip) {
  const TemporaryFolder folder;
  const std::string text = R"([{"instr_id":"1_0","trajectory":[["a",0,0]]}])";
  const std::string padding(600, '\0');
  for (const std::string& content :
       {"\xEF\xBB\xBF" + text, gzip(text) + padding, gzip("\xEF\xBB\xBF") + padding + gzip(text)}) {
    formats::StringTable table;
    const formats::Predictions p =
        formats::read_predictions(folder.write("p.json", content), {}, table);
    EXPECT_EQ(p.entries.at(0).id, "1_0");
  }
}

TEST(Predictions, KeepEscapesAndOtherLetters) {
  const TemporaryFolder folder;
  formats::StringTable table;
  const formats::Predictions p = formats::read_predictions(
      folder.write("p.json", "[{\"instr_id\":\"\\u00fc\\\"\",\"trajectory\":[[\"küche\",0,0]]}]"),
      {}, table);
  EXPECT_EQ(p.entries[0].id, "ü\"");
  EXPECT_EQ(names(p.paths[0], table), Names{"küche"});
}

// ---------------------------------------------------------------- datasets

formats::Dataset dataset_of(const TemporaryFolder& folder, const std::string& text,
                            formats::StringTable& table,
                            formats::ReferenceChoice reference = formats::ReferenceChoice::path) {
  return formats::read_dataset(folder.write("d.json", text), nullptr, reference, table);
}

TEST(Datasets, NumberTheInstructionsOfR2r) {
  const TemporaryFolder folder;
  formats::StringTable table;
  const formats::Dataset d = dataset_of(
      folder,
      R"([{"path_id":7,"scan":"s","path":["a","b"],"instructions":["x","y"],"heading":0,"distance":1},
                  {"path_id":8,"scan":"t","path":["c"],"instructions":["x"],"heading":0,"distance":0}])",
      table);
  EXPECT_EQ(d.task->form, "r2r");
  ASSERT_EQ(d.items.size(), 3u);
  EXPECT_EQ(d.items[1].id, "7_1");
  EXPECT_EQ(d.items[1].instruction, 1);
  EXPECT_EQ(d.items[0].reference, d.items[1].reference);  // stored once
  EXPECT_EQ(d.scans, (Names{"s", "t"}));
  EXPECT_EQ(names(d.references[d.items[0].reference], table), (Names{"a", "b"}));
}

TEST(Datasets, RecogniseR4rAndReverie) {
  const TemporaryFolder folder;
  formats::StringTable table;
  EXPECT_EQ(dataset_of(folder, R"([{"path_id":0,"scan":"s","path":["a"],"instructions":[""],
      "first_path_id":1,"second_path_id":2,"shortest_path":["a"]}])",
                       table)
                .task->form,
            "r4r");
  const formats::Dataset reverie = dataset_of(folder, R"([{"id":"1357_66","path_id":1357,"objId":66,
      "scan":"s","path":["a"],"instructions":["",""]}])",
                                              table);
  EXPECT_EQ(reverie.task->form, "reverie");
  EXPECT_EQ(reverie.items[1].id, "1357_66_1");
}

TEST(Datasets, UseTheChosenReferenceOfNdh) {
  const TemporaryFolder folder;
  // The player of 1 passes the planner's goal g, the player of 2 does not, and 3 starts there.
  const std::string text = R"([
    {"inst_idx":1,"scan":"s","player_path":["a","g","b"],"planner_path":["a","g"]},
    {"inst_idx":2,"scan":"s","player_path":["a","b"],"planner_path":["a","g"]},
    {"inst_idx":3,"scan":"s","player_path":["g","b"],"planner_path":["a","g"]}])";
  const auto lengths = [&](formats::ReferenceChoice reference) {
    formats::StringTable table;
    const formats::Dataset d = dataset_of(folder, text, table, reference);
    EXPECT_EQ(d.task->form, "ndh");
    EXPECT_EQ(d.items[0].id, "1");
    std::vector<Names> paths;
    for (const formats::Item& item : d.items)
      paths.push_back(names(d.references[item.reference], table));
    return paths;
  };
  EXPECT_EQ(lengths(formats::ReferenceChoice::path),
            (std::vector<Names>{{"a", "g", "b"}, {"a", "b"}, {"g", "b"}}));
  EXPECT_EQ(lengths(formats::ReferenceChoice::planner),
            (std::vector<Names>{{"a", "g"}, {"a", "g"}, {"a", "g"}}));
  EXPECT_EQ(lengths(formats::ReferenceChoice::trusted),
            (std::vector<Names>{{"a", "g", "b"}, {"a", "g"}, {"a", "g"}}));
}

TEST(Pairs, ReadOnePairPerLine) {
  const TemporaryFolder folder;
  formats::StringTable table;
  const formats::PairsFile p = formats::read_pairs(
      folder.write(
          "p.jsonl.gz",
          gzip("{\"id\":\"k\",\"scan\":\"s\",\"reference\":[\"a\",\"b\"],\"prediction\":[\"a\"]}\n"
               "\n{\"id\":5,\"scan\":\"s\",\"reference\":[\"a\"],\"prediction\":[[\"c\",0,NaN]]}")),
      table);
  ASSERT_EQ(p.dataset.items.size(), 2u);
  EXPECT_EQ(p.dataset.items[1].id, "5");
  EXPECT_EQ(names(p.dataset.references[0], table), (Names{"a", "b"}));
  EXPECT_EQ(names(p.predictions.paths[1], table), Names{"c"});
  EXPECT_TRUE(p.predictions.entries[1].trajectory.not_finite);
}

TEST(Pairs, NameTheLineOfAnError) {
  const TemporaryFolder folder;
  formats::StringTable table;
  const std::string file = folder.write(
      "p.jsonl", "{\"id\":\"k\",\"scan\":\"s\",\"reference\":[],\"prediction\":[]}\n{\"id\":");
  const std::string error = error_of_call([&] { formats::read_pairs(file, table); });
  EXPECT_NE(error.find("p.jsonl: line 2: the JSON ends"), std::string::npos) << error;
}

// ---------------------------------------------------------------- graphs

TEST(Graphs, LeaveOutViewpointsThatAreNotIncluded) {
  const TemporaryFolder folder;
  const std::string text = R"([
    {"image_id":"a","pose":[1,0,0,0.5, 0,1,0,1.5, 0,0,1,2.5, 0,0,0,1],"included":true,"unobstructed":[true,true,true]},
    {"image_id":"out","pose":[0],"included":false,"unobstructed":[false,false,false]},
    {"image_id":"b","pose":[1,0,0,3.5, 0,1,0,5.5, 0,0,1,2.5, 0,0,0,1],"included":true,"unobstructed":[true,false,false]}])";
  folder.write("s_connectivity.json.gz", gzip(text));
  formats::Graphs graphs(folder.path());
  const Scan& scan = graphs.scan("s");
  ASSERT_EQ(scan.size(), 2u);
  EXPECT_FALSE(scan.find("out"));
  EXPECT_EQ(scan.positions()[0], (std::array<double, 3>{0.5, 1.5, 2.5}));
  EXPECT_EQ(scan.edge_count(), 1u);
  EXPECT_EQ(scan.edge_lengths(Distance::euclid_3d)[0], 5.0);
  EXPECT_EQ(&graphs.scan("s"), &scan);  // read once
}

TEST(Graphs, ReadThePlainFormat) {
  const TemporaryFolder folder;
  const std::string file = folder.write("yard.json", R"({"scan":"yard",
    "nodes":[{"id":"a","position":[0,0]},{"id":7,"position":[3,4,12]},{"id":"c","position":[0,1,0]}],
    "edges":[["a",7],["a","c",2.5]]})");
  for (const std::string& place : {file, folder.path()}) {
    formats::Graphs graphs(place);
    const Scan& scan = graphs.scan("yard");
    EXPECT_EQ(scan.edge_lengths(Distance::euclid_3d), (std::vector<double>{13, 2.5, 13, 2.5}));
    EXPECT_EQ(scan.edge_lengths(Distance::euclid_2d), (std::vector<double>{5, 2.5, 5, 2.5}));
    EXPECT_EQ(scan.edge_lengths(Distance::hops), (std::vector<double>{1, 1, 1, 1}));
    EXPECT_TRUE(scan.adjacent(*scan.find("a"), *scan.find("7")));
  }
}

TEST(Graphs, NameErrorsOfThePlainFormat) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"({"nodes":[],"edges":[["a","b"]]})", "names the node 'a'"},
      {R"({"nodes":[{"id":"a","position":[0]}],"edges":[]})", "2 or 3 numbers"},
      {R"({"nodes":[{"id":"a","position":[0,NaN]}],"edges":[]})", "finite number"},
      {R"({"nodes":[{"id":"a","position":[0,0]},{"id":"a","position":[0,0]}],"edges":[]})",
       "twice"},
      {R"({"nodes":[{"id":"a","position":[0,0]}],"edges":[["a","a"]]})", "itself"},
      {R"({"nodes":[{"id":"a","position":[0,0]},{"id":"b","position":[0,0]}],"edges":[["a","b",-1]]})",
       "negative"},
      {R"({"nodes":[{"id":"a","position":[0,0]},{"id":"b","position":[0,0]}],"edges":[["a","b"],["b","a",2]]})",
       "edge 1: b and a are joined with the weight 2 here, with no weight at edge 0"},
      {R"({"nodes":[{"id":"a","position":[0,1.1e7]}],"edges":[]})",
       "a: position: is 11000000, which is beyond 10000000 m; positions are metres"},
      {R"({"nodes":[{"id":"a","position":[0,0]},{"id":"b","position":[0,0]}],"edges":[["a","b",1.1e7]]})",
       "edge 0: weight: is 11000000"},
      {R"({"scan":"other","nodes":[],"edges":[]})", "the graph of 'other'"},
      {R"({"edges":[]})", "no key 'nodes'"},
  };
  const TemporaryFolder folder;
  for (const auto& [text, says] : cases) {
    formats::Graphs graphs(folder.write("g.json", text));
    const std::string error = error_of_call([&] { graphs.scan("g"); });
    EXPECT_NE(error.find(says), std::string::npos) << text << ": " << error;
    EXPECT_NE(error.find("g.json"), std::string::npos) << text << ": " << error;
  }
}

TEST(Graphs, RefuseAScanNameThatLeavesTheFolder) {
  const TemporaryFolder folder;
  folder.write("secret.json", R"({"nodes":[],"edges":[]})");
  folder.write("inner/x", "");
  formats::Graphs graphs(folder.path("inner"));
  EXPECT_THROW(graphs.scan("../secret"), InputError);
}

// ---------------------------------------------------------------- task success

TEST(TaskSuccess, IsReadFromJsonAndCsv) {
  const TemporaryFolder folder;
  const auto check = [](const std::unordered_map<std::string, double>& values) {
    EXPECT_EQ(values.at("a"), 1.0);
    EXPECT_EQ(values.at("b"), 0.25);
    EXPECT_TRUE(std::isnan(values.at("c")));  // no number: reported
  };
  check(
      formats::read_task_success(folder.write("t.json", R"({"a":true,"b":0.25,"c":null})")).values);
  check(formats::read_task_success(folder.write("t.csv", "instr_id,success\na,1\nb,0.25\r\nc,?\n"))
            .values);
  check(formats::read_task_success(folder.write("t.csv.gz", gzip("a,1\nb,0.25\nc,NaN\n"))).values);
  EXPECT_THROW(formats::read_task_success(folder.write("twice.csv", "a,1\na,1\n")), InputError);
}

TEST(TaskSuccess, RefusesANaNInPlaceOfAnEntry) {
  const TemporaryFolder folder;
  const std::string file = folder.write("t.json", R"([NaN,{"a":1}])");
  const std::string error = error_of_call([&] { formats::read_task_success(file); });
  EXPECT_NE(error.find("entry 0: should be an object, is NaN"), std::string::npos) << error;
}

}  // namespace
}  // namespace warpath::testing
