// Rewards continuous episodes over navigation meshes, and by distances of a file.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <regex>
#include <sstream>

#include "tests/support/files.hpp"
#include "tests/support/json_text.hpp"
#include "tests/support/navmesh.hpp"

namespace warpath::testing {
namespace {

using Words = std::vector<std::string>;

const std::string rewarded_predictions = R"({"1":[[1,0,3],[4,0,4]],"2":[[1,0,3],[2,0,3]]})";
const std::string one_path = R"({"1":[[1,0,3],[3,0,3.5],[3,0,3.5],[4,0,4],[4.5,0.1,6]]})";

std::vector<double> numbers(std::string list) {
  std::ranges::replace_if(
      list, [](char c) { return c == '[' || c == ']' || c == ',' || c == ' '; }, ' ');
  std::vector<double> values;
  std::istringstream words(list);
  for (std::string word; words >> word;) {
    // The shortest text that reads back as the same float.
    values.push_back(word == "null" ? std::nan("") : std::strtof(word.c_str(), nullptr));
  }
  return values;
}

// The rewards of an item, as its line of JSON has them.
struct Rewarded {
  std::string id, status, line;
  std::vector<double> reward, distance, ndtw, cls;
};

std::vector<Rewarded> read_jsonl(const std::string& text) {
  std::vector<Rewarded> items;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto word = [&](const char* key) {
      const std::string quoted = json_at(line, key);
      return quoted.substr(1, quoted.size() - 2);
    };
    const auto list = [&](const char* key) { return numbers(json_at(line, key)); };
    items.push_back({word("/instr_id"), word("/status"), line, list("/reward"),
                     list("/distance_to_goal"), list("/ndtw"), list("/cls")});
  }
  return items;
}

class RewardsOverMeshes : public ::testing::Test {
 protected:
  CliResult reward(const std::string& agent, const Words& more,
                   const std::string& data = mesh_episodes) const {
    Words all{"rewards",
              "--dataset",
              folder_.write("d.json", data),
              "--jsonl",
              folder_.path("out.jsonl"),
              folder_.write("agent.json", agent)};
    all.insert(all.end(), more.begin(), more.end());
    if (std::ranges::find(all, "--reward") == all.end())
      all.insert(all.end(), {"--reward", "goal"});
    return run(all);
  }

  std::vector<Rewarded> rewarded(const std::string& agent, const Words& more) const {
    const CliResult result = reward(agent, more);
    EXPECT_EQ(result.code, 0) << result.err;
    if (result.code != 0) return {};
    return read_jsonl(read_text(folder_.path("out.jsonl")));
  }

  void expect_refused(const Words& more, int code, const std::string& text,
                      const std::string& agent = rewarded_predictions) const {
    const CliResult result = reward(agent, more);
    EXPECT_EQ(result.code, code) << result.out;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    EXPECT_NE(result.err.find(text), std::string::npos) << result.err;
  }

  TemporaryFolder folder_;
  const std::string mesh_ = folder_.write("s1.navmesh", make_navmesh());
  const Words over_mesh_{"--navmesh", mesh_, "--missing", "skip", "--invalid", "skip"};

