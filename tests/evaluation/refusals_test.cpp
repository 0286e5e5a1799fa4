// Tests what `warpath eval` refuses, counts as a failure or leaves out: items without a prediction,
// without a value, or with a value and a note.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/files.hpp"
#include "tests/support/json_text.hpp"

namespace warpath::testing {
namespace {

// Uses five viewpoints on a line, 2 m apart, and three paths from a to e with three instructions
// each. An agent is described by its nine predictions: the good path, or another.
class Refusals : public ::testing::Test {
 protected:
  Refusals() {
    folder.write("graph.json", R"({"scan": "lab", "nodes": [
      {"id": "a", "position": [0, 0, 0]}, {"id": "b", "position": [2, 0, 0]},
      {"id": "c", "position": [4, 0, 0]}, {"id": "d", "position": [6, 0, 0]},
      {"id": "e", "position": [8, 0, 0]}, {"id": "island", "position": [9, 9, 9]}],
      "edges": [["a", "b"], ["b", "c"], ["c", "d"], ["d", "e"]]})");
    std::string dataset;
    for (int path = 0; path < 3; ++path) {
      dataset += (path ? "," : "[") + std::string(R"({"scan": "lab", "path_id": )") +
                 std::to_string(path) +
                 R"(, "path": ["a", "b", "c", "d", "e"], "instructions": ["", "", ""]})";
    }
    folder.write("dataset.json", dataset + "]");
  }

  static std::string trajectory(const std::string& viewpoints) {
    std::string list;
    for (const char v : viewpoints) {
      const std::string id = v == '?' ? "nowhere" : v == '!' ? "island" : std::string(1, v);
      list += (list.empty() ? "[[\"" : ", [\"") + id + "\", 0, 0]";
    }
    return list.empty() ? "[]" : list + "]";
  }

  // Returns an agent that follows the first path's three instructions; the other six are `failed`.
  std::string agent(const std::string& failed) const {
    std::string list;
    for (int item = 0; item < 9; ++item) {
      list += (item ? "," : "[") + std::string(R"({"instr_id": ")") + std::to_string(item / 3) +
              "_" + std::to_string(item % 3) + R"(", "trajectory": )" +
              (item < 3 ? trajectory("abcde") : failed) + "}";
    }
    return folder.write("agent.json", list + "]");
  }

  CliResult eval(const std::string& file, Arguments more) const {
    return run(with({"eval", "--graphs", folder.path("graph.json"), "--dataset",
                     folder.path("dataset.json"), file},
                    more));
  }

  // Holds one metric of the only run: its mean, n and of.
  struct Mean {
    double mean;
    std::uint64_t n, of;
    bool operator==(const Mean&) const = default;
  };
  Mean mean(const std::string& file, const std::string& metric, Arguments more) const {
    more.insert(more.end(), {"--json", "-", "--quiet"});
    const CliResult result = eval(file, more);
    EXPECT_EQ(result.code, 0) << result.err;
    const std::string found = json_at(result.out, fmt::format("/runs/0/metrics/{}", metric));
    return {number_at(found, "/mean"), std::stoull(json_at(found, "/n")),
            std::stoull(json_at(found, "/of"))};
  }

  TemporaryFolder folder;
};

// Says what the original evaluators do with a prediction; asserts and exceptions stop their whole
// run.
struct PresetCase {
  std::string preset, what, failed;
  bool is_refused;
};

class PresetRefusals : public Refusals, public ::testing::WithParamInterface<PresetCase> {};

TEST_P(PresetRefusals, EqualThoseOfTheOriginalEvaluator) {
  const CliResult result =
      eval(agent(trajectory(GetParam().failed)), {"--preset", GetParam().preset});
  EXPECT_EQ(result.code, GetParam().is_refused ? 1 : 0) << result.err;
  if (!GetParam().is_refused) return;
  EXPECT_EQ(result.out, "");
  for (const char* part : {"agent.json: 6 of 9 items cannot be scored", GetParam().what.c_str(),
                           "1_0, 1_1, 1_2, …", "--invalid zero", "--invalid skip"}) {
    EXPECT_NE(result.err.find(part), std::string::npos) << part << " in " << result.err;
  }
}

std::vector<PresetCase> preset_cases() {
  std::vector<PresetCase> cases;
  for (const std::string preset : {"paper", "r2r", "envdrop", "duet", "r4r", "r4r-hops", "valan"}) {
    const bool asserts_start = preset == "r2r" || preset == "envdrop" || preset == "duet";
    cases.push_back({preset, "unknown_viewpoint", "abc?", true});
    cases.push_back({preset, "empty_path", "", true});
    cases.push_back({preset, "unreachable", "ab!", true});
    cases.push_back({preset, "wrong_start", "bc", asserts_start});
    cases.push_back({preset, "non_adjacent", "abd", preset == "r2r"});
  }
  // R2R's checks report an island as a jump before its distance is needed.
  std::erase_if(cases,
                [](const PresetCase& c) { return c.preset == "r2r" && c.what == "unreachable"; });
  return cases;
}

