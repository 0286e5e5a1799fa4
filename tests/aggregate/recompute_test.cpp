// Tests warpath aggregate --recompute: measures of simulators' results from their positions, over
// each source of distances.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "tests/aggregate/recomputing.hpp"
#include "tests/support/grid.hpp"
#include "tests/support/navmesh.hpp"
#include "tests/support/standard_input.hpp"

namespace warpath::testing {
namespace {

class Recompute : public Recomputing {
 protected:
  // Expects that every measure has the mean that warpath eval gives for the same files.
  void expect_as_eval(const std::string& results, const Arguments& more) const {
    const std::string truth =
        folder.write("t.json", R"({"1":{"locations":[[1,0,3],[3,0,3.5],[4,0,4],[5,0,7]]},)"
                               R"("2":{"locations":[[1,0,3],[2,0,3],[9,0,2]]}})");
    Arguments given = with({"--ground-truth", truth}, more);
    Arguments eval{"eval",
                   "--dataset",
                   folder.write("d.json", episodes),
                   "--json",
                   folder.path("eval.json"),
                   "--invalid",
                   "skip",
                   "--missing",
                   "skip",
                   folder.write("results.json", results)};
    if (std::ranges::find(more, "--preset") == more.end())
      eval.insert(eval.end(), {"--preset", "vlnce"});
    eval.insert(eval.end(), given.begin(), given.end());
    const CliResult evaluated = run(eval);
    ASSERT_EQ(evaluated.code, 0) << evaluated.err;
    given.insert(given.end(), {"--invalid", "skip"});
    const CliResult recomputed = recompute(results, given);
    ASSERT_EQ(recomputed.code, 0) << recomputed.err;
    const std::string text = read_text(folder.path("eval.json"));
    const std::pair<std::string, std::string> measures[]{
        {"SR", "SR"},     {"OSR", "OSR"}, {"SPL", "SPL"}, {"nDTW", "nDTW"},
        {"SDTW", "SDTW"}, {"NE", "NE"},   {"PL", "PL"},   {"ONE", "ONE"}};
    for (const auto& [name, metric] : measures)
      EXPECT_NEAR(ours(name), number_at(text, "/runs/0/metrics/" + metric + "/mean"), 1e-12)
          << name;
    if (std::ranges::find(more, "--grid") != more.end()) return;  // cells have neither
    EXPECT_NEAR(ours("softSPL"), number_at(text, "/runs/0/metrics/SoftSPL/mean"), 1e-12);
    EXPECT_NEAR(ours("oracle SPL"), number_at(text, "/runs/0/metrics/OracleSPL/mean"), 1e-12);
  }

  std::string make_room() const {
    // Cells of 1 m; a wall with a gap at its lower end parts start and goal, and another the
    // corner.
    folder.write("grids/room.png",
                 make_map({"..........", "...#......", "...#......", "..........", "..........",
                           "..........", "........##", "........#."}));
    return folder.write(
        "grids/s1.json",
        R"({"scan":"s1","resolution":1,"origin":[0,0],"up":"y","free":"room.png"})");
  }

  // A way leads to the goal of both. The first ends near it, and passes it; the second does not.
  static constexpr const char* reachable =
      R"({"1":{"success":0,"ndtw":0.5,"sdtw":0,"spl":0,"distance_to_goal":9,"path_length":2,
               "oracle_navigation_error":3,"softspl":0.1,"oracle_spl":0.2,
               "path":[[1,0,3],[1,0,3],[3,0,3],[4,0,4],[5,0,6.5],[4,0,5]]},
          "2":{"success":1,"ndtw":0.5,"sdtw":0,"spl":0,"distance_to_goal":9,"path_length":2,
               "oracle_navigation_error":3,"softspl":0.1,"oracle_spl":0.2,
               "path":[[1,0,3],[2,0,3],[3,0,2]]}})";
};

TEST_F(Recompute, GivesWhatEvalGives) {
  const std::string file =
      folder.write("g.json", R"({"1":[6,6,4.5,3.2,0.5,2.25],"2":[20.5,19.5,18.75]})");
  const Arguments sources[]{
      {},
      {"--distances", file},
      {"--distances", file, "--start-distance", "spl"},
      {"--spl-length", "reference", "--threshold", "2"},
      {"--preset", "vlnpe"},
      {"--preset", "dcvln", "--distances", file},
      {"--preset", "etpnav", "--distance", "2d"},
      {"--start-distance", "measured", "--repeats", "keep"},
  };
  for (const Arguments& source : sources) {
    SCOPED_TRACE(fmt::format("{}", fmt::join(source, " ")));
    expect_as_eval(reachable, source);
  }
}

