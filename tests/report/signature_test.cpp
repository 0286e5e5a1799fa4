// Tests signatures: what they say, that each part of an evaluation changes them, and that
// `warpath check` finds which part differs.

#include <gtest/gtest.h>

#include <algorithm>

#include "host/program/report/report.hpp"
#include "tests/support/files.hpp"
#include "warpath/error.hpp"
#include "warpath/version.hpp"

namespace warpath::testing {
namespace {

using report::Signature;
using report::SignatureForm;

// Uses a street a - b - c with two metres per step, two paths and agents.
class Signatures : public ::testing::Test {
 protected:
  CliResult eval(std::vector<std::string> more) const {
    more.insert(more.begin(), {"eval", "--graphs", graph, "--dataset", data});
    return run(more);
  }
  CliResult check(const std::string& signature, std::vector<std::string> more) const {
    more.insert(more.begin(), {"check", signature});
    return run(more);
  }
  // Returns the signature below a table.
  std::string below_table(const std::vector<std::string>& more) const {
    const CliResult result = eval(more);
    EXPECT_EQ(result.code, 0) << result.err;
    const std::string title = "\nsignature: ";
    const std::size_t at = result.out.find(title);
    if (at == std::string::npos) {
      ADD_FAILURE() << result.out;
      return "";
    }
    const std::size_t begin = at + title.size();
    return result.out.substr(begin, result.out.find('\n', begin) - begin);
  }
  std::string agent(const std::string& name, const std::string& second) const {
    return folder.write(name, R"([{"instr_id":"0_0","trajectory":[["a"],["b"],["c"]]},
      {"instr_id":"1_0","trajectory":)" +
                                  second + "}]");
  }

  const TemporaryFolder folder;
  const std::string graph = folder.write("s.json", R"({"nodes":[{"id":"a","position":[0,0]},
    {"id":"b","position":[2,0]},{"id":"c","position":[4,0]}],"edges":[["a","b"],["b","c"]]})");
  const std::string data = folder.write("d.json", R"([
    {"path_id":0,"scan":"s","path":["a","b","c"],"instructions":[""]},
    {"path_id":1,"scan":"s","path":["a","b"],"instructions":[""]}])");
  const std::string good = agent("good.json", R"([["a"],["b"]])");
  const std::string lost = agent("lost.json", R"([["zz"]])");
  const std::string version = WARPATH_VERSION;
};

// The line is promised, so it stands here in full: hashes are of the texts above.
TEST_F(Signatures, StandBelowTablesAndInReports) {
  EXPECT_EQ(below_table({good, "--threshold", "1"}),
            "p:paper|threshold:1|d:9cb1e08d|g:e60b4b8e|i:2|v:" + version);
  const std::string full =
      "preset:paper|threshold:1|dataset:9cb1e08d|graphs:e60b4b8e|items:2|warpath:" + version;
  const std::string json = eval({good, "--threshold", "1", "--quiet", "--json", "-"}).out;
  EXPECT_NE(json.find("\"signature\": \"" + full + "\""), std::string::npos) << json;
  const CliResult latex = eval({good, "--threshold", "1", "--latex"});
  EXPECT_NE(latex.out.find("\n% warpath signature: " + full + "\n"), std::string::npos)
      << latex.out;
}

TEST_F(Signatures, AreOfAgentsThatDiffer) {
  const CliResult result = eval({good, "Again=" + good, lost, "--invalid", "skip"});
  EXPECT_NE(result.out.find("\nsignature (good, Again): p:paper|invalid:skip|"), std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("|i:2|s:unknown_viewpoint=1|v:"), std::string::npos) << result.out;
}

TEST_F(Signatures, NameTheFurtherPresetInReports) {
  const std::string json = eval({good, "--quiet", "--also", "r4r-hops", "--json", "-"}).out;
  EXPECT_NE(json.find("\"signature\": \"preset:paper|"), std::string::npos) << json;
  EXPECT_NE(json.find("\"signature\": \"preset:r4r-hops|"), std::string::npos) << json;
}

TEST_F(Signatures, AreFoundInTheirFiles) {
  const std::vector<std::string> files{"--graphs", graph, "--dataset", data, good};
  const std::string line = below_table({good, "--threshold", "1"});
  for (const SignatureForm form : {SignatureForm::full, SignatureForm::shorter}) {
    const CliResult result = check(report::parse_signature(line).text(form), files);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out, "good: has the signature\n");
  }
  const std::string of_version = line.substr(0, line.rfind(':') + 1) + "0.0.1";
  const CliResult older = check(of_version, files);
  EXPECT_EQ(older.code, 0) << older.err;
  EXPECT_NE(older.out.find("note: the signature is of warpath 0.0.1, this is "), std::string::npos)
      << older.out;
}

