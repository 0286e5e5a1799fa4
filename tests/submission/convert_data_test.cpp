// Tests on real predictions that what convert writes has the scores of what it read.

#include <cmath>

#include "tests/support/submissions.hpp"

namespace warpath {
namespace {

using testing::CliResult;

class ConvertData : public ::testing::Test {
 protected:
  void SetUp() override {
    if (data.empty()) GTEST_SKIP() << "no folder of real data; set WARPATH_DATA";
  }

  std::string convert(const std::string& file, const std::string& to,
                      const std::vector<std::string>& more, int code = 0) const {
    const CliResult result = testing::run(testing::with(
        {"convert", file, "--to", to}, more, {"--out", folder.path("converted.json"), "--force"}));
    EXPECT_EQ(result.code, code) << file << result.out << result.err;
    return folder.path("converted.json");
  }

  std::vector<testing::CsvRow> scores(const std::string& file, const std::string& preset,
                                      const std::vector<std::string>& more) const {
    const CliResult result = testing::run(testing::with(
        {"eval", "--preset", preset, "--quiet", "--csv", folder.path("scores.csv"), file}, more));
    EXPECT_EQ(result.code, 0) << file << result.err;
    return testing::read_csv(folder.path("scores.csv"));
  }

  // Expects equal cells in all rows. @param without a column that a form may change
  static void expect_equal(const std::vector<testing::CsvRow>& before,
                           const std::vector<testing::CsvRow>& after,
                           const std::string& without = "") {
    ASSERT_EQ(before.size(), after.size());
    ASSERT_GT(before.size(), 100u);
    for (std::size_t k = 0; k < before.size(); ++k) {
      for (const auto& [column, cell] : before[k]) {
        if (column == without || column == "run") continue;
        EXPECT_EQ(cell, after[k].at(column)) << column << " of " << before[k].at("instr_id");
      }
    }
  }

  const std::string data = testing::data_folder();
  const std::string targets = data + "/targets/";
  testing::TemporaryFolder folder;
};

TEST_F(ConvertData, NestedListsOfReverieKeepTheirScores) {
  const std::string agent = targets + "agents/REVERIE_v1_val_seen_duet_nested.json.gz";
  const std::vector<std::string> files{"--graphs", data + "/connectivity", "--dataset",
                                       targets + "REVERIE_v1_val_seen.json.gz"};
  std::vector<std::string> scored = files;
  scored.insert(scored.end(), {"--objects", targets + "REVERIE_BBox_val_seen.json.gz"});
  const auto before = scores(agent, "reverie", scored);
  expect_equal(before, scores(convert(agent, "reverie", files), "reverie", scored));
}

TEST_F(ConvertData, PathsOfR2RKeepTheirScores) {
  const std::string agent = data + "/agents/R2R_val_seen_prevalent_seq2seq.json.gz";
  const std::vector<std::string> files{"--graphs", data + "/connectivity", "--dataset",
                                       data + "/R2R_val_seen.json"};
  expect_equal(scores(agent, "r2r", files), scores(convert(agent, "evalai", files), "r2r", files));
}

TEST_F(ConvertData, EpisodesKeepTheirScores) {
  const std::vector<std::string> files{"--dataset", data + "/VLNCE_R2R_val_seen.json.gz"};
  for (const char* name : {"gt_v13", "noisy", "early", "other", "spin", "long", "stop"}) {
    const std::string agent = fmt::format("{}agents/VLNCE_val_seen_{}.json.gz", targets, name);
    std::vector<std::string> scored = files;
    scored.insert(scored.end(), {"--missing", "skip"});
    const auto before = scores(agent, "vlnce", scored);
    const std::string converted = convert(agent, "vlnce", {});
    expect_equal(before, scores(converted, "vlnce", scored));
  }
}

}  // namespace
}  // namespace warpath
