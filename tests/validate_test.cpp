#include "host/validate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "tests/support/files.hpp"

namespace warpath {
namespace {

using testing::CliResult;

// A corridor a - b - c - d - e with 2 m between neighbours, and f without any edge. The expected
// ids are 1_0, 1_1, 1_2 for the path a, b, c; there is a fourth instruction 1_3.
class Validate : public ::testing::Test {
 protected:
  Validate() {
    graph = folder.write("house.json", R"({"scan": "house", "nodes": [
        {"id": "a", "position": [0, 0]}, {"id": "b", "position": [2, 0]},
        {"id": "c", "position": [4, 0]}, {"id": "d", "position": [6, 0]},
        {"id": "e", "position": [8, 0]}, {"id": "f", "position": [4, 1]}],
        "edges": [["a", "b"], ["b", "c"], ["c", "d"], ["d", "e"]]})");
    use_reference(R"(["a", "b", "c"])");
  }

  void use_reference(const std::string& path) {
    dataset = folder.write("dataset.json", fmt::format(R"([{{"path_id": 1, "scan": "house",
        "path": {}, "instructions": ["", "", "", ""]}}])",
                                                       path));
  }

  std::string write_entries(const std::vector<std::string>& entries) {
    return folder.write("agent.json", fmt::format("[{}]", fmt::join(entries, ", ")));
  }

  static std::string entry(const std::string& id, const std::string& trajectory) {
    return fmt::format(R"({{"instr_id": "{}", "trajectory": {}}})", id, trajectory);
  }

  // A submission that is right but for the trajectory of 1_0.
  std::string write_first(const std::string& trajectory) {
    return write_entries({entry("1_0", trajectory), entry("1_1", good), entry("1_2", good)});
  }

  CliResult validate(const std::string& file, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"validate", "--graphs", graph, "--dataset", dataset, file};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return testing::run(arguments);
  }

  // Expects the problem with its count and first example, and what the server does about it.
  void expect(const std::string& file, Problem problem, int count, const std::string& example) {
    const CliResult result = validate(file);
    EXPECT_EQ(result.err, "");
    const ProblemInfo& p = info(problem);
    expect_in(result.out, fmt::format("\n{} ({}): {}\n    {}", p.name, count, p.what, example));
    EXPECT_EQ(result.code, p.outcome == Outcome::harmless ? 0 : 1) << result.out;
    expect_in(result.out, verdict(file, p.outcome));
  }

  static std::string verdict(const std::string& file, Outcome outcome) {
    return file + ": the official server would " +
           (outcome == Outcome::rejected  ? "reject it ("
            : outcome == Outcome::misread ? "accept it, but misread it ("
                                          : "accept it\n");
  }

  static void expect_in(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in\n" << text;
  }

  // What --fix writes for a file.
  std::string fixed(const std::string& file, int code = 0) const {
    const CliResult result = validate(file, {"--fix", folder.path("fixed.json")});
    EXPECT_EQ(result.code, code) << result.out << result.err;
    return testing::read_text(folder.path("fixed.json"));
  }

  static std::string list(const std::vector<std::string>& entries) {
    return fmt::format("[\n{}\n]\n", fmt::join(entries, ",\n"));
  }

  testing::TemporaryFolder folder;
  std::string graph, dataset;
  const std::string good = R"([["a", 0.5, -0.25], ["b", 1, 0], ["c", 2, 0]])";
};

TEST_F(Validate, AcceptsWhatIsRight) {
  const std::string file = write_first(good);
  const CliResult result = validate(file);
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out,
            file + ": EvalAI submission, 3 predictions\n" + verdict(file, Outcome::harmless));
}

TEST_F(Validate, AcceptsRepeatsAndLoneViewpoints) {
  EXPECT_EQ(validate(write_first(R"([["a"], ["a"], ["b"]])")).code, 0);
}

TEST_F(Validate, TableIsInTheOrderOfTheEnum) {
  for (std::size_t p = 0; p < problem_table().size(); ++p) {
    EXPECT_EQ(problem_table()[p].problem, static_cast<Problem>(p));
  }
}

