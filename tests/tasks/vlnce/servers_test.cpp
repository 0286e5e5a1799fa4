// Tests that validate judges submissions of positions by the forms of VLN-CE and RxR-Habitat.

#include "tests/support/episodes.hpp"

namespace warpath {
namespace {

using testing::CliResult;

class ValidateVlnce : public testing::EpisodeTest {};

TEST_F(ValidateVlnce, AcceptsAValidSubmission) {
  const std::string file = write_episode(
      R"([{"position": [0, 0, 0], "heading": 0.0, "stop": false},
          {"position": [0, 0, 0], "heading": 0.5, "stop": false},
          {"position": [3, 0, 0], "heading": 0.5, "stop": true}])");
  const CliResult result = validate(file);
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  expect_in(result.out, "script is not public");
  expect_in(result.out, verdict(file, submission::Outcome::harmless));
}

TEST_F(ValidateVlnce, ReportsWhatIsWrongWithAPath) {
  const std::string start = R"({"position": [0, 0, 0], "heading": 0, "stop": false})";
  const auto behind = [&](const std::string& more) { return fmt::format("[{}, {}]", start, more); };
  const std::vector<std::tuple<std::string, submission::Problem, std::string>> rows{
      {"null", submission::Problem::malformed, "1: path is null, not a list of positions"},
      {"3", submission::Problem::malformed, "1: path is a number"},
      {behind(R"({"position": [0, 0], "heading": 0, "stop": true})"),
       submission::Problem::malformed, "1: [1].position has 2 elements"},
      {behind(R"({"position": [0, NaN, 0], "heading": 0, "stop": true})"),
       submission::Problem::malformed, "1: [1].position has NaN"},
      {behind(R"({"position": "a", "heading": 0, "stop": true})"), submission::Problem::malformed,
       "1: [1].position is a string"},
      {behind(R"({"heading": 0, "stop": true})"), submission::Problem::malformed,
       "1: [1] has no position"},
      {behind(R"({"position": [1, 0, 0], "heading": 0, "stop": "yes"})"),
       submission::Problem::malformed, "1: [1].stop is a string"},
      {"[]", submission::Problem::empty_path, "1\n"},
      {"[[0, 0, 0], [1, 0, 0]]", submission::Problem::points, "1: [0]\n"},
      {behind(R"({"position": [1, 0, 0], "stop": true})"), submission::Problem::heading_key,
       "1: [1]\n"},
      {behind(R"({"position": [1, 0, 0], "heading": "n", "stop": true})"),
       submission::Problem::heading_key, "1: [1]\n"},
      {behind(R"({"position": [1, 0, 0], "heading": NaN, "stop": true})"),
       submission::Problem::not_finite, "1: [1]\n"},
      {R"([{"position": [0, 0, 0], "heading": 0}, {"position": [1, 0, 0], "heading": 0,
            "stop": true}])",
       submission::Problem::stop_key, "1: [0]\n"},
      {behind(R"({"position": [1, 0, 0], "heading": 0, "stop": false})"),
       submission::Problem::no_stop, "1\n"},
      {R"([{"position": [0, 0, 0], "heading": 0, "stop": true},
           {"position": [1, 0, 0], "heading": 0, "stop": true}])",
       submission::Problem::early_stop, "1: [0] of 2 entries"},
      {R"([{"position": [0, 0, 0.2], "heading": 0, "stop": true}])",
       submission::Problem::wrong_start, "1: [0, 0, 0.2] instead of [0, 0, 0]"},
  };
  for (const auto& [path, problem, example] : rows) {
    SCOPED_TRACE(path);
    expect(write_episode(path), problem, 1, example);
  }
}

TEST_F(ValidateVlnce, ReportsWhatIsWrongWithTheFile) {
  expect(folder.write("a.json", fmt::format(R"({{"2": {}}})", good_second)),
         submission::Problem::missing, 1, "1\n");
  const std::string first = R"([{"position": [0, 0, 0], "heading": 0, "stop": true}])";
  const std::string both = fmt::format(R"("1": {}, "2": {})", first, good_second);
  expect(folder.write("a.json", fmt::format(R"({{{}, "7": {}}})", both, good_second)),
         submission::Problem::unknown_id, 1, "7\n");
  expect(folder.write("a.json", fmt::format(R"({{{}, "2": {}}})", both, good_second)),
         submission::Problem::duplicate_id, 1, "2\n");
  const CliResult lines = validate(write_lines(
      {R"({"episode_id": 1, "path": [[0, 0, 0]]})", R"({"episode_id": 2, "path": [[0, 1, 0]]})"}));
  EXPECT_EQ(lines.code, 1);
  expect_in(lines.out, "container (1): ");
  expect_in(lines.out, "warpath convert --to vlnce");
}

TEST_F(ValidateVlnce, NeedsNoGraphsAndRepairsNothing) {
  const std::string file =
      write_episode(R"([{"position": [0, 0, 0], "heading": 0, "stop": true}])");
  EXPECT_EQ(testing::run({"validate", "--dataset", dataset, file}).code, 0);
  const CliResult fix = validate(file, {"--fix", folder.path("fixed.json")});
  EXPECT_EQ(fix.code, 2);
  expect_in(fix.err, "warpath convert");
}

