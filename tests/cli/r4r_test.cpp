// Tests warpath r4r: what it writes, prints and refuses. tests/generators tests how paths are
// joined.

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/good_files.hpp"

namespace warpath::testing {
namespace {

struct R4rScene : Scene {
  std::string out = folder.path("R4R.json");

  CliResult run_with(const Arguments& more = {}) const {
    return testing::run(with({"r4r", "--graphs", graphs, "--dataset", data, "--out", out}, more));
  }
};

void expect_r4r_refused(const CliResult& result, int code, const std::string& text) {
  EXPECT_EQ(result.code, code) << result.err;
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  EXPECT_NE(result.err.find(text), std::string::npos) << result.err;
}

TEST(R4rCommand, WritesADatasetThatEvalReads) {
  const R4rScene s;
  const CliResult result = s.run_with();
  EXPECT_EQ(result.code, 0) << result.err;
  // Paths a b c and b c, with 2 and 1 instructions: all 4 pairs are at most 2 m apart.
  EXPECT_NE(result.out.find("R4R.json: 4 paths, 9 instructions"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("4 of 4 pairs of paths are joined; 0 lie more than 3 m apart"),
            std::string::npos)
      << result.out;
  const CliResult read = run({"dataset", s.out, "--graphs", s.graphs});
  EXPECT_NE(read.out.find("R4R.json: R4R\n"), std::string::npos) << read.out << read.err;
}

TEST(R4rCommand, PrintsSummaryAndDistributions) {
  const R4rScene s;
  const std::string out = s.run_with().out;
  for (const char* text : {"R2R      2        3   1.50        1.50  2.50        2.50\n",
                           "R4R      4        9   4.50        1.50  5.50        2.50\n", "PL(R), m",
                           "d(r1,r|R|), m"}) {
    EXPECT_NE(out.find(text), std::string::npos) << text << " in\n" << out;
  }
  EXPECT_EQ(out.find("as printed"), std::string::npos) << "this is no split of R2R";
  EXPECT_EQ(s.run_with({"--quiet", "--force"}).out, "");
}

TEST(R4rCommand, WritesToStandardOutput) {
  const R4rScene s;
  EXPECT_EQ(s.run_with().code, 0);
  R4rScene other;
  other.out = "-";
  const CliResult result = other.run_with();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, read_text(s.out));
  EXPECT_NE(result.err.find("standard output: 4 paths"), std::string::npos) << result.err;
}

TEST(R4rCommand, ReplacesAFileWithForceOnly) {
  const R4rScene s;
  s.folder.write("R4R.json", "mine");
  expect_r4r_refused(s.run_with(), 2, "R4R.json exists; name another file or say --force");
  EXPECT_EQ(read_text(s.out), "mine");
  EXPECT_EQ(s.run_with({"--force"}).code, 0);
  EXPECT_TRUE(read_text(s.out).starts_with("["));
}

TEST(R4rCommand, NeverReplacesItsInputs) {
  R4rScene s;
  s.out = s.data;
  expect_r4r_refused(s.run_with({"--force"}), 2, "would overwrite the input");
  s.out = s.scan;
  expect_r4r_refused(s.run_with({"--force"}), 2, "would overwrite the input");
  EXPECT_EQ(read_text(s.data), dataset);
}

TEST(R4rCommand, LeavesNothingBehindWhereItFails) {
  R4rScene s;
  const auto files = s.folder.list();
  s.folder.write("dataset.json", replaced(dataset, R"("heading")", R"("turn")"));
  expect_r4r_refused(s.run_with(), 1, "no key 'heading'");
  s.folder.write("dataset.json", dataset);
  expect_r4r_refused(s.run_with({"--threshold", "0", "--compare", "lt"}), 1, "joins nothing");
  expect_r4r_refused(s.run_with({"--threshold", "-1"}), 2, "give metres, 0 or more");
  expect_r4r_refused(s.run_with({"--threshold", "nan"}), 2, "give metres, 0 or more");
  expect_r4r_refused(s.run_with({"--max-input", "100"}), 1, "--max-input");
  expect_r4r_refused(s.run_with({"--max-input", "0"}), 2, "0 is no size above 0");
  expect_r4r_refused(s.run_with({"--compare", "lte"}), 2, "--compare: 'lte' is none of lt|le");
  s.out = s.folder.path("R4R.json.gz");
  expect_r4r_refused(s.run_with(), 2, "name a file without .gz");
  s.out = s.folder.path("none/R4R.json");
  expect_r4r_refused(s.run_with(), 1, "make the folder first");
  EXPECT_EQ(s.folder.list(), files);
}

TEST(R4rCommand, StandsBesideThePrintedFigures) {
  if (data_folder().empty()) GTEST_SKIP() << "no real data: set WARPATH_DATA to their folder";
  const TemporaryFolder folder;
  const auto r4r = [&](const Arguments& more) {
    return run(with({"r4r", "--graphs", data_folder() + "/connectivity", "--dataset",
                     data_folder() + "/R2R_train.json.gz", "--out", folder.path("R4R.json"),
                     "--force"},
                    more))
        .out;
  };
  const std::string out = r4r({});
  for (const char* text : {"R2R train      4675    14039   9.91        9.91",
                           "as printed           14039   9.91        9.91",
                           "R4R train     25921   233532  20.59       10.50",
                           "as printed          233613   20.6        10.5",
                           "25921 of 407511 pairs of paths are joined; 381590 lie more than 3 m",
                           "the paper prints 233613 samples of R4R train"}) {
    EXPECT_NE(out.find(text), std::string::npos) << text << " in\n" << out;
  }
  const std::string nearer = r4r({"--threshold", "1"});
  EXPECT_EQ(nearer.find("233613"), std::string::npos) << nearer;
  EXPECT_NE(nearer.find("no figure of R4R fits"), std::string::npos) << nearer;
}

}  // namespace
}  // namespace warpath::testing
