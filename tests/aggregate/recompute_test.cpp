// Tests warpath aggregate --recompute: measures of simulators' results from their positions.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/files.hpp"
#include "tests/support/grid.hpp"
#include "tests/support/json_text.hpp"
#include "tests/support/navmesh.hpp"

namespace warpath::testing {
namespace {

using Arguments = std::vector<std::string>;

// Two episodes, over the mesh of make_navmesh(): the second goal lies on an island.
const std::string episodes =
    R"({"episodes":[{"episode_id":"1","scene_id":"mp3d/s1/s1.glb","start_position":[1,0,3],
        "goals":[{"position":[5,0,7]}],"info":{"geodesic_distance":5.0},
        "reference_path":[[1,0,3],[4,0,4],[5,0,7]]},
       {"episode_id":"2","scene_id":"mp3d/s1/s1.glb","start_position":[1,0,3],
        "goals":[{"position":[21,0,1]}],"info":{"geodesic_distance":20.0},
        "reference_path":[[1,0,3],[21,0,1]]}]})";
const std::string first_episode =
    R"("1":{"success":0.0,"spl":0.0,"ndtw":0.5,"distance_to_goal":9.0,"steps_taken":5,
            "collisions":{"count":1},"path":[[1,0,3],[4,0,4]]})";
const std::string second_episode =
    R"("2":{"success":0.0,"spl":0.0,"ndtw":0.25,"distance_to_goal":19.0,"steps_taken":6,
            "path":[[1,0,3],[2,0,3]]})";
const std::string both_episodes = "{" + first_episode + "," + second_episode + "}";
const std::string known_distances = R"({"1":[6,2],"2":[Infinity,Infinity]})";

class Recompute : public ::testing::Test {
 protected:
  CliResult recompute(const std::string& results, const Arguments& more) const {
    Arguments all{"aggregate",
                  folder.write("results.json", results),
                  "--recompute",
                  "--dataset",
                  folder.write("d.json", episodes),
                  "--json",
                  folder.path("out.json")};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }

  CliResult with_distances(const std::string& results, Arguments more = {},
                           const std::string& distances = known_distances) const {
    more.insert(more.end(), {"--distances", folder.write("g.json", distances)});
    return recompute(results, more);
  }

  std::string at(const std::string& pointer) const {
    return json_at(read_text(folder.path("out.json")), pointer);
  }
  double number(const std::string& pointer) const {
    return number_at(read_text(folder.path("out.json")), pointer);
  }
  // The mean of a measure under the rule `ours`, the first.
  double ours(const std::string& measure) const {
    return number("/rules/0/means/" + measure + "/mean");
  }

  static void refuses(const CliResult& result, int code, const std::string& text) {
    EXPECT_EQ(result.code, code) << result.out;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    EXPECT_NE(result.err.find(text), std::string::npos) << result.err;
  }

  TemporaryFolder folder;
};

