// Reads continuous episodes in every form that people have, and names what is wrong with bad files.

#include <gtest/gtest.h>

#include "tests/support/files.hpp"

namespace warpath::testing {
namespace {

const std::string episode_one =
    R"({"episode_id":1,"trajectory_id":7,"scene_id":"mp3d/s1/s1.glb","start_position":[0,0,0],
        "goals":[{"position":[4,0,0],"radius":3.0}],"info":{"geodesic_distance":5.0},
        "reference_path":[[0,0,0],[2,0,0],[4,0,0]],
        "instruction":{"instruction_id":91,"language":"hi-IN"}})";
const std::string episode_two =
    R"({"episode_id":"2","scene_id":"s2.glb","start_position":[0,1,0],
        "goals":[{"position":[0,1,8]}],"info":{"geodesic_distance":8.0},
        "reference_path":[[0,1,0],[0,1,8]],
        "instruction":{"instruction_id":92}})";
const std::string good_dataset = R"({"episodes":[)" + episode_one + "," + episode_two + "]}";
const std::string good_truth =
    R"({"1":{"locations":[[0,0,0],[4,0,0]],"actions":[1,0],"forward_steps":2},
        "2":{"locations":[[0,1,0],[0,1,4],[0,1,8]]}})";
const std::string good_predictions =
    R"({"1":[{"position":[0,0,0],"heading":0,"stop":false},
             {"position":[3,0,0],"heading":0,"stop":true}],
        "2":[{"position":[0,1,0],"heading":0,"stop":true}]})";

std::string without_distances(std::string episodes) {
  for (const std::string distance : {"5.0", "8.0"}) {
    const std::string info = R"("info":{"geodesic_distance":)" + distance + "},";
    const std::size_t at = episodes.find(info);
    if (at != std::string::npos) episodes.erase(at, info.size());
  }
  return episodes;
}

struct Files {
  std::string dataset = good_dataset, predictions = good_predictions;
  std::string truth{}, distances{};
  std::vector<std::string> more{};
};

CliResult evaluate(const TemporaryFolder& folder, const Files& files) {
  std::vector<std::string> arguments{"eval", "--preset", "vlnce", "--dataset",
                                     folder.write("d.json", files.dataset)};
  if (!files.truth.empty()) {
    arguments.insert(arguments.end(), {"--ground-truth", folder.write("t.json", files.truth)});
  }
  if (!files.distances.empty()) {
    arguments.insert(arguments.end(), {"--distances", folder.write("g.json", files.distances)});
  }
  arguments.insert(arguments.end(), files.more.begin(), files.more.end());
  arguments.insert(arguments.end(), {"--csv", folder.path("out.csv")});
  arguments.push_back(folder.write("p.json", files.predictions));
  return run(arguments);
}

// ---------------------------------------------------------------- good files

TEST(EpisodeForms, PredictionsAreReadInEveryForm) {
  const std::vector<std::string> forms{
      good_predictions, R"({"1":[[0,0,0],[3,0,0]],"2":[[0,1,0]]})",
      R"({"1":{"path":[[0,0,0],[3,0,0]],"stop":true},"2":{"path":[[0,1,0]],"stop":true}})",
      "{\"instruction_id\":91,\"path\":[[0,0,0],[3,0,0]]}\n{\"instruction_id\":92,\"path\":[[0,1,0]"
      "]}",
      R"([{"episode_id":1,"trajectory":[[0,0,0],[3,0,0]]},{"episode_id":2,"path":[[0,1,0]]}])"};
  for (const std::string& form : forms) {
    const TemporaryFolder folder;
    const CliResult result = evaluate(folder, {.predictions = form});
    ASSERT_EQ(result.code, 0) << form << result.err;
    const auto rows = read_csv(folder.path("out.csv"));
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].at("SR"), "1") << form;
    EXPECT_EQ(rows[0].at("NE"), "1") << form;
    EXPECT_EQ(rows[0].at("SPL"), "1") << form;  // 5 m by the mesh, 3 m walked
    EXPECT_EQ(rows[1].at("SR"), "0") << form;
    EXPECT_EQ(rows[1].at("NE"), "8") << form;
  }
}

