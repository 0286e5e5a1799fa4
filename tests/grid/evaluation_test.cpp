// Scores pairs of points and episodes over grids.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "tests/support/files.hpp"
#include "tests/support/grid.hpp"
#include "tests/support/json_text.hpp"

namespace warpath::testing {
namespace {

// A room of 1 m cells with a wall that leaves a gap at the bottom, and a closed cell to the right.
const std::vector<std::string> room{"..#..#.", "..#..##", ".....##"};
const std::string grid_json =
    R"({"scan":"s1","resolution":1,"origin":[0,0],"up":"y","free":"room.png"})";
const std::string pairs =
    R"({"id":"a","scan":"s1","reference":[[0.5,0,0.5],[3.5,0,0.5]],"prediction":[[0.5,0,0.5],)"
    R"([0.6,0,0.4],[0.5,0,2.5]]})"
    "\n"
    R"({"id":"b","scan":"s1","reference":[[0.5,0,0.5],[0.5,0,1.5]],"prediction":[[0.5,0,0.5]]})"
    "\n";

struct Evaluated {
  CliResult result;
  std::vector<CsvRow> rows;
};

class OverGrids : public ::testing::Test {
 protected:
  OverGrids() {
    folder_.write("grids/room.png", make_map(room));
    folder_.write("grids/s1.json", grid_json);
  }

  Evaluated score(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "eval");
    arguments.insert(arguments.end(), {"--csv", folder_.path("out.csv")});
    Evaluated run{testing::run(arguments), {}};
    if (run.result.code == 0) run.rows = read_csv(folder_.path("out.csv"));
    return run;
  }

  Evaluated score_pairs(const std::string& text, std::vector<std::string> more = {}) const {
    more.insert(more.end(),
                {"--pairs", folder_.write("p.jsonl", text), "--grid", folder_.path("grids")});
    return score(more);
  }

  Evaluated score_episodes(const std::string& data, const std::string& agent,
                           std::vector<std::string> more = {}) const {
    more.insert(more.end(),
                {"--preset", "vlnce", "--dataset", folder_.write("d.json", data), "--grid",
                 folder_.path("grids/s1.json"), folder_.write("agent.json", agent)});
    return score(more);
  }

  void expect_error(const Evaluated& run, const std::string& text) const {
    EXPECT_NE(run.result.code, 0);
    EXPECT_NE(run.result.err.find(text), std::string::npos) << run.result.err;
    EXPECT_EQ(std::count(run.result.err.begin(), run.result.err.end(), '\n'), 1);
  }

