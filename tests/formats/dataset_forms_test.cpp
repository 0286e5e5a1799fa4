// Tests datasets with one instruction per entry, shared references, and files that are recognised
// as something else.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "host/files/formats/dataset.hpp"
#include "tests/support/files.hpp"
#include "tests/support/formats.hpp"

namespace warpath::testing {
namespace {

formats::Dataset read(const std::string& text, formats::StringTable& table,
                      formats::ReferenceChoice reference = formats::ReferenceChoice::path) {
  const TemporaryFolder folder;
  return formats::read_dataset(folder.write("d.json", text), {}, reference, table);
}

std::string error_in(const std::string& text) {
  return error_of_call([&] {
    formats::StringTable table;
    read(text, table);
  });
}

TEST(RxrDatasets, HaveOneItemPerLine) {
  formats::StringTable table;
  const formats::Dataset d = read(
      R"({"split":"val_seen","instruction_id":26,"language":"en-IN","path_id":11,"scan":"s","path":["a","b"],"instruction":"x","timed_instruction":[{"word":"x"}]}
{"split":"val_seen","instruction_id":27,"language":"te-IN","path_id":11,"scan":"s","path":["a","b"],"instruction":"y"}
{"split":"val_seen","instruction_id":30,"language":"en-US","path_id":12,"scan":"s","path":["a","c"],"instruction":"z"})",
      table);
  EXPECT_EQ(d.task->form, "rxr");
  EXPECT_EQ(d.task->title, "RxR");
  ASSERT_EQ(d.items.size(), 3u);
  EXPECT_EQ(d.items[0].id, "26");
  EXPECT_EQ(d.items[1].language, "te-IN");
  EXPECT_EQ(d.items[2].instruction, 0);
  EXPECT_EQ(d.items[0].reference, d.items[1].reference);
  EXPECT_NE(d.items[0].reference, d.items[2].reference);
  EXPECT_EQ(names(d.references[d.items[2].reference], table), (Names{"a", "c"}));
}

TEST(RxrDatasets, RefuseAFollowerFileAsADataset) {
  const std::string text =
      R"({"demonstration_id":1,"instruction_id":26,"annotator_id":4,"path":["a","b"],"metrics":{"ne":0}})";
  const std::string error = error_in(text);
  EXPECT_NE(error.find("RxR follower file"), std::string::npos) << error;
  EXPECT_NE(error.find("name it as predictions"), std::string::npos) << error;

  const TemporaryFolder folder;
  formats::StringTable table;
  const formats::Predictions p =
      formats::read_predictions(folder.write("p.jsonl", text), {}, table);
  EXPECT_EQ(p.format, formats::PredictionFormat::instruction_id);
  EXPECT_EQ(p.entries.at(0).id, "26");
}

TEST(SingleDatasets, KeepTheirOwnIdsAndNumbers) {
  formats::StringTable table;
  const formats::Dataset d =
      read(R"({"instr_id":"7_0","scan":"s","path":["a","b"],"instruction":"","instr_encoding":[1]}
{"instr_id":"7_12","scan":"s","path":["a","b"],"instr_encoding":[1]}
{"instr_id":"7","scan":"s","path":["a"],"instr_encoding":[1]}
{"instr_id":"7_b","scan":"s","path":["a"],"instr_encoding":[1]}
{"instr_id":"11_4711","scan":"s","path":["a"],"language":"hi-IN","instr_encoding":[1]})",
           table);
  EXPECT_EQ(d.task->form, "single");
  ASSERT_EQ(d.items.size(), 5u);
  const std::vector<std::pair<std::string, int>> wanted{
      {"7_0", 0}, {"7_12", 12}, {"7", 0}, {"7_b", 0}, {"11_4711", 0}};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(d.items[i].id, wanted[i].first);
    EXPECT_EQ(d.items[i].instruction, wanted[i].second) << d.items[i].id;
  }
  EXPECT_EQ(d.items[4].language, "hi-IN");
  EXPECT_EQ(d.items[3].language, "");
}