TEST(EpisodeForms, TheReportSaysWhatReferencesAndDistancesAre) {
  const TemporaryFolder folder;
  const CliResult sparse = evaluate(folder, {});
  EXPECT_NE(sparse.out.find("reference_path, sparse"), std::string::npos) << sparse.out;
  EXPECT_NE(sparse.out.find("Euclidean"), std::string::npos) << sparse.out;
  const CliResult dense =
      evaluate(folder, {.truth = good_truth, .distances = R"({"1":[6,2],"2":[Infinity]})"});
  ASSERT_EQ(dense.code, 0) << dense.err;
  EXPECT_NE(dense.out.find("dense"), std::string::npos) << dense.out;
  EXPECT_NE(dense.out.find("--distances"), std::string::npos) << dense.out;
  const auto rows = read_csv(folder.path("out.csv"));
  EXPECT_EQ(rows[0].at("NE"), "2");
  EXPECT_EQ(rows[0].at("SP"), "6");
  EXPECT_EQ(rows[0].at("n_ref"), "2");
  EXPECT_EQ(rows[1].at("NE"), "");
  EXPECT_EQ(rows[1].at("SR"), "0");
  EXPECT_EQ(rows[1].at("status"), "goal_unreachable");
}

TEST(EpisodeForms, AStopDecidesUnlessItIsIgnored) {
  const std::string without = R"({"1":[{"position":[0,0,0],"stop":false},
      {"position":[3,0,0],"stop":false}],"2":[{"position":[0,1,0],"stop":true}]})";
  for (const bool is_ignored : {false, true}) {
    const TemporaryFolder folder;
    Files files{.predictions = without};
    if (is_ignored) files.more = {"--stop", "ignored"};
    ASSERT_EQ(evaluate(folder, files).code, 0);
    EXPECT_EQ(read_csv(folder.path("out.csv"))[0].at("SR"), is_ignored ? "1" : "0");
  }
}

// An evaluator in Python sees the last value of a key alone.
TEST(EpisodeForms, TheLastCopyOfAnIdCounts) {
  const TemporaryFolder folder;
  const std::string twice = R"({"1":[[0,0,0]],"2":[[0,1,0]],"1":[[0,0,0],[3,0,0]]})";
  for (const std::string which : {"first", "last", "each"}) {
    const CliResult result =
        evaluate(folder, {.predictions = twice, .more = {"--duplicates", which}});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_NE(result.out.find("p.json: a key is there several times in one object: the last value "
                              "counts, as in Python"),
              std::string::npos)
        << result.out;
    const auto rows = read_csv(folder.path("out.csv"));
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].at("NE"), "1");
    EXPECT_EQ(rows[0].at("status"), "ok");
  }
}

TEST(EpisodeForms, NoEpisodeNeedsADistanceAtTheStart) {
  const TemporaryFolder folder;
  const std::string note = "d.json: no episode has a geodesic_distance";
  EXPECT_EQ(evaluate(folder, {}).out.find(note), std::string::npos);
  const CliResult result = evaluate(folder, {.dataset = without_distances(good_dataset)});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find(note), std::string::npos) << result.out;
  EXPECT_EQ(read_csv(folder.path("out.csv"))[0].at("SP"), "4");
}

TEST(EpisodeForms, ADistanceThatSomeLackIsAskedForOnlyWhereItIsUsed) {
  const std::string mixed =
      R"({"episodes":[)" + episode_one + "," + without_distances(episode_two) + "]}";
  const std::string given = R"({"1":[6,2],"2":[8]})";
  struct Case {
    std::vector<std::string> more;
    std::string distances;
    bool is_refused;
  };
  const std::vector<Case> cases{
      {{}, "", true},
      {{}, given, false},
      {{"--start-distance", "measured"}, "", false},
      {{"--start-distance", "spl"}, "", true},
      {{"--start-distance", "spl"}, given, true},
      {{"--start-distance", "spl", "--spl-length", "reference"}, "", false}};
  for (const auto& [more, distances, is_refused] : cases) {
    const TemporaryFolder folder;
    const CliResult result =
        evaluate(folder, {.dataset = mixed, .distances = distances, .more = more});
    EXPECT_EQ(result.code, is_refused ? 1 : 0) << result.err;
    if (!is_refused) continue;
    EXPECT_NE(result.err.find("d.json: 2: info.geodesic_distance: is missing, but other episodes "
                              "have it; add it"),
              std::string::npos)
        << result.err;
    EXPECT_NE(result.err.find("--start-distance measured"), std::string::npos) << result.err;
  }
}

