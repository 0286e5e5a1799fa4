// Tests warpath aggregate --recompute: which path belongs to which entry, and what it refuses.

#include <fmt/format.h>

#include <cmath>

#include "tests/aggregate/recomputing.hpp"
#include "tests/support/grid.hpp"

namespace warpath::testing {
namespace {

class RecomputeEntries : public Recomputing {
 protected:
  // A line of the first episode, which ends at x, with the error that the files have for it.
  static std::string line(double x, double error, const char* id = "1") {
    return fmt::format(
        R"({{"episode_id":{},"success":0,"distance_to_goal":{},"path":[[1,0,3],[{},0,3]]}})"
        "\n",
        id, error, x);
  }
  static double error_at(double x) { return std::hypot(5 - x, 4.0); }

  // The means of the rule that takes values as they are, which does not refuse duplicates.
  const Arguments any{"--invalid", "skip", "--rules", "ours"};
  Arguments with(Arguments more) const {
    more.insert(more.end(), any.begin(), any.end());
    return more;
  }
};

TEST_F(RecomputeEntries, EachEntryIsComparedWithItsOwnPath) {
  // Ids repeat, with another episode in between; every recorded error is that of its own path.
  const std::string lines = line(2, error_at(2)) + line(3, std::hypot(18, 2), "2") +
                            line(4, error_at(4)) + line(3, error_at(3));
  ASSERT_EQ(recompute(lines, with({"--duplicates", "each"})).code, 0);
  EXPECT_EQ(at("/recomputed/measures/NE/n"), "4");
  EXPECT_EQ(at("/recomputed/measures/NE/different"), "0");
  EXPECT_DOUBLE_EQ(ours("PL"), (1.0 + 2.0 + 3.0 + 2.0) / 4);
}

TEST_F(RecomputeEntries, TheEntryThatCountsIsMeasured) {
  const std::string lines = line(2, error_at(2)) + line(4, error_at(4));
  refuses(recompute(lines), 1, "episode 1 is also in");
  const std::pair<std::string, double> cases[]{{"first", 1.0}, {"last", 3.0}, {"each", 2.0}};
  for (const auto& [duplicates, length] : cases) {
    const CliResult result = recompute(lines, with({"--duplicates", duplicates}));
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_DOUBLE_EQ(ours("PL"), length) << duplicates;
    EXPECT_EQ(at("/recomputed/measures/NE/different"), "0") << duplicates;
    has(result, "with another path or other values");
  }
}

TEST_F(RecomputeEntries, EqualValuesOfOtherPathsAreNoDuplicates) {
  const std::string lines = line(2, 9) + line(4, 9);
  refuses(recompute(lines), 1, "with another path; name the files of one run, or say --duplicates");
  ASSERT_EQ(recompute(lines, with({"--duplicates", "last"})).code, 0);
  EXPECT_DOUBLE_EQ(ours("PL"), 3.0);
  // Without --recompute nobody asks for the paths.
  const CliResult plain = run({"aggregate", folder.path("results.json"), "--rules", "ours"});
  EXPECT_EQ(plain.code, 0) << plain.err;
  has(plain, "with equal values: one counts");
  const CliResult joined = recompute(line(2, 9) + line(2, 9), any);
  ASSERT_EQ(joined.code, 0) << joined.err;
  has(joined, "with equal values: one counts");
}

TEST_F(RecomputeEntries, StopsAndDistancesAreOfThePath) {
  const std::string start = R"({"episode_id":1,"success":0,"path":)";
  const std::pair<std::string, std::string> paths[]{
      {R"([{"position":[1,0,3],"stop":true}]})", R"([{"position":[1,0,3],"stop":false}]})"},
      {R"([[1,0,3]],"distances":[1]})", R"([[1,0,3]],"distances":[2]})"},
      {R"([[1,0,3]]})", R"([{"position":[1,0,3],"stop":true}]})"}};
  for (const auto& [one, other] : paths) {
    refuses(recompute(start + one + "\n" + start + other + "\n"), 1, "with another path");
    EXPECT_EQ(recompute(start + one + "\n" + start + one + "\n", any).code, 0) << one;
  }
}

TEST_F(RecomputeEntries, TheLastValueOfARepeatedKeyCounts) {
  const std::string entry =
      R"({"1":{"success":0,"success":1,"path":[[9,0,9]],"path":[[1,0,3],)"
      R"({"position":[0,0,0],"position":[4,0,3],"stop":false,"stop":true,"collision":1,)"
      R"("collision":0,"distance":7,"distance":2}],"distances":[1],"distances":[5],)"
      R"("collisions":{"count":"no"},"collisions":{"count":2}}})";
  // One distance beside the path would make two with that of its entry.
  std::string without = entry;
  without.replace(without.find(R"("distances":[1],"distances":[5],)"), 32, "");
  without.replace(without.find(R"("distance":7,"distance":2)"), 25, R"("heading":7)");
  const CliResult result = recompute(without, any);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_DOUBLE_EQ(ours("PL"), 3.0);
  EXPECT_EQ(at("/recomputed/status"), R"({"ok":1})");
  has(result, "several times in one object");
  std::string given = entry;
  given.replace(given.find("[[1,0,3],"), 9, "[");
  given.replace(given.find(R"("distance":7,"distance":2)"), 25, R"("heading":7)");
  ASSERT_EQ(recompute(given, any).code, 0);
  EXPECT_EQ(ours("NE"), 5.0);
}

TEST_F(RecomputeEntries, ReadsCollisionsAsHabitatWritesThem) {
  const std::string begin = R"({"1":{"success":1,"path":[[1,0,3],[4,0,3]],"collisions":)";
  for (const std::string collisions :
       {R"({"count":3,"is_collision":true})", "3", "[true,2]",
        R"([{"count":1,"is_collision":true},{"count":1,"is_collision":false}])"}) {
    const CliResult result = recompute(begin + collisions + "}}", any);
    ASSERT_EQ(result.code, 0) << collisions << result.err;
    EXPECT_EQ(at("/recomputed/unscored"), "0") << collisions;
  }
  for (const std::string wrong :
       {R"({"is_collision":true})", R"({"count":{}})", R"({"count":-1})"}) {
    refuses(recompute(begin + wrong + "}}", any), 1, "collisions: is no number of collisions");
  }
}

TEST_F(RecomputeEntries, SkipsLinesOfMeans) {
  const std::string lines = line(2, error_at(2)) +
                            R"({"sucs_all":0.5,"spls_all":0.5,"length":2,"path":[[0,0,0]]})"
                            "\n" +
                            line(3, std::hypot(18, 2), "2");
  const CliResult result = recompute(lines, any);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(at("/recomputed/measures/NE/n"), "2");
  EXPECT_EQ(at("/recomputed/measures/NE/different"), "0");
  has(result, "1 line of means skipped");
}

TEST_F(RecomputeEntries, FindsEpisodesByPathKeyAndFileName) {
  const std::string vlnpe =
      R"([{"path_key":"77_1","fail_reason":"","info":{"success":0,"NE":9,"TL":1,"osr":0,"spl":0},
           "path":[[1,0,3],[2,0,3]]},
          {"path_key":"78_2","fail_reason":"","info":{"success":0,"NE":9,"TL":1,"osr":0,"spl":0,
           "path":[[1,0,3],[4,0,3]]}}])";
  ASSERT_EQ(recompute(vlnpe, any).code, 0);
  EXPECT_DOUBLE_EQ(ours("NE"), (error_at(2) + std::hypot(17, 2)) / 2);
  EXPECT_DOUBLE_EQ(ours("PL"), 2.0);
  const std::string own = R"({"success":0,"distance_to_goal":9,"path":[[1,0,3],[4,0,3]]})";
  folder.write("log/stats_1.json", own);
  ASSERT_EQ(recompute_files({folder.path("log")}, any).code, 0);
  EXPECT_DOUBLE_EQ(ours("NE"), error_at(4));
  refuses(recompute("[" + own + "]", any), 1, "entry 0: has no id, by which --recompute finds");
}