  TemporaryFolder folder_;
};

double value(const CsvRow& row, const std::string& column) {
  const std::string& cell = row.at(column);
  return cell.empty() ? std::nan("") : std::strtod(cell.c_str(), nullptr);
}

TEST_F(OverGrids, MeasuresPairsOfPoints) {
  const Evaluated run = score_pairs(pairs);
  ASSERT_EQ(run.result.code, 0) << run.result.err;
  ASSERT_EQ(run.rows.size(), 2u);
  // A diagonal and one down, two through the gap, where no corner is cut, and two up.
  EXPECT_DOUBLE_EQ(value(run.rows[0], "PLR"), std::numbers::sqrt2 + 5);
  EXPECT_EQ(value(run.rows[0], "PL"), 2.0);
  EXPECT_EQ(value(run.rows[0], "n_query_raw"), 3.0);
  EXPECT_EQ(value(run.rows[1], "NE"), 1.0);
  EXPECT_NE(run.result.out.find("snapped to cells (8 neighbours) by up to 0.141 m"),
            std::string::npos)
      << run.result.out;
  EXPECT_NE(run.result.out.find("grid of free cells, 1 scan"), std::string::npos);
}

TEST_F(OverGrids, RefusesSettingsThatMeanNothing) {
  expect_error(score_pairs(pairs, {"--distance", "2d"}), "--distance 2d");
  expect_error(score_pairs(pairs, {"--goal", "set"}), "goal sets");
  expect_error(score_pairs(pairs, {"--habitat", "0.3.4"}), "--habitat and --geodesic are for");
  expect_error(score_pairs(pairs, {"--ground-truth", folder_.write("t.json", "{}")}),
               "--ground-truth is for continuous episodes");
}

TEST_F(OverGrids, NoOutputReplacesTheCells) {
  const std::string image = read_text(folder_.path("grids/room.png"));
  for (const std::string grid : {"grids", "grids/s1.json"}) {
    const CliResult result = run({"eval", "--pairs", folder_.write("p.jsonl", pairs), "--grid",
                                  folder_.path(grid), "--csv", folder_.path("grids/room.png")});
    EXPECT_EQ(result.code, 2);
    EXPECT_NE(result.err.find("would overwrite"), std::string::npos) << result.err;
  }
  EXPECT_EQ(read_text(folder_.path("grids/room.png")), image);
}

TEST_F(OverGrids, TakesFourNeighbours) {
  const Evaluated run = score_pairs(pairs, {"--connect", "4"});
  ASSERT_EQ(run.result.code, 0) << run.result.err;
  EXPECT_EQ(value(run.rows[0], "PLR"), 7.0);
  EXPECT_EQ(value(run.rows[0], "NE"), 5.0);
}

TEST_F(OverGrids, CollapsesRepeatedCellsWhereTheConventionDoes) {
  const Evaluated kept = score_pairs(pairs, {"--repeats", "keep"}),
                  dropped = score_pairs(pairs, {"--repeats", "collapse"});
  ASSERT_EQ(dropped.result.code, 0) << dropped.result.err;
  EXPECT_EQ(value(kept.rows[0], "n_query"), 3.0);
  EXPECT_EQ(value(dropped.rows[0], "n_query"), 2.0);
}

TEST_F(OverGrids, JumpsBetweenCellsAreNoFault) {
  const Evaluated run = score_pairs(pairs, {"--adjacency", "reject"});
  ASSERT_EQ(run.result.code, 0) << run.result.err;
  EXPECT_EQ(run.rows[0].at("status"), "ok");
}

TEST_F(OverGrids, NamesPointsThatAreTooFarFromEveryCell) {
  std::string far = pairs;
  far.replace(far.find("[0.5,0,2.5]"), 11, "[0.5,0,7.5]");
  expect_error(score_pairs(far),
               "a position that is farther than 1 m from every cell: a "
               "(prediction[2]: 5 m)");
  const Evaluated run = score_pairs(far, {"--invalid", "skip"});
  ASSERT_EQ(run.result.code, 0) << run.result.err;
  EXPECT_EQ(run.rows[0].at("status"), "unknown_viewpoint");
  EXPECT_EQ(run.rows[1].at("status"), "ok");
  EXPECT_EQ(score_pairs(far, {"--snap", "5"}).result.code, 0);
  std::string reference = pairs;
  reference.replace(reference.find("[3.5,0,0.5]"), 11, "[3.5,9,0.5]");
  expect_error(score_pairs(reference), "a (reference[1]: 9 m)");
}

TEST_F(OverGrids, TheJsonSaysHowPositionsWereSnapped) {
  std::string far = pairs;
  far.replace(far.find("[0.5,0,2.5]"), 11, "[0.5,0,7.5]");
  const Evaluated run =
      score_pairs(far, {"--invalid", "skip", "--connect", "4", "--json", folder_.path("out.json")});
  ASSERT_EQ(run.result.code, 0) << run.result.err;
  const std::string text = read_text(folder_.path("out.json"));
  const auto at = [&](const std::string& key) { return json_at(text, "/runs/0/distances/" + key); };
  EXPECT_EQ(at("source"), R"("grid")");
  EXPECT_EQ(at("of"), R"("all")");
  EXPECT_EQ(at("grids"), "1");
  EXPECT_GT(at("hash").size(), 16u);
  EXPECT_EQ(at("connect"), "4");
  EXPECT_EQ(at("max_snap"), "1");
  EXPECT_EQ(at("snapped/positions/n"), "4");
  EXPECT_EQ(at("snapped/positions/placed"), "3");
  EXPECT_NEAR(number_at(text, "/runs/0/distances/snapped/positions/max"), std::hypot(0.1, 0.1),
              1e-12);
}

TEST_F(OverGrids, PairsWithoutAWayHaveNoValue) {
  std::string cut_off = pairs;
  cut_off.replace(cut_off.find("[0.5,0,2.5]"), 11, "[6.5,0,0.5]");
  const Evaluated run = score_pairs(cut_off, {"--invalid", "skip"});
  ASSERT_EQ(run.result.code, 0) << run.result.err;
  EXPECT_EQ(run.rows[0].at("status"), "unreachable");
  EXPECT_TRUE(std::isnan(value(run.rows[0], "NE")));
}

TEST_F(OverGrids, RefusesFaultyPairs) {
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = pairs;
    return text.replace(text.find(from), from.size(), to);
  };
  expect_error(score_pairs(with("[3.5,0,0.5]", "\"v\"")), "a: reference[1]: is a string");
  expect_error(score_pairs(with("[0.6,0,0.4]", "[0.6,0]")), "malformed");
  expect_error(score_pairs(with("\"s1\"", "\"s2\"")), "there is no s2.json");
  expect_error(score_pairs(""), "has no pairs");
  expect_error(score_pairs(with("\"reference\"", "\"path\"")), "reference");
}