TEST(EpisodeForms, APathWithoutAStopIsRefusedWhereOthersHaveOne) {
  const std::string predictions = R"({"1":[{"position":[0,0,0]},{"position":[3,0,0]}],
      "2":[{"position":[0,1,0],"stop":true}]})";
  const TemporaryFolder folder;
  const CliResult refused = evaluate(folder, {.predictions = predictions});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find("p.json: 1: stop: is in no entry, but other paths have it; repair it"),
            std::string::npos)
      << refused.err;
  ASSERT_EQ(evaluate(folder, {.predictions = predictions, .more = {"--invalid", "zero"}}).code, 0);
  const auto rows = read_csv(folder.path("out.csv"));
  EXPECT_EQ(rows[0].at("status"), "malformed");
  EXPECT_EQ(rows[0].at("SR"), "");
  ASSERT_EQ(evaluate(folder, {.predictions = predictions, .more = {"--stop", "ignored"}}).code, 0);
  EXPECT_EQ(read_csv(folder.path("out.csv"))[0].at("SR"), "1");
}

// ---------------------------------------------------------------- bad files

struct BadFile {
  std::string name;
  Files files;
  std::vector<std::string> words;  // of the message: place, problem, remedy
};

std::string dataset_with(const std::string& old, const std::string& text) {
  std::string dataset = good_dataset;
  return dataset.replace(dataset.find(old), old.size(), text);
}

