// Tests SOON: its small golden set, and what a report says of submissions that lack something.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/support/golden.hpp"
#include "tests/support/json_text.hpp"
#include "warpath/evaluate.hpp"

namespace warpath::testing {
namespace {

std::string soon_file(const std::string& name) {
  return source("tests/golden/targets/soon/" + name);
}

Arguments with_dataset(const Arguments& more) {
  return with(
      {"--graphs", source("tests/golden/connectivity"), "--dataset", soon_file("dataset.json")},
      more);
}

// ---------------------------------------------------------------- our own set

// Holds a file of scores, and the options that must reproduce it.
struct SoonScores {
  std::string file;
  Arguments options;
};

class SoonGolden : public ::testing::TestWithParam<SoonScores> {};

TEST_P(SoonGolden, EqualsThePythonTranscription) {
  const auto golden = read_csv(soon_file(GetParam().file + ".csv"));
  for (const std::string backend : {"reference", "cpu"}) {
    const TemporaryFolder folder;
    const Arguments agent{"--backend", backend, soon_file("submission.json")};
    const auto ours = eval_rows(folder, with_dataset(with(GetParam().options, agent)));
    ASSERT_EQ(ours.size(), golden.size());
    for (std::size_t i = 0; i < golden.size(); ++i) {
      const std::string where = backend + " " + golden[i].at("instr_id") + " ";
      for (const auto& [column, value] : golden[i]) {
        const auto metric = find_metric(column);
        const bool is_equal = metric ? agrees(value, ours[i].at(column), *metric, backend, 40.0)
                                     : value == ours[i].at(column);
        EXPECT_TRUE(is_equal) << where << column << ": golden " << value << ", ours "
                              << ours[i].at(column);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Conventions, SoonGolden,
                         ::testing::Values(SoonScores{"soon", {"--preset", "soon"}},
                                           SoonScores{"duet-soon", {"--preset", "duet-soon"}},
                                           SoonScores{"soon_wrap",
                                                      {"--preset", "soon", "--angles", "wrap"}}),
                         [](const auto& test) {
                           std::string name = test.param.file;
                           std::erase_if(name, [](char c) { return c == '-' || c == '_'; });
                           return name;
                         });

// ---------------------------------------------------------------- what is missing

class SoonEval : public ::testing::Test {
 protected:
  const TemporaryFolder folder;

  // Returns the rows of a submission of annotation 1 alone, whose paths are 1_0 to 1_4.
  std::vector<CsvRow> rows(const std::string& trajectories) {
    const std::string file =
        folder.write("agent.json", R"([{"instr_id":1,"trajectory":)" + trajectories + "}]");
    std::vector<CsvRow> found;
    for (CsvRow& row : eval_rows(folder, with_dataset({"--preset", "soon", file}))) {
      if (row.at("instr_id").starts_with("1_")) found.push_back(row);
    }
    return found;
  }

  std::string error_of_eval(const std::string& text, const Arguments& options) {
    const Arguments arguments = with_dataset({folder.write("agent.json", text)});
    return run(with(with({"eval"}, arguments), options)).err;
  }

  // Returns the first viewpoint of a path of annotation 1.
  static std::string start(std::size_t path) {
    const std::string viewpoint =
        json_at(read_text(soon_file("dataset.json")), fmt::format("/1/path/{}/0", path));
    return viewpoint.substr(1, viewpoint.size() - 2);  // without the quotes
  }
};

TEST_F(SoonEval, LeavesOutAPathWithoutATrajectoryUnlessItIsToCount) {
  const std::string one =
      R"([{"path":[[")" + start(1) + R"(",0,0]],"obj_heading":[0.5],"obj_elevation":[0.5]}])";
  const auto rows = this->rows(one);
  ASSERT_GE(rows.size(), 3u);
  EXPECT_EQ(rows[0].at("status"), "missing");
  EXPECT_EQ(rows[1].at("status"), "ok");
  const std::string text = R"([{"instr_id":1,"trajectory":)" + one + "}]";
  const std::string refused = error_of_eval(text, {"--preset", "soon", "--missing", "error"});
  EXPECT_NE(refused.find("lack a prediction"), std::string::npos) << refused;
  EXPECT_NE(refused.find("missing: 0_0"), std::string::npos) << refused;
}

TEST_F(SoonEval, RefusesAStartThatNoPathHasAndNamesThePath) {
  const CliResult result =
      run(with({"eval"}, with_dataset({"--preset", "soon", soon_file("submission.json")})));
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("wrong_start: 3_"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("--invalid skip"), std::string::npos) << result.err;
}

TEST_F(SoonEval, CountsATrajectoryWithoutADirectionAsAMiss) {
  const std::string path = R"({"path":[[")" + start(0) + R"(",0,0]])";
  const std::string with = path + R"(,"obj_heading":[0.5],"obj_elevation":[0.5]})";
  const auto some = rows("[" + path + "}," + with + "]");
  EXPECT_EQ(some[0].at("status"), "ok");
  EXPECT_EQ(some[0].at("RGS"), "0");
  EXPECT_EQ(some[0].at("HE"), "");
  // An agent that names no direction at all has no such metrics.
  const auto none = rows("[" + path + "}]");
  EXPECT_EQ(none[0].at("RGS"), "");
  EXPECT_NE(none[0].at("SPL"), "");
}

TEST_F(SoonEval, LeavesAMalformedDirectionWithoutAValue) {
  const std::string path = R"({"path":[[")" + start(0) + R"(",0,0]],)";
  const std::string good = R"({"path":[[")" + start(1) + R"(",0,0]]})";
  const std::vector<std::string> directions{R"("obj_heading":[0.1,0.2],"obj_elevation":[0.5])",
                                            R"("obj_heading":["0.1"],"obj_elevation":[0.5])",
                                            R"("obj_heading":[0.1])",
                                            R"("obj_elevation":0.5)",
                                            R"("obj_heading":[],"obj_elevation":[])",
                                            R"("obj_heading":null,"obj_elevation":0.5)"};
  for (const std::string& direction : directions) {
    const auto found = rows("[" + path + direction + "},3," + good + "]");
    ASSERT_GE(found.size(), 3u);
    EXPECT_EQ(found[0].at("status"), "malformed") << direction;
    EXPECT_EQ(found[1].at("status"), "ok");
    EXPECT_EQ(found[2].at("status"), "malformed") << "3 is no trajectory";
  }
}

TEST_F(SoonEval, CountsADirectionThatIsNotFiniteAsAMiss) {
  const auto found =
      rows(R"([{"path":[[")" + start(0) + R"(",0,0]],"obj_heading":[NaN],"obj_elevation":[0.5]}])");
  EXPECT_EQ(found[0].at("status"), "not_finite");
  EXPECT_EQ(found[0].at("RGS"), "0");
}

TEST_F(SoonEval, RefusesADirectionThatNoUnitExplains) {
  const auto said = [&](const std::string& heading, const std::string& elevation) {
    const std::string file =
        folder.write("agent.json", R"([{"instr_id":1,"trajectory":[{"path":[[")" + start(0) +
                                       R"(",0,0]],"obj_heading":[)" + heading +
                                       R"(],"obj_elevation":[)" + elevation + "]}]}]");
    Arguments arguments = with_dataset({"--preset", "soon", file});
    arguments.insert(arguments.begin(), "eval");
    const CliResult result = run(arguments);
    EXPECT_EQ(result.code, result.err.empty() ? 0 : 1);
    return result.err;
  };
  EXPECT_NE(said("1e300", "0.5")
                .find("agent.json: 1: obj_heading: is 1e+300, beyond 1000000 turns; "
                      "write heading / 2π and (elevation + π) / 2π, from 0 to 1"),
            std::string::npos);
  EXPECT_NE(said("0.5", "-1e7").find("agent.json: 1: obj_elevation: is -10000000"),
            std::string::npos);
  EXPECT_EQ(said("360", "90"), "");  // degrees are scored as they stand
}

TEST_F(SoonEval, NotesElevationsInRadians) {
  EvalFiles files;
  files.graphs = source("tests/golden/connectivity");
  files.dataset = soon_file("dataset.json");
  files.predictions = {folder.write("agent.json", R"([{"instr_id":1,"trajectory":
      {"path":["a"],"obj_heading":[0.1],"obj_elevation":[-0.4]}}])")};
  const auto warnings = Evaluator(files).description().warnings;
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("1 of 1 trajectories name an elevation outside [0, 1]"),
            std::string::npos)
      << warnings[0];
}

TEST_F(SoonEval, AcceptsPlainTrajectoriesByInstructionOrPath) {
  const std::string text = R"([{"instr_id":"1_1","trajectory":[[")" + start(1) +
                           R"(",0,0]]},{"instr_id":1,"trajectory":[[")" + start(0) + R"("]]}])";
  const Arguments arguments = with_dataset({"--preset", "soon", folder.write("p.json", text)});
  std::map<std::string, std::string> status;
  for (const CsvRow& row : eval_rows(folder, arguments))
    status[row.at("instr_id")] = row.at("status");
  EXPECT_EQ(status["1_0"], "ok");
  EXPECT_EQ(status["1_1"], "ok");
  EXPECT_EQ(status["1_2"], "missing");
}

TEST_F(SoonEval, RefusesPresetsOfSoonForOtherDatasets) {
  const CliResult result = run({"eval", "--graphs", source("tests/golden/connectivity"),
                                "--dataset", source("tests/golden/dataset.json"), "--preset",
                                "soon", source("tests/golden/predictions.json")});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("--goal end"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace warpath::testing