class ValidateRxr : public testing::EpisodeTest {
 protected:
  ValidateRxr() { use_rxr(); }

  // Writes lines that are valid except for instruction 92.
  std::string write_with(const std::string& line_of_92) {
    return write_lines(
        {line("91", "[[0, 1, 0], [0, 2, 0]]"), line_of_92, line("100", "[[0, 0, 0]]")});
  }
};

TEST_F(ValidateRxr, AcceptsAValidSubmission) {
  const std::string file = write_with(line("92", "[[0, 0, 0], [1, 0, 0], [0, 0, 0]]"));
  const CliResult result = validate(file);
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  expect_in(result.out, "RxR-Habitat");
  expect_in(result.out, verdict(file, submission::Outcome::harmless));
}

TEST_F(ValidateRxr, ReportsWhatIsWrongWithALine) {
  const std::vector<std::tuple<std::string, submission::Problem, std::string>> rows{
      {line("92", "null"), submission::Problem::malformed, "92: path is null"},
      {line("92", "[[0, 0, 0], [1, 0]]"), submission::Problem::malformed, "92: [1] has 2 elements"},
      {line("92", "[[0, 0, 0], [1, Infinity, 0]]"), submission::Problem::malformed,
       "92: [1] has NaN or infinite"},
      {line("92", "[[0, 0, 0], [1, 0, 0, 0]]"), submission::Problem::malformed,
       "92: [1] has 4 elements"},
      {line("92", R"([[0, 0, 0], "a"])"), submission::Problem::malformed, "92: [1] is a string"},
      {line("92", "[]"), submission::Problem::empty_path, "92\n"},
      {line("92", R"([{"position": [0, 0, 0]}])"), submission::Problem::objects, "92: [0]\n"},
      {line("92", "[[0, 0, 0], [0, 0, 0], [1, 0, 0], [1, 0, 0]]"), submission::Problem::repeats,
       "92: [1], and 1 more\n"},
      {line("92", "[[0, 0.2, 0]]"), submission::Problem::wrong_start,
       "92: [0, 0.2, 0] instead of [0, 0, 0]"},
      {line("\"92\"", "[[0, 0, 0]]"), submission::Problem::id_type, "92: it is a string"},
      {R"({"instruction_id": 92, "trajectory": [[0, 0, 0]]})", submission::Problem::path_key,
       "92: found"},
  };
  for (const auto& [text, problem, example] : rows) {
    SCOPED_TRACE(text);
    expect(write_with(text), problem, 1, example);
  }
}

TEST_F(ValidateRxr, ReportsWhatIsWrongWithTheFile) {
  const std::string second = line("91", "[[0, 1, 0]]"), third = line("100", "[[0, 0, 0]]");
  const std::string first = line("92", "[[0, 0, 0]]");
  expect(write_lines({first, second, third}), submission::Problem::order, 1, "91: behind 92");
  expect(write_lines({second, first, first, third}), submission::Problem::duplicate_id, 1, "92\n");
  expect(write_lines({second, first, third, line("700", "[[0, 0, 0]]")}),
         submission::Problem::unknown_id, 1, "700\n");
  const CliResult missing = validate(write_lines({second, first}));
  EXPECT_EQ(missing.code, 1);
  expect_in(missing.out, "missing (1): an instruction has no prediction\n    100: te-IN\n");
  expect_in(missing.out, "languages (1): no instruction of a language is predicted\n    te: 1 in");
  const CliResult by_episode = validate(write_lines(
      {R"({"episode_id": 1, "path": [[0, 0, 0]]})", R"({"episode_id": 2, "path": [[0, 1, 0]]})"}));
  expect_in(by_episode.out, "id_key (2): ");
  expect_in(by_episode.out, "    100: te-IN\n");
  const CliResult list =
      validate(folder.write("agent.json", fmt::format("[{},\n {}, {}]", second, first, third)));
  EXPECT_EQ(list.code, 1);
  expect_in(list.out, "container (1): ");
  const CliResult dict = validate(folder.write("agent.json", R"({"1": [[0, 0, 0]]})"));
  expect_in(dict.out, "container (1): ");
  expect_in(dict.out, "    91: hi-IN\n");
}

TEST_F(ValidateRxr, ReportsADatasetOfTwoLanguages) {
  use_rxr("en-IN");
  expect(write_with(line("92", "[[0, 0, 0]]")), submission::Problem::languages, 1,
         "hi: the dataset has none either");
}

TEST_F(ValidateRxr, ReadsASingleLine) {
  const CliResult result = validate(write_lines({line("92", "[[0, 0, 0]]")}));
  EXPECT_EQ(result.out.find("container"), std::string::npos) << result.out;
  expect_in(result.out, "missing (2): ");
}

}  // namespace
}  // namespace warpath
