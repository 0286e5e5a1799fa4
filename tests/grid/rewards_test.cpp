// Rewards pairs of points and episodes over grids.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <numbers>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/files.hpp"
#include "tests/support/grid.hpp"

namespace warpath::testing {
namespace {

// A way of 1 m cells around a wall. The goal is at the lower left.
const std::string map_json =
    R"({"scan":"s1","resolution":1,"origin":[0,0],"up":"y","free":"map.png"})";
const std::string one_episode =
    R"({"episodes":[{"episode_id":"1","scene_id":"x/s1/s1.glb","start_position":[0.5,0,0.5],)"
    R"("goals":[{"position":[0.5,0,2.5]}],"info":{"geodesic_distance":2.0},)"
    R"("reference_path":[[0.5,0,0.5],[0.5,0,1.5]]}]})";
const std::string no_stops = R"({"1":[[0.5,0,0.5],[1.5,0,0.5],[1.5,0,1.5]]})";

class RewardsOverGrids : public ::testing::Test {
 protected:
  RewardsOverGrids() {
    folder_.write("grids/map.png", make_map({"..#..#.", "..#..##", ".....##"}));
    folder_.write("grids/s1.json", map_json);
  }

  CliResult reward(const std::string& agent, const std::vector<std::string>& more = {}) const {
    return run(with({"rewards", "--dataset", folder_.write("d.json", one_episode), "--grid",
                     folder_.path("grids"), "--reward", "goal", "--csv", folder_.path("out.csv"),
                     folder_.write("agent.json", agent)},
                    more));
  }

  // Names of cells have commas, so they are in quotes.
  std::vector<double> column(const std::string& name) const {
    const std::string csv = read_text(folder_.path("out.csv"));
    std::vector<double> values;
    for (const CsvRow& row : read_csv(folder_.write(
             "numbers.csv", std::regex_replace(csv, std::regex("\"[^\"]*\""), "cell")))) {
      values.push_back(std::strtod(row.at(name).c_str(), nullptr));
    }
    return values;
  }

  void expect_values(const std::string& name, const std::vector<double>& want) const {
    const std::vector<double> got = column(name);
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t k = 0; k < want.size(); ++k) {
      EXPECT_NEAR(got[k], want[k], 1e-6) << name << " " << k;
    }
  }

  TemporaryFolder folder_;
};

constexpr double diagonal = std::numbers::sqrt2;

TEST_F(RewardsOverGrids, GoToTheCellOfTheGoal) {
  const CliResult result = reward(no_stops);
  ASSERT_EQ(result.code, 0) << result.err;
  expect_values("distance_to_goal", {2.0, 1.0 + diagonal, diagonal});
  expect_values("reward", {1.0 - diagonal, 1.0, 1.0});
  EXPECT_NE(result.out.find("positions snapped to cells (8 neighbours)"), std::string::npos)
      << result.out;
  const std::string csv = read_text(folder_.path("out.csv"));
  EXPECT_NE(csv.find(",1,\"0,0,1\",\"0,1,1\","), std::string::npos) << csv;
}

TEST_F(RewardsOverGrids, TakeFourNeighbours) {
  const CliResult result = reward(no_stops, {"--connect", "4"});
  ASSERT_EQ(result.code, 0) << result.err;
  expect_values("distance_to_goal", {2.0, 3.0, 2.0});
}

TEST_F(RewardsOverGrids, EndAsTheFileSays) {
  const std::string agent =
      R"({"1":[{"position":[0.5,0,0.5],"stop":false},{"position":[0.5,0,1.5],"stop":false}]})";
  ASSERT_EQ(reward(agent, {"--timeout", "nothing"}).code, 0);
  expect_values("reward", {1.0, 0.0});
  ASSERT_EQ(reward(agent, {"--timeout", "nothing", "--stop", "ignored"}).code, 0);
  expect_values("reward", {1.0, 1.0});
  ASSERT_EQ(reward(no_stops, {"--timeout", "nothing", "--timed-out", "1"}).code, 0);
  expect_values("reward", {1.0 - diagonal, 1.0, 0.0});
}

TEST_F(RewardsOverGrids, TakeDenseReferences) {
  const std::string truth =
      folder_.write("truth.json", R"({"1":{"locations":[[0.5,0,0.5],[1.5,0,0.5],[1.5,0,1.5]]}})");
  ASSERT_EQ(reward(no_stops, {"--ground-truth", truth}).code, 0);
  EXPECT_EQ(column("nDTW").back(), 1.0);
  ASSERT_EQ(reward(no_stops).code, 0);
  EXPECT_LT(column("nDTW").back(), 1.0);
}

TEST_F(RewardsOverGrids, NamePositionsThatAreTooFarFromEveryCell) {
  const std::string far = R"({"1":[[0.5,0,0.5],[0.5,0,7.5]]})";
  const CliResult result = reward(far);
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("farther than 1 m from every cell: 1"), std::string::npos)
      << result.err;
  EXPECT_EQ(reward(far, {"--snap", "5"}).code, 0);
}

