// Tests tours of items: their values by hand, weights, intervals, episodes without a prediction,
// and what a faulty file of tours is told.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/files.hpp"
#include "tests/support/json_text.hpp"

namespace warpath::testing {
namespace {

const std::string good_tours = R"({"val": {"lab": [["0_0", "1_0", "2_0"], ["0_1"]]}})";
const std::map<std::string, std::string> good_paths{
    {"0_0", "abcb"}, {"1_0", "cde"}, {"2_0", "edcb"}, {"0_1", "ab"}};

// Five viewpoints on a line, 2 m apart. 3_0 is in no tour.
class Tours : public ::testing::Test {
 protected:
  Tours() {
    folder.write("graph.json", R"({"scan": "lab", "nodes": [
      {"id": "a", "position": [0, 0, 0]}, {"id": "b", "position": [2, 0, 0]},
      {"id": "c", "position": [4, 0, 0]}, {"id": "d", "position": [6, 0, 0]},
      {"id": "e", "position": [8, 0, 0]}],
      "edges": [["a", "b"], ["b", "c"], ["c", "d"], ["d", "e"]]})");
    folder.write("dataset.json", R"([
      {"scan": "lab", "path_id": 0, "path": ["a", "b", "c"], "instructions": ["", ""]},
      {"scan": "lab", "path_id": 1, "path": ["c", "d", "e"], "instructions": [""]},
      {"scan": "lab", "path_id": 2, "path": ["e", "d"], "instructions": [""]},
      {"scan": "lab", "path_id": 3, "path": ["a", "b"], "instructions": [""]}])");
  }

  CliResult eval(const std::string& tours, const std::map<std::string, std::string>& paths,
                 const Arguments& more) const {
    std::string agent;
    for (const auto& [id, path] : paths) {
      agent +=
          fmt::format(R"({}{{"instr_id": "{}", "trajectory": [)", agent.empty() ? "[" : ",", id);
      for (std::size_t k = 0; k < path.size(); ++k) {
        agent += fmt::format(R"({}["{}", 0, 0])", k == 0 ? "" : ",", path[k]);
      }
      agent += "]}";
    }
    return run(with({"eval", "--graphs", folder.path("graph.json"), "--dataset",
                     folder.path("dataset.json"), "--tours", folder.write("tours.json", tours),
                     "--preset", "ivln", "--csv", folder.path("items.csv"), "--json",
                     folder.path("out.json"), folder.write("agent.json", agent + "]")},
                    more));
  }

  std::vector<CsvRow> tours(const std::map<std::string, std::string>& paths,
                            Arguments more = {}) const {
    more.insert(more.end(), {"--tour-csv", folder.path("tours.csv")});
    const CliResult result = eval(good_tours, paths, more);
    EXPECT_EQ(result.code, 0) << result.err;
    return read_csv(folder.path("tours.csv"));
  }

  double mean(const std::string& metric, const std::string& what = "mean") const {
    return number_at(read_text(folder.path("out.json")),
                     fmt::format("/runs/0/metrics/{}/{}", metric, what));
  }

  TemporaryFolder folder;
};

void expect_row(const CsvRow& row, const std::map<std::string, double>& values) {
  for (const auto& [column, value] : values) {
    EXPECT_NEAR(std::stod(row.at(column)), value, 1e-12) << column;
  }
}

// ---------------------------------------------------------------- values

// The first tour: b walks back, so c is met by the last b alone, and the c before it meets b:
// 2 + 2. The second episode is good. The third walks two viewpoints too far: 2 + 4.
constexpr double first_cost = 4 + 0 + 6;
// Weights of episodes max(L, PL) / L: 6 / 4, 4 / 4, 6 / 2. The third one fails.
constexpr double weights = 1.5 + 1 + 3;