TEST_F(OverGrids, RefusesWhatDoesNotGoTogether) {
  const std::string graph = folder_.write("g.json", "{}");
  for (const std::string option : {"--graphs", "--navmesh", "--distances"}) {
    const Evaluated run = score_pairs(pairs, {option, graph});
    EXPECT_EQ(run.result.code, 2) << option;
    EXPECT_NE(run.result.err.find(option), std::string::npos) << run.result.err;
  }
  expect_error(score_pairs(pairs, {"--connect", "6"}),
               "--connect 6: give 4 or 8 neighbours, or fmm");
  expect_error(score_pairs(pairs, {"--snap", "0"}), "--snap 0");
  expect_error(
      score({"--pairs", folder_.write("q.jsonl", pairs), "--graphs", graph, "--snap", "2"}),
      "name the grids");
}

std::string episode(const std::string& more, const std::string& goal = "[0.5,0,2.5]") {
  return fmt::format(
      R"({{"episodes":[{{"episode_id":"1","scene_id":"x/s1/s1.glb","start_position":[0.5,0,0.5],)"
      R"("goals":[{{"position":{}}}],"info":{{"geodesic_distance":2.0}},)"
      R"("reference_path":[[0.5,0,0.5],[0.5,0,1.5]]{}}}]}})",
      goal, more);
}

TEST_F(OverGrids, EpisodesEndAtTheCellOfTheGoal) {
  const std::string agent = R"({"1":[[0.5,0,0.5],[1.5,0,0.5],[1.5,0,0.6]]})";
  const Evaluated run = score_episodes(episode(""), agent, {"--repeats", "keep"});
  ASSERT_EQ(run.result.code, 0) << run.result.err;
  ASSERT_EQ(run.rows.size(), 1u);
  EXPECT_DOUBLE_EQ(value(run.rows[0], "NE"), 1 + std::numbers::sqrt2);
  EXPECT_DOUBLE_EQ(value(run.rows[0], "ONE"), 2.0);
  EXPECT_DOUBLE_EQ(value(run.rows[0], "SP"), 2.0);
  EXPECT_DOUBLE_EQ(value(run.rows[0], "GP"), 2.0 - 1 - std::numbers::sqrt2);
  EXPECT_DOUBLE_EQ(value(run.rows[0], "PL"), 1.0);
  EXPECT_DOUBLE_EQ(value(run.rows[0], "SR"), 1.0);
  EXPECT_DOUBLE_EQ(value(run.rows[0], "SPL"), 1.0);
  EXPECT_DOUBLE_EQ(value(run.rows[0], "PLR"), 1.0);
  const Evaluated strict = score_episodes(episode(""), agent, {"--threshold", "2.2"});
  EXPECT_DOUBLE_EQ(value(strict.rows[0], "SR"), 0.0);
  EXPECT_DOUBLE_EQ(value(strict.rows[0], "OSR"), 1.0);
  EXPECT_DOUBLE_EQ(value(strict.rows[0], "SDTW"), 0.0);
}

TEST_F(OverGrids, EpisodesFailWithoutAStop) {
  const std::string agent =
      R"({"1":[{"position":[0.5,0,0.5],"stop":false},{"position":[0.5,0,1.5],"stop":false}]})";
  const Evaluated run = score_episodes(episode("", "[0.5,0,1.5]"), agent);
  ASSERT_EQ(run.result.code, 0) << run.result.err;
  EXPECT_EQ(value(run.rows[0], "NE"), 0.0);
  EXPECT_EQ(value(run.rows[0], "SR"), 0.0);
  EXPECT_EQ(value(run.rows[0], "SPL"), 0.0);
  EXPECT_EQ(value(run.rows[0], "nDTW"), 1.0);
  const Evaluated ignored =
      score_episodes(episode("", "[0.5,0,1.5]"), agent, {"--stop", "ignored"});
  EXPECT_EQ(value(ignored.rows[0], "SR"), 1.0);
}