INSTANTIATE_TEST_SUITE_P(, PresetRefusals, ::testing::ValuesIn(preset_cases()),
                         [](const auto& test) {
                           std::string name = test.param.preset + "_" + test.param.what;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST_F(Refusals, CountInvalidItemsAsZeroInFractionsOnly) {
  const std::string file = agent(trajectory("abc?"));
  EXPECT_EQ(mean(file, "SR", {"--invalid", "zero"}), (Mean{3.0 / 9.0, 9, 9}));
  EXPECT_EQ(mean(file, "nDTW", {"--invalid", "zero"}), (Mean{3.0 / 9.0, 9, 9}));
  EXPECT_EQ(mean(file, "PL", {"--invalid", "zero"}), (Mean{8.0, 3, 9}));
  EXPECT_EQ(mean(file, "SR", {"--invalid", "skip"}), (Mean{1.0, 3, 9}));
}

TEST_F(Refusals, IgnoreTheSettingMissingForInvalidItems) {
  const std::string file = agent(trajectory("abc?"));
  EXPECT_EQ(eval(file, {"--missing", "zero"}).code, 1);
  EXPECT_EQ(eval(file, {"--missing", "skip"}).code, 1);
}

TEST_F(Refusals, IgnoreTheSettingInvalidForMissingItems) {
  const std::string file = folder.write(
      "few.json", R"([{"instr_id": "0_0", "trajectory": )" + trajectory("abcde") + "}]");
  const CliResult result = eval(file, {"--invalid", "zero"});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("8 of 9 items lack a prediction"), std::string::npos) << result.err;
  EXPECT_EQ(mean(file, "SR", {"--missing", "zero"}), (Mean{1.0 / 9.0, 9, 9}));
  EXPECT_EQ(mean(file, "SR", {"--missing", "skip"}), (Mean{1.0, 1, 9}));
}

TEST_F(Refusals, ApplyMissingToItemsWithoutTaskSuccess) {
  const std::string file = agent(trajectory("abcde"));
  const std::string success = folder.write("success.json", R"({"0_0": 1, "0_1": 0.5, "0_2": "?"})");
  const CliResult refused = eval(file, {"--task-success", success});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find("7 of 9 items have no usable value in the task-success file"),
            std::string::npos)
      << refused.err;
  EXPECT_EQ(mean(file, "SDTW", {"--task-success", success, "--missing", "zero"}),
            (Mean{1.5 / 9.0, 9, 9}));
  EXPECT_EQ(mean(file, "SDTW", {"--task-success", success, "--missing", "skip"}),
            (Mean{0.75, 2, 9}));
  EXPECT_EQ(mean(file, "nDTW", {"--task-success", success, "--missing", "zero"}), (Mean{1, 9, 9}));
}

// Under r4r's edge lengths a repeat has no length, so CLS has no value; every other metric has one.
TEST_F(Refusals, AcceptAMetricWithoutValue) {
  const std::string file = agent(trajectory("aabcde"));
  EXPECT_EQ(mean(file, "CLS", {"--preset", "r4r", "--invalid", "zero"}), (Mean{1.0, 3, 9}));
  EXPECT_EQ(mean(file, "SR", {"--preset", "r4r"}), (Mean{1.0, 9, 9}));
}

TEST_F(Refusals, CountUnknownPredictionsIfStrict) {
  folder.write("dataset.json", R"([{"scan": "lab", "path_id": 0, "path": ["a", "b"],
    "instructions": [""]}])");
  const CliResult result = eval(agent(trajectory("abc")), {"--strict"});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("8 of 9 items have problems"), std::string::npos) << result.err;
}

TEST_F(Refusals, RefuseNotedItemsIfStrict) {
  const std::string file = agent(trajectory("bcde"));
  EXPECT_EQ(eval(file, {}).code, 0);
  const CliResult result = eval(file, {"--strict", "--csv", folder.path("items.csv")});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("wrong_start"), std::string::npos) << result.err;
  EXPECT_EQ(folder.list(), (std::vector<std::string>{"agent.json", "dataset.json", "graph.json"}));
}

TEST_F(Refusals, RefuseRunsWithoutAnyScoredItem) {
  std::string all_broken = "[";
  for (int item = 0; item < 9; ++item) {
    all_broken += (item ? "," : "") + std::string(R"({"instr_id": ")") + std::to_string(item / 3) +
                  "_" + std::to_string(item % 3) + R"(", "trajectory": [["nowhere"]]})";
  }
  const std::string files[] = {
      folder.write("all.json", all_broken + "]"),
      folder.write("one.json", R"([{"instr_id": "0_0", "trajectory": [["nowhere"]]}])")};
  for (const std::string& file : files) {
    for (const char* setting : {"zero", "skip"}) {
      const CliResult result = eval(file, {"--missing", setting, "--invalid", setting});
      EXPECT_EQ(result.code, 1) << setting;
      EXPECT_NE(result.err.find("nothing to report"), std::string::npos) << result.err;
    }
  }
}