TEST_F(Tours, HaveTheirValues) {
  const auto rows = tours(good_paths);
  ASSERT_EQ(rows.size(), 2u);
  const double ndtw = std::exp(-first_cost / (8 * 3.0));
  expect_row(rows[0], {{"episodes", 3},
                       {"weight", 0.75},
                       {"n_query", 11},
                       {"n_ref", 8},
                       {"DTW", first_cost},
                       {"t-nDTW", ndtw},
                       {"t-SR", 2.5 / weights},
                       {"t-SPL", (1.5 * 4 / 6 + 1) / weights},
                       {"t-SDTW", ndtw * 2 / 3}});
  expect_row(rows[1], {{"episodes", 1},
                       {"weight", 0.25},
                       {"DTW", 2},
                       {"t-nDTW", std::exp(-2 / 9.0)},
                       {"t-SR", 1},
                       {"t-SPL", 1}});
  EXPECT_EQ(rows[0].at("scan") + rows[0].at("tour") + rows[1].at("tour"), "lab01");
}

TEST_F(Tours, TakeTheThresholdOfNdtw) {
  const auto rows = tours(good_paths, {"--ndtw-threshold", "1"});
  ASSERT_EQ(rows.size(), 2u);
  expect_row(rows[0], {{"t-nDTW", std::exp(-first_cost / 8)}});
}

// 1_0 starts at its goal where its reference does; nobody asks for t-SR, and it has none.
TEST_F(Tours, HaveNoValueWhereNobodyAsksForIt) {
  folder.write("dataset.json", R"([
    {"scan": "lab", "path_id": 0, "path": ["a", "b", "c"], "instructions": ["", ""]},
    {"scan": "lab", "path_id": 1, "path": ["c", "d", "c"], "instructions": [""]},
    {"scan": "lab", "path_id": 2, "path": ["e", "d"], "instructions": [""]},
    {"scan": "lab", "path_id": 3, "path": ["a", "b"], "instructions": [""]}])");
  const auto rows = tours(good_paths, {"--metrics", "t-nDTW"});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].at("t-SR"), "");
  EXPECT_EQ(rows[0].at("t-SPL"), "");
  EXPECT_NE(rows[1].at("t-SR"), "");
}

TEST_F(Tours, TakeOnePredictionOfEachEpisode) {
  const std::string twice = folder.write("twice.json", R"([
    {"instr_id": "0_0", "trajectory": [["a", 0, 0]]}, {"instr_id": "0_0", "trajectory": [["b", 0, 0]]}])");
  const CliResult result =
      run({"eval", "--graphs", folder.path("graph.json"), "--dataset", folder.path("dataset.json"),
           "--tours", folder.write("tours.json", good_tours), "--preset", "ivln", "--missing",
           "zero", "--start", "off", "--duplicates", "each", twice});
  EXPECT_EQ(result.code, 1) << result.out;
  EXPECT_NE(result.err.find("0_0: tour"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("has several predictions"), std::string::npos) << result.err;
}

TEST_F(Tours, AreWeighedByEpisodes) {
  tours(good_paths);
  const double ndtw = std::exp(-first_cost / 24);
  EXPECT_NEAR(mean("t-nDTW"), 0.75 * ndtw + 0.25 * std::exp(-2 / 9.0), 1e-15);
  EXPECT_NEAR(mean("t-SR"), 0.75 * 2.5 / weights + 0.25, 1e-15);
  EXPECT_EQ(mean("t-SR", "n"), 4);
  EXPECT_EQ(mean("SR", "of"), 4);  // 3_0 is in no tour, and not predicted
  EXPECT_EQ(mean("SR", "clusters"), 2);
  EXPECT_EQ(json_at(read_text(folder.path("out.json")), "/interval/of"), "\"tours\"");
}

TEST_F(Tours, AreWeighedByChanges) {
  const auto rows = tours(good_paths, {"--tour-weight", "changes"});
  expect_row(rows[0], {{"weight", 1}});
  expect_row(rows[1], {{"weight", 0}});
  EXPECT_NEAR(mean("t-nDTW"), std::exp(-first_cost / 24), 1e-15);
  EXPECT_EQ(mean("t-nDTW", "n"), 2);
}

TEST_F(Tours, AreAlignedFreely) {
  // All of b's way back costs 2, and the third episode's end 2 + 4.
  expect_row(tours(good_paths, {"--window", "free"})[0], {{"DTW", 8}});
}

TEST_F(Tours, OthersThatArePredictedAreItemsAlone) {
  auto paths = good_paths;
  paths["3_0"] = "ab";
  tours(paths);
  EXPECT_EQ(mean("SR", "of"), 5);
  EXPECT_EQ(mean("t-SR", "n"), 4);
  EXPECT_EQ(mean("SR", "clusters"), 3);
  const auto items = read_csv(folder.path("items.csv"));
  ASSERT_EQ(items.size(), 5u);
  for (const CsvRow& item : items) {
    EXPECT_EQ(item.at("t-SR").empty(), item.at("instr_id") == "3_0");
  }
}

