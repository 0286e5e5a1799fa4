// Tests warpath aggregate: its table and files, what it refuses, and what it says of gaps.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/support/files.hpp"
#include "tests/support/json_text.hpp"

namespace warpath::testing {
namespace {

// Three episodes: one as it should be, one whose goal cannot be reached, one without nDTW.
constexpr const char* first_rank =
    "{\"1\": {\"success\": 1.0, \"oracle_success\": 1.0, \"spl\": 0.5, \"ndtw\": 0.8, "
    "\"distance_to_goal\": 1.5, \"path_length\": 10.0, \"steps_taken\": 40.0}}";
constexpr const char* second_rank =
    "{\"2\": {\"success\": 0.0, \"oracle_success\": 1.0, \"spl\": NaN, \"ndtw\": 0.4, "
    "\"distance_to_goal\": Infinity, \"path_length\": 20.0, \"steps_taken\": 80.0}}";

class Aggregate : public ::testing::Test {
 protected:
  Aggregate() {
    files = {folder.write("stats_r0_w2.json", first_rank),
             folder.write("stats_r1_w2.json", second_rank)};
  }

  CliResult aggregate(const Arguments& more = {}) const {
    return run(with({"aggregate"}, files, more));
  }

  static void has(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " not in\n" << text;
  }

  void refuses(const Arguments& more, int code, const std::vector<std::string>& says) const {
    const CliResult result = aggregate(more);
    EXPECT_EQ(result.code, code) << result.out;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    for (const std::string& part : says) has(result.err, part);
  }

