// Scores continuous episodes over navigation meshes.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "tests/support/files.hpp"
#include "tests/support/json_text.hpp"
#include "tests/support/navmesh.hpp"

namespace warpath::testing {
namespace {

const std::string predictions = R"({"1":[[1,0,3],[4,0,4]],"2":[[1,0,3],[1,0,3],[2,0,3]]})";

struct Evaluated {
  CliResult result;
  std::vector<CsvRow> rows;
};

Evaluated evaluate(const std::string& data, const std::string& agent,
                   const std::vector<std::string>& more) {
  const TemporaryFolder folder;
  const Arguments arguments =
      with({"eval", "--preset", "vlnce", "--dataset", folder.write("d.json", data)}, more,
           {"--csv", folder.path("out.csv"), folder.write("p.json", agent)});
  Evaluated run{testing::run(arguments), {}};
  if (run.result.code == 0) run.rows = read_csv(folder.path("out.csv"));
  return run;
}

std::string error_of_run(const std::vector<std::string>& more,
                         const std::string& agent = predictions,
                         const std::string& data = mesh_episodes) {
  const Evaluated run = evaluate(data, agent, more);
  EXPECT_NE(run.result.code, 0);
  return run.result.err;
}

// Returns what the JSON report says of the distances of the only agent.
std::string distances_in_json(const std::vector<std::string>& more,
                              const std::string& agent = predictions) {
  const TemporaryFolder folder;
  std::vector<std::string> arguments = more;
  arguments.insert(arguments.end(), {"--invalid", "skip", "--json", folder.path("out.json")});
  const Evaluated run = evaluate(mesh_episodes, agent, arguments);
  EXPECT_EQ(run.result.code, 0) << run.result.err;
  return json_at(read_text(folder.path("out.json")), "/runs/0/distances");
}

TEST(EvaluationOfPositions, TheJsonSaysWhereDistancesComeFrom) {
  EXPECT_EQ(distances_in_json({}), R"({"source":"euclidean","of":"goal"})");
  const TemporaryFolder folder;
  const std::string given = folder.write("g.json", R"({"1":[6,3],"2":[20,20,19]})");
  const std::string of_file = distances_in_json({"--distances", given});
  EXPECT_EQ(of_file.find(R"({"source":"file","of":"goal","hash":")"), 0u) << of_file;
  const std::string both = R"({"1":{"path":[[1,0,3]],"distances":[6]},"2":)";
  EXPECT_EQ(distances_in_json({}, both + R"({"path":[[1,0,3]],"distances":[19]}})"),
            R"({"source":"predictions","of":"goal"})");
  EXPECT_EQ(distances_in_json({}, both + "[[1,0,3]]}"),
            R"({"source":"predictions-or-euclidean","of":"goal"})");
}

#ifdef WARPATH_HAS_NAVMESH

double value(const CsvRow& row, const std::string& column) {
  const std::string& cell = row.at(column);
  return cell.empty() ? std::nan("") : std::strtod(cell.c_str(), nullptr);
}

TEST(EvaluationOverMeshes, MeasuresDistancesToTheGoal) {
  const TemporaryFolder folder;
  const std::string mesh = folder.write("s1.navmesh", make_navmesh());
  for (const std::string& path : {mesh, folder.path()}) {
    const Evaluated run =
        evaluate(mesh_episodes, predictions, {"--navmesh", path, "--invalid", "skip"});
    ASSERT_EQ(run.result.code, 0) << run.result.err;
    ASSERT_EQ(run.rows.size(), 2u);
    const auto half = static_cast<double>(std::sqrt(10.0f));
    EXPECT_FLOAT_EQ(static_cast<float>(value(run.rows[0], "NE")), static_cast<float>(half));
    EXPECT_FLOAT_EQ(static_cast<float>(value(run.rows[0], "SP")), static_cast<float>(2 * half));
    EXPECT_TRUE(std::isnan(value(run.rows[1], "NE")));
    EXPECT_EQ(run.rows[1].at("status"), "goal_unreachable");
    const std::string all = run.result.out + run.result.err;
    for (const std::string text :
         {"geodesic, habitat-sim 0.1.7's, 1 mesh (", "), agent 1.5 x 0.1 m",
          "distance to the mesh: positions 0.00 m on average, 0.00 m at most; goals 0.00 m",
          "no way to the goal from 2 of 4 positions that were measured: 2 to another island"}) {
      EXPECT_NE(all.find(text), std::string::npos) << text << '\n' << all;
    }
  }
}

TEST(EvaluationOverMeshes, TheJsonSaysWhatWasMeasured) {
  const TemporaryFolder folder;
  const std::string mesh = folder.write("s1.navmesh", make_navmesh());
  // Half a metre above the floor, then nowhere near the mesh.
  const std::string agent = R"({"1":[[1,0.5,3],[4,0,4]],"2":[[1,0,3],[1,0,3],[90,0,3]]})";
  const std::string text =
      distances_in_json({"--navmesh", mesh, "--habitat", "0.3.4", "--geodesic", "all"}, agent);
  const auto at = [&](const std::string& pointer) { return json_at(text, pointer); };
  EXPECT_EQ(at("/source"), R"("navmesh")");
  EXPECT_EQ(at("/of"), R"("all")");
  EXPECT_EQ(at("/habitat"), R"("0.3.4")");
  EXPECT_EQ(at("/meshes"), "1");
  EXPECT_GT(at("/hash").size(), 16u);
  EXPECT_EQ(at("/agent"), R"({"height":1.5,"radius":0.1})");
  EXPECT_EQ(at("/measured"), "4");
  EXPECT_EQ(at("/infinite"), R"({"off_mesh":1,"other_island":1,"too_long":0,"search_ended":0})");
  EXPECT_EQ(at("/snapped/positions/n"), "4");
  EXPECT_EQ(at("/snapped/positions/placed"), "3");
  EXPECT_NEAR(number_at(text, "/snapped/positions/max"), 0.5, 1e-6);
  EXPECT_NEAR(number_at(text, "/snapped/positions/mean"), 0.5 / 3, 1e-6);
  EXPECT_EQ(at("/snapped/goals"), R"({"n":2,"placed":2,"mean":0,"max":0})");
  const std::string other = folder.write("other/s1.navmesh", make_navmesh(2));
  EXPECT_NE(json_at(distances_in_json({"--navmesh", other}), "/hash"), at("/hash"));
}

TEST(Distances, GiveTheScoresOfTheMesh) {
  const TemporaryFolder folder;
  const std::string mesh = folder.write("s1.navmesh", make_navmesh());
  const std::string data = folder.write("d.json", mesh_episodes),
                    agent = folder.write("p.json", predictions);
  const CliResult made = run(
      {"distances", "--dataset", data, "--navmesh", mesh, agent, "--out", folder.path("g.json")});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_NE(made.out.find("2 paths, geodesic, habitat-sim 0.1.7's, 1 mesh"), std::string::npos)
      << made.out;
  EXPECT_NE(made.out.find("2 to another island"), std::string::npos) << made.out;
  const Evaluated given = evaluate(mesh_episodes, predictions,
                                   {"--distances", folder.path("g.json"), "--invalid", "skip"});
  const Evaluated measured =
      evaluate(mesh_episodes, predictions, {"--navmesh", mesh, "--invalid", "skip"});
  ASSERT_EQ(given.rows.size(), 2u) << given.result.err;
  EXPECT_EQ(given.rows, measured.rows);
}

TEST(Distances, RefusePathsThatCannotHaveThem) {
  const struct {
    std::string agent, problem;
  } cases[]{
      {R"({"1":[[1,0,3]],"9":[[1,0,3]]})", "9: is not in"},
      {R"({"1":[[1,0,3],[1,"x",3]]})", "p.json: 1"},
      {"{\"episode_id\":\"1\",\"path\":[[1,0,3]]}\n{\"episode_id\":\"1\",\"path\":[[1,0,3]]}\n",
       "1: has several paths"}};
  for (const auto& c : cases) {
    const TemporaryFolder folder;
    const CliResult result = run({"distances", "--dataset", folder.write("d.json", mesh_episodes),
                                  "--navmesh", folder.write("s1.navmesh", make_navmesh()),
                                  folder.write("p.json", c.agent), "--out", folder.path("g.json")});
    EXPECT_EQ(result.code, 1) << c.problem;
    EXPECT_NE(result.err.find(c.problem), std::string::npos) << result.err;
    EXPECT_EQ(folder.list().size(), 3u);
  }
}

TEST(EvaluationOverMeshes, NoOutputReplacesAMeshInAFolderOfItsScan) {
  const TemporaryFolder folder;
  const std::string mesh = folder.write("mp3d/s1/s1.navmesh", make_navmesh());
  const CliResult result =
      run({"eval", "--preset", "vlnce", "--dataset", folder.write("d.json", mesh_episodes),
           "--navmesh", folder.path("mp3d"), "--csv", mesh, folder.write("p.json", predictions)});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("would overwrite"), std::string::npos) << result.err;
  EXPECT_EQ(read_text(mesh), make_navmesh());
}

TEST(EvaluationOverMeshes, RefusesATableOfTooManyPositions) {
  const TemporaryFolder folder;
  std::string path = "[";
  for (int k = 0; k < 8200; ++k) path += fmt::format("{}[{},0,1]", k == 0 ? "" : ",", 1 + k * 1e-4);
  const std::string long_path = "{\"1\":" + path + "]}";
  const CliResult result = run({"eval", "--preset", "vlnce", "--missing", "skip", "--dataset",
                                folder.write("d.json", mesh_episodes), "--navmesh",
                                folder.write("s1.navmesh", make_navmesh()), "--geodesic", "all",
                                folder.write("p.json", long_path)});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("d.json: 1: has more positions"), std::string::npos) << result.err;
}

TEST(Distances, ReplaceNoMesh) {
  const TemporaryFolder folder;
  const std::string mesh = folder.write("s1.navmesh", make_navmesh());
  const CliResult result =
      run({"distances", "--dataset", folder.write("d.json", mesh_episodes), "--navmesh", mesh,
           folder.write("p.json", predictions), "--out", mesh, "--force"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(read_text(mesh), make_navmesh());
}

TEST(EvaluationOverMeshes, RefusesWhatMeasuresToAnotherPlace) {
  const TemporaryFolder folder;
  const std::string mesh = folder.write("s1.navmesh", make_navmesh());
  EXPECT_NE(
      error_of_run({"--navmesh", mesh, "--start-distance", "spl"}).find("end of reference_path"),
      std::string::npos);
}

TEST(EvaluationOverMeshes, RefusesPositionsThatAreNowhereNear) {
  const TemporaryFolder folder;
  const std::string mesh = folder.write("s1.navmesh", make_navmesh());
  const std::string swapped = R"({"1":[[90,0,1]],"2":[[90,0,1]]})";
  std::string elsewhere = mesh_episodes;
  for (const std::string goal : {"[5,0,7]}]", "[21,0,1]}]"}) {
    elsewhere.replace(elsewhere.find(goal), goal.size(), "[90,0,7]}]");
  }
  EXPECT_NE(error_of_run({"--navmesh", mesh}, swapped, elsewhere)
                .find("no position, and no goal, is within"),
            std::string::npos);
  EXPECT_NE(error_of_run({"--navmesh", mesh}, swapped, elsewhere).find("with y up"),
            std::string::npos);
}

// Compares the scores of the golden episodes. Returns how many golden values are not finite; of a
// path that leads nowhere there is no other value, either.
std::size_t compare_golden(const std::string& file, const std::vector<std::string>& columns,
                           std::vector<std::string> more) {
  const std::string data = data_folder() + "/obstacles/";
  const TemporaryFolder folder;
  more.insert(more.begin(),
              {"eval", "--preset", "vlnce", "--dataset", data + "episodes.json.gz", "--navmesh",
               data + "navmesh", "--habitat", "0.3.4", "--invalid", "skip", "--csv",
               folder.path("out.csv"), data + "episodes_agent.json.gz"});
  const CliResult result = run(more);
  EXPECT_EQ(result.code, 0) << result.err;
  const auto rows = read_csv(folder.path("out.csv")), golden = read_csv(data + file);
  EXPECT_EQ(rows.size(), golden.size());
  std::size_t infinite = 0;
  for (std::size_t r = 0; r < std::min(rows.size(), golden.size()); ++r) {
    const bool is_unreachable = rows[r].at("status") == "unreachable";
    std::size_t infinite_of_row = 0;
    for (const std::string& column : columns) {
      const double wanted = std::strtod(golden[r].at(column).c_str(), nullptr),
                   found = value(rows[r], column);
      if (!std::isfinite(wanted)) {
        EXPECT_TRUE(is_unreachable || std::isnan(found)) << r << ' ' << column;
        EXPECT_NE(rows[r].at("status"), "ok") << r;
        ++infinite_of_row;
        continue;
      }
      if (is_unreachable) continue;
      // The golden values were computed from distances of nine digits; ours are all of a float's.
      EXPECT_NEAR(found, wanted, 5e-9 * std::max(1.0, std::abs(wanted))) << r << ' ' << column;
    }
    EXPECT_TRUE(!is_unreachable || infinite_of_row > 0) << r;
    infinite += infinite_of_row;
  }
  return infinite;
}

TEST(EvaluationOverMeshes, EqualsHabitatsFormulas) {
  if (data_folder().empty()) GTEST_SKIP() << "no real data: set WARPATH_DATA";
  const std::string truth = data_folder() + "/obstacles/episodes_gt.json.gz";
  EXPECT_GT(compare_golden("episodes_golden.csv.gz",
                           {"PL", "NE", "ONE", "SR", "OSR", "SPL", "SP", "nDTW", "SDTW"},
                           {"--ground-truth", truth}),
            0u);
}

TEST(EvaluationOverMeshes, AllDistancesAreThoseOfTheMesh) {
  const TemporaryFolder folder;
  const std::string mesh = folder.write("s1.navmesh", make_navmesh());
  const Evaluated to_goal =
      evaluate(mesh_episodes, predictions, {"--navmesh", mesh, "--invalid", "skip"});
  for (const std::string backend : {"reference", "cpu"}) {
    const Evaluated all = evaluate(
        mesh_episodes, predictions,
        {"--navmesh", mesh, "--geodesic", "all", "--invalid", "skip", "--backend", backend});
    ASSERT_EQ(all.rows.size(), 2u) << all.result.err;
    EXPECT_NEAR(value(all.rows[0], "NE"), value(to_goal.rows[0], "NE"), 1e-6);
    // (1, 3) and (4, 4) against (1, 3), (4, 4) and (5, 7): two equal, and the way beyond the
    // corner.
    EXPECT_NEAR(value(all.rows[0], "DTW"), std::sqrt(10.0), 1e-6);
    EXPECT_NEAR(value(all.rows[0], "PL"), std::sqrt(10.0), 1e-6);
    EXPECT_EQ(all.rows[1].at("status"), "unreachable");
    EXPECT_NE(all.result.out.find("all distances: geodesic"), std::string::npos);
    EXPECT_TRUE(std::isnan(value(all.rows[1], "nDTW")));
  }
  // Straight through the corner, and around it.
  const std::string around = R"({"1":[[1,0,3],[3,0,3.5],[4.5,0,7]],"2":[[1,0,3]]})";
  const std::vector<std::string> options{"--navmesh", mesh, "--invalid", "skip"};
  std::vector<std::string> all = options;
  all.insert(all.end(), {"--geodesic", "all"});
  const double straight = value(evaluate(mesh_episodes, around, options).rows.at(0), "PL"),
               bent = value(evaluate(mesh_episodes, around, all).rows.at(0), "PL");
  EXPECT_NEAR(bent - straight, std::hypot(1.0, 0.5) + std::hypot(0.5, 3.0) - std::hypot(1.5, 3.5),
              1e-6);
  // There, back and there again: one step too far along either path, and the way beyond the corner.
  const std::string back = R"({"1":[[1,0,3],[4,0,4],[1,0,3],[4,0,4]],"2":[[1,0,3]]})";
  EXPECT_NEAR(value(evaluate(mesh_episodes, back, all).rows.at(0), "DTW"), 2 * std::sqrt(10.0),
              3e-6);
}

TEST(EvaluationOverMeshes, AllDistancesExcludeStraightLines) {
  const TemporaryFolder folder;
  const std::string mesh = folder.write("s1.navmesh", make_navmesh());
  EXPECT_NE(error_of_run({"--navmesh", mesh, "--geodesic", "all", "--distance", "2d"})
                .find("leave --distance away"),
            std::string::npos);
  const CliResult fast =
      run({"eval", "--preset", "vlnce-fastdtw", "--dataset", folder.write("d.json", mesh_episodes),
           "--navmesh", mesh, "--geodesic", "all", folder.write("p.json", predictions)});
  EXPECT_EQ(fast.code, 2);
  EXPECT_NE(fast.err.find("by straight lines"), std::string::npos) << fast.err;
  EXPECT_NE(error_of_run({"--navmesh", mesh, "--geodesic", "some"}).find("--geodesic"),
            std::string::npos);
}

TEST(EvaluationOverMeshes, ExplainShowsTheWay) {
  const TemporaryFolder folder;
  const std::string mesh = folder.write("s1.navmesh", make_navmesh());
  const std::string start = R"({"1":[[1,0,3]],"2":[[1,0,3]]})";
  const std::vector<std::string> command{"explain",
                                         "--preset",
                                         "vlnce",
                                         "--invalid",
                                         "skip",
                                         "--dataset",
                                         folder.write("d.json", mesh_episodes),
                                         "--navmesh",
                                         mesh,
                                         folder.write("p.json", start)};
  const auto text_of = [&](const std::vector<std::string>& more) {
    const CliResult result = run(with(command, more));
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  };
  const std::string text = text_of({"--item", "1"});
  const std::size_t way = text.find("way to the goal");
  ASSERT_NE(way, std::string::npos) << text;
  EXPECT_NE(text.find("3.16228", way), std::string::npos) << text;
  EXPECT_NE(text_of({"--item", "2"}).find("way to the goal: none leads there"), std::string::npos);
  // DTW's last step leads around the corner.
  EXPECT_EQ(text.find("9.48683"), std::string::npos) << text;
  EXPECT_NE(text_of({"--item", "1", "--geodesic", "all"}).find("9.48683"), std::string::npos);
}

TEST(EvaluationOverMeshes, NotesThatAllPositionsAreOffTheMesh) {
  const TemporaryFolder folder;
  const std::string mesh = folder.write("s1.navmesh", make_navmesh());
  const std::string elsewhere = R"({"1":[[90,0,1]],"2":[[90,0,1]]})";
  const Evaluated run =
      evaluate(mesh_episodes, elsewhere, {"--navmesh", mesh, "--invalid", "zero"});
  const std::string all = run.result.out + run.result.err;
  EXPECT_EQ(run.result.code, 0) << all;
  EXPECT_NE(all.find("no position is on a mesh, but goals are"), std::string::npos) << all;
}

TEST(EvaluationOverMeshes, NotesWhatIsUnusual) {
  const TemporaryFolder folder;
  const std::string mesh = folder.write("s1.navmesh", make_navmesh());
  std::string data = mesh_episodes;
  data.replace(data.find("[21,0,1]}]"), 10, "[90,0,1]}]");
  data.replace(data.find("\"info\""), 6, "\"instruction\":{\"instruction_id\":7},\"info\"");
  const Evaluated run = evaluate(data, predictions, {"--navmesh", mesh, "--invalid", "skip"});
  const std::string all = run.result.out + run.result.err;
  for (const std::string text : {"a goal of 1 path, the first of episode 2", "2 off the mesh",
                                 "RxR-CE's evaluators build meshes anew"}) {
    EXPECT_NE(all.find(text), std::string::npos) << text << '\n' << all;
  }
}

TEST(EvaluationOverMeshes, AllDistancesEqualThePapersOverHabitats) {
  if (data_folder().empty()) GTEST_SKIP() << "no real data: set WARPATH_DATA";
  EXPECT_GT(compare_golden("episodes_all_golden.csv.gz",
                           {"PL", "NE", "ONE", "SR", "OSR", "SPL", "SP", "DTW", "nDTW", "SDTW",
                            "PC", "CLS", "AD", "MD"},
                           {"--geodesic", "all", "--backend", "reference"}),
            0u);
}

#else

TEST(EvaluationOverMeshes, SaysWhatABuildWithoutDetourLacks) {
  const TemporaryFolder folder;
  EXPECT_NE(
      error_of_run({"--navmesh", folder.write("s1.navmesh", make_navmesh())}).find("librecast-dev"),
      std::string::npos);
}

#endif

TEST(EvaluationOverMeshes, RefusesWhatDoesNotGoTogether) {
  const TemporaryFolder folder;
  const std::string mesh = folder.write("s1.navmesh", make_navmesh());
  EXPECT_NE(error_of_run({"--navmesh", mesh, "--distances", folder.write("g.json", "{}")})
                .find("--distances"),
            std::string::npos);
  EXPECT_NE(error_of_run({"--navmesh", mesh, "--habitat", "0.2"}).find("0.1.7"), std::string::npos);
  EXPECT_NE(error_of_run({"--habitat", "0.3.4"}).find("--habitat and --geodesic are for"),
            std::string::npos);
  folder.write("other/s2.navmesh", make_navmesh());
  EXPECT_NE(
      error_of_run({"--navmesh", folder.path("other")}).find("scan s1: there is no s1.navmesh"),
      std::string::npos);
}

}  // namespace
}  // namespace warpath::testing