TEST_F(Validate, Container) {
  const std::string file = folder.write(
      "agent.json",
      fmt::format(R"({{"1_0": {{"trajectory": {0}}}, "1_1": {0}, "1_2": {0}}})", good));
  expect(file, Problem::container, 1, file);
  EXPECT_EQ(fixed(file), list({entry("1_0", good), entry("1_1", good), entry("1_2", good)}));
}

TEST_F(Validate, Keys) {
  std::vector<std::string> entries;
  for (int k = 0; k < 3; ++k) {
    entries.push_back(fmt::format(R"({{"instruction_id": "1_{}", "path": {}}})", k, good));
  }
  const std::string file = write_entries(entries);
  expect(file, Problem::id_key, 3, "1_0: its key is instruction_id");
  expect(file, Problem::path_key, 3, "1_0: its key is path");
  expect_in(validate(file).out, "reject it (2 kinds of problems)\n");
  EXPECT_EQ(fixed(file), list({entry("1_0", good), entry("1_1", good), entry("1_2", good)}));
}

TEST_F(Validate, NoKeyAtAllIsAnInputError) {
  const CliResult result = validate(write_entries({R"({"instr_id": "1_0", "route": []})"}));
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.out, "");
  expect_in(result.err, "no key 'trajectory'; found instr_id, route");
}

TEST_F(Validate, PlainViewpoints) {
  const std::string file = write_first(R"(["a", "b"])");
  expect(file, Problem::plain, 1, "1_0: trajectory[0] is a string");
  expect_in(fixed(file), entry("1_0", R"([["a", 0, 0], ["b", 0, 0]])"));
}

TEST_F(Validate, Malformed) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"null", "the trajectory is null"},
      {R"("a")", "the trajectory is a string"},
      {R"([["a"], 3])", "trajectory[1] is a number"},
      {R"([["a"], [1.5, "b"]])", "trajectory[1][0] is a number"},
      {R"([[["a", 0, 0], ["b", 0, 0]]])", "trajectory[0][0] is a list"},
      {R"([["a"], []])", "trajectory[1] is an empty list"},
  };
  for (const auto& [trajectory, detail] : cases) {
    expect(write_first(trajectory), Problem::malformed, 1, "1_0: " + detail);
  }
}

TEST_F(Validate, EmptyPath) {
  expect(write_first("[]"), Problem::empty_path, 1, "1_0\n");
}

TEST_F(Validate, WrongStart) {
  expect(write_first(R"([["b"], ["c"]])"), Problem::wrong_start, 1, "1_0: b instead of a");
}

TEST_F(Validate, UnknownViewpoint) {
  expect(write_first(R"([["a"], ["x"]])"), Problem::unknown_viewpoint, 1, "1_0: trajectory[1], x");
  use_reference(R"(["a", "x"])");
  expect(write_first(good), Problem::unknown_viewpoint, 3, "1_0: the dataset's goal, x");
}

TEST_F(Validate, NonAdjacent) {
  const std::string file = write_first(R"([["a"], ["b"], ["d"], ["a"]])");
  expect(file, Problem::non_adjacent, 1, "1_0: trajectory[1] to [2], from b to d, and 1 more\n");
}

TEST_F(Validate, Unreachable) {
  expect(write_first(R"([["a"], ["f"]])"), Problem::unreachable, 1, "1_0: trajectory[1], f");
  // The server knows only viewpoints with an edge: standing at such a goal is no help.
  use_reference(R"(["f"])");
  expect(write_first(R"([["f"]])"), Problem::unreachable, 3, "1_0: trajectory[0], f");
}

TEST_F(Validate, SplUndefined) {
  use_reference(R"(["a", "b", "a"])");
  expect(write_first(R"([["a"], ["a"]])"), Problem::spl_undefined, 1, "1_0\n");
  use_reference(R"(["a"])");  // a test split: the goal is not known
  EXPECT_EQ(validate(write_first(R"([["a"], ["a"]])")).code, 0);
}

TEST_F(Validate, Missing) {
  expect(write_entries({entry("1_1", good)}), Problem::missing, 2, "1_0\n    1_2\n");
  expect(write_entries({}), Problem::missing, 3, "1_0\n    1_1\n    1_2\n");
}