std::vector<BadFile> bad_files() {
  const std::string rest = R"(,"2":[[0,1,0]]})";
  return {
      {"NoScene", {.dataset = R"({"episodes":[{"episode_id":1}]})"}, {"d.json", "scene_id"}},
      {"NoEpisodes", {.dataset = R"({"episodes":[]})"}, {"d.json", "no episodes"}},
      {"EpisodesAreNoList", {.dataset = R"({"episodes":3})"}, {"d.json", "episodes", "a list"}},
      {"TwoEpisodesWithOneId",
       {.dataset = R"({"episodes":[)" + episode_one + "," + episode_one + "]}"},
       {"d.json", "1", "twice", "remove"}},
      {"StartIsNaN",
       {.dataset = dataset_with("\"start_position\":[0,0,0]", "\"start_position\":[0,NaN,0]")},
       {"d.json", "start_position", "NaN"}},
      {"GoalWithoutPosition",
       {.dataset = dataset_with("{\"position\":[0,1,8]}", "{\"radius\":3}")},
       {"d.json", "2", "goals[0]", "position"}},
      {"OneEpisodeWithoutGoal",
       {.dataset = dataset_with("[{\"position\":[0,1,8]}]", "[]")},
       {"d.json", "2", "goals", "repair"}},
      {"ReferenceOfTwoCoordinates",
       {.dataset = dataset_with("[2,0,0]", "[2,0]")},
       {"d.json", "reference_path[1]", "2 elements"}},
      {"NegativeDistance",
       {.dataset = dataset_with("5.0", "-5.0")},
       {"geodesic_distance", "below 0"}},
      {"EpisodeWithoutTruth",
       {.truth = R"({"1":{"locations":[[0,0,0]]}})"},
       {"t.json", "2", "no ground truth", "--ground-truth"}},
      {"TruthWithoutLocations",
       {.truth = R"({"1":{"actions":[]},"2":[[0,0,0]]})"},
       {"t.json", "1", "locations"}},
      {"EmptyTruth", {.truth = R"({"1":{"locations":[]},"2":[[0,0,0]]})"}, {"t.json", "is empty"}},
      {"PositionIsNaN",
       {.predictions = R"({"1":[[0,0,0],[NaN,0,0]])" + rest},
       {"p.json", "1", "[1]", "NaN", "--invalid skip"}},
      {"PositionIsInfinite",
       {.predictions = R"({"1":[{"position":[0,0,0]},{"position":[0,-Infinity,0]}])" + rest},
       {"p.json", "[1].position", "infinite"}},
      {"PositionIsFar",
       {.predictions = R"({"1":[[0,0,0],[1e9,0,0]])" + rest},
       {"p.json", "[1]", "beyond"}},
      {"PositionIsAViewpoint",
       {.predictions = R"({"1":["a","b"])" + rest},
       {"p.json", "[0]", "a string"}},
      {"PathIsNull", {.predictions = R"({"1":null)" + rest}, {"p.json", "1", "null"}},
      {"StopIsAText",
       {.predictions = R"({"1":[{"position":[0,0,0],"stop":"yes"}])" + rest},
       {"[0].stop", "a string"}},
      {"SomeDistancesOnly",
       {.predictions = R"({"1":[{"position":[0,0,0],"distance":1},{"position":[1,0,0]}])" + rest},
       {"distances", "are 1", "2 positions"}},
      {"NothingIsAPath", {.predictions = R"({"1":3,"2":4})"}, {"p.json", "expected"}},
      {"GroundTruthAsPredictions", {.predictions = good_truth}, {"p.json", "ground truth"}},
      {"Statistics",
       {.predictions = R"({"1":{"success":1.0,"spl":1.0}})"},
       {"p.json", "aggregate"}},
      {"OtherIds", {.predictions = R"({"7":[[0,0,0]]})"}, {"p.json", "no id", "same split"}},
      {"FewerDistances", {.distances = R"({"1":[5],"2":[1]})"}, {"g.json", "1 distances for 2"}},
      {"NoDistances", {.distances = R"({"1":[5,1]})"}, {"g.json", "2", "no distances"}},
      {"DistanceIsAText", {.distances = R"({"1":[5,"x"],"2":[1]})"}, {"g.json", "1", "[1]"}},
      {"DistanceOfNoEarth",
       {.distances = R"({"1":[5,1e9],"2":[1]})"},
       {"g.json", "1", "beyond 10,000 km"}},
      {"DistanceBelowZero", {.distances = R"({"1":[5,-1],"2":[1]})"}, {"g.json", "below 0"}},
      {"GoalSets", {.more = {"--goal", "set"}}, {"goal sets", "--goal end"}},
      {"Hops", {.more = {"--distance", "hops"}}, {"no edges"}},
      {"Radius", {.more = {"--dtw", "fast:0"}}, {"--dtw", "fast:R"}},
      {"TestSplit",
       {.dataset = R"({"episodes":[{"episode_id":1,"scene_id":"s","start_position":[0,0,0]}]})"},
       {"d.json", "test split"}},
  };
}

TEST(BadEpisodeFiles, AreNamedWithPlaceAndRemedy) {
  for (const BadFile& bad : bad_files()) {
    const TemporaryFolder folder;
    const CliResult result = evaluate(folder, bad.files);
    EXPECT_NE(result.code, 0) << bad.name;
    for (const std::string& word : bad.words) {
      EXPECT_NE(result.err.find(word), std::string::npos)
          << bad.name << ": no '" << word << "' in " << result.err;
    }
  }
}

TEST(BadEpisodeFiles, OtherCommandsRefuseEpisodes) {
  const TemporaryFolder folder;
  const CliResult result = run({"baseline", "stop", "--graphs", source("tests/golden/connectivity"),
                                "--dataset", folder.write("d.json", good_dataset)});
  EXPECT_NE(result.code, 0);
  EXPECT_NE(result.err.find("warpath eval scores them"), std::string::npos) << result.err;
}

TEST(BadEpisodeFiles, ViewpointsNeedGraphs) {
  const std::string dataset = source("tests/golden/dataset.json");
  const std::string predictions = source("tests/golden/predictions.json");
  const CliResult without = run({"eval", "--dataset", dataset, predictions});
  EXPECT_NE(without.err.find("--graphs is required"), std::string::npos) << without.err;
}

}  // namespace
}  // namespace warpath::testing