// r2r scores a path's first three instructions; the agent has only the fourth.
TEST_F(Refusals, RefuseARunOfUnscoredInstructionsOnly) {
  folder.write("dataset.json", R"([{"scan": "lab", "path_id": 1, "path": ["a", "b"],
    "instructions": ["", "", "", ""]}])");
  const std::string file =
      folder.write("fourth.json", R"([{"instr_id": "1_3", "trajectory": [["a", 0, 0]]}])");
  const CliResult result = eval(file, {"--preset", "r2r", "--missing", "skip"});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.err.find("is in the dataset"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("nothing to report"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("1_0, 1_1, 1_2"), std::string::npos) << result.err;
}

TEST_F(Refusals, ShowTheFirstIdsOfBothFilesIfNoneIsCommon) {
  const std::string file =
      folder.write("other.json", R"([{"instr_id": "77_0", "trajectory": [["a"]]}])");
  for (const char* setting : {"error", "zero", "skip"}) {
    const CliResult result = eval(file, {"--missing", setting});
    EXPECT_EQ(result.code, 1) << setting;
    EXPECT_NE(result.err.find("begins with '77_0'"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("begins with '0_0'"), std::string::npos) << result.err;
  }
}

TEST_F(Refusals, RefuseShardsThatDisagree) {
  const std::string all = agent(trajectory("abc"));
  const auto shard = [&](const char* name, const char* path) {
    return folder.write(name, R"([{"instr_id": "0_0", "trajectory": )" + trajectory(path) + "}]");
  };
  const std::string same = shard("same.json", "abcde"), other = shard("other.json", "abcd");
  EXPECT_EQ(eval(all, {same, "--merge"}).code, 0);
  const CliResult result = eval(all, {other, "--merge"});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("the shards give 1 item different paths or objects: 0_0"),
            std::string::npos)
      << result.err;
  EXPECT_EQ(eval(all, {other, "--merge", "--duplicates", "last"}).code, 0);
}

TEST_F(Refusals, BlameTheDatasetForAReferenceThatCannotBeScored) {
  for (const auto& [path, problem] :
       {std::pair(R"(["a", "zz"])", "names the viewpoint zz"), std::pair("[]", "is empty")}) {
    folder.write("dataset.json", std::string(R"([{"scan": "lab", "path_id": 0, "path": )") + path +
                                     R"(, "instructions": [""]}, {"scan": "lab", "path_id": 1,
        "path": ["a", "b"], "instructions": [""]}])");
    const CliResult result = eval(agent(trajectory("abc")), {"--missing", "skip"});
    EXPECT_EQ(result.code, 1);
    EXPECT_NE(result.err.find("dataset.json: 0_0: reference: " + std::string(problem)),
              std::string::npos)
        << result.err;
    EXPECT_EQ(eval(agent(trajectory("abc")), {"--missing", "skip", "--invalid", "skip"}).code, 0);
  }
}

TEST_F(Refusals, RefuseAMaxInputThatIsNotAPositiveSize) {
  const std::string file = agent(trajectory("abc"));
  EXPECT_EQ(eval(file, {"--max-input", "1M"}).code, 0);
  EXPECT_EQ(eval(file, {"--max-input", "100"}).code, 1);
  for (const char* size : {"0", "-5", "some"}) EXPECT_EQ(eval(file, {"--max-input", size}).code, 2);
}

TEST_F(Refusals, RefuseATestSplit) {
  folder.write("dataset.json", R"([{"scan": "lab", "path_id": 1, "path": ["a"],
    "instructions": ["", "", ""]}, {"scan": "lab", "path_id": 2, "path": ["b"], "instructions": [""]}])");
  const CliResult result = eval(agent(trajectory("a")), {"--missing", "skip"});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("a test split holds only the starts"), std::string::npos) << result.err;
  const CliResult explained =
      run({"explain", "--graphs", folder.path("graph.json"), "--dataset",
           folder.path("dataset.json"), folder.path("agent.json"), "--item", "1_0"});
  EXPECT_EQ(explained.code, 1);
  EXPECT_NE(explained.err.find("a test split"), std::string::npos) << explained.err;
}

TEST_F(Refusals, CountTheItemsOfEachGroupsMean) {
  const CliResult result = eval(agent(trajectory("abc?")),
                                {"--invalid", "skip", "--by", "length", "--json", "-", "--quiet"});
  ASSERT_EQ(result.code, 0) << result.err;
  const std::string found = json_at(result.out, "/runs/0/groups/0/metrics/SR");
  EXPECT_EQ(json_at(found, "/n"), "3");
  EXPECT_EQ(json_at(found, "/of"), "9");
}

}  // namespace
}  // namespace warpath::testing