  TemporaryFolder folder;
  Arguments files;
};

TEST_F(Aggregate, ShowsAllRulesSideBySide) {
  const CliResult result = aggregate({"--invalid", "zero"});
  EXPECT_EQ(result.code, 0) << result.err;
  const std::string table =
      "  rule       SR ↑    OSR ↑   SPL ↑      nDTW ↑  NE (m) ↓  PL (m)  steps   n\n"
      "  ours       0.5000  1.0000  0.2500 z1  0.6000  1.500 d1  15.000  60.000  2\n"
      "  navid      0.5000  1.0000  0.2500 z1       –  0.750 z1  15.000       –  2\n"
      "  navila     0.5000  1.0000  0.5000 d1  0.6000  1.500 d1  15.000  60.000  2\n"
      "  internnav  0.5000  1.0000  0.2500 z1  0.6000  1.500 d1       –       –  2\n"
      "  streamvln  0.5000  1.0000  nan             –  inf            –       –  2\n"
      "  dcvln      0.5000  1.0000  nan        0.6000  inf       15.000  60.000  2\n";
  // Columns are flush right; compare words.
  const auto words = [](std::string text) {
    std::string squeezed;
    for (const char c : text) {
      if (c != ' ' || (!squeezed.empty() && squeezed.back() != ' ')) squeezed += c;
    }
    return squeezed;
  };
  for (std::size_t begin = 0; begin < table.size();) {
    const std::size_t end = table.find('\n', begin);
    const std::string line = words(table.substr(begin, end - begin));
    EXPECT_NE(words(result.out).find(line), std::string::npos) << line << " not in\n" << result.out;
    begin = end + 1;
  }
  has(result.out, "z: so many values count 0");
  has(result.out, "d: so many values are left out");
  has(result.out, "navila (NaVILA eval_jsons.py): SPL and NE");
}

TEST_F(Aggregate, RefusesValuesThatVanish) {
  const std::string json = folder.path("out.json");
  const CliResult result = aggregate({"--json", json});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  has(result.err,
      "stats_r1_w2.json: episode 2: SPL: is NaN; no usable value: SPL in 1 episode, NE");
  has(result.err, "--invalid zero");
  has(result.out, "refused");
  has(result.out, "navila");  // the other rules are shown
  EXPECT_FALSE(std::filesystem::exists(json));
  EXPECT_EQ(aggregate({"--metrics", "success,nDTW"}).code, 0);
  EXPECT_EQ(aggregate({"--rules", "navid,dcvln"}).code, 0);
}

TEST_F(Aggregate, SaysWhichExceptionEndsAProgram) {
  files = {folder.write("a.jsonl",
                        "{\"id\": 1, \"success\": 1, \"spl\": 1, \"os\": 1, \"ne\": 1}\n"
                        "{\"id\": 2, \"success\": 1, \"spl\": 1, \"os\": 1, \"ne\": null}\n")};
  const CliResult result = aggregate({"--invalid", "skip"});
  EXPECT_EQ(result.code, 0) << result.err;
  has(result.out, "fails");
  has(result.out,
      "dcvln (Discrete-Continuous-VLN and ETPNav base_il_trainer.py) fails with TypeError: ");
  has(result.out, "TypeError: line 2 has null for NE");
  has(result.out, "navila (NaVILA eval_jsons.py) fails with KeyError: ");
  has(result.out, "has no nDTW");
}

TEST_F(Aggregate, RefusesAMissingRank) {
  files.pop_back();
  refuses({}, 1, {"stats_r1_w2.json: is not among the files of the run", "--missing skip"});
  const CliResult result = aggregate({"--missing", "skip"});
  EXPECT_EQ(result.code, 0) << result.err;
  has(result.out, "1 file of the run is missing: ");
}

TEST_F(Aggregate, RefusesMissingEpisodes) {
  const Arguments zero{"--metrics", "SR", "--episodes", "4"};
  refuses(zero, 1, {"2 of 4 episodes are not there", "--missing zero"});
  Arguments counted = zero;
  counted.insert(counted.end(), {"--missing", "zero", "--rules", "ours"});
  const CliResult result = aggregate(counted);
  EXPECT_EQ(result.code, 0) << result.err;
  has(result.out, "0.2500 z2");
  refuses({"--episodes", "1"}, 1, {"the files have 2 episodes, --episodes says 1"});
}

TEST_F(Aggregate, TakesAFolder) {
  folder.write("notes.txt", "no dump");
  files = {folder.path()};
  EXPECT_EQ(aggregate({"--invalid", "skip"}).out.substr(0, 1), folder.path().substr(0, 1));
  const CliResult result = aggregate({"--invalid", "skip", "--quiet", "--csv", "-"});
  EXPECT_EQ(result.code, 0) << result.err;
  has(result.out, "ours,NE,m,1.5,1,2,0,1,\n");
  std::filesystem::create_directory(folder.path("empty"));
  files = {folder.path("empty")};
  refuses({}, 1, {"no .json or .jsonl file"});
}

TEST_F(Aggregate, WritesJson) {
  const std::string path = folder.path("out.json");
  const Arguments options{"--invalid", "zero", "--quiet", "--no-run-info", "--json", path};
  ASSERT_EQ(aggregate(options).code, 0);
  const std::string text = read_text(path);
  EXPECT_EQ(aggregate(options).code, 0);
  EXPECT_EQ(read_text(path), text);
  const std::string ours = json_at(text, "/rules/0/means");
  EXPECT_EQ(json_at(ours, "/SPL/mean"), "0.25");
  EXPECT_EQ(json_at(ours, "/SPL/n"), "2");
  EXPECT_EQ(json_at(ours, "/SPL/zeroed"), "1");
  EXPECT_EQ(json_at(ours, "/NE/dropped"), "1");
  const std::string dcvln = json_at(text, "/rules/5/means");
  EXPECT_EQ(json_at(dcvln, "/NE/mean"), "null");
  EXPECT_EQ(json_at(dcvln, "/NE/not_finite"), R"("Infinity")");
  EXPECT_EQ(json_at(dcvln, "/SPL/not_finite"), R"("NaN")");
}

TEST_F(Aggregate, WritesExceptionsToJsonAndCsv) {
  files = {folder.write("a.jsonl",
                        "{\"id\": 1, \"success\": 1, \"spl\": null}\n"
                        "{\"id\": 2, \"success\": 1, \"spl\": 1}\n")};
  const std::string path = folder.path("out.json");
  const CliResult result =
      aggregate({"--rules", "streamvln", "--quiet", "--json", path, "--csv", "-"});
  ASSERT_EQ(result.code, 0) << result.err;
  has(read_text(path), "\"exception\": \"KeyError\"");
  has(result.out, "streamvln,,,,,2,,,KeyError: ");
}

TEST_F(Aggregate, PrintsNothingButTheTableForPapers) {
  const CliResult markdown = aggregate({"--invalid", "zero", "--markdown", "--percent"});
  EXPECT_TRUE(markdown.out.starts_with("| rule ")) << markdown.out;
  has(markdown.out, "| SR (%) ↑ |");
  has(markdown.out, " 50.00 |");
  has(markdown.err, "count 0");
  const CliResult latex = aggregate({"--invalid", "zero", "--latex"});
  EXPECT_TRUE(latex.out.starts_with("\\begin{tabular}{lrrrrrrrr}\n")) << latex.out;
}

TEST_F(Aggregate, ReadsDumpsOfVlnPe) {
  files = {
      folder.write("pe.jsonl",
                   "{\"info\": {\"TL\": 4, \"NE\": -1, \"osr\": -1, \"success\": 0, \"spl\": 0}, "
                   "\"fail_reason\": \"fall\"}\n"
                   "{\"info\": {\"TL\": 5, \"NE\": 1, \"osr\": 1, \"success\": 1, \"spl\": 1}, "
                   "\"fail_reason\": \"\"}\n")};
  const CliResult result = aggregate({"--invalid", "skip", "--quiet", "--csv", "-"});
  EXPECT_EQ(result.code, 0) << result.err;
  has(result.out, "vlnpe,NE,m,0.5,2,2,1,0,\n");
  has(result.out, "vlnpe,FR,,0.5,2,2,0,0,\n");
  has(result.out, "ours,NE,m,1,1,2,0,1,\n");
  EXPECT_EQ(result.out.find("navid"), std::string::npos);
}

TEST_F(Aggregate, RefusesSenselessOptions) {
  refuses({"--rules", "navidd"}, 2, {"no rule 'navidd'; did you mean navid?"});
  refuses({"--metrics", "SPLL"}, 2, {"--metrics: no measure 'SPLL'"});
  refuses({"--invalid", "drop"}, 2, {"--invalid"});
  refuses({"--duplicates", "none"}, 2, {"'none' is none of error|first|last|each"});
  refuses({"--missing", "zero"}, 2, {"give their number by --episodes"});
  refuses({"--episodes", "0"}, 2, {"--episodes"});
  refuses({"--json", files[0]}, 2, {"would overwrite the input"});
  refuses({"--no-run-info"}, 2, {"--json"});
  EXPECT_EQ(run({"aggregate"}).code, 2);
  EXPECT_EQ(run({"aggregate", files[0], "--flat-names"}).code, 2);
}

TEST_F(Aggregate, CleansWhatItPrints) {
  files = {
      folder.write("esc.json", "{\"\\u001b[31mx\": {\"success\": 1, \"\\u001b]0;t\\u0007\": 2}}")};
  const CliResult result = aggregate({"--rules", "ours"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace warpath::testing