TEST_F(Signatures, DifferInThePartThatChanged) {
  const std::string line = below_table({good, "--invalid", "skip"});
  const std::string other_data = folder.write("e.json", R"([
    {"path_id":0,"scan":"s","path":["a","b","c"],"instructions":[""]},
    {"path_id":1,"scan":"s","path":["a","b"],"instructions":["Go."]}])");
  const std::string other_graph = folder.write("t/s.json", R"({"nodes":[{"id":"a",
    "position":[0,0]},{"id":"b","position":[3,0]},{"id":"c","position":[4,0]}],
    "edges":[["a","b"],["b","c"]]})");
  struct Case {
    std::vector<std::string> files;
    std::string part;
  };
  for (const Case& each : {Case{{"--graphs", graph, "--dataset", other_data, good}, "dataset"},
                           Case{{"--graphs", other_graph, "--dataset", data, good}, "graphs"},
                           Case{{"--graphs", graph, "--dataset", data, lost}, "statuses"}}) {
    const CliResult result = check(line, each.files);
    EXPECT_EQ(result.code, 1) << result.out;
    EXPECT_NE(result.out.find(": differs from the signature in 1 part\n  " + each.part + ": "),
              std::string::npos)
        << result.out;
  }
  const CliResult fewer =
      check(line + "|s:unreachable=1", {"--graphs", graph, "--dataset", data, good});
  EXPECT_NE(fewer.out.find("  statuses: unreachable=1 in the signature, nothing of these files\n"),
            std::string::npos)
      << fewer.out;
}

TEST_F(Signatures, NameMetricsOfTheCallerWhichNothingChecks) {
  const std::string signature = "p:paper|d:9cb1e08d|g:e60b4b8e|i:2|o:Near,Far|v:" + version;
  EXPECT_EQ(report::parse_signature(signature).parts.back().value, version);
  EXPECT_EQ(report::parse_signature(signature).value_of("own_metrics"), "Near,Far");
  const CliResult result = check(signature, {"--graphs", graph, "--dataset", data, good});
  EXPECT_EQ(result.code, 0) << result.out;
  EXPECT_NE(result.out.find("good: has the signature"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("are not checked: Near,Far\n"), std::string::npos) << result.out;
}

TEST_F(Signatures, AreRefusedWhereTheyAreNone) {
  for (const char* text :
       {"", "r2r", "preset:", "preset:r2", "threshold:1|items:2", "preset:r2r|", "preset:r2r|p:r2r",
        "preset:r2r|threshold:-1", "preset:r2r|datset:1", "preset:r2r\n|items:2"}) {
    const CliResult result = check(text, {"--graphs", graph, "--dataset", data, good});
    EXPECT_EQ(result.code, 2) << text << result.out;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  }
  EXPECT_NE(
      check("preset:r2r|datset:1", {"--dataset", data, good}).err.find("did you mean dataset?"),
      std::string::npos);
}

// Each part stands for what it is of: none is left out, and none takes the place of another.
TEST(SignatureOfInputs, HasAPartForEach) {
  report::EvalReport report;
  report.dataset_hash = "0123456789abcdef+fedcba9876543210";
  report.format = "vlnce";
  report.split = "val_seen";
  report.reference = "planner";
  report.sub_instructions = true;
  report.graphs_path = "connectivity";
  report.graphs_hash = "1111111122";
  report.objects_hash = "2222222233";
  AgentResult run;
  run.task_success_hash = "3333333344";
  run.distances = PositionDistances{.source = "navmesh", .of = "all", .hash = "4444444455"};
  run.distances->habitat = "0.3.4";
  run.distances->ways = MeasuredWays{};
  run.summary.counts.items = 7;
  run.summary.counts.statuses[static_cast<int>(Status::unreachable)] = 2;
  EXPECT_EQ(signature_of(report, run, find_preset("vlnce").convention).text(),
            "preset:vlnce|dataset:01234567+fedcba98|format:vlnce|split:val_seen|reference:planner|"
            "sub_instructions:yes|graphs:11111111|objects:22222222|task_success:33333333|"
            "distances:navmesh=44444444,0.3.4,all|items:7|statuses:unreachable=2|warpath:" +
                std::string(WARPATH_VERSION));
  run.reference = "trusted";
  run.distances = PositionDistances{.source = "grid", .of = "all", .hash = "55", .connect = "4"};
  run.distances->max_snap = 0.5;
  const std::string grid = signature_of(report, run, find_preset("vlnce").convention).text();
  EXPECT_NE(grid.find("|reference:trusted|"), std::string::npos) << grid;
  EXPECT_NE(grid.find("|distances:grid=55,4,0.5|"), std::string::npos) << grid;
}

TEST(SignatureOfConventions, MayBeSpeltOtherwise) {
  const Signature one = report::parse_signature("preset:VLNCE|threshold:3.0|items:2");
  EXPECT_TRUE(differences(one, report::parse_signature("p:vlnce|i:2")).empty());
  EXPECT_EQ(differences(one, report::parse_signature("p:vlnce|threshold:2|i:3")).size(), 2u);
}

// Any convention comes back from its signature, whichever settings a user changed.
TEST(SignatureOfConventions, NameEverySettingThatDiffers) {
  std::size_t changed = 0;
  for (const Preset& preset : presets()) {
    for (const Setting& setting : settings()) {
      Convention convention = preset.convention;
      const std::string_view words = setting.values;
      try {
        setting.set(convention, words.substr(words.rfind('|') + 1));
      } catch (const UsageError&) {
        setting.set(convention, setting.name == "dtw" ? "fast:2" : "0.5");  // it takes a number
      }
      report::EvalReport report;
      AgentResult run;
      report.dataset_hash = "0123456789abcdef";
      const Signature signature = signature_of(report, run, convention);
      const Signature read = report::parse_signature(signature.text());
      const Convention found = convention_of(read);
      for (const Setting& each : settings())
        EXPECT_EQ(each.get(found), each.get(convention)) << signature.text();
      EXPECT_TRUE(differences(signature, read).empty());
      changed += setting.get(convention) != setting.get(preset.convention);
    }
  }
  EXPECT_GT(changed, presets().size());
}

}  // namespace
}  // namespace warpath::testing
