#include <sys/stat.h>

#include <fstream>
#include <map>
#include <thread>

#include "host/files/submission/server.hpp"
#include "tests/support/submissions.hpp"

namespace warpath {
namespace {

using testing::CliResult;

class Validate : public testing::SubmissionTest {};

TEST_F(Validate, AcceptsAValidSubmission) {
  const std::string file = write_first(good);
  const CliResult result = validate(file);
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out, file + ": EvalAI submission, 3 predictions\n" +
                            verdict(file, submission::Outcome::harmless));
}

TEST_F(Validate, AcceptsRepeatsAndLoneViewpoints) {
  EXPECT_EQ(validate(write_first(R"([["a"], ["a"], ["b"]])")).code, 0);
}

TEST_F(Validate, KnowsEachProblemOnceForAServer) {
  std::vector<const submission::Server*> all;
  for (const tasks::Task* task : tasks::list()) {
    all.insert(all.end(), task->servers.begin(), task->servers.end());
  }
  for (const submission::Server* each : all) {
    const std::span<const submission::ProblemInfo> rules = each->problems;
    for (std::size_t p = 0; p < rules.size(); ++p) {
      for (std::size_t q = 0; q < p; ++q) {
        EXPECT_NE(rules[p].problem, rules[q].problem) << rules[p].name;
        EXPECT_NE(rules[p].name, rules[q].name);
      }
      EXPECT_FALSE(rules[p].server.empty() || rules[p].remedy.empty()) << rules[p].name;
      EXPECT_EQ(&submission::info(*each, rules[p].problem), &rules[p]);
    }
  }
}

TEST_F(Validate, ReportsAWrongContainer) {
  const std::string file = folder.write(
      "agent.json",
      fmt::format(R"({{"1_0": {{"trajectory": {0}}}, "1_1": {0}, "1_2": {0}}})", good));
  expect(file, submission::Problem::container, 1, file);
  EXPECT_EQ(fixed(file), list({entry("1_0", good), entry("1_1", good), entry("1_2", good)}));
}

TEST_F(Validate, ReportsJsonLines) {
  const std::string file = folder.write(
      "agent.jsonl",
      fmt::format("{}\n{}\n{}\n", entry("1_0", good), entry("1_1", good), entry("1_2", good)));
  expect(file, submission::Problem::container, 1, file + ": it is JSON Lines");
  EXPECT_EQ(fixed(file), list({entry("1_0", good), entry("1_1", good), entry("1_2", good)}));
}

TEST_F(Validate, ReportsAWrappedList) {
  const std::string file = folder.write(
      "agent.json", fmt::format(R"({{"predictions": [{}, {}, {}]}})", entry("1_0", good),
                                entry("1_1", good), entry("1_2", good)));
  expect(file, submission::Problem::container, 1, file);
  EXPECT_EQ(fixed(file), list({entry("1_0", good), entry("1_1", good), entry("1_2", good)}));
}

TEST_F(Validate, ReportsALeadingSummary) {
  const std::string file = write_entries(
      {R"({"success_rate": 1})", entry("1_0", good), entry("1_1", good), entry("1_2", good)});
  expect(file, submission::Problem::id_key, 1, "entry 0: it has no id");
  EXPECT_EQ(fixed(file), list({entry("1_0", good), entry("1_1", good), entry("1_2", good)}));
}

TEST_F(Validate, ReportsBeams) {
  const std::string file = folder.write(
      "agent.json",
      fmt::format(
          R"({{"1_0": [{{"trajectory": {0}, "score": -1}}, {{"trajectory": [["a"]], "score": -2}}],
           "1_1": [{{"trajectory": {0}}}], "1_2": {0}}})",
          good));
  expect(file, submission::Problem::container, 1, file);
  expect(file, submission::Problem::candidates, 2, "1_0\n");
  EXPECT_EQ(fixed(file),
            list({fmt::format(R"({{"instr_id": "1_0", "trajectory": {}, "score": -1}})", good),
                  entry("1_1", good), entry("1_2", good)}));
}