  Words over_mesh(const Words& more) const {
    Words all = over_mesh_;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

TEST_F(RewardsOverMeshes, AreNeededForEpisodes) {
  expect_refused({}, 1, "name meshes by --navmesh, grids by --grid, or a file of distances");
}

TEST_F(RewardsOverMeshes, TakeTheDistancesOfAFile) {
  const std::string given = folder_.write("g.json", R"({"1":[6,3],"2":[20,20.5]})");
  const auto items = rewarded(rewarded_predictions, {"--distances", given});
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[0].distance, (std::vector<double>{6, 3}));
  EXPECT_EQ(items[0].reward, (std::vector<double>{3, 1}));
  EXPECT_EQ(items[1].reward, (std::vector<double>{-0.5, -1}));
  // In single precision it is 3 m; in double it is above.
  const std::string above = folder_.write("a.json", R"({"1":[6,3.00000001],"2":[20,20.5]})");
  EXPECT_EQ(rewarded(rewarded_predictions, {"--distances", above}).at(0).reward.back(), -1.0);
  expect_refused({"--distances", given, "--goal-distance", "hops"}, 2,
                 "--distances gives the distances to the goal");
  expect_refused({"--distances", folder_.write("few.json", R"({"1":[6]})")}, 1, "few.json");
}

#ifdef WARPATH_HAS_NAVMESH

TEST_F(RewardsOverMeshes, GoToTheGoalAroundCorners) {
  const double half = std::sqrt(10.0f);
  const CliResult result =
      reward(rewarded_predictions, over_mesh({"--csv", folder_.path("out.csv")}));
  ASSERT_EQ(result.code, 0) << result.err;
  const Rewarded one = read_jsonl(read_text(folder_.path("out.jsonl"))).at(0);
  ASSERT_EQ(one.reward.size(), 2u);
  EXPECT_FLOAT_EQ(static_cast<float>(one.distance[0]), static_cast<float>(2 * half));
  EXPECT_FLOAT_EQ(static_cast<float>(one.reward[0]), static_cast<float>(half));
  EXPECT_EQ(one.reward[1], -1.0);  // 3.16 m away
  EXPECT_EQ(json_at(one.line, "/positions"), "[[1,0,3],[4,0,4]]");
  EXPECT_EQ(json_at(one.line, "/viewpoints"), "");
  const std::string csv = read_text(folder_.path("out.csv"));
  EXPECT_NE(csv.find("agent,1,ok,0,\"1,0,3\",\"4,0,4\",3.16"), std::string::npos) << csv;
  EXPECT_NE(csv.find("agent,1,ok,1,\"4,0,4\",end,-1,"), std::string::npos) << csv;
  // Without regard to lines, which the width of the terminal breaks.
  const std::string out = std::regex_replace(result.out, std::regex("\\s+"), " ");
  for (const std::string text :
       {"distances to the goal: geodesic, habitat-sim 0.1.7's, 1 mesh (", "agent 1.5 x 0.1 m",
        "no way to the goal from 2 of 4 positions that were measured: 2 to another island",
        "unless its file says otherwise"}) {
    EXPECT_NE(out.find(text), std::string::npos) << text << '\n' << out;
  }
}

TEST_F(RewardsOverMeshes, NameEpisodesWithoutAWay) {
  expect_refused({"--navmesh", mesh_}, 1, "needs a distance where no way leads (unreachable: 2;");
  expect_refused({"--navmesh", mesh_}, 1, "or of episodes the mesh or the distances)");
  const CliResult result = reward(rewarded_predictions, over_mesh({}));
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("1 item needs a distance"), std::string::npos) << result.out;
  const auto items = read_jsonl(read_text(folder_.path("out.jsonl")));
  EXPECT_EQ(items.at(1).status, "unreachable");
  EXPECT_TRUE(std::isnan(items.at(1).reward.front()));
  // A position off the mesh on the way leaves the end its distance.
  const CliResult away = reward(R"({"1":[[1,0,3],[90,0,3],[4,0,4]]})", over_mesh({}));
  ASSERT_EQ(away.code, 0) << away.err;
  EXPECT_NE(away.out.find("1 item has a reward without a value"), std::string::npos) << away.out;
  const auto left =
      rewarded(R"({"1":[[1,0,3],[90,0,3],[4,0,4]]})", over_mesh({"--without-goal", "-1"}));
  EXPECT_EQ(left.at(0).reward, (std::vector<double>{-1, -1, -1}));
}

TEST_F(RewardsOverMeshes, EndAsTheFileSays) {
  const std::string agent =
      R"({"1":[{"position":[1,0,3],"stop":false},{"position":[4,0,4],"stop":false}]})";
  const Words near = over_mesh({"--success-radius", "4", "--timeout", "nothing"});
  EXPECT_EQ(rewarded(agent, near).at(0).reward.back(), 0.0);
  EXPECT_EQ(rewarded(rewarded_predictions, near).at(0).reward.back(), 1.0);
  Words ignored = near, up = near;
  ignored.insert(ignored.end(), {"--stop", "ignored"});
  EXPECT_EQ(rewarded(agent, ignored).at(0).reward.back(), 1.0);
  up.insert(up.end(), {"--timed-out", "1"});
  EXPECT_EQ(rewarded(rewarded_predictions, up).at(0).reward.back(), 0.0);
  EXPECT_EQ(rewarded(agent, over_mesh({"--success-radius", "4", "--success-stop", "required"}))
                .at(0)
                .reward.back(),
            -1.0);
}

TEST_F(RewardsOverMeshes, PaySplAndDistanceByTheMesh) {
  const double half = std::sqrt(10.0);
  const Words all = over_mesh({"--reward", "etp-r1-r2r", "--success-radius", "4"});
  // SPL: twice the half, measured, against the half that was walked.
  EXPECT_NEAR(rewarded(rewarded_predictions, all).at(0).reward.back(), 1 + 1 + 1 - half / 6, 1e-6);
  const std::string around = R"({"1":[[1,0,3],[1,0,0.5],[4,0,4]]})";
  const double walked = 2.5 + std::hypot(3.0, 3.5);
  EXPECT_NEAR(rewarded(around, all).at(0).reward.back(),
              1 + 2 * half / std::max(2 * half, walked) + 1 - half / 6, 1e-6);
}

TEST_F(RewardsOverMeshes, LeaveRepeatsOut) {
  const auto kept = rewarded(one_path, over_mesh({})).at(0),
             collapsed = rewarded(one_path, over_mesh({"--repeats", "collapse"})).at(0);
  ASSERT_EQ(kept.reward.size(), 5u);
  EXPECT_EQ(kept.reward[1], 0.0);
  std::vector<double> expected = kept.distance;
  expected.erase(expected.begin() + 1);
  EXPECT_EQ(collapsed.distance, expected);
}

TEST_F(RewardsOverMeshes, EqualThoseOfTheDistancesInAFile) {
  const CliResult made =
      run({"distances", "--dataset", folder_.write("d.json", mesh_episodes), "--navmesh", mesh_,
           folder_.write("agent.json", rewarded_predictions), "--out", folder_.path("g.json")});
  ASSERT_EQ(made.code, 0) << made.err;
  for (const std::string name : {"goal", "vlnce-waypoint", "etp-r1-rxr"}) {
    const auto over = rewarded(rewarded_predictions, over_mesh({"--reward", name})),
               given = rewarded(rewarded_predictions, {"--distances", folder_.path("g.json"),
                                                       "--invalid", "skip", "--reward", name});
    ASSERT_EQ(over.size(), given.size());
    for (std::size_t k = 0; k < over.size(); ++k) EXPECT_EQ(over[k].line, given[k].line);
  }
}

TEST_F(RewardsOverMeshes, CompareThePathsOfAnItem) {
  const std::string two =
      "{\"episode_id\":\"1\",\"path\":[[1,0,3],[4,0,4]]}\n"
      "{\"episode_id\":\"1\",\"path\":[[1,0,3],[1,0,3]]}\n";
  const auto items = rewarded(two, over_mesh({"--duplicates", "each", "--group-by", "item"}));
  ASSERT_GE(items.size(), 2u);
  EXPECT_NEAR(number_at(items[0].line, "/advantage"), std::sqrt(0.5), 1e-5);
  EXPECT_NEAR(number_at(items[1].line, "/advantage"), -std::sqrt(0.5), 1e-5);
}

TEST_F(RewardsOverMeshes, ComparePathsThatHaveAWay) {
  const std::string paths =
      "{\"episode_id\":\"1\",\"path\":[[1,0,3],[4,0,4]]}\n"
      "{\"episode_id\":\"2\",\"path\":[[1,0,3],[4,0,4]]}\n"
      "{\"episode_id\":\"2\",\"path\":[[1,0,3],[2,0,3]]}\n";
  const auto items = rewarded(
      paths, over_mesh({"--duplicates", "each", "--group-by", "item", "--reward", "ndtw-gain"}));
  ASSERT_EQ(items.size(), 3u);
  for (const Rewarded& item : items) {
    EXPECT_EQ(json_at(item.line, "/advantage") == "null", item.id == "2") << item.line;
    EXPECT_EQ(item.status == "unreachable", item.id == "2") << item.status;
  }
}

TEST_F(RewardsOverMeshes, RefuseWhatMeansNothing) {
  const Words mesh{"--navmesh", mesh_};
  const struct {
    Words more;
    int code;
    std::string text;
  } cases[]{
      {{"--goal-distance", "2d"}, 2, "goal-distance 2d of reward goal: --navmesh gives"},
      {{"--reward", "recurrent-vln-bert"}, 2, "positions have no edges to count"},
      {{"--distance", "hops"}, 2, "say --distance 3d or 2d"},
      {{"--start-distance", "spl"}, 2, "end of reference_path"},
      {{"--geodesic", "all", "--distance", "2d"}, 2, "leave --distance away"},
      {{"--geodesic", "some"}, 2, "--geodesic"},
      {{"--habitat", "0.2"}, 2, "0.1.7"},
      {{"--preset", "vlnce-fastdtw"}, 1, "asks for FastDTW"},
      {{"--goal", "set"}, 1, "asks for goal sets"},
      {{"--timed-out", "9"}, 1, "9: is no item of the dataset"},
      {{"--distances", folder_.write("g.json", "{}")}, 2, "--distances"},
      {{"--grid", folder_.path("grid.json")}, 2, "--grid"},
  };
  for (const auto& c : cases) {
    Words all = mesh;
    all.insert(all.end(), c.more.begin(), c.more.end());
    expect_refused(all, c.code, c.text);
  }
  expect_refused({"--habitat", "0.3.4"}, 2, "--habitat and --geodesic are for");
  folder_.write("other/s2.navmesh", make_navmesh());
  expect_refused({"--navmesh", folder_.path("other")}, 1, "scan s1: there is no s1.navmesh");
  expect_refused(mesh, 1, "agent.json: 1", R"({"1":[[1,0,3],[1,"x",3]],"2":[[1,0,3]]})");
  EXPECT_FALSE(std::ranges::count(folder_.list(), "out.jsonl"));
}

TEST_F(RewardsOverMeshes, ReplaceNoMesh) {
  const CliResult result = reward(rewarded_predictions, over_mesh({"--csv", mesh_}));
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(read_text(mesh_), make_navmesh());
}

// Returns the numbers behind a word at the beginning of a line.
std::vector<double> numbers_behind(const std::string& text, const std::string& word) {
  const std::size_t begin = text.find('\n' + word) + 1 + word.size();
  return numbers(text.substr(begin, text.find('\n', begin) - begin));
}

// The sums of the terms of moves, and of those of the end.
std::vector<double> sums_of_terms(const std::string& text) {
  std::vector<double> sums;
  std::istringstream lines(text.substr(text.find("\n  move ") + 1));
  const std::regex row("^ +([0-9]+ .*,.*|sum [(].*[)]) +([^ ]+)$");
  std::smatch found;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, found, row)) sums.push_back(std::stof(found[2]));
  }
  return sums;
}