TEST(SingleDatasets, MayBeAListWithAPathIdToo) {
  formats::StringTable table;
  const formats::Dataset d =
      read(R"([{"path_id":7,"instr_id":"7_1","scan":"s","path":["a"],"instruction":"x"}])", table);
  EXPECT_EQ(d.task->form, "single");
  EXPECT_EQ(d.items.at(0).id, "7_1");
}

// The entry has the text, a list of it, or nothing; its language is unknown.
TEST(SingleDatasets, MayHaveTheirInstructionUnderEitherKey) {
  for (const char* instruction : {R"("instruction":"x")", R"("instructions":"x")",
                                  R"("instructions":["x"])", R"("language":null)"}) {
    formats::StringTable table;
    const formats::Dataset d = read(R"([{"path_id":7,"instr_id":"7_1","scan":"s","path":["a"],)" +
                                        std::string(instruction) + "}]",
                                    table);
    EXPECT_EQ(d.task->form, "single") << instruction;
    ASSERT_EQ(d.items.size(), 1u) << instruction;
    EXPECT_EQ(d.items[0].id, "7_1") << instruction;
    EXPECT_EQ(d.items[0].language, "");
  }
}

TEST(Datasets, AcceptOneInstructionInsteadOfAList) {
  formats::StringTable table;
  const formats::Dataset d =
      read(R"([{"path_id":7,"scan":"s","path":["a"],"instruction":"x"}])", table);
  EXPECT_EQ(d.task->form, "r2r");
  ASSERT_EQ(d.items.size(), 1u);
  EXPECT_EQ(d.items[0].id, "7_0");
}

TEST(Datasets, FindFormatsByNameExceptPairs) {
  for (const char* name : {"r2r", "r4r", "reverie", "ndh", "rxr", "single"}) {
    EXPECT_TRUE(tasks::find_task(name)) << name;
    EXPECT_EQ(std::ranges::count(tasks::task_forms(), std::string_view(name)), 1) << name;
  }
  EXPECT_EQ(tasks::find_task("RxR")->form, "rxr");
  EXPECT_FALSE(tasks::find_task("pairs"));
  EXPECT_EQ(std::ranges::count(tasks::task_forms(), std::string_view("pairs")), 0);
}

TEST(Datasets, RefuseAnIdOnTwoLines) {
  const std::string line = R"({"instr_id":"7_0","scan":"s","path":["a"]})";
  EXPECT_NE(error_in(line + "\n" + line).find("7_0: the dataset has this id twice"),
            std::string::npos);
}

// ---------------------------------------------------------------- shared references

TEST(SharedReferences, StoreEqualPathsOfOneScanOnce) {
  formats::StringTable table;
  const formats::Dataset d = read(R"([{"path_id":1,"scan":"s","path":["a","b"],"instructions":[""]},
    {"path_id":2,"scan":"t","path":["a","b"],"instructions":[""]},
    {"path_id":3,"scan":"s","path":["a","b","a"],"instructions":[""]},
    {"path_id":4,"scan":"s","path":["a","b"],"instructions":["",""]},
    {"path_id":5,"scan":"t","path":["a","b"],"instructions":[""]}])",
                                  table);
  std::vector<std::uint32_t> references;
  for (const formats::Item& item : d.items) references.push_back(item.reference);
  EXPECT_EQ(references, (std::vector<std::uint32_t>{0, 1, 2, 0, 0, 1}));
  EXPECT_EQ(d.references.size(), 3u);
  EXPECT_EQ(names(d.references[2], table), (Names{"a", "b", "a"}));
}

TEST(SharedReferences, KeepThousandsOfPathsApart) {
  std::string text;
  for (int k = 0; k < 6000; ++k) {
    text += fmt::format(R"({{"instr_id":"i{}","scan":"s{}","path":["v{}","v{}"]}})"
                        "\n",
                        k, k % 3, k % 500, k % 7);
  }
  formats::StringTable table;
  const formats::Dataset d = read(text, table);
  std::map<std::pair<std::uint32_t, Names>, std::uint32_t> reference_of;
  for (int k = 0; k < 6000; ++k) {
    const formats::Item& item = d.items[k];
    const Names path = names(d.references[item.reference], table);
    ASSERT_EQ(path, (Names{fmt::format("v{}", k % 500), fmt::format("v{}", k % 7)}));
    const auto it = reference_of.emplace(std::pair(item.scan, path), item.reference).first;
    ASSERT_EQ(it->second, item.reference);
  }
  EXPECT_EQ(d.references.size(), reference_of.size());
}