TEST_F(Validate, ReportsWrongKeys) {
  std::vector<std::string> entries;
  for (int k = 0; k < 3; ++k) {
    entries.push_back(fmt::format(R"({{"instruction_id": "1_{}", "path": {}}})", k, good));
  }
  const std::string file = write_entries(entries);
  expect(file, submission::Problem::id_key, 3, "1_0: its key is instruction_id");
  expect(file, submission::Problem::path_key, 3, "1_0: its key is path");
  expect_in(validate(file).out, "reject it (2 kinds of problems)\n");
  EXPECT_EQ(fixed(file), list({entry("1_0", good), entry("1_1", good), entry("1_2", good)}));
}

TEST_F(Validate, RefusesEntriesWithoutAnyKey) {
  const CliResult result = validate(write_entries({R"({"instr_id": "1_0", "route": []})"}));
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.out, "");
  expect_in(result.err, "no key 'trajectory'; found instr_id, route");
}

TEST_F(Validate, ReportsPlainViewpoints) {
  const std::string file = write_first(R"(["a", "b"])");
  expect(file, submission::Problem::plain, 1, "1_0: trajectory[0] is a string");
  expect_in(fixed(file), entry("1_0", R"([["a", 0, 0], ["b", 0, 0]])"));
}

TEST_F(Validate, ReportsMalformedTrajectories) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"null", "the trajectory is null"},
      {R"("a")", "the trajectory is a string"},
      {R"({"steps": []})", "the trajectory is an object"},
      {R"([{"node": "a"}])", "trajectory[0] is an object"},
      {R"([["a"], 3])", "trajectory[1] is a number"},
      {R"([["a"], [1.5, "b"]])", "trajectory[1][0] is a number"},
      {R"([[["a", 0, 0], ["b", 0, 0]]])", "trajectory[0][0] is a list"},
      {R"([["a"], []])", "trajectory[1] is an empty list"},
  };
  for (const auto& [trajectory, detail] : cases) {
    expect(write_first(trajectory), submission::Problem::malformed, 1, "1_0: " + detail);
  }
}

TEST_F(Validate, ReportsObjects) {
  const std::string file = write_first(R"([{"viewpointId": "a", "heading": 0.5}, ["b"]])");
  expect(file, submission::Problem::objects, 1, "1_0: trajectory[0] is an object");
  const std::string soon = write_first(R"({"path": [["a", 0, 0], ["b", 0, 0]]})");
  expect(soon, submission::Problem::objects, 1, "1_0: the trajectory is an object");
}

TEST_F(Validate, ReportsCandidates) {
  const std::string file = write_first(R"([{"path": [["a"]]}, {"path": [["b"]]}])");
  expect(file, submission::Problem::candidates, 1, "1_0\n");
  expect(file, submission::Problem::objects, 1, "1_0: the trajectory is a list of objects");
}

TEST_F(Validate, ReportsAnEmptyPath) {
  expect(write_first("[]"), submission::Problem::empty_path, 1, "1_0\n");
}

TEST_F(Validate, ReportsAWrongStart) {
  expect(write_first(R"([["b"], ["c"]])"), submission::Problem::wrong_start, 1,
         "1_0: b instead of a");
}

TEST_F(Validate, ReportsAnUnknownViewpoint) {
  expect(write_first(R"([["a"], ["x"]])"), submission::Problem::unknown_viewpoint, 1,
         "1_0: trajectory[1], x");
  use_reference(R"(["a", "x"])");
  expect(write_first(good), submission::Problem::unknown_viewpoint, 3,
         "1_0: the dataset's goal, x");
}

TEST_F(Validate, ReportsANonAdjacentMove) {
  const std::string file = write_first(R"([["a"], ["b"], ["d"], ["a"]])");
  expect(file, submission::Problem::non_adjacent, 1,
         "1_0: trajectory[1] to [2], from b to d, and 1 more\n");
}

