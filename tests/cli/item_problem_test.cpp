// A problem of one item is a status that is counted; the other items are scored.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/support/good_files.hpp"

namespace warpath::testing {
namespace {

// ---------------------------------------------------------------- problems of one item

struct ProblemCase {
  std::string name;
  std::string prediction;  // for item 1_0
  std::string status;
  bool scored;         // the item nevertheless has values
  std::string remedy;  // is in the report
  Arguments extra{};
};

const std::vector<ProblemCase>& problem_cases() {
  static const std::vector<ProblemCase> all{
      {"EmptyPath", R"({"instr_id":"1_0","trajectory":[]})", "empty_path", false,
       "where it starts"},
      {"TrajectoryIsNull", R"({"instr_id":"1_0","trajectory":null})", "malformed", false,
       "validate"},
      {"TrajectoryIsAString", R"({"instr_id":"1_0","trajectory":"abc"})", "malformed", false,
       "validate"},
      {"EntryIsANumber", R"({"instr_id":"1_0","trajectory":[["a",0,0],7]})", "malformed", false,
       "validate"},
      {"ViewpointIsNaN", R"({"instr_id":"1_0","trajectory":[["a",0,0],[NaN,0,0]]})", "malformed",
       false, "validate"},
      {"HeadingIsNaN", R"({"instr_id":"1_0","trajectory":[["a",NaN,0],["b",-Infinity,0]]})",
       "not_finite", true, "not scored"},
      {"UnknownViewpoint", R"({"instr_id":"1_0","trajectory":[["a",0,0],["z",0,0]]})",
       "unknown_viewpoint", false, "graph folder"},
      {"Unreachable", R"({"instr_id":"1_0","trajectory":[["a",0,0],["x",0,0]]})", "unreachable",
       false, "check the graph"},
      {"WrongStart", R"({"instr_id":"1_0","trajectory":[["b",0,0],["c",0,0]]})", "wrong_start",
       true, "--start off"},
      {"WrongStartStops",
       R"({"instr_id":"1_0","trajectory":[["b",0,0],["c",0,0]]})",
       "wrong_start",
       false,
       "--start off",
       {"--preset", "r2r", "--instructions", "all"}},
      {"NonAdjacent", R"({"instr_id":"1_0","trajectory":[["a",0,0],["c",0,0]]})", "non_adjacent",
       true, "--fix"},
      {"NonAdjacentStops",
       R"({"instr_id":"1_0","trajectory":[["a",0,0],["c",0,0]]})",
       "non_adjacent",
       false,
       "--fix",
       {"--preset", "r2r", "--instructions", "all"}},
      {"NonAdjacentHasNoLength",
       R"({"instr_id":"1_0","trajectory":[["a",0,0],["c",0,0]]})",
       "length_undefined",
       true,
       "cls-step to shortest",
       {"--preset", "r4r", "--adjacency", "off"}},
      {"DuplicateId",
       R"({"instr_id":"1_0","trajectory":[["a",0,0]]},{"instr_id":"1_0","trajectory":[["a"],["b"]]})",
       "duplicate_id", true, "--duplicates"},
      {"MissingSkipped",
       R"({"instr_id":"1_1","trajectory":[["a",0,0]]})",
       "missing",
       false,
       "complete the file",
       {"--missing", "skip"}},
      {"MissingIsZero",
       R"({"instr_id":"1_1","trajectory":[["a",0,0]]})",
       "missing",
       false,
       "complete the file",
       {"--missing", "zero"}},
      {"NoTaskSuccess", good, "no_task_success", true, "number in [0, 1]"},
  };
  return all;
}

void PrintTo(const ProblemCase& problem, std::ostream* out) {
  *out << problem.name;
}

class ItemProblem : public ::testing::TestWithParam<ProblemCase> {};

TEST_P(ItemProblem, GetsAStatusThatIsCounted) {
  const ProblemCase& problem = GetParam();
  Scene s;
  s.folder.write("agent.json", predictions_with(problem.prediction));
  s.extra = problem.extra;
  if (problem.name == "NoTaskSuccess") {
    s.extra = {"--missing", "skip", "--task-success",
               s.folder.write("task.csv", "id,success\n1_0,NaN\n1_1,1\n2_0,0.5\n")};
  }
  if (!problem.scored && problem.status != "missing") {
    const CliResult refused = run(s.eval());
    EXPECT_EQ(refused.code, 1);
    EXPECT_NE(refused.err.find("1_0"), std::string::npos) << refused.err;
    EXPECT_NE(refused.err.find(problem.status), std::string::npos) << refused.err;
  }
  s.extra.insert(s.extra.end(), {"--invalid", "skip"});
  const CliResult result = run(s.eval());
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("\n" + problem.status + ": 1 item "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find(problem.remedy), std::string::npos) << result.out;

  std::map<std::string, CsvRow> rows;
  for (const CsvRow& row : read_csv(s.folder.path("out.csv"))) rows[row.at("instr_id")] = row;
  EXPECT_EQ(rows["1_0"]["status"], problem.status);
  EXPECT_EQ(rows["1_0"]["NE"] != "", problem.scored);
  EXPECT_EQ(rows["2_0"]["status"], "ok");
  EXPECT_EQ(rows["2_0"]["NE"], "0");

  const std::string json = read_text(s.folder.path("out.json"));
  for (const char* never : {": nan", ": inf", "[nan", "[inf", ": -"}) {
    EXPECT_EQ(json.find(never), std::string::npos) << never << " in " << json;
  }
  s.extra.push_back("--strict");
  EXPECT_EQ(run(s.eval()).code, 1);
}

INSTANTIATE_TEST_SUITE_P(All, ItemProblem, ::testing::ValuesIn(problem_cases()),
                         [](const auto& test) { return test.param.name; });

TEST(BadInput, UnknownIdIsListedAndNotScored) {
  Scene s;
  s.folder.write("agent.json", predictions_with(std::string(good) +
                                                R"(,{"instr_id":"9_0","trajectory":[["a"]]})"));
  const CliResult result = run(s.eval());
  ASSERT_EQ(result.code, 0) << result.err;
  const auto rows = read_csv(s.folder.path("out.csv"));
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows.back().at("instr_id"), "9_0");
  EXPECT_EQ(rows.back().at("status"), "unknown_id");
  EXPECT_EQ(rows.back().at("SR"), "");
}

// ---------------------------------------------------------------- no problem

TEST(AcceptedInput, ScoresAnItemWhoseStartIsItsGoal) {
  Scene s;
  s.folder.write("dataset.json", replaced(dataset, R"(["b","c"])", R"(["b"])"));
  s.extra = {"--strict"};
  s.folder.write("agent.json",
                 replaced(predictions_with(good), R"([["b",0,0],["c",0,0]]})", R"([["b",0,0]]})"));
  const CliResult result = run(s.eval());
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_NE(result.out.find("0/0 decided by rule: SPL in 1 item, LS in 1 item, SED in 1 item"),
            std::string::npos)
      << result.out;
}

TEST(AcceptedInput, GivesAStandstillNoSplUnderVlnPesRule) {
  Scene s;
  s.folder.write("agent.json",
                 replaced(predictions_with(good), R"([["b",0,0],["c",0,0]]})", R"([["b",0,0]]})"));
  for (const std::string backend : {"reference", "cpu"}) {
    for (const std::string rule : {"success-if-unmoved", "zero", "zero-if-unmoved"}) {
      s.extra = {"--backend", backend, "--spl-zero", rule};
      ASSERT_EQ(run(s.eval()).code, 0);
      const auto rows = read_csv(s.folder.path("out.csv"));
      EXPECT_EQ(rows[0].at("SPL"), "1") << backend << rule;
      EXPECT_EQ(rows[2].at("SR"), "1");  // it ends 1 m from the goal, where it starts
      EXPECT_EQ(rows[2].at("SPL"), rule == "zero-if-unmoved" ? "0" : "1") << backend << rule;
    }
  }
}

TEST(AcceptedInput, NotesAnIsolatedViewpointThatAPathNames) {
  Scene s;
  const std::string note = "without any edge";
  EXPECT_EQ(run(s.eval()).out.find(note), std::string::npos);
  s.folder.write("agent.json",
                 predictions_with(R"({"instr_id":"1_0","trajectory":[["a",0,0],["x",0,0]]})"));
  s.extra = {"--invalid", "skip"};
  const std::string of_query = run(s.eval()).out;
  EXPECT_NE(of_query.find(note + ", which paths name: s (1)"), std::string::npos) << of_query;
  s.folder.write("agent.json", predictions_with(good));
  s.folder.write("dataset.json", replaced(dataset, R"(["b","c"])", R"(["b","c","x"])"));
  const std::string of_reference = run(s.eval()).out;
  EXPECT_NE(of_reference.find(note + ", which paths name: s (1)"), std::string::npos)
      << of_reference;
}

TEST(AcceptedInput, ScoresAPathOfAMillionViewpoints) {
  Scene s;
  std::string trajectory = R"({"instr_id":"1_0","trajectory":[["a",0,0])";
  for (int k = 0; k < 500'000; ++k) trajectory += R"(,["b",0,0],["a",0,0])";
  s.folder.write("agent.json", predictions_with(trajectory + "]}"));
  s.extra = {"--strict"};
  const CliResult result = run(s.eval());
  ASSERT_EQ(result.code, 0) << result.err;
  const auto rows = read_csv(s.folder.path("out.csv"));
  EXPECT_EQ(rows[0].at("PL"), "1000000");
  EXPECT_EQ(rows[0].at("n_query"), "1000001");
}

}  // namespace
}  // namespace warpath::testing