TEST(SharedReferences, ShareTheChosenReferencesOfNdh) {
  formats::StringTable table;
  const formats::Dataset d = read(R"([
    {"inst_idx":1,"scan":"s","player_path":["a","g","b"],"planner_path":["a","g"]},
    {"inst_idx":2,"scan":"s","player_path":["a","b"],"planner_path":["a","g"]},
    {"inst_idx":3,"scan":"s","player_path":["a","g","b"],"planner_path":["a","g"]}])",
                                  table, formats::ReferenceChoice::trusted);
  EXPECT_EQ(d.items[0].reference, d.items[2].reference);
  EXPECT_EQ(names(d.references[d.items[0].reference], table), (Names{"a", "g", "b"}));
  EXPECT_EQ(names(d.references[d.items[1].reference], table), (Names{"a", "g"}));
}

TEST(SharedReferences, ShareReferencesOfAPairsFile) {
  const TemporaryFolder folder;
  formats::StringTable table;
  const formats::PairsFile p = formats::read_pairs(
      folder.write("p.jsonl", R"({"id":"1","scan":"s","reference":["a","b"],"prediction":["a"]}
{"id":"2","scan":"t","reference":["a","b"],"prediction":["b"]}
{"id":"3","scan":"s","reference":["a","b"],"prediction":["c"]})"),
      table);
  EXPECT_EQ(p.dataset.items[0].reference, p.dataset.items[2].reference);
  EXPECT_NE(p.dataset.items[0].reference, p.dataset.items[1].reference);
  EXPECT_EQ(names(p.predictions.paths[2], table), Names{"c"});
}

// ---------------------------------------------------------------- keys several times

TEST(RepeatedKeys, UseTheLastValueWithANote) {
  formats::StringTable table;
  const formats::Dataset d =
      read(R"([{"path_id":1,"path_id":7,"scan":"t","scan":"s","path":["a"],"path":["b","a"],
    "instructions":[""],"instructions":["",""]},{"path_id":8,"scan":"s","path":["a"],"instructions":[]}])",
           table);
  ASSERT_EQ(d.items.size(), 2u);
  EXPECT_EQ(d.items[1].id, "7_1");
  EXPECT_EQ(d.scans, Names{"s"});
  EXPECT_EQ(names(d.references[0], table), (Names{"b", "a"}));
  ASSERT_EQ(d.notes.size(), 1u);
  EXPECT_NE(d.notes[0].find("4 keys are there several times"), std::string::npos) << d.notes[0];
}

TEST(RepeatedKeys, AddNoNoteWithoutRepeats) {
  formats::StringTable table;
  EXPECT_TRUE(
      read(R"([{"path_id":1,"scan":"s","path":["a"],"instructions":[""]}])", table).notes.empty());
}

// ---------------------------------------------------------------- files that are something else

TEST(ForeignDatasets, AreNamedWithARemedy) {
  const std::vector<std::array<std::string, 3>> cases{
      {R"({"1":{"locations":[[0,0,0]],"actions":[]}})", "VLN-CE's ground truth", "--ground-truth"},
      {R"([{"main_pano":"x"}])", "Touchdown", "R2R dataset"},
      {R"([{"bboxes":[],"path":[["a"]],"instructions":[["x"]]}])", "SOON", "instr_id, scan, path"},
      {R"([{"image_id":"a","pose":[]}])", "connectivity", "--graphs"},
      {R"([{"instr_id":"1_0","trajectory":[["a",0,0]]}])", "prediction file", "behind the dataset"},
      {R"({"a":{"b":{}}})", "is an object, not a list of items", "found a"},
      {R"([{"name":1}])", "not an item of R2R", "found name"},
  };
  for (const auto& [text, what, remedy] : cases) {
    const std::string error = error_in(text);
    EXPECT_NE(error.find(what), std::string::npos) << error;
    EXPECT_NE(error.find(remedy), std::string::npos) << error;
    EXPECT_NE(error.find("d.json"), std::string::npos) << error;
  }
}

}  // namespace
}  // namespace warpath::testing