TEST_F(Validate, ReportsAnUnreachablePath) {
  expect(write_first(R"([["a"], ["f"]])"), submission::Problem::unreachable, 1,
         "1_0: trajectory[1], f");
  // The server knows only viewpoints with an edge: standing at an isolated goal is no success.
  use_reference(R"(["f"])");
  expect(write_first(R"([["f"]])"), submission::Problem::unreachable, 3, "1_0: trajectory[0], f");
}

TEST_F(Validate, ReportsAnUndefinedSpl) {
  use_reference(R"(["a", "b", "a"])");
  expect(write_first(R"([["a"], ["a"]])"), submission::Problem::spl_undefined, 1, "1_0\n");
}

TEST_F(Validate, AcceptsATestSplitWithUnknownGoals) {
  use_reference(R"(["a"])");
  EXPECT_EQ(validate(write_first(R"([["a"], ["a"]])")).code, 0);
  EXPECT_EQ(validate(write_first(good)).code, 0);
}

TEST_F(Validate, ReadsAPipe) {
  const std::string text = testing::read_text(write_first(R"([["a"], ["b", "c"]])"));
  const std::string pipe = folder.path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(pipe) << text; });
  const CliResult result = validate(pipe, {"--fix", "-"});
  writer.join();
  EXPECT_EQ(result.code, 0) << result.err;
  expect_in(result.out, entry("1_0", R"([["a", 0, 0], ["b", 0, 0], ["c", 0, 0]])"));
}

TEST_F(Validate, ReportsMissingIds) {
  expect(write_entries({entry("1_1", good)}), submission::Problem::missing, 2, "1_0\n    1_2\n");
  expect(write_entries({}), submission::Problem::missing, 3, "1_0\n    1_1\n    1_2\n");
}

TEST_F(Validate, ReportsNestedListsThatLoseViewpoints) {
  const std::string file = write_first(R"([["a"], ["b", "c"]])");
  expect(file, submission::Problem::nested, 1, "1_0: trajectory[1] names 2 viewpoints");
  expect_in(fixed(file), entry("1_0", R"([["a", 0, 0], ["b", 0, 0], ["c", 0, 0]])"));
}

TEST_F(Validate, RejectsNestedListsWithoutAnEdge) {
  const CliResult result = validate(write_first(R"([["a"], ["b", "c"], ["d"]])"));
  EXPECT_EQ(result.code, 1);
  expect_in(result.out, "1_0: trajectory[1] to [2], from b to d\n");
  expect_in(result.out, "would reject it (2 kinds of problems)\n");
}

TEST_F(Validate, ReportsADuplicateId) {
  const std::string file = write_entries(
      {entry("1_0", good), entry("1_1", good), entry("1_2", good), entry("1_0", "null")});
  expect(file, submission::Problem::duplicate_id, 1, "1_0: entries 0 and 3");
}

TEST_F(Validate, ReportsUnknownIdsAndFourthInstructions) {
  const std::string file =
      write_entries({entry("7_0", "null"), entry("1_3", R"([["f"]])"), entry("1_0", good),
                     entry("1_1", good), entry("1_2", good)});
  expect(file, submission::Problem::unknown_id, 1, "7_0\n");
  expect(file, submission::Problem::not_scored, 1, "1_3\n");
}

TEST_F(Validate, ReportsNumbersThatAreNotFinite) {
  const std::string file = write_first(R"([["a", NaN, 1.5], ["b", -Infinity, Infinity]])");
  expect(file, submission::Problem::not_finite, 1, "1_0\n");
  expect_in(fixed(file), entry("1_0", R"([["a", 0, 1.5], ["b", 0, 0]])"));
}