TEST_F(Validate, NestedLosesViewpoints) {
  const std::string file = write_first(R"([["a"], ["b", "c"]])");
  expect(file, Problem::nested, 1, "1_0: trajectory[1] names 2 viewpoints");
  expect_in(fixed(file), entry("1_0", R"([["a", 0, 0], ["b", 0, 0], ["c", 0, 0]])"));
}

TEST_F(Validate, NestedStopsTheServerWithNoEdge) {
  const CliResult result = validate(write_first(R"([["a"], ["b", "c"], ["d"]])"));
  EXPECT_EQ(result.code, 1);
  expect_in(result.out, "1_0: trajectory[1] to [2], from b to d\n");
  expect_in(result.out, "would reject it (2 kinds of problems)\n");
}

TEST_F(Validate, DuplicateId) {
  const std::string file = write_entries(
      {entry("1_0", good), entry("1_1", good), entry("1_2", good), entry("1_0", "null")});
  expect(file, Problem::duplicate_id, 1, "1_0: entries 0 and 3");
  EXPECT_EQ(fixed(file), list({entry("1_0", good), entry("1_1", good), entry("1_2", good)}));
}

TEST_F(Validate, UnknownIdAndFourthInstruction) {
  const std::string file =
      write_entries({entry("7_0", "null"), entry("1_3", R"([["f"]])"), entry("1_0", good),
                     entry("1_1", good), entry("1_2", good)});
  expect(file, Problem::unknown_id, 1, "7_0\n");
  expect(file, Problem::not_scored, 1, "1_3\n");
  EXPECT_EQ(fixed(file), list({entry("1_3", R"([["f", 0, 0]])"), entry("1_0", good),
                               entry("1_1", good), entry("1_2", good)}));
}

TEST_F(Validate, NotFinite) {
  const std::string file = write_first(R"([["a", NaN, 1.5], ["b", -Infinity, Infinity]])");
  expect(file, Problem::not_finite, 1, "1_0\n");
  expect_in(fixed(file), entry("1_0", R"([["a", 0, 1.5], ["b", 0, 0]])"));
}

TEST_F(Validate, ExamplesAreAtMostThree) {
  const std::string bad = R"([["a"], ["x"]])";
  const CliResult result = validate(
      write_entries({entry("9_0", bad), entry("9_1", bad), entry("9_2", bad), entry("9_3", bad)}));
  expect_in(result.out, "unknown_id (4): ");
  expect_in(result.out, "    9_0\n    9_1\n    9_2\n  server: ");
}

TEST_F(Validate, FileNames) {
  EXPECT_EQ(validate(folder.path("absent.json")).code, 1);
  const std::string good_file = write_first(good);
  const std::string bad_file = folder.write("bad.json", "[]");
  const CliResult both = validate(good_file, {bad_file});
  EXPECT_EQ(both.code, 1);
  expect_in(both.out, verdict(good_file, Outcome::harmless) + verdict(bad_file, Outcome::rejected));
}

TEST_F(Validate, UsageErrors) {
  const std::string file = write_first(good);
  EXPECT_EQ(validate(file, {file, "--fix", folder.path("fixed.json")}).code, 2);
  EXPECT_EQ(validate(file, {"--merge"}).code, 2);
  EXPECT_EQ(testing::run({"validate", "--graphs", graph, "--pairs", file}).code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder.path("fixed.json")));
}