TEST_F(Tours, BothBackEndsHaveThem) {
  const auto doubles = tours(good_paths);
  const auto singles = tours(good_paths, {"--backend", "cpu"});
  for (std::size_t t = 0; t < doubles.size(); ++t) {
    EXPECT_EQ(doubles[t].at("DTW"), singles[t].at("DTW"));
    for (const char* column : {"t-nDTW", "t-SR", "t-SPL", "t-SDTW"}) {
      EXPECT_NEAR(std::stod(doubles[t].at(column)), std::stod(singles[t].at(column)), 1e-6);
    }
  }
}

TEST_F(Tours, AreInTheTable) {
  const CliResult result = eval(good_tours, good_paths, {"--latex"});
  for (const char* name : {"t-nDTW", "t-SR", "t-SPL", "t-SDTW"}) {
    EXPECT_NE(result.out.find(name), std::string::npos) << name;
  }
  EXPECT_NE(result.err.find("clustered by tour, 2 tours"), std::string::npos) << result.err;
}

TEST_F(Tours, BootstrapDrawsTours) {
  const CliResult result = eval(good_tours, good_paths, {"--ci", "bootstrap"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("draws of tours), 2 tours"), std::string::npos) << result.out;
}

// ---------------------------------------------------------------- episodes without a prediction

TEST_F(Tours, EpisodesWithoutAPrediction) {
  auto paths = good_paths;
  paths.erase("1_0");
  const CliResult refused = eval(good_tours, paths, {});
  EXPECT_EQ(refused.code, 1);
  for (const char* part :
       {"agent.json", "1_0", "tour 0", "tours.json", "has no prediction", "--missing zero"}) {
    EXPECT_NE(refused.err.find(part), std::string::npos) << part << " in " << refused.err;
  }
  // Its start c alone meets c, d and e: 0 + 2 + 4. It walked nothing, so its weight is 1.
  expect_row(tours(paths, {"--missing", "zero"})[0],
             {{"episodes", 3}, {"n_query", 9}, {"DTW", first_cost + 6}, {"t-SR", 1.5 / weights}});
  EXPECT_EQ(mean("t-nDTW", "n"), 4);
  expect_row(tours(paths, {"--missing", "skip"})[0],
             {{"episodes", 2}, {"weight", 2 / 3.0}, {"n_ref", 5}, {"DTW", first_cost}});
  EXPECT_EQ(mean("t-nDTW", "n"), 3);
}

TEST_F(Tours, PredictionsWithoutAValue) {
  auto paths = good_paths;
  paths["1_0"] = "x";
  EXPECT_EQ(eval(good_tours, paths, {}).code, 1);
  expect_row(tours(paths, {"--invalid", "zero"})[0], {{"episodes", 3}, {"DTW", first_cost + 6}});
  expect_row(tours(paths, {"--invalid", "skip"})[0], {{"episodes", 2}, {"DTW", first_cost}});
}

// ---------------------------------------------------------------- tours without a value

TEST_F(Tours, WindowsWithoutAnAlignment) {
  const std::string tours_of_short = R"({"val": {"lab": [["1_0", "2_0", "0_1"], ["0_0"]]}})";
  const CliResult refused = eval(tours_of_short, good_paths, {});
  EXPECT_EQ(refused.code, 1);
  for (const char* part :
       {"agent.json", "2_0", "tour 0", "has 4 entries", "reference of 2", "--infeasible zero"}) {
    EXPECT_NE(refused.err.find(part), std::string::npos) << part << " in " << refused.err;
  }
  EXPECT_EQ(eval(tours_of_short, good_paths, {"--metrics", "t-SR,SR"}).code, 0);
  EXPECT_EQ(eval(tours_of_short, good_paths, {"--window", "free"}).code, 0);
  ASSERT_EQ(eval(tours_of_short, good_paths,
                 {"--infeasible", "zero", "--tour-csv", folder.path("tours.csv")})
                .code,
            0);
  const auto rows = read_csv(folder.path("tours.csv"));
  EXPECT_EQ(rows[0].at("DTW"), "");
  expect_row(rows[0], {{"t-nDTW", 0}, {"t-SDTW", 0}, {"t-SR", 2 / 5.0}});
}

TEST_F(Tours, OfOneEpisodeHaveNoChanges) {
  const CliResult refused =
      eval(R"({"val": {"lab": [["0_0"], ["0_1"]]}})", good_paths, {"--tour-weight", "changes"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find("--tour-weight episodes"), std::string::npos) << refused.err;
}

// ---------------------------------------------------------------- faulty files

struct FaultyTours {
  std::string tours, message;  // a part of it
  Arguments more{};
};

class TourFaults : public Tours, public ::testing::WithParamInterface<FaultyTours> {};

TEST_P(TourFaults, AreNamed) {
  const CliResult result = eval(GetParam().tours, good_paths, GetParam().more);
  EXPECT_EQ(result.code, 1) << result.err;
  EXPECT_NE(result.err.find("tours.json"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find(GetParam().message), std::string::npos) << result.err;
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  EXPECT_EQ(result.out, "");
}

INSTANTIATE_TEST_SUITE_P(
    Files, TourFaults,
    ::testing::Values(
        FaultyTours{"[]", "object"}, FaultyTours{"{}", "has no split"},
        FaultyTours{R"({"val": []})", "val"}, FaultyTours{R"({"val": {}})", "has no tour"},
        FaultyTours{R"({"val": {"lab": {}}})", "val.lab"},
        FaultyTours{R"({"val": {"lab": ["0_0"]}})", "val.lab[0]"},
        FaultyTours{R"({"val": {"lab": [["0_0"], []]}})", "val.lab[1]: is a tour without episodes"},
        FaultyTours{R"({"val": {"lab": [["0_0", null]]}})", "val.lab[0][1]"},
        FaultyTours{R"({"val": {"lab": [["0_0", "9_0"]]}})", "9_0"},
        FaultyTours{R"({"val": {"other": [["0_0"]]}})", "is on scan lab"},
        FaultyTours{R"({"val": {"lab": [["0_0", "1_0"], ["0_0"]]}})", "twice, first in val.lab[0]"},
        FaultyTours{R"({"a": {"lab": [["0_0"]]}, "b": {"lab": [["1_0"]]}})", "--split"},
        FaultyTours{good_tours, "has no split test", {"--split", "test"}}));

TEST_F(Tours, TheSplitIsFound) {
  const std::string both = R"({"train": {"lab": [["8_0"], ["9_0"]]},)" + good_tours.substr(1);
  EXPECT_EQ(eval(both, good_paths, {}).code, 0);
  EXPECT_EQ(eval(both, good_paths, {"--split", "val"}).code, 0);
  EXPECT_EQ(eval(both, good_paths, {"--split", "train"}).code, 1);
}

// Continuous episodes, whose ids are integers.
struct EpisodeTours {
  TemporaryFolder folder;
  std::string tours = R"({"train": {"h": [[8, 9]]}, "val": {"h": [[1, 2]]}})";

  CliResult eval(const Arguments& more) const {
    Arguments arguments{
        "eval",
        "--dataset",
        folder.write("dataset.json", R"({"episodes": [
      {"episode_id": 1, "trajectory_id": 0, "scene_id": "mp3d/h/h.glb",
       "start_position": [0, 0, 0], "goals": [{"position": [2, 0, 0]}],
       "reference_path": [[0, 0, 0], [1, 0, 0], [2, 0, 0]]},
      {"episode_id": 2, "trajectory_id": 1, "scene_id": "mp3d/h/h.glb",
       "start_position": [2, 0, 0], "goals": [{"position": [4, 0, 0]}],
       "reference_path": [[2, 0, 0], [3, 0, 0], [4, 0, 0]]}]})"),
        "--tours",
        folder.write("tours.json", tours),
        "--tour-csv",
        folder.path("tours.csv"),
        folder.write("agent.json", R"({"1": [[0, 0, 0], [2, 0, 0]], "2": [[2, 0, 0]]})")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
};

TEST(EpisodeTours, TheSplitIsFoundByIntegerIds) {
  const EpisodeTours files;
  const CliResult result = files.eval({});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(read_csv(files.folder.path("tours.csv")).front().at("episodes"), "2");
}

TEST(EpisodeTours, AreAlignedByStraightLinesAlone) {
  const EpisodeTours files;
  const CliResult result =
      files.eval({"--navmesh", files.folder.path("none.navmesh"), "--geodesic", "all"});
  EXPECT_EQ(result.code, 2) << result.err;
  EXPECT_NE(result.err.find("straight lines: say --geodesic goal"), std::string::npos)
      << result.err;
}

TEST(FlightTours, AnEndingThatIsAFailureCountsWithItsStart) {
  const TemporaryFolder folder;
  const std::string csv = folder.path("tours.csv");
  const CliResult result =
      run({"eval", "--ended", "over:zero", "--tour-csv", csv, "--dataset",
           folder.write("dataset.json", R"({"episodes": [
      {"episode_id": "1", "scene_id": 3, "start_position": [0, 0, 0],
       "goals": [{"position": [2, 0, 0]}],
       "reference_path": [[0, 0, 0, 0], [1, 0, 0, 0], [2, 0, 0, 0]]},
      {"episode_id": "2", "scene_id": 3, "start_position": [2, 0, 0],
       "goals": [{"position": [4, 0, 0]}],
       "reference_path": [[2, 0, 0, 0], [3, 0, 0, 0], [4, 0, 0, 0]]}]})"),
           "--tours", folder.write("tours.json", R"({"val": {"3": [["1", "2"]]}})"),
           folder.write("agent.json", R"({
      "1": {"trajectory": [[0, 0, 0, 0], [2, 0, 0, 0]], "termination_reason": "over"},
      "2": {"trajectory": [[2, 0, 0, 0], [4, 0, 0, 0]], "termination_reason": "lost"}})")});
  ASSERT_EQ(result.code, 0) << result.err;
  // 1 of the first, and of the second's start alone 0 + 1 + 2.
  expect_row(read_csv(csv).front(), {{"episodes", 2}, {"n_query", 3}, {"DTW", 4}});
}

// Single precision cannot score these, so no back end that has it is named.
TEST(EpisodeTours, NameTheBackEndThatScores) {
  const EpisodeTours files;
  for (const Arguments& more :
       {Arguments{"--cls-length", "nodes"}, Arguments{"--threshold", "1e-7"}}) {
    Arguments arguments = more;
    arguments.insert(arguments.end(), {"--backend", "cpu"});
    const CliResult result = files.eval(arguments);
    EXPECT_NE(result.out.find("back end reference, double precision"), std::string::npos)
        << result.err << result.out;
  }
}

TEST_F(Tours, RunsOfAnAgentClusterTours) {
  const CliResult one = eval(good_tours, good_paths, {});
  ASSERT_EQ(one.code, 0) << one.err;
  const std::string agent = folder.path("agent.json"), other = folder.path("other.json");
  folder.write("other.json", read_text(agent));
  const CliResult runs = run({"eval", "--graphs", folder.path("graph.json"), "--dataset",
                              folder.path("dataset.json"), "--tours", folder.path("tours.json"),
                              "--preset", "ivln", "--runs", "Ours=" + agent + "," + other});
  EXPECT_NE(runs.out.find("items of one tour are one cluster"), std::string::npos)
      << runs.out << runs.err;
}

TEST_F(Tours, WordsThatNeedThem) {
  const Arguments files{"eval",
                        "--graphs",
                        folder.path("graph.json"),
                        "--dataset",
                        folder.path("dataset.json"),
                        folder.write("p.json", R"([{"instr_id": "0_0", "trajectory": [["a"]]}])")};
  for (const Arguments& more :
       {Arguments{"--preset", "ivln"}, Arguments{"--metrics", "t-SR"},
        Arguments{"--tour-csv", folder.path("t.csv")}, Arguments{"--split", "val"}}) {
    const CliResult result = run(with(files, more));
    EXPECT_EQ(result.code, 2) << more.front();
    EXPECT_NE(result.err.find("--tours"), std::string::npos) << result.err;
  }
  EXPECT_EQ(eval(good_tours, good_paths, {"--tour-csv", folder.path("tours.json")}).code, 2);
}

}  // namespace
}  // namespace warpath::testing
