// Tests the sub-instructions of FGR2R and Landmark-RxR as items.

#include <gtest/gtest.h>

#include "host/files/formats/dataset.hpp"
#include "tests/support/files.hpp"
#include "tests/support/formats.hpp"

namespace warpath::testing {
namespace {

const formats::DatasetChoice parts{formats::ReferenceChoice::path, true};

formats::Dataset read_parts(const std::string& text, formats::StringTable& table,
                            formats::DatasetChoice choice = parts) {
  const TemporaryFolder folder;
  return formats::read_dataset(folder.write("d.json", text), {}, choice, table);
}

std::string error_in_parts(const std::string& text) {
  return error_of_call([&] {
    formats::StringTable table;
    read_parts(text, table);
  });
}

constexpr const char* fgr2r = R"([{"distance":3.0,"scan":"s","path_id":7,"path":["a","b","c","d"],
  "heading":0.5,"instructions":["x","y"],"new_instructions":"[[['x'], ['y']], [['z']]]",
  "chunk_view":[[[1,3],[3,4],[4,4]],[[1,4]]]}])";
constexpr const char* landmark = R"([{"instruction_id":26,"path_id":3,"scan":"s","heading":0.1,
  "language":"en-IN","path":["a","b","c"],"instruction":"x","sub_paths":[["a","b"],["b","c"]],
  "sub_instructions":["x","y"],"headings":[0.1,0.2]}])";

TEST(SubInstructions, OfFgr2rAreItems) {
  formats::StringTable table;
  const formats::Dataset d = read_parts(fgr2r, table);
  ASSERT_EQ(d.items.size(), 4u);
  const std::vector<std::pair<std::string, Names>> expected{{"7_0_0", {"a", "b", "c"}},
                                                            {"7_0_1", {"c", "d"}},
                                                            {"7_0_2", {"d"}},
                                                            {"7_1_0", {"a", "b", "c", "d"}}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(d.items[i].id, expected[i].first);
    EXPECT_EQ(names(d.references[d.items[i].reference], table), expected[i].second);
  }
  EXPECT_EQ(d.items[3].instruction, 1);
}

TEST(SubInstructions, OfLandmarkRxrAreItems) {
  formats::StringTable table;
  const formats::Dataset d = read_parts(landmark, table);
  ASSERT_EQ(d.items.size(), 2u);
  EXPECT_EQ(d.items[1].id, "26_1");
  EXPECT_EQ(d.items[1].language, "en-IN");
  EXPECT_EQ(names(d.references[d.items[1].reference], table), (Names{"b", "c"}));
}

TEST(SubInstructions, AreLeftAsideUnlessAskedFor) {
  formats::StringTable table;
  EXPECT_EQ(read_parts(fgr2r, table, formats::ReferenceChoice::path).items.size(), 2u);
  EXPECT_EQ(read_parts(landmark, table, formats::ReferenceChoice::path).items.size(), 1u);
}

TEST(SubInstructions, AreScoredByTheirIds) {
  const TemporaryFolder folder;
  const std::string graph = folder.write("s.json", R"({"nodes":[{"id":"a","position":[0,0]},
    {"id":"b","position":[4,0]},{"id":"c","position":[8,0]},{"id":"d","position":[12,0]}],
    "edges":[["a","b"],["b","c"],["c","d"]]})");
  const std::string predictions = folder.write(
      "p.json", R"({"7_0_0":[["a"],["b"],["c"]],"7_0_1":[["c"]],"7_0_2":[["d"]],"7_1_0":[["a"]]})");
  const CliResult result =
      run({"eval", "--graphs", graph, "--dataset", folder.write("d.json", fgr2r), predictions,
           "--sub-instructions", "--quiet", "--csv", folder.path("scores.csv")});
  ASSERT_EQ(result.code, 0) << result.err;
  std::vector<std::string> errors;
  for (const CsvRow& row : read_csv(folder.path("scores.csv"))) errors.push_back(row.at("NE"));
  EXPECT_EQ(errors, (std::vector<std::string>{"0", "4", "0", "12"}));
}

TEST(SubInstructions, ThatCannotBeUsedAreNamed) {
  const auto ranges = [](const std::string& views) {
    return R"([{"scan":"s","path_id":7,"path":["a","b"],"instructions":["x"],"chunk_view":)" +
           views + "}]";
  };
  const auto paths = [](const std::string& keys) {
    return R"([{"scan":"s","instruction_id":7,"path":["a","b"],)" + keys + "}]";
  };
  struct Case {
    std::string text, field, problem;
  };
  const std::vector<Case> cases{
      {ranges("[[[0,1]]]"), "7: chunk_view[0][0]", "is no range of the path's 2 viewpoints"},
      {ranges("[[[1,3]]]"), "7: chunk_view[0][0]", "is no range"},
      {ranges("[[[1,2],[2,1]]]"), "7: chunk_view[0][1]", "is no range"},
      {ranges("[[[1]]]"), "7: chunk_view[0][0]", "is no range"},
      {ranges("[[[1.5,2]]]"), "7: chunk_view[0][0]", "is no range"},
      {ranges("[[1,2]]"), "7: chunk_view[0][0]", "list"},
      {ranges("[3]"), "7: chunk_view[0]", "list"},
      {ranges("null"), "7: chunk_view", "list"},
      {ranges("[]"), "d.json", "no entry has a sub-instruction"},
      {paths(R"("sub_paths":[["a"]],"sub_instructions":["x","y"])"), "7: sub_paths",
       "has 1 paths for 2 sub-instructions"},
      {paths(R"("sub_paths":["a"])"), "7: sub_paths", "list"},
      {paths(R"("sub_paths":[[1]])"), "7: sub_paths", "list"},
      {paths(R"("instruction":"x")"), "7", "has no sub-instructions"},
  };
  for (const Case& c : cases) {
    const std::string error = error_in_parts(c.text);
    EXPECT_NE(error.find(c.field), std::string::npos) << c.text << "\n" << error;
    EXPECT_NE(error.find(c.problem), std::string::npos) << c.text << "\n" << error;
  }
}

}  // namespace
}  // namespace warpath::testing