TEST_F(RewardsOverGrids, HaveLengthsOfTheirOwn) {
  for (const std::string option : {"--distance", "--goal-distance"}) {
    const CliResult result = reward(no_stops, {option, "2d"});
    EXPECT_EQ(result.code, 2);
    EXPECT_NE(result.err.find(option + " 2d: a grid has lengths of its own"), std::string::npos)
        << result.err;
    EXPECT_EQ(reward(no_stops, {option, "hops"}).code, 0);
  }
}

TEST_F(RewardsOverGrids, AreNeededForEpisodes) {
  const CliResult result = run({"rewards", "--dataset", folder_.write("d.json", one_episode),
                                "--reward", "goal", folder_.write("agent.json", no_stops)});
  EXPECT_NE(result.code, 0);
  EXPECT_NE(result.err.find("--grid"), std::string::npos) << result.err;
}

TEST_F(RewardsOverGrids, ArePaidForPairsOfPoints) {
  const std::string pairs =
      R"({"id":"a","scan":"s1","reference":[[0.5,0,0.5],[0.5,0,2.5]],"prediction":)"
      R"([[0.5,0,0.5],[1.5,0,0.5],[1.5,0,1.5]]})";
  const CliResult result =
      run({"rewards", "--pairs", folder_.write("p.jsonl", pairs), "--grid", folder_.path("grids"),
           "--reward", "goal", "--csv", folder_.path("out.csv")});
  ASSERT_EQ(result.code, 0) << result.err;
  expect_values("reward", {1.0 - diagonal, 1.0, 1.0});
}

TEST_F(RewardsOverGrids, AreExplained) {
  const auto explain = [&](const std::string& agent) {
    return run({"explain", "--dataset", folder_.write("d.json", one_episode), "--grid",
                folder_.path("grids"), "--item", "1", "--rewards", "goal,timeout=nothing",
                folder_.write("agent.json", agent)});
  };
  const CliResult result = explain(no_stops);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("rewards: -0.41421"), std::string::npos) << result.out;
  const CliResult timed_out =
      explain(R"({"1":[{"position":[0.5,0,0.5],"stop":false},{"position":[0.5,0,1.5],)"
              R"("stop":false}]})");
  EXPECT_NE(timed_out.out.find("rewards: 1 0"), std::string::npos) << timed_out.out;
}

// The way back and forth around a wall of 59 cells, which has a gap at the bottom.
TEST_F(RewardsOverGrids, AreFoundOnGridsOfThousandsOfCells) {
  std::vector<std::string> rows(60, std::string(80, '.'));
  for (int y = 0; y < 59; ++y) rows[static_cast<std::size_t>(y)][40] = '#';
  folder_.write("grids/map.png", make_map(rows));
  const std::string pairs =
      R"({"id":"a","scan":"s1","reference":[[39.5,0,0.5],[41.5,0,0.5]],"prediction":)"
      R"([[39.5,0,0.5],[39.5,0,10.5],[41.5,0,0.5]]})";
  const CliResult result =
      run({"rewards", "--pairs", folder_.write("p.jsonl", pairs), "--grid", folder_.path("grids"),
           "--reward", "goal", "--connect", "4", "--csv", folder_.path("out.csv")});
  ASSERT_EQ(result.code, 0) << result.err;
  expect_values("distance_to_goal", {120.0, 110.0, 0.0});
  expect_values("reward", {10.0, 110.0, 1.0});
}

}  // namespace
}  // namespace warpath::testing