TEST_F(RecomputeEntries, ReadsTheFilesOfAllRanks) {
  const Arguments files{folder.write("stats_r0_w2.json", fmt::format("{{{}}}", first_episode)),
                        folder.write("stats_r1_w2.json", fmt::format("{{{}}}", second_episode))};
  ASSERT_EQ(recompute_files(files, any).code, 0);
  EXPECT_DOUBLE_EQ(ours("PL"), (std::sqrt(10.0) + 1.0) / 2);
  EXPECT_EQ(at("/recomputed/measures/NE/n"), "2");
}

TEST_F(RecomputeEntries, NamesEpisodesThatCannotBeScored) {
  std::string broken = both_episodes();
  broken.replace(broken.find("[2,0,3]"), 7, "[2,0]");
  refuses(recompute(broken), 1, "is not there");
  const CliResult result = recompute(broken, {"--invalid", "zero"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(at("/rules/0/means/SR/zeroed"), "1");
  EXPECT_EQ(at("/recomputed/status"), R"({"ok":1,"malformed":1})");
  has(result, "1 episode without recomputed values: 2 (malformed); the first malformed: " +
                  folder.path("results.json") +
                  ": episode 2: [1]: has 2 elements, not x, y and z\n");
}

// The first of several is named, by its own file.
TEST_F(RecomputeEntries, SaysWhatIsWrongWithAPath) {
  const Arguments files{
      folder.write("m1.json", "[" + line(2, 9) + "]"),
      folder.write("m2.json", R"([{"episode_id":2,"success":0,"path":[[1,0,3],["a",0,3]]},
                                  {"episode_id":2,"success":0,"path":7}])")};
  const CliResult faulty = recompute_files(files, with({"--duplicates", "each"}));
  ASSERT_EQ(faulty.code, 0) << faulty.err;
  has(faulty, "2 (malformed), 2 (malformed); the first malformed: " + folder.path("m2.json") +
                  ": entry 0: [1]: has ");
  const std::string stops = R"({"1":{"success":0,"path":[{"position":[1,0,3],"stop":true}]},)"
                            R"("2":{"success":0,"path":[[1,0,3]]}})";
  const CliResult without = recompute(stops, any);
  ASSERT_EQ(without.code, 0) << without.err;
  has(without, ": episode 2: stop: is in no entry, but other paths have it\n");
}

TEST_F(RecomputeEntries, ReportsNoSettingsThatItDoesNotFollow) {
  ASSERT_EQ(recompute(both_episodes(), {"--invalid", "zero", "--rules", "ours"}).code, 0);
  for (const std::string setting : {"missing", "invalid", "duplicates"})
    EXPECT_EQ(at("/recomputed/convention/" + setting), "") << setting;
  EXPECT_EQ(at("/recomputed/convention/stop"), R"("required")");
  EXPECT_EQ(at("/invalid"), R"("zero")");
}

TEST_F(RecomputeEntries, RefusesEntriesThatFitNoEpisode) {
  std::string unknown = both_episodes();
  unknown.replace(unknown.find("\"2\":"), 4, "\"9\":");
  refuses(recompute(unknown), 1, "episode 9 is not in");
  std::string elsewhere = both_episodes();
  elsewhere.replace(elsewhere.find("\"steps_taken\":6"), 0, R"("scene_id":"mp3d/s2/s2.glb",)");
  refuses(recompute(elsewhere), 1, "is mp3d/s2/s2.glb, but episode 2 of");
  refuses(recompute(R"({"1":{"success":1.0,"distance_to_goal":2.0}})"), 1,
          "path: is not there, and no other entry gives a path of positions either");
  refuses(recompute(R"({"1":{"success":1.0,"path":7}})"), 1, "path: is a number, not a list");
}

TEST_F(RecomputeEntries, RefusesDistancesThatFitNoPath) {
  refuses(with_distances(both_episodes(), {}, R"({"1":[6,2]})"), 1, "2: has no distances");
  refuses(with_distances(both_episodes(), {}, R"({"1":[6],"2":[1,1]})"), 1,
          "has 1 distances for 2 positions");
  refuses(with_distances(line(2, 9) + line(4, 9), {"--duplicates", "each"}, R"({"1":[6,2]})"), 1,
          "episode 1 has several paths, and --distances one list for them");
  ASSERT_EQ(
      with_distances(line(2, 8) + line(2, 9), with({"--duplicates", "each"}), R"({"1":[6,2]})")
          .code,
      0);
}

TEST_F(RecomputeEntries, NamesTheFileOfTheEntry) {
  const Arguments files{folder.write("m1.json", fmt::format("{{{}}}", first_episode)),
                        folder.write("m2.json", fmt::format("{{{}}}", second_episode))};
  refuses(recompute_files(files, {"--distances", folder.write("g.json", R"({"1":[6,2]})")}), 1,
          "2: has no distances for this path of " + folder.path("m2.json") + ";");
  const Arguments empty{folder.write("e1.json", R"({"1":{"success":0,"path":[]}})"),
                        folder.write("e2.json", R"({"2":{"success":0,"path":[]}})")};
  refuses(recompute_files(empty, any), 1, folder.path("e1.json") + " and 1 more file: ");
}

TEST_F(RecomputeEntries, RefusesConventionsThatPositionsDoNotHave) {
  const std::pair<std::string, std::string> presets[]{
      {"r4r-hops", "counts hops (distance), and positions have none"},
      {"reverie", "asks for goal sets of viewpoints"},
      {"rxr-published", "asks for the positions of viewpoints"},
      {"openuav", "takes success as results record it (outcome)"},
      {"indooruav", "scores episodes by how they ended (ended)"},
      {"nothing", "nothing"}};
  for (const auto& [preset, text] : presets)
    refuses(recompute(both_episodes(), {"--preset", preset}), 2, text);
  refuses(recompute(both_episodes(), {"--distance", "hops"}), 2, "--distance 3d");
  refuses(recompute(both_episodes(), {"--outcome", "recorded"}), 2, "say --outcome computed");
  refuses(recompute(both_episodes(), {"--ended", "done"}), 2, "say --ended any");
  refuses(recompute(both_episodes(), {"--spl-length", "nearest"}), 2, "--spl-length shortest");
  const std::string grid = folder.write("s1.json", "{}");
  refuses(recompute(both_episodes(), {"--grid", grid, "--distance", "2d"}), 2, "say --distance 3d");
  refuses(recompute(both_episodes(), {"--preset", "r4r-hops", "--grid", grid}), 2, "hops");
}

// What a message advises is what the command takes.
TEST_F(RecomputeEntries, RemediesAreOptionsOfTheCommand) {
  std::string data = episodes;
  data.replace(data.find(R"("info":{"geodesic_distance":20.0},)"), 34, "");
  const std::string file = folder.write("less.json", data),
                    results = folder.write("results.json", both_episodes());
  const Arguments all{"aggregate", results,     "--recompute", "--dataset",
                      file,        "--invalid", "skip",        "--start-distance"};
  Arguments episode = all, measured = all;
  episode.push_back("episode");
  measured.push_back("measured");
  refuses(run(episode), 1, "--start-distance measured");
  EXPECT_EQ(run(measured).code, 0);
  for (const Arguments& more : {Arguments{"--preset", "openuav", "--outcome", "computed"},
                                Arguments{"--preset", "indooruav", "--ended", "any"}}) {
    const CliResult result = recompute(both_episodes(), with(more));
    EXPECT_EQ(result.code, 0) << result.err;
  }
}

TEST_F(RecomputeEntries, HasNoOptionsWithoutEffect) {
  const Arguments options[]{{"--window", "free"},     {"--tour-weight", "changes"},
                            {"--infeasible", "zero"}, {"--links", "both"},
                            {"--kp-start", "none"},   {"--edit", "levenshtein"},
                            {"--cls-length", "nodes"}};
  for (const Arguments& option : options)
    refuses(recompute(both_episodes(), with(option)), 2, "no option '" + option.front() + "'");
}

TEST_F(RecomputeEntries, RefusesDatasetsOfFlightsAndTours) {
  const std::string flights =
      folder.write("flights.json",
                   R"({"episodes":[{"episode_id":"1","trajectory_id":"t1","scene_id":24,
          "instruction":{"instruction_text":"Fly."},"start_position":[0,0,10],
          "start_rotation":[1,0,0,0],"goals":[{"position":[30,0,10]}],
          "reference_path":[[0,0,10,0,0,0],[30,0,10,0,0,0]]}]})");
  const std::string tours = folder.write(
      "tours.json", R"({"val":{"5":[{"position":[0,0,0],"phase":"agent","episode_id":"1"},
                                    {"position":[1,0,0],"phase":"agent","episode_id":"1"}]}})");
  const std::string poses = folder.write(
      "poses.json", R"({"1":{"success":0,"path":[[0,0,10,0,0,0,1],[9,0,10,0,0,0,1]]}})");
  const std::string points =
      folder.write("points.json", R"({"1":{"success":0,"path":[[0,0,10],[9,0,10]]}})");
  const auto aggregate = [](const std::string& results, const std::string& dataset) {
    return run({"aggregate", results, "--recompute", "--dataset", dataset});
  };
  for (const std::string& results : {poses, points}) {
    refuses(aggregate(results, flights), 1,
            "flights.json: is of flights, whose paths are of poses");
    refuses(aggregate(results, flights), 1, "score them by warpath eval");
  }
  refuses(aggregate(points, tours), 1, "tours.json: is of tours");
  refuses(aggregate(poses, folder.write("d.json", episodes)), 1, "has 7 elements, not x, y and z");
}

