// Tests warpath dataset: its tables and its JSON. tests/evaluation tests what is counted.

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/good_files.hpp"
#include "tests/support/json_text.hpp"

namespace warpath::testing {
namespace {

CliResult describe(const Scene& s, const Arguments& more = {}) {
  return run(with({"dataset", s.data, "--graphs", s.graphs}, more));
}

void expect_dataset_refused(const CliResult& result, int code, const std::string& text) {
  EXPECT_EQ(result.code, code) << result.err;
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  EXPECT_NE(result.err.find(text), std::string::npos) << result.err;
}

TEST(DatasetCommand, PrintsTables) {
  const Scene s;
  const CliResult result = describe(s);
  EXPECT_EQ(result.code, 0) << result.err;
  for (const char* text : {"dataset.json: R2R\n",
                           "  entries  items  paths  scans  viewpoints  edges  visited  isolated\n"
                           "        2      3      2      1           4      2        3         1\n",
                           "  PL(R), m       1.000  1.500  2.000            1.667      2\n",
                           "isolated viewpoints: s (1)\n"}) {
    EXPECT_NE(result.out.find(text), std::string::npos) << text << " in\n" << result.out;
  }
  EXPECT_EQ(result.out.find("language"), std::string::npos);
  EXPECT_EQ(describe(s, {"--quiet"}).out, "");
}

TEST(DatasetCommand, PrintsMarkdownAndLatexAlone) {
  const Scene s;
  const CliResult markdown = describe(s, {"--markdown"});
  EXPECT_TRUE(markdown.out.starts_with("| entries |")) << markdown.out;
  EXPECT_NE(markdown.err.find("isolated viewpoints"), std::string::npos) << markdown.err;
  EXPECT_TRUE(describe(s, {"--latex"}).out.starts_with("\\begin{tabular}"));
}

TEST(DatasetCommand, WritesJson) {
  const Scene s;
  const std::string file = s.folder.path("statistics.json");
  EXPECT_EQ(describe(s, {"--json", file, "--quiet"}).code, 0);
  const CliResult printed = describe(s, {"--json", "-"});
  EXPECT_EQ(printed.out, read_text(file)) << "tables go to standard error";
  EXPECT_NE(printed.err.find("entries"), std::string::npos);
  EXPECT_EQ(json_at(printed.out, "/items"), "3");
  EXPECT_EQ(number_at(printed.out, "/length/by_item/mean"), 5.0 / 3.0);
  EXPECT_EQ(json_at(printed.out, "/steps/by_item/histogram/counts"), "[0,1,2]");
  EXPECT_EQ(json_at(printed.out, "/isolated_by_scan"), R"({"s":1})");
  expect_dataset_refused(describe(s, {"--json", s.data}), 2, "would overwrite the input");
}

TEST(DatasetCommand, ReadsPairsAndOtherDistances) {
  const Scene s;
  const std::string pairs = s.folder.write(
      "pairs.jsonl", R"({"id":"1","scan":"s","reference":["a","b","c"],"prediction":["a"]})"
                     "\n"
                     R"({"id":"2","scan":"s","reference":["a","b","c"],"prediction":["a","b"]})");
  const CliResult result = run({"dataset", "--pairs", pairs, "--graphs", s.graphs});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("pairs.jsonl: pairs\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("        2      2      1      1"), std::string::npos) << result.out;
  const CliResult hops = describe(s, {"--distance", "hops"});
  EXPECT_NE(hops.out.find("  PL(R) "), std::string::npos) << hops.out;
  EXPECT_EQ(hops.out.find(" m\n"), std::string::npos) << "lengths are edges\n" << hops.out;
}

TEST(DatasetCommand, RefusesWhatMakesNoSense) {
  const Scene s;
  expect_dataset_refused(run({"dataset", "--graphs", s.graphs}), 2,
                         "give either a dataset FILE or --pairs");
  expect_dataset_refused(describe(s, {"--pairs", s.data}), 2,
                         "give either a dataset FILE or --pairs");
  expect_dataset_refused(describe(s, {"--format", "r2"}), 2, "no format 'r2'; did you mean r2r?");
  expect_dataset_refused(describe(s, {"--distance", "4d"}), 2,
                         "--distance: '4d' is none of 3d|2d|hops");
  expect_dataset_refused(describe(s, {"--reference", "planner"}), 2, "is for NDH annotations");
  expect_dataset_refused(run({"dataset", s.folder.path("none.json"), "--graphs", s.graphs}), 1,
                         "No such file");
  s.folder.write("dataset.json", replaced(dataset, R"("scan":"s")", R"("scan":"u")"));
  expect_dataset_refused(describe(s), 1, "has no graph: u");
}

}  // namespace
}  // namespace warpath::testing
