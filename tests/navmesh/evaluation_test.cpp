// Scores continuous episodes over navigation meshes.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "tests/support/files.hpp"
#include "tests/support/navmesh.hpp"

namespace warpath::testing {
namespace {

// Over the mesh, the first way leads around the corner, and the second nowhere.
const std::string dataset =
    R"({"episodes":[{"episode_id":"1","scene_id":"mp3d/s1/s1.glb","start_position":[1,0,3],
        "goals":[{"position":[5,0,7]}],"info":{"geodesic_distance":5.0},
        "reference_path":[[1,0,3],[4,0,4],[5,0,7]]},
       {"episode_id":"2","scene_id":"mp3d/s1/s1.glb","start_position":[1,0,3],
        "goals":[{"position":[21,0,1]}],"info":{"geodesic_distance":20.0},
        "reference_path":[[1,0,3],[21,0,1]]}]})";
const std::string predictions = R"({"1":[[1,0,3],[4,0,4]],"2":[[1,0,3],[1,0,3],[2,0,3]]})";

struct Evaluated {
  CliResult result;
  std::vector<CsvRow> rows;
};

Evaluated evaluate(const std::string& data, const std::string& agent,
                   const std::vector<std::string>& more) {
  const TemporaryFolder folder;
  std::vector<std::string> arguments{"eval", "--preset", "vlnce", "--dataset",
                                     folder.write("d.json", data)};
  arguments.insert(arguments.end(), more.begin(), more.end());
  arguments.insert(arguments.end(),
                   {"--csv", folder.path("out.csv"), folder.write("p.json", agent)});
  Evaluated run{testing::run(arguments), {}};
  if (run.result.code == 0) run.rows = read_csv(folder.path("out.csv"));
  return run;
}

std::string error_of_run(const std::vector<std::string>& more,
                         const std::string& agent = predictions,
                         const std::string& data = dataset) {
  const Evaluated run = evaluate(data, agent, more);
  EXPECT_NE(run.result.code, 0);
  return run.result.err;
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
    const Evaluated run = evaluate(dataset, predictions, {"--navmesh", path, "--invalid", "skip"});
    ASSERT_EQ(run.result.code, 0) << run.result.err;
    ASSERT_EQ(run.rows.size(), 2u);
    const auto half = static_cast<double>(std::sqrt(10.0f));
    EXPECT_FLOAT_EQ(static_cast<float>(value(run.rows[0], "NE")), static_cast<float>(half));
    EXPECT_FLOAT_EQ(static_cast<float>(value(run.rows[0], "SP")), static_cast<float>(2 * half));
    EXPECT_TRUE(std::isnan(value(run.rows[1], "NE")));
    EXPECT_EQ(run.rows[1].at("status"), "goal_unreachable");
    EXPECT_NE(run.result.out.find("geodesic, habitat-sim 0.1.7's, 1 mesh, agent 1.5 x 0.1 m"),
              std::string::npos)
        << run.result.out;
    const std::string all = run.result.out + run.result.err;
    EXPECT_NE(
        all.find(
            "no way to the goal from 2 of 4 positions that were measured: 2 to another island"),
        std::string::npos)
        << all;
  }
}

TEST(Distances, GiveTheScoresOfTheMesh) {
  const TemporaryFolder folder;
  const std::string mesh = folder.write("s1.navmesh", make_navmesh());
  const std::string data = folder.write("d.json", dataset),
                    agent = folder.write("p.json", predictions);
  const CliResult made = run(
      {"distances", "--dataset", data, "--navmesh", mesh, agent, "--out", folder.path("g.json")});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_NE(made.out.find("2 paths, geodesic, habitat-sim 0.1.7's, 1 mesh"), std::string::npos)
      << made.out;
  EXPECT_NE(made.out.find("2 to another island"), std::string::npos) << made.out;
  const Evaluated given =
      evaluate(dataset, predictions, {"--distances", folder.path("g.json"), "--invalid", "skip"});
  const Evaluated measured =
      evaluate(dataset, predictions, {"--navmesh", mesh, "--invalid", "skip"});
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
    const CliResult result = run({"distances", "--dataset", folder.write("d.json", dataset),
                                  "--navmesh", folder.write("s1.navmesh", make_navmesh()),
                                  folder.write("p.json", c.agent), "--out", folder.path("g.json")});
    EXPECT_EQ(result.code, 1) << c.problem;
    EXPECT_NE(result.err.find(c.problem), std::string::npos) << result.err;
    EXPECT_EQ(folder.list().size(), 3u);
  }
}

TEST(Distances, ReplaceNoMesh) {
  const TemporaryFolder folder;
  const std::string mesh = folder.write("s1.navmesh", make_navmesh());
  const CliResult result =
      run({"distances", "--dataset", folder.write("d.json", dataset), "--navmesh", mesh,
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
  std::string elsewhere = dataset;
  for (const std::string goal : {"[5,0,7]}]", "[21,0,1]}]"}) {
    elsewhere.replace(elsewhere.find(goal), goal.size(), "[90,0,7]}]");
  }
  EXPECT_NE(error_of_run({"--navmesh", mesh}, swapped, elsewhere)
                .find("no position, and no goal, is within"),
            std::string::npos);
  EXPECT_NE(error_of_run({"--navmesh", mesh}, swapped, elsewhere).find("with y up"),
            std::string::npos);
}

// Compares the scores of the golden episodes. Returns how many golden values are not finite.
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
    for (const std::string& column : columns) {
      const double wanted = std::strtod(golden[r].at(column).c_str(), nullptr),
                   found = value(rows[r], column);
      if (!std::isfinite(wanted)) {
        EXPECT_TRUE(std::isnan(found)) << r << ' ' << column;
        EXPECT_NE(rows[r].at("status"), "ok") << r;
        ++infinite;
        continue;
      }
      // The golden values were computed from distances of nine digits; ours are all of a float's.
      EXPECT_NEAR(found, wanted, 5e-9 * std::max(1.0, std::abs(wanted))) << r << ' ' << column;
    }
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

TEST(EvaluationOverMeshes, AllDistancesEqualThePapersOverHabitats) {
  if (data_folder().empty()) GTEST_SKIP() << "no real data: set WARPATH_DATA";
  for (const std::string backend : {"reference", "cpu"}) {
    EXPECT_GT(compare_golden("episodes_all_golden.csv.gz",
                             {"PL", "NE", "ONE", "SR", "OSR", "SPL", "SP", "DTW", "nDTW", "SDTW",
                              "PC", "CLS", "AD", "MD"},
                             {"--geodesic", "all", "--backend", backend}),
              0u);
  }
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
  EXPECT_NE(error_of_run({"--habitat", "0.3.4"}).find("--habitat is for"), std::string::npos);
  folder.write("other/s2.navmesh", make_navmesh());
  EXPECT_NE(
      error_of_run({"--navmesh", folder.path("other")}).find("scan s1: there is no s1.navmesh"),
      std::string::npos);
}

}  // namespace
}  // namespace warpath::testing