TEST_F(RecomputeEntries, AddsMeasuresToPathsAlone) {
  const std::string paths = R"({"1":{"path":[[1,0,3],[4,0,3]]},"2":{"path":[[1,0,3],[2,0,3]]}})";
  const CliResult result = recompute(paths, any);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_DOUBLE_EQ(ours("PL"), 2.0);
  EXPECT_EQ(at("/recomputed/measures/NE/n"), "0");
  // So do the files of a folder with one entry each, which have its id in their names.
  folder.write("log/stats_1.json", R"({"path":[[1,0,3],[4,0,3]]})");
  ASSERT_EQ(recompute_files({folder.path("log")}, any).code, 0);
  EXPECT_DOUBLE_EQ(ours("NE"), error_at(4));
  refuses(run({"aggregate", folder.path("results.json")}), 1, "has no measure of any episode");
}

TEST_F(RecomputeEntries, RefusesWhatItCannotRecompute) {
  const std::string results = folder.write("results.json", both_episodes()),
                    data = folder.write("d.json", episodes),
                    given = folder.write("g.json", known_distances);
  const auto aggregate = [&](Arguments more) {
    more.insert(more.begin(), "aggregate");
    return run(more);
  };
  refuses(aggregate({results, "--distances", given}), 2, "--distances is of measures that are");
  refuses(aggregate({results, "--preset", "vlnce"}), 2, "add --recompute");
  refuses(aggregate({results, "--threshold", "2"}), 2, "add --recompute");
  refuses(aggregate({results, "--recompute", "--distances", given}), 2, "by --dataset");
  refuses(aggregate({"-", "--recompute", "--dataset", "-"}), 2, "standard input");
  refuses(with_distances(both_episodes(), {"--grid", given}), 2, "--grid");
  refuses(recompute(both_episodes(), {"--connect", "4"}), 2, "name the grids");
  refuses(recompute(both_episodes(), {"--habitat", "0.3.4"}), 2, "name the meshes");
  const std::string viewpoints = folder.write(
      "r2r.json",
      R"([{"path_id":1,"scan":"s1","heading":0,"path":["a","b"],"instructions":["x"]}])");
  refuses(aggregate({results, "--recompute", "--dataset", viewpoints}), 1,
          "holds no VLN-CE episodes");
  refuses(
      aggregate({results, "--recompute", "--dataset", data, "--distances", given, "--json", given}),
      2, "would overwrite");
}

}  // namespace
}  // namespace warpath::testing