TEST_F(OverGrids, EpisodesLackAStopThatOthersHave) {
  std::string data = episode("", "[0.5,0,1.5]");
  std::string second = data.substr(13, data.size() - 15);
  second.replace(second.find("\"1\""), 3, "\"2\"");
  data.insert(data.size() - 2, "," + second);
  const std::string agent = R"({"1":[{"position":[0.5,0,0.5],"stop":true}],"2":[[0.5,0,0.5]]})";
  expect_error(score_episodes(data, agent), "malformed: 2");
  EXPECT_EQ(score_episodes(data, agent, {"--stop", "ignored"}).result.code, 0);
}

TEST_F(OverGrids, EpisodesMayHaveAGoalThatIsCutOff) {
  const std::string agent = R"({"1":[[0.5,0,0.5],[1.5,0,0.5]]})";
  const Evaluated run = score_episodes(episode("", "[6.5,0,0.5]"), agent, {"--invalid", "skip"});
  ASSERT_EQ(run.result.code, 0) << run.result.err;
  EXPECT_EQ(run.rows[0].at("status"), "goal_unreachable");
  EXPECT_TRUE(std::isnan(value(run.rows[0], "NE")));
  EXPECT_EQ(value(run.rows[0], "SR"), 0.0);
  expect_error(score_episodes(episode("", "[0.5,8,0.5]"), agent), "1 (goals[0]: 8 m)");
}

TEST_F(OverGrids, EpisodesThatNobodyPredictsMayBeOffTheGrid) {
  std::string data = episode(""), second = episode("", "[0.5,8,0.5]");
  second = second.substr(13, second.size() - 15);
  second.replace(second.find("\"1\""), 3, "\"2\"");
  data.insert(data.size() - 2, "," + second);
  const std::string agent = R"({"1":[[0.5,0,0.5],[1.5,0,0.5]])";
  EXPECT_EQ(score_episodes(data, agent + "}", {"--missing", "skip"}).result.code, 0);
  expect_error(score_episodes(data, agent + R"(,"2":[[0.5,0,0.5]]})"), "2 (goals[0]: 8 m)");
}

TEST_F(OverGrids, MatchesInstructionsOfRxR) {
  const std::string data = episode(R"(,"instruction":{"instruction_id":"77","language":"en-US"})");
  const std::string agent = R"({"instruction_id":"77","path":[[0.5,0,0.5],[0.5,0,2.5]]})";
  const Evaluated run = score_episodes(data, agent);
  ASSERT_EQ(run.result.code, 0) << run.result.err;
  EXPECT_EQ(value(run.rows[0], "NE"), 0.0);
}

TEST_F(OverGrids, ExplainsAnItem) {
  const CliResult of_pair = run({"explain", "--pairs", folder_.write("p.jsonl", pairs), "--grid",
                                 folder_.path("grids"), "--item", "a"});
  ASSERT_EQ(of_pair.code, 0) << of_pair.err;
  EXPECT_NE(of_pair.out.find("0,2,0"), std::string::npos) << of_pair.out;
  const CliResult of_episode =
      run({"explain", "--preset", "vlnce", "--dataset", folder_.write("d.json", episode("")),
           "--grid", folder_.path("grids"), "--item", "1",
           folder_.write("agent.json", R"({"1":[[0.5,0,0.5],[1.5,0,0.5]]})")});
  ASSERT_EQ(of_episode.code, 0) << of_episode.err;
  EXPECT_NE(of_episode.out.find("0,2,0"), std::string::npos) << of_episode.out;
}

TEST_F(OverGrids, ExplainShowsTheWay) {
  const auto explain = [&](const std::string& goal) {
    const CliResult result =
        run({"explain", "--preset", "vlnce", "--invalid", "skip", "--dataset",
             folder_.write("d.json", episode("", goal)), "--grid", folder_.path("grids"), "--item",
             "1", folder_.write("agent.json", R"({"1":[[0.5,0,0.5],[0.5,0,0.5]]})")});
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  };
  // Around the wall, from left to right: its cells are left out where the way goes straight on.
  const std::string around = explain("[3.5,0,0.5]");
  const std::size_t begin = around.find("way to the goal");
  ASSERT_NE(begin, std::string::npos) << around;
  const std::string table = around.substr(begin, around.find("\n\n", begin) - begin);
  for (const std::string cell : {"0,0,0", "0,2,1", "0,2,3", "0,0,3"}) {
    EXPECT_NE(table.find(cell), std::string::npos) << cell << '\n' << table;
  }
  EXPECT_EQ(table.find("0,2,2"), std::string::npos) << table;
  EXPECT_NE(table.find("6.41421"), std::string::npos) << table;
  EXPECT_NE(explain("[6.5,0,0.5]").find("way to the goal: none leads there from the last cell"),
            std::string::npos);
}

}  // namespace
}  // namespace warpath::testing
