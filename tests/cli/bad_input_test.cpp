// Bad input, one row each. A fatal error ends with exit code 1 (2 for usage), one line that names
// file, item and remedy, and no result file. item_problem_test.cpp tests problems of single items.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "tests/support/good_files.hpp"

namespace warpath::testing {
namespace {

TEST(BadInput, AcceptsTheUnchangedFiles) {
  const Scene s;
  const CliResult result = run(s.eval());
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(std::filesystem::exists(s.folder.path("out.json")));
  Scene strict;
  strict.extra = {"--strict"};
  EXPECT_EQ(run(strict.eval()).code, 0);
}

// ---------------------------------------------------------------- fatal errors

struct Fatal {
  std::string name;
  int code;
  std::vector<std::string> says;  // all of these are in the one line
  std::function<void(Scene&)> spoil;
};

std::function<void(Scene&)> agent_is(const std::string& text) {
  return [text](Scene& s) { s.folder.write("agent.json", text); };
}
std::function<void(Scene&)> dataset_is(const std::string& text) {
  return [text](Scene& s) { s.folder.write("dataset.json", text); };
}
std::function<void(Scene&)> graph_is(const std::string& text) {
  return [text](Scene& s) { s.folder.write("graphs/s_connectivity.json", text); };
}
std::function<void(Scene&)> graph_with(const std::string& what, const std::string& with) {
  return graph_is(replaced(graph, what, with));
}
std::function<void(Scene&)> options(const Arguments& extra) {
  return [extra](Scene& s) { s.extra = extra; };
}

const std::vector<Fatal>& fatal_cases() {
  static const std::vector<Fatal> all{
      {"NoSuchPredictions",
       1,
       {"agent.json", "No such file", "check the path"},
       [](Scene& s) { std::filesystem::remove(s.agent); }},
      {"PredictionsAreAFolder",
       1,
       {"graphs", "directory", "name a file"},
       [](Scene& s) { s.agent = s.graphs; }},
      {"TruncatedJson",
       1,
       {"agent.json", "ends in the middle", "truncated"},
       agent_is(predictions_with(good).substr(0, 60))},
      {"EmptyFile", 1, {"agent.json", "is empty"}, agent_is("")},
      {"NotJson", 1, {"agent.json", "not valid JSON"}, agent_is("[{instr_id: 1}]")},
      {"NotJsonInTheMiddle",
       1,
       {"agent.json: line 3, column 13: ", "unexpected string", "expected ':'"},
       agent_is("[\n{\"instr_id\":\"1_0\",\"trajectory\":[]},\n{\"instr_id\" \"1_1\"}]")},
      {"SingleQuotes",
       1,
       {"line 1, column 3", "unexpected single quote; expected a key in double quotes"},
       agent_is("[{'instr_id': '1_0'}]")},
      {"GitLfsPointer",
       1,
       {"agent.json: a Git LFS pointer", "git lfs pull"},
       agent_is("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")},
      {"WebPage",
       1,
       {"agent.json: a web page", "download"},
       agent_is("\n<!DOCTYPE html>\n<html></html>\n")},
      {"NotFound", 1, {"agent.json", "404: Not Found", "link"}, agent_is("404: Not Found")},
      {"ZipArchive", 1, {"agent.json: a zip archive", "unpack"}, agent_is("PK\x03\x04\x14")},
      {"Pickle", 1, {"agent.json: a Python pickle", "json.dump"}, agent_is("\x80\x04\x95")},
      {"Table", 1, {"agent.json: a table (CSV)"}, agent_is("instr_id,path\n1_0,a b\n")},
      {"DatasetIsATable", 1, {"dataset.json: a table (CSV)"}, dataset_is("id,path\n1,a\n")},
      {"GraphIsALfsPointer",
       1,
       {"s_connectivity.json: a Git LFS pointer"},
       graph_is("version https://git-lfs.github.com/spec/v1\n")},
      {"TaskSuccessIsAWebPage",
       1,
       {"task.csv: a web page"},
       [](Scene& s) {
         s.extra = {"--task-success", s.folder.write("task.csv", "<html>,\n")};
       }},
      {"LargerThanMaxInput",
       1,
       {"dataset.json: holds more than 20 bytes", "--max-input"},
       options({"--max-input", "20"})},
      {"MaxInputIsNoSize", 2, {"--max-input"}, options({"--max-input", "much"})},
      {"TwoStandardInputs",
       2,
       {"standard input", "one input only"},
       [](Scene& s) { s.agent = s.data = "-"; }},
      {"NotUtf8",
       1,
       {"agent.json", "line 2", "UTF-8"},
       agent_is("[\n{\"instr_id\":\"\xff\",\"trajectory\":[]}]")},
      {"Utf16",
       1,
       {"agent.json", "line 1", "not UTF-8 text", "save the file as UTF-8"},
       agent_is(std::string("[\0{\0}\0\n\0", 8))},
      {"Binary", 1, {"agent.json", "not UTF-8 text"}, agent_is("\x93\xff\xfe")},
      {"IdIsNaN",
       1,
       {"agent.json", "entry 0", "instr_id", "an id", "NaN or infinite"},
       agent_is(R"([{"instr_id":NaN,"trajectory":[]}])")},
      {"ManyKeys", 1, {"found k0, k1", "k9, …"}, agent_is([] {
         std::string keys;
         for (int k = 0; k < 99; ++k) keys += fmt::format("{}\"k{}\":0", k > 0 ? "," : "", k);
         return "[{" + keys + "}]";
       }())},
      {"ControlCharacters",
       1,
       {"task.csv", "x y z w: ", "twice"},
       [](Scene& s) {
         const std::string row(
             "x\0y\x1bz\xc2\x9b"
             "w,1\n",
             11);
         s.folder.write("task.csv", row + row);
         s.extra = {"--task-success", s.folder.path("task.csv")};
       }},
      {"TruncatedGzip",
       1,
       {"agent.json", "gzip", "too early"},
       [](Scene& s) { s.folder.write("agent.json", gzip(predictions_with(good)).substr(0, 40)); }},
      {"DamagedGzip",
       1,
       {"agent.json", "gzip", "damaged"},
       [](Scene& s) {
         std::string packed = gzip(predictions_with(good));
         packed[20] = static_cast<char>(packed[20] ^ 0x55);
         packed[21] = static_cast<char>(packed[21] ^ 0x55);
         s.folder.write("agent.json", packed);
       }},
      {"PredictionsAreANumber", 1, {"agent.json", "a number", "list"}, agent_is("7 ")},
      {"EntryIsNoObject",
       1,
       {"agent.json", "entry 1", "a string"},
       agent_is(predictions_with(std::string(good) + ", \"x\""))},
      {"NoInstrId",
       1,
       {"agent.json", "entry 0", "instr_id", "found name, trajectory"},
       agent_is(R"([{"name":"1_0","trajectory":[]}])")},
      {"NoTrajectory",
       1,
       {"agent.json", "entry 0", "trajectory", "found instr_id, route"},
       agent_is(R"([{"instr_id":"1_0","route":[]}])")},
      {"IdIsAList",
       1,
       {"agent.json", "instr_id", "a list"},
       agent_is(R"([{"instr_id":[],"trajectory":[]}])")},
      {"ForcedFormatIsWrong",
       1,
       {"agent.json", "speaker-follower"},
       options({"--format", "speaker-follower"})},
      {"DatasetIsNoList", 1, {"dataset.json", "a list"}, dataset_is("{}")},
      {"DatasetWithoutItems", 1, {"dataset.json", "no items"}, dataset_is("[]")},
      {"DatasetOfAnotherKind",
       1,
       {"dataset.json", "entry 0", "found question", "expected"},
       dataset_is(R"([{"question":"?"}])")},
      {"DatasetWithoutScan",
       1,
       {"dataset.json", "2", "scan", "found"},
       dataset_is(replaced(dataset, R"("path_id":2,"scan":"s")", R"("path_id":2)"))},
      {"DatasetWithWrongType",
       1,
       {"dataset.json", "2", "path", "a list"},
       dataset_is(replaced(dataset, R"(["b","c"])", R"("bc")"))},
      {"DatasetHasAnIdTwice",
       1,
       {"dataset.json", "1_0", "twice"},
       dataset_is(replaced(dataset, "\"path_id\":2", "\"path_id\":1"))},
      {"NoGraphFolder", 1, {"nowhere", "no such"}, [](Scene& s) { s.graphs = "nowhere"; }},
      {"NoGraphForTheScan",
       1,
       {"graphs", "1 of the dataset's 1 scans has no graph: s", "_connectivity.json"},
       [](Scene& s) { std::filesystem::remove(s.scan); }},
      {"AsymmetricAdjacency",
       1,
       {"s_connectivity.json", "b", "with c is not symmetric"},
       graph_with("[true,false,true,false]", "[true,false,false,false]")},
      {"ShortAdjacency",
       1,
       {"s_connectivity.json", "a", "unobstructed", "has 3"},
       graph_with("[false,true,false,false]", "[false,true,false]")},
      {"PoseIsNaN",
       1,
       {"s_connectivity.json", "b", "pose", "finite number"},
       graph_with("0,0,1, 0,1", "0,0,NaN, 0,1")},
      {"PoseIsShort",
       1,
       {"s_connectivity.json", "a", "pose", "16 numbers"},
       graph_with("[1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1]", "[1,2,3]")},
      {"PoseIsInMillimetresOrWorse",
       1,
       {"s_connectivity.json", "b", "pose", "-10000001", "positions are metres"},
       graph_with("[1,0,0,1, ", "[1,0,0,-10000001, ")},
      {"IncludedIsAString",
       1,
       {"s_connectivity.json", "a", "included", "true or false"},
       graph_with("\"included\":true", "\"included\":\"yes\"")},
      {"ViewpointTwice",
       1,
       {"s_connectivity.json", "a", "twice"},
       graph_with("\"image_id\":\"b\"", "\"image_id\":\"a\"")},
      {"MissingPrediction",
       1,
       {"agent.json", "1_0", "1 of 3", "--missing skip"},
       agent_is(predictions_with(R"({"instr_id":"7_0","trajectory":[]})"))},
      {"OutputFolderIsMissing",
       1,
       {"nowhere/out.json", "No such file", "make the folder"},
       options({"--quiet"})},
      {"OutputIsAFolder", 1, {"graphs", "directory"}, options({"--quiet"})},
      {"DiskFull", 1, {"/dev/full", "No space left", "free some space"}, options({"--quiet"})},
      {"TaskSuccessWithoutComma",
       1,
       {"task.csv", "line 1", "comma"},
       [](Scene& s) {
         s.extra = {"--task-success", s.folder.write("task.csv", "1_0 1\n")};
       }},
      {"NoDatasetAndNoPairs", 2, {"--dataset", "--pairs"}, options({"--pairs", "p.jsonl"})},
      {"UnknownPreset", 2, {"no preset 'r3r'", "paper, r2r"}, options({"--preset", "r3r"})},
      {"UnknownMetric", 2, {"no metric 'XY'", "PL, NE"}, options({"--metrics", "SR,XY"})},
      {"ThresholdOfZero", 2, {"--threshold", "above 0"}, options({"--threshold", "0"})},
      {"ThresholdIsNaN", 2, {"--threshold", "nan"}, options({"--threshold", "nan"})},
      {"UnknownSettingValue", 2, {"--success", "lt|le"}, options({"--success", "eq"})},
      {"EmptyThreshold", 2, {"--threshold", "empty"}, options({"--threshold", ""})},
      {"EmptyPreset", 2, {"--preset", "empty"}, options({"--preset", ""})},
      {"EmptyMetrics", 2, {"--metrics", "empty"}, options({"--metrics", ""})},
      {"EmptyBy", 2, {"--by", "empty"}, options({"--by", ""})},
      {"EmptyAlso", 2, {"--also", "empty"}, options({"--also", ","})},
      {"EmptyTaskSuccess", 2, {"--task-success", "empty"}, options({"--task-success", ""})},
      {"EmptyPredictions", 2, {"predictions", "empty"}, options({""})},
      {"UsageOfTwoLines",
       2,
       {"no preset 'a b c'"},
       options({"--preset",
                "a\nb\x1b"
                "c"})},
      {"UnknownBackend", 2, {"no back end 'tpu'"}, options({"--backend", "tpu"})},
      {"UnknownOption", 2, {"--colour", "--help"}, options({"--colour"})},
      {"UnknownFormat", 2, {"'xml'", "r2r"}, options({"--format", "xml"})},
  };
  return all;
}

void PrintTo(const Fatal& fatal, std::ostream* out) {
  *out << fatal.name;
}

class FatalInput : public ::testing::TestWithParam<Fatal> {};

TEST_P(FatalInput, EndsInOneLineAndWritesNothing) {
  const Fatal& fatal = GetParam();
  Scene s;
  fatal.spoil(s);
  const auto before = s.folder.list();
  Arguments arguments = s.eval();
  const auto replace_output = [&](const std::string& with) { arguments[7] = with; };
  if (fatal.name == "OutputFolderIsMissing") replace_output(s.folder.path("nowhere/out.json"));
  if (fatal.name == "OutputIsAFolder") replace_output(s.graphs);
  if (fatal.name == "DiskFull") arguments[9] = "/dev/full";  // the CSV, after the JSON
  const CliResult result = run(arguments);
  EXPECT_EQ(result.code, fatal.code) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  for (const std::string& part : fatal.says) {
    EXPECT_NE(result.err.find(part), std::string::npos) << "no '" << part << "' in " << result.err;
  }
  EXPECT_EQ(s.folder.list(), before) << "something was left behind";
}

INSTANTIATE_TEST_SUITE_P(All, FatalInput, ::testing::ValuesIn(fatal_cases()),
                         [](const auto& test) { return test.param.name; });

TEST(BadInput, NamesAFileWithoutReadPermission) {
  Scene s;
  ::chmod(s.agent.c_str(), 0);
  ::chmod(s.folder.path().c_str(), 0755);
  const bool is_root =
      ::geteuid() == 0;  // root may read everything, so the test becomes another user for a moment
  if (is_root && ::seteuid(65534) != 0) GTEST_SKIP() << "cannot become another user";
  const CliResult result = run(s.eval());
  ASSERT_EQ(is_root ? ::seteuid(0) : 0, 0);
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("agent.json: cannot be read: Permission denied"), std::string::npos)
      << result.err;
}

TEST(BadInput, KeepsAFileWithoutWritePermission) {
  Scene s;
  s.folder.write("out.json", "precious");
  ::chmod(s.folder.path("out.json").c_str(), 0444);
  ::chmod(s.folder.path().c_str(), 0755);
  const bool is_root = ::geteuid() == 0;
  if (is_root && ::seteuid(65534) != 0) GTEST_SKIP() << "cannot become another user";
  const CliResult result = run(s.eval());
  ASSERT_EQ(is_root ? ::seteuid(0) : 0, 0);
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("out.json: cannot be written"), std::string::npos) << result.err;
  EXPECT_EQ(read_text(s.folder.path("out.json")), "precious");
  EXPECT_FALSE(std::filesystem::exists(s.folder.path("out.csv")));
}

}  // namespace
}  // namespace warpath::testing