TEST_F(Validate, CleansWhatItPrints) {
  const std::string file = folder.write("a\x1b[31m.json", R"([
      {"instr_id": "\u001b]0;title\u0007", "trajectory": []},
      {"instr_id": "1_0", "trajectory": [["\u001b[2J"]]}])");
  const CliResult result = validate(file, {"--fix", folder.path("\x1b.json")});
  EXPECT_EQ((result.out + result.err).find_first_of("\x1b\a"), std::string::npos) << result.out;
  expect_in(result.out, "unknown_id (1): ");
}

TEST_F(Validate, ShowsAtMostThreeExamples) {
  const std::string bad = R"([["a"], ["x"]])";
  const CliResult result = validate(
      write_entries({entry("9_0", bad), entry("9_1", bad), entry("9_2", bad), entry("9_3", bad)}));
  expect_in(result.out, "unknown_id (4): ");
  expect_in(result.out, "    9_0\n    9_1\n    9_2\n  server: ");
}

TEST_F(Validate, ReportsAMissingFileAndEachVerdict) {
  EXPECT_EQ(validate(folder.path("absent.json")).code, 1);
  const std::string good_file = write_first(good);
  const std::string bad_file = folder.write("bad.json", "[]");
  const CliResult both = validate(good_file, {bad_file});
  EXPECT_EQ(both.code, 1);
  expect_in(both.out, verdict(good_file, submission::Outcome::harmless) +
                          verdict(bad_file, submission::Outcome::rejected));
}

TEST_F(Validate, RefusesInvalidCommandLines) {
  const std::string file = write_first(good);
  EXPECT_EQ(validate(file, {file, "--fix", folder.path("fixed.json")}).code, 2);
  EXPECT_EQ(validate(file, {"--fix", folder.path("fixed.json"), "--merge"}).code, 2);
  EXPECT_EQ(testing::run({"validate", "--graphs", graph, "--pairs", file}).code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder.path("fixed.json")));
}

// Compares the server's outcome for the golden predictions with eval's own checks of the same
// files.
TEST(ValidateGolden, AgreesWithTheChecksOfEval) {
  const std::vector<std::string> files{"--graphs", testing::source("tests/golden/connectivity"),
                                       "--dataset", testing::source("tests/golden/dataset.json"),
                                       testing::source("tests/golden/predictions.json")};
  auto run = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), files.begin(), files.end());
    return testing::run(arguments);
  };
  testing::TemporaryFolder folder;
  const CliResult validated = run({"validate"});
  ASSERT_EQ(run({"eval", "--preset", "r2r", "--missing", "skip", "--invalid", "skip", "--quiet",
                 "--csv", folder.path("r2r.csv")})
                .code,
            0);
  std::map<std::string, int> counts;
  for (const auto& row : testing::read_csv(folder.path("r2r.csv"))) ++counts[row.at("status")];
  for (const char* status : {"wrong_start", "non_adjacent", "missing", "unknown_id",
                             "unknown_viewpoint", "empty_path"}) {
    const std::string line = fmt::format("\n{} ({}): ", status, counts[status]);
    EXPECT_EQ(validated.out.find(line) != std::string::npos, counts[status] > 0)
        << line << validated.out;
  }
}

TEST(ValidateData, AcceptsTheAgentsOfR2R) {
  const std::string data = testing::data_folder();
  if (data.empty()) GTEST_SKIP() << "no folder of real data; set WARPATH_DATA";
  testing::TemporaryFolder folder;
  for (const char* agent : {"phi3", "prevalent_seq2seq", "shortest", "simrandom", "stop"}) {
    const CliResult result = testing::run(
        {"validate", "--graphs", data + "/connectivity", "--dataset", data + "/R2R_val_seen.json",
         fmt::format("{}/agents/R2R_val_seen_{}.json.gz", data, agent), "--fix",
         folder.path("fixed.json"), "--force"});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_NE(result.out.find("not_scored (1)"), std::string::npos);
    EXPECT_NE(result.out.find("predictions written, 0 viewpoints filled into gaps, 0 left out"),
              std::string::npos)
        << result.out;
  }
}

}  // namespace
}  // namespace warpath