TEST_F(Recompute, GivesWhatEvalGivesByDistancesOfTheEntries) {
  std::string given = reachable;
  given.replace(given.find("\"path\""), 0, R"("distances":[6,6,4.5,3.2,0.5,2.25],)");
  expect_as_eval(given, {});
  EXPECT_EQ(at("/recomputed/distances/source"), R"("predictions-or-euclidean")");
  EXPECT_NEAR(ours("NE"), (2.25 + std::hypot(18.0, 1.0)) / 2, 1e-12);
}

TEST_F(Recompute, GivesWhatEvalGivesOverGrids) {
  const std::string grid = make_room();
  // The second goal, far outside of the room, takes the place of one inside.
  for (const char* connect : {"4", "8"}) {
    expect_as_eval(reachable, {"--grid", grid, "--connect", connect, "--snap", "30"});
    EXPECT_EQ(at("/recomputed/distances/source"), R"("grid")");
    EXPECT_EQ(at("/recomputed/distances/connect"), connect);
  }
}

TEST_F(Recompute, TakesTheDistancesOfAFile) {
  const CliResult result = with_distances(both_episodes(), {"--invalid", "zero"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(ours("SR"), 0.5);
  EXPECT_EQ(ours("SPL"), 0.5);
  EXPECT_EQ(ours("NE"), 2.0);
  EXPECT_DOUBLE_EQ(ours("PL"), (std::sqrt(10.0) + 1.0) / 2);
  // What positions do not give stays.
  EXPECT_EQ(ours("steps"), 5.5);
  EXPECT_EQ(ours("nDTW"), 0.375);
  EXPECT_EQ(at("/recomputed/kept"), R"(["nDTW","steps"])");
  EXPECT_EQ(at("/recomputed/preset"), R"("vlnce")");
  has(result, "as the files give them: nDTW, steps");
  const std::string distances = at("/recomputed/distances");
  EXPECT_EQ(distances.find(R"({"source":"file","of":"goal","hash":)"), 0u) << distances;
  ASSERT_EQ(with_distances(both_episodes(), {"--invalid", "zero"},
                           R"({"1":[6,1],"2":[Infinity,Infinity]})")
                .code,
            0);
  EXPECT_NE(at("/recomputed/distances"), distances);
}

TEST_F(Recompute, ErrorsAreInfiniteWhereNoWayLeads) {
  refuses(with_distances(both_episodes()), 1,
          "2: SPL: is NaN; no usable value: SPL in 1 episode, NE");
  EXPECT_FALSE(std::ranges::count(folder.list(), "out.json"));
  const CliResult result = with_distances(both_episodes(), {"--rules", "internnav,streamvln"});
  ASSERT_EQ(result.code, 0) << result.err;
  // One rule leaves infinite errors out, and the other adds them.
  EXPECT_EQ(at("/rules/0/means/NE/dropped"), "1");
  EXPECT_EQ(number("/rules/0/means/NE/mean"), 2.0);
  EXPECT_EQ(at("/rules/0/means/SPL/zeroed"), "1");
  EXPECT_EQ(number("/rules/0/means/SR/mean"), 0.5);
  has(result, "inf");
  EXPECT_EQ(at("/recomputed/status"), R"({"ok":1,"goal_unreachable":1})");
  EXPECT_EQ(at("/recomputed/unscored"), "0");
  has(result, "(goal_unreachable): 2");
}

// A more severe status of the entry changes nothing about its distances.
TEST_F(Recompute, ErrorsAreInfiniteWhateverElseIsNoted) {
  const std::string lines =
      R"({"episode_id":2,"distance_to_goal":1,"path":[[7,0,3],[2,0,3]]})"
      "\n"
      R"({"episode_id":2,"distance_to_goal":3,"oracle_navigation_error":1,"path":[[7,0,3],[2,0,3]]})"
      "\n";
  ASSERT_EQ(with_distances(
                lines,
                {"--duplicates", "each", "--start", "note", "--invalid", "skip", "--rules", "ours"},
                R"({"2":[Infinity,Infinity]})")
                .code,
            0);
  for (const std::string measure : {"NE", "ONE"}) {
    EXPECT_EQ(at("/rules/0/means/" + measure + "/dropped"), "2");
    EXPECT_EQ(at("/recomputed/measures/" + measure + "/finite"), "0");
  }
  EXPECT_EQ(at("/recomputed/measures/NE/different"), "2");
  EXPECT_EQ(ours("SR"), 0.0);
}

// SPL has a length of its own then, so that it is 0 without a way to the goal.
TEST_F(Recompute, SplOfAnotherLengthNeedsNoWay) {
  for (const Arguments& settings :
       {Arguments{"--start-distance", "spl"}, Arguments{"--spl-length", "reference"}}) {
    ASSERT_EQ(with_distances(both_episodes(), with({"--invalid", "zero"}, settings)).code, 0);
    EXPECT_EQ(at("/rules/0/means/SPL/zeroed"), "0") << settings.front();
    EXPECT_EQ(ours("SPL"), 0.5) << settings.front();
  }
}

TEST_F(Recompute, ComparesWithTheFiles) {
  ASSERT_EQ(with_distances(both_episodes(), {"--invalid", "zero"}).code, 0);
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

TEST_F(Recompute, MeasuresDtwAgainstTheGroundTruth) {
  const std::string truth = folder.write(
      "t.json", R"({"1":{"locations":[[1,0,3],[4,0,4]],"actions":[1],"forward_steps":1},)"
                R"("2":{"locations":[[1,0,3],[2,0,3]],"actions":[1],"forward_steps":1}})");
  ASSERT_EQ(with_distances(both_episodes(), {"--invalid", "zero", "--ground-truth", truth}).code,
            0);
  EXPECT_EQ(ours("nDTW"), 1.0);
  EXPECT_EQ(ours("SDTW"), 0.5);  // the files have none
  EXPECT_EQ(at("/recomputed/kept"), R"(["steps"])");
}

TEST_F(Recompute, CountsEpisodesThatAGridHasNoWayFor) {
  const std::string grid = make_room();
  // The end of the second path lies in a corner behind walls.
  const std::string results =
      R"({"1":{"success":0,"distance_to_goal":9,"path":[[1,0,3],[2.5,0,7.5]]},)"
      R"("2":{"success":0,"distance_to_goal":9,"path":[[1,0,3],[9.5,0,7.5]]}})";
  const Arguments more{"--grid", grid, "--connect", "4", "--snap", "30"};
  refuses(recompute(results, more), 1, "is not there");
  Arguments zero = more;
  zero.insert(zero.end(), {"--invalid", "zero"});
  const CliResult result = recompute(results, zero);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(at("/recomputed/status"), R"({"ok":1,"unreachable":1})");
  EXPECT_EQ(at("/recomputed/unscored"), "1");
  has(result, "1 episode without recomputed values: 2 (unreachable)");
  EXPECT_EQ(at("/rules/0/means/SR/n"), "2");
  EXPECT_EQ(at("/rules/0/means/SR/zeroed"), "1");
  EXPECT_EQ(ours("NE"), 3.0);
  EXPECT_EQ(ours("PL"), 7.0);
  EXPECT_EQ(at("/recomputed/measures/NE/max_difference"), "6");
}

TEST_F(Recompute, ReadsStandardInput) {
  const std::string file = folder.write("results.json", both_episodes());
  const StandardInput input(file);
  const CliResult result = recompute_files({"-"}, {"--invalid", "skip", "--rules", "ours"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(at("/recomputed/distances/source"), R"("euclidean")");
}

#ifdef WARPATH_HAS_NAVMESH

TEST_F(Recompute, GivesWhatEvalGivesOverMeshes) {
  const std::string mesh = folder.write("s1.navmesh", make_navmesh());
  const std::string both = reachable, one = both.substr(0, both.find("\"2\":"));
  const std::string results = one.substr(0, one.rfind(',')) + "}";
  for (const Arguments& rules : {Arguments{}, Arguments{"--geodesic", "all"},
                                 Arguments{"--habitat", "0.3.4", "--distance", "2d"}}) {
    expect_as_eval(results, with({"--navmesh", mesh}, rules));
  }
}

TEST_F(Recompute, MeasuresOverMeshes) {
  const std::string mesh = folder.write("s1.navmesh", make_navmesh());
  const CliResult result = recompute(both_episodes(), {"--navmesh", mesh, "--invalid", "zero"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NEAR(ours("NE"), std::sqrt(10.0), 1e-6);
  EXPECT_EQ(at("/recomputed/distances/infinite/other_island"), "2");
  EXPECT_EQ(at("/recomputed/distances/habitat"), R"("0.1.7")");
  for (const std::string text :
       {"geodesic, habitat-sim 0.1.7's, 1 mesh (", "2 to another island", "by preset vlnce"}) {
    has(result, text);
  }
}

// Steps between two islands make the path infinitely long, and its end may still be near the goal.
TEST_F(Recompute, LengthsAreInfiniteOverIslands) {
  const std::string mesh = folder.write("s1.navmesh", make_navmesh());
  const std::string lines =
      R"({"episode_id":1,"distance_to_goal":0,"path":[[1,0,3],[21,0,1],[5,0,7]]})"
      "\n"
      R"({"episode_id":1,"distance_to_goal":1,"path":[[1,0,3],[2,0,3]]})"
      "\n";
  const CliResult result = recompute(lines, {"--navmesh", mesh, "--geodesic", "all", "--invalid",
                                             "skip", "--rules", "ours", "--duplicates", "each"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(at("/recomputed/status/unreachable"), "1");
  EXPECT_EQ(at("/recomputed/unscored"), "0");
  EXPECT_EQ(ours("SR"), 0.5);
  EXPECT_EQ(at("/rules/0/means/PL/dropped"), "1");
  EXPECT_NEAR(ours("PL"), 1.0, 1e-6);
}

#endif

}  // namespace
}  // namespace warpath::testing