TEST_F(Recompute, TakesTheDistancesOfAFile) {
  const CliResult result = with_distances(both_episodes, {"--invalid", "zero"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(ours("SR"), 0.5);
  EXPECT_EQ(ours("SPL"), 0.5);
  EXPECT_EQ(ours("NE"), 2.0);
  EXPECT_DOUBLE_EQ(ours("PL"), (std::sqrt(10.0) + 1.0) / 2);
  // No way leads to the second goal, so programs without a guard print what a simulator gives.
  EXPECT_EQ(at("/rules/0/means/NE/dropped"), "1");
  EXPECT_EQ(at("/rules/0/means/SPL/zeroed"), "1");
  EXPECT_NE(result.out.find("inf"), std::string::npos) << result.out;
  // What positions do not give stays.
  EXPECT_EQ(ours("steps"), 5.5);
  EXPECT_EQ(ours("nDTW"), 0.375);
  EXPECT_EQ(at("/recomputed/kept"), R"(["nDTW","steps"])");
  EXPECT_EQ(at("/recomputed/distances"), R"({"source":"file","of":"goal"})");
  EXPECT_NE(result.out.find("as the files give them: nDTW, steps"), std::string::npos)
      << result.out;
}

TEST_F(Recompute, ComparesWithTheFiles) {
  ASSERT_EQ(with_distances(both_episodes, {"--invalid", "zero"}).code, 0);
  EXPECT_EQ(at("/recomputed/measures/NE"),
            R"({"n":2,"different":2,"finite":1,"files_mean":9,"mean":2,"max_difference":7,)"
            R"("max_episode":"1"})");
  EXPECT_EQ(at("/recomputed/measures/SR/different"), "1");
  EXPECT_EQ(at("/recomputed/measures/OSR"),
            R"({"n":0,"different":0,"finite":0,"files_mean":null,"mean":null,)"
            R"("max_difference":null})");
  const std::string equal =
      R"({"1":{"success":1,"distance_to_goal":2.000001,"path":[[1,0,3],[4,0,4]]}})";
  ASSERT_EQ(with_distances(equal).code, 0);
  EXPECT_EQ(at("/recomputed/measures/NE/different"), "0");
  EXPECT_EQ(at("/recomputed/measures/SR/different"), "0");
}

TEST_F(Recompute, RefusesAGoalWithoutAWayUnlessTold) {
  refuses(with_distances(both_episodes), 1,
          "2: SPL: is NaN; no usable value: SPL in 1 episode, NE");
  EXPECT_FALSE(std::ranges::count(folder.list(), "out.json"));
}

TEST_F(Recompute, MeasuresDtwAgainstTheGroundTruth) {
  const std::string truth = folder.write(
      "t.json", R"({"1":{"locations":[[1,0,3],[4,0,4]],"actions":[1],"forward_steps":1},)"
                R"("2":{"locations":[[1,0,3],[2,0,3]],"actions":[1],"forward_steps":1}})");
  ASSERT_EQ(with_distances(both_episodes, {"--invalid", "zero", "--ground-truth", truth}).code, 0);
  EXPECT_EQ(ours("nDTW"), 1.0);
  EXPECT_EQ(at("/recomputed/kept"), R"(["steps"])");
}

TEST_F(Recompute, TheEntryThatCountsIsMeasured) {
  const std::string entry =
      R"({{"episode_id":1,"success":{},"distance_to_goal":9,"path":[[1,0,3],[{},0,3]]}})"
      "\n";
  const std::string lines =
      fmt::format(fmt::runtime(entry), 0, 2) + fmt::format(fmt::runtime(entry), 1, 4);
  const std::string two = R"({"1":[6,2]})";
  refuses(with_distances(lines, {}, two), 1, "--duplicates");
  const std::pair<std::string, double> cases[]{{"first", 1.0}, {"last", 3.0}, {"each", 2.0}};
  for (const auto& [duplicates, length] : cases) {
    const CliResult result = with_distances(lines, {"--duplicates", duplicates}, two);
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_DOUBLE_EQ(ours("PL"), length) << duplicates;
  }
}

TEST_F(Recompute, NamesEpisodesThatCannotBeScored) {
  std::string broken = both_episodes;
  broken.replace(broken.find("[2,0,3]"), 7, "[2,0]");
  const std::string distances = R"({"1":[6,2],"2":[6,5]})";
  refuses(with_distances(broken, {}, distances), 1, "is not there");
  const CliResult result = with_distances(broken, {"--invalid", "zero"}, distances);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(ours("SR"), 0.5);
  EXPECT_EQ(at("/recomputed/unscored"), "1");
  EXPECT_NE(result.out.find("1 episode without recomputed values, the first 2 (malformed)"),
            std::string::npos)
      << result.out;
}

TEST_F(Recompute, RefusesWhatItCannotRecompute) {
  const std::string results = folder.write("results.json", both_episodes),
                    data = folder.write("d.json", episodes),
                    given = folder.write("g.json", known_distances);
  const auto aggregate = [&](Arguments more) {
    more.insert(more.begin(), "aggregate");
    return run(more);
  };
  refuses(aggregate({results, "--distances", given}), 2, "--distances is of measures that are");
  refuses(aggregate({results, "--preset", "vlnce"}), 2, "add --recompute");
  refuses(aggregate({results, "--recompute", "--distances", given}), 2, "by --dataset");
  refuses(aggregate({results, "--recompute", "--dataset", data}), 2, "needs distances");
  refuses(aggregate({"-", "--recompute", "--dataset", data, "--distances", given}), 2,
          "name files");
  refuses(with_distances(both_episodes, {"--preset", "nothing"}), 2, "nothing");
  refuses(with_distances(both_episodes, {"--grid", given}), 2, "--grid");
  refuses(with_distances(R"({"1":{"success":1.0,"distance_to_goal":2.0}})"), 1, "path");
  std::string unknown = both_episodes;
  unknown.replace(unknown.find("\"2\":"), 4, "\"9\":");
  refuses(with_distances(unknown, {}, R"({"1":[6,2],"9":[6,5]})"), 1, "9: is not in");
  refuses(
      aggregate({results, "--recompute", "--dataset", data, "--distances", given, "--json", given}),
      2, "would overwrite");
}

TEST_F(Recompute, MeasuresOverGrids) {
  // Cells of 1 m; a wall with a gap at its lower end parts start and goal.
  folder.write("grids/room.png",
               make_map({"..........", "...#......", "...#......", "..........", "..........",
                         "..........", "..........", ".........."}));
  folder.write("grids/s1.json",
               R"({"scan":"s1","resolution":1,"origin":[0,0],"up":"y","free":"room.png"})");
  const std::string results =
      R"({"1":{"success":0.0,"distance_to_goal":9.0,"path":[[1.5,0,3.5],[2.5,0,7.5]]}})";
  const CliResult result =
      recompute(results, {"--grid", folder.path("grids/s1.json"), "--connect", "4"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(ours("NE"), 3.0);
  EXPECT_EQ(ours("PL"), 5.0);
  EXPECT_EQ(at("/recomputed/distances/source"), R"("grid")");
  EXPECT_EQ(at("/recomputed/measures/NE/max_difference"), "6");
}

#ifdef WARPATH_HAS_NAVMESH

TEST_F(Recompute, MeasuresOverMeshes) {
  const std::string mesh = folder.write("s1.navmesh", make_navmesh());
  const CliResult result = recompute(both_episodes, {"--navmesh", mesh, "--invalid", "zero"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NEAR(ours("NE"), std::sqrt(10.0), 1e-6);
  EXPECT_EQ(at("/recomputed/distances/infinite/other_island"), "2");
  EXPECT_EQ(at("/recomputed/distances/habitat"), R"("0.1.7")");
  for (const std::string text :
       {"geodesic, habitat-sim 0.1.7's, 1 mesh (", "2 to another island", "by preset vlnce"}) {
    EXPECT_NE(result.out.find(text), std::string::npos) << text << '\n' << result.out;
  }
}

#endif

}  // namespace
}  // namespace warpath::testing