TEST_F(Validate, FixFillsGapsAndTheResultEvaluates) {
  const std::string nested = R"([["a"], ["b", "c", "b"], ["e"]])";
  const std::string file =
      write_entries({entry("1_2", R"([["a", 0.5, 0], ["d", 0.25, 0]])"), entry("1_0", nested),
                     entry("1_1", good), entry("1_0", R"([["b"]])"), entry("x", "3")});
  const std::string text = fixed(file);
  EXPECT_EQ(text,
            list({entry("1_2", R"([["a", 0.5, 0], ["b", 0, 0], ["c", 0, 0], ["d", 0.25, 0]])"),
                  entry("1_0", R"([["a", 0, 0], ["b", 0, 0], ["c", 0, 0], ["b", 0, 0], )"
                               R"(["c", 0, 0], ["d", 0, 0], ["e", 0, 0]])"),
                  entry("1_1", good)}));
  expect_in(validate(file, {"--fix", folder.path("fixed.json")}).out,
            "fixed.json: 3 predictions written, 4 viewpoints filled into gaps, 0 known ids left");

  const CliResult eval = testing::run({"eval", "--preset", "r2r", "--strict", "--graphs", graph,
                                       "--dataset", dataset, folder.path("fixed.json")});
  EXPECT_EQ(eval.code, 0) << eval.out << eval.err;
  EXPECT_EQ(eval.err, "");
}

TEST_F(Validate, FixSaysWhatRemains) {
  const std::string file =
      write_entries({entry("1_0", R"([["b"], ["x"], ["d"]])"), entry("1_1", "[]")});
  EXPECT_EQ(fixed(file, 1), list({entry("1_0", R"([["b", 0, 0], ["x", 0, 0], ["d", 0, 0]])")}));
  const std::string out = validate(file, {"--fix", folder.path("fixed.json")}).out;
  const std::string of_fixed = out.substr(out.find("fixed.json: 1 predictions written"));
  expect_in(of_fixed, "1 known ids left out");
  for (const char* problem : {"wrong_start (1)", "unknown_viewpoint (1)", "missing (2)"}) {
    expect_in(of_fixed, problem);
  }
  expect_in(of_fixed, verdict(folder.path("fixed.json"), Outcome::rejected) + "3 kinds");
  // The written file, read again, has the same problems.
  expect_in(validate(folder.path("fixed.json")).out, "would reject it (3 kinds of problems)");
}

TEST_F(Validate, FixToStandardOutput) {
  const CliResult result = validate(write_first(good), {"--fix", "-"});
  EXPECT_EQ(result.out, list({entry("1_0", good), entry("1_1", good), entry("1_2", good)}));
  expect_in(result.err, "standard output: the official server would accept it\n");
}

TEST_F(Validate, FixThatCannotBeWrittenLeavesNothing) {
  const CliResult result = validate(write_first(good), {"--fix", folder.path("absent/fixed.json")});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.out, "");
  expect_in(result.err, "make the folder first");
}

TEST_F(Validate, FixMayReplaceItsInput) {
  const std::string file = write_first(R"([["a"], ["b", "c"]])");
  EXPECT_EQ(validate(file, {"--fix", file}).code, 0);
  EXPECT_EQ(validate(file).code, 0);
  EXPECT_EQ(fixed(file), testing::read_text(file)) << "a second repair changes nothing";
}

TEST_F(Validate, EscapesIds) {
  dataset = folder.write("dataset.json", R"([{"path_id": "\"\\", "scan": "house",
      "path": ["a"], "instructions": [""]}])");
  const std::string text = entry(R"(\"\\_0)", R"([["a", 0, 0]])");
  EXPECT_EQ(fixed(write_entries({text})), list({text}));
}

// The golden predictions: what the server makes of them by eval's own checks of the same files.
TEST(ValidateGolden, AgreesWithEval) {
  const std::vector<std::string> files{"--graphs", testing::source("tests/golden/connectivity"),
                                       "--dataset", testing::source("tests/golden/dataset.json"),
                                       testing::source("tests/golden/predictions.json")};
  auto run = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), files.begin(), files.end());
    return testing::run(arguments);
  };
  testing::TemporaryFolder folder;
  const CliResult validated = run({"validate"});
  ASSERT_EQ(run({"eval", "--preset", "r2r", "--missing", "skip", "--quiet", "--csv",
                 folder.path("r2r.csv")})
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
         folder.path("fixed.json")});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_NE(result.out.find("not_scored (1)"), std::string::npos);
    EXPECT_NE(result.out.find("1021 predictions written, 0 viewpoints filled into gaps, 0 known"),
              std::string::npos)
        << result.out;
  }
}

}  // namespace
}  // namespace warpath