TEST_F(RewardsOverMeshes, AreExplainedTermByTerm) {
  const std::string other_path = R"({"1":[[1,0,3],[2.5,0,3.5],[3,0,2.25],[4.5,0,6.25]]})";
  for (const std::string which : {"goal", "all"}) {
    for (const std::string name : {"goal", "ndtw-gain", "cls-gain", "valan-dtw", "hamt",
                                   "babywalk-mix", "vlnce-waypoint", "etp-r1-rxr", "budvln"}) {
      const std::string& agent = which == "goal" ? other_path : one_path;
      const std::string fields = name + ",tie=zero,timeout=as-stop,success-radius=4";
      const CliResult result = run({"explain", "--dataset", folder_.write("d.json", mesh_episodes),
                                    "--navmesh", mesh_, "--geodesic", which, "--item", "1",
                                    "--rewards", fields, folder_.write("agent.json", agent)});
      ASSERT_EQ(result.code, 0) << result.err;
      const auto shown = numbers_behind(result.out, "rewards:");
      EXPECT_EQ(sums_of_terms(result.out), shown) << name << '\n' << result.out;
      const auto items =
          rewarded(agent, over_mesh({"--geodesic", which, "--reward", name, "--tie", "zero",
                                     "--timeout", "as-stop", "--success-radius", "4"}));
      ASSERT_EQ(items.size(), 2u);
      EXPECT_EQ(items[0].reward, shown) << name;
      // The last prefix of which the explanation shows CLS.
      const std::size_t row = result.out.rfind("\n", result.out.find("\n\n  move ") - 1);
      const std::string last = result.out.substr(row, result.out.find("\n\n  move ") - row);
      if (name == "babywalk-mix") continue;  // whose stop has a prefix of its own
      EXPECT_EQ(std::stof(last.substr(last.rfind(' '))), static_cast<float>(items[0].cls.back()));
    }
  }
}

TEST_F(RewardsOverMeshes, ExplainOnlyEpisodesThatAreThere) {
  const auto explain = [&](const std::string& item, const std::string& fields) {
    return run({"explain", "--dataset", folder_.write("d.json", mesh_episodes), "--navmesh", mesh_,
                "--missing", "skip", "--item", item, "--rewards", fields,
                folder_.write("agent.json", one_path)});
  };
  EXPECT_EQ(explain("9", "goal").code, 1);
  EXPECT_NE(explain("2", "goal").out.find("no rewards"), std::string::npos);
  EXPECT_EQ(explain("1", "goal,goal-distance=hops").code, 2);
  const CliResult fine = explain("1", "goal");
  EXPECT_NE(fine.out.find("4.5,0.1,6"), std::string::npos) << fine.out << fine.err;
  EXPECT_NE(fine.out.find("prefix  position "), std::string::npos) << fine.out;
}

double cell(const CsvRow& row, const std::string& column) {
  const std::string& text = row.at(column);
  return text.empty() ? std::nan("") : std::strtod(text.c_str(), nullptr);
}

// Compares the rewards of files with their scores by eval. Returns how many items have both.
std::size_t compare_with_scores(const TemporaryFolder& folder, const Words& files) {
  Words eval{"eval", "--csv", folder.path("scores.csv")}, rewards{"rewards",
                                                                  "--reward",
                                                                  "goal",
                                                                  "--success-at",
                                                                  "lt",
                                                                  "--jsonl",
                                                                  folder.path("rewards.jsonl"),
                                                                  "--success-stop",
                                                                  "required"};
  for (Words* command : {&eval, &rewards}) {
    command->insert(command->end(), {"--preset", "vlnce", "--invalid", "skip"});
    command->insert(command->end(), files.begin(), files.end());
    const CliResult result = run(*command);
    EXPECT_EQ(result.code, 0) << result.err;
    if (result.code != 0) return 0;
  }
  const auto rows = read_csv(folder.path("scores.csv"));
  const auto items = read_jsonl(read_text(folder.path("rewards.jsonl")));
  EXPECT_EQ(rows.size(), items.size());
  std::size_t compared = 0;
  for (std::size_t k = 0; k < std::min(rows.size(), items.size()); ++k) {
    if (items[k].reward.empty()) continue;
    const double start = cell(rows[k], "SP"), error = cell(rows[k], "NE");
    EXPECT_EQ(std::isnan(error), items[k].status == "unreachable") << items[k].line;
    if (items[k].status == "unreachable") continue;
    EXPECT_EQ(items[k].reward.back(), cell(rows[k], "SR") > 0.0 ? 1.0 : -1.0) << items[k].id;
    EXPECT_NEAR(items[k].ndtw.back(), cell(rows[k], "nDTW"), 2e-6) << items[k].id;
    EXPECT_NEAR(items[k].cls.back(), cell(rows[k], "CLS"), 2e-6) << items[k].id;
    const double gains = std::accumulate(items[k].reward.begin(), items[k].reward.end() - 1, 0.0);
    if (std::isnan(gains)) continue;
    EXPECT_NEAR(items[k].distance.front(), start, 1e-6 * start) << items[k].id;
    EXPECT_NEAR(items[k].distance.back(), error, 1e-6 * start) << items[k].id;
    EXPECT_NEAR(gains, start - error, 1e-6) << items[k].line;
    ++compared;
  }
  return compared;
}

TEST_F(RewardsOverMeshes, GainWhatScoresHaveLost) {
  if (data_folder().empty()) GTEST_SKIP() << "no real data: set WARPATH_DATA";
  const std::string data = data_folder() + "/obstacles/";
  EXPECT_GT(compare_with_scores(folder_, {"--dataset", data + "episodes.json.gz", "--ground-truth",
                                          data + "episodes_gt.json.gz", "--navmesh",
                                          data + "navmesh", data + "episodes_agent.json.gz"}),
            50u);
}

TEST_F(RewardsOverMeshes, AgreeWithScoresWhoseDistancesAreAllOverMeshes) {
  const std::string data = folder_.write("d.json", mesh_episodes),
                    agent = folder_.write("agent.json", one_path);
  for (const std::string which : {"goal", "all"}) {
    EXPECT_EQ(compare_with_scores(folder_, {"--dataset", data, "--navmesh", mesh_, "--geodesic",
                                            which, "--missing", "skip", agent}),
              1u);
  }
}

#endif

}  // namespace
}  // namespace warpath::testing
