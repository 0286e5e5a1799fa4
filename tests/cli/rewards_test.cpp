// Tests warpath rewards: its files and its table against numbers worked out by hand, and what it
// refuses or names.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>

#include "tests/support/good_files.hpp"
#include "tests/support/reward_scene.hpp"

namespace warpath::testing {
namespace {

using Column = std::map<std::string, std::vector<double>>;  // by item

class RewardsCommand : public ::testing::Test {
 protected:
  // Returns a column of the CSV; an empty cell is NaN.
  Column column(const std::string& name, const Arguments& more) const {
    const std::string csv = scene.folder.path("steps.csv");
    const CliResult result = scene.rewards(with({"--quiet", "--csv", csv}, more));
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out, "");
    Column made;
    for (const CsvRow& row : read_csv(csv)) {
      const std::string& cell = row.at(name);
      made[row.at("instr_id")].push_back(cell.empty() ? std::nan("") : std::stod(cell));
    }
    return made;
  }
  Column rewards(const std::string& name, const Arguments& more = {}) const {
    return column("reward", with({"--reward", name}, more));
  }

  static void expect_near(const std::vector<double>& got, const std::vector<double>& wanted) {
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t t = 0; t < got.size(); ++t) EXPECT_NEAR(got[t], wanted[t], 2e-6) << t;
  }

  void expect_refused(const Arguments& more, int code, const std::string& text) const {
    const CliResult result = scene.rewards(more);
    EXPECT_EQ(result.code, code) << result.out;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    EXPECT_NE(result.err.find(text), std::string::npos) << result.err;
  }

  RewardScene scene;
};

TEST_F(RewardsCommand, RewardsAsTheirSources) {
  Column hamt = rewards("hamt", {"--timed-out", "1_1"});
  expect_near(hamt["1_0"], {1.248805, 1.179600, 3.623873});
  expect_near(hamt["1_1"], {1.248805, -1.179248, 1.0, 0.0});
  expect_near(hamt["1_2"], {1.248805, 1.179600, 1.188064, -3.064493, -1.530309, 3.610397});

  Column hops = rewards("recurrent-vln-bert");
  expect_near(hops["1_0"], {1.172270, 1.141244, 3.840089});
  expect_near(hops["1_2"], {1.172270, 1.141244, 1.079956, -3.079956, -1.541244, 3.557602});

  Column valan = rewards("VALAN-goal", {"--timed-out", "1_1"});
  expect_near(valan["1_0"], {1, 1, -4});
  expect_near(valan["1_1"], {1, -1, -4, 0});
  expect_near(rewards("valan-dtw")["1_0"], {6, 3, 0});
  expect_near(rewards("babywalk-dtw")["1_0"], {0, 0, 1.811936});
  expect_near(rewards("ndtw-gain")["1_1"], {0.248805, -0.179248, 0, 0});
}

// 1_2 walks 7.8 m, and the goal is 6 m from its start.
TEST_F(RewardsCommand, PaysSplAndDistance) {
  expect_near(rewards("etp-r1-r2r")["1_0"], {0, 0, 0.583333});
  expect_near(rewards("etp-r1-r2r", {"--success-radius", "2"})["1_2"], {0, 0, 0, 0, 0, 2.469231});
  expect_near(
      rewards("etp-r1-r2r", {"--success-radius", "2", "--spl-min-denominator", "12"})["1_2"],
      {0, 0, 0, 0, 0, 2.2});
  expect_near(rewards("etp-r1-r2r", {"--final-distance", "2", "--distance-scale", "4"})["1_2"],
              {0, 0, 0, 0, 0, 1.1});
  expect_near(rewards("budvln")["1_0"], {0.05, 0.05, 2.583333});
  expect_near(rewards("budvln", {"--timed-out", "all"})["1_0"], {0.05, -0.416667, 0});
  expect_near(rewards("budvln", {"--timed-out", "all", "--success-stop", "ignored"})["1_0"],
              {0.05, 2.583333, 0});
}

TEST_F(RewardsCommand, WritesARowForEachStep) {
  const Arguments half{"--reward", "goal", "--discount", "0.5"};
  expect_near(column("return", half)["1_0"], {3, 2, 1});
  expect_near(column("distance_to_goal", half)["1_0"], {6, 4, 2.5});
  expect_near(column("nDTW", half)["1_1"], {0.383532, 0.632337, 0.453089, 0.453089});
  expect_near(column("CLS", half)["1_1"], {0.245019, 0.467312, 0.514852, 0.308911});
  std::istringstream lines(read_text(scene.folder.path("steps.csv")));
  for (const char* wanted : {"run,instr_id,status,t,viewpoint,next,reward,return,distance_to_goal,",
                             "agent,1_0,ok,0,A,B,2,3,6,0.38", "agent,1_0,ok,1,B,C,1.5,2,4,0.63",
                             "agent,1_0,ok,2,C,end,1,1,2.5,0.81", "agent,1_1,ok,0,A,B,2,"}) {
    std::string line;
    std::getline(lines, line);
    EXPECT_TRUE(line.starts_with(wanted)) << line;
  }
}

TEST_F(RewardsCommand, WritesAnObjectForEachItem) {
  const CliResult result =
      scene.rewards({"--reward", "goal", "--timed-out", "1_1", "--jsonl", "-"});
  std::istringstream lines(result.out);
  std::string first, second;
  std::getline(lines, first);
  std::getline(lines, second);
  EXPECT_TRUE(first.starts_with(R"({"run": "agent", "instr_id": "1_0", "scan": "s", "status": )"
                                R"("ok", "stopped": true, "viewpoints": ["A", "B", "C"], )"
                                R"("reward": [2, 1.5, 1], "return": [4.5, 2.5, 1], )"
                                R"("distance_to_goal": [6, 4, 2.5], "ndtw": [)"))
      << first;
  EXPECT_NE(second.find(R"("stopped": false)"), std::string::npos) << second;
  EXPECT_NE(result.err.find("those of 1 item that --timed-out"), std::string::npos) << result.err;
  EXPECT_EQ(std::ranges::count(result.out, '\n'), 3);
}

TEST_F(RewardsCommand, ComparesThePathsOfAnItem) {
  const std::string agent = scene.folder.write("rollouts.json", R"([
      {"instr_id": "1_0", "trajectory": [["A"], ["B"], ["C"]]},
      {"instr_id": "1_0", "trajectory": [["A"], ["B"], ["E"], ["B"]]},
      {"instr_id": "1_0", "trajectory": [["A"], ["B"], ["C"], ["D"]]},
      {"instr_id": "1_1", "trajectory": [["A"], ["B"], ["C"]]},
      {"instr_id": "1_2", "trajectory": [["A"], ["B"]]},
      {"instr_id": "1_2", "trajectory": [["A"], ["B"]]}])");
  const auto run_with = [&](const Arguments& more) {
    return run(with({"rewards", "--graphs", scene.graph, "--dataset", scene.data, agent, "--reward",
                     "goal", "--group-by", "item"},
                    more));
  };
  const std::string csv = scene.folder.path("groups.csv");
  const CliResult result = run_with({"--duplicates", "each", "--csv", csv});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out.find("no item has more"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("advantage: (total"), std::string::npos) << result.out;
  Column total, advantage;
  for (const CsvRow& row : read_csv(csv)) {
    if (row.at("t") != "0") continue;
    total[row.at("instr_id")].push_back(std::stod(row.at("total")));
    advantage[row.at("instr_id")].push_back(std::stod(row.at("advantage")));
  }
  // Totals are the ways nearer to the goal, and the end: 3.5 + 1, 2 - 1, 6 + 1. Their mean
  // is 4.1667 and their deviation 3.0139.
  expect_near(total["1_0"], {4.5, 1, 7});
  expect_near(advantage["1_0"], {0.110600, -1.050702, 0.940102});
  expect_near(advantage["1_1"], {0});
  expect_near(advantage["1_2"], {0, 0});
  const CliResult lines = run_with({"--duplicates", "each", "--jsonl", "-", "--quiet"});
  EXPECT_NE(lines.out.find(R"(, "total": 4.5, "advantage": 0.1)"), std::string::npos) << lines.out;
  EXPECT_NE(run_with({}).out.find("no item has more than one path"), std::string::npos);
}

TEST_F(RewardsCommand, LeavesPathsWithoutARewardOutOfGroups) {
  const std::string agent = scene.folder.write("rollouts.json", R"([
      {"instr_id": "1_0", "trajectory": [["A"], ["A"], ["B"]]},
      {"instr_id": "1_0", "trajectory": [["A"], ["B"]]},
      {"instr_id": "1_0", "trajectory": [["A"], ["B"], ["C"]]}])");
  const std::string csv = scene.folder.path("groups.csv");
  const CliResult result = run({"rewards", "--graphs", scene.graph, "--dataset", scene.data, agent,
                                "--reward", "envdrop", "--duplicates", "each", "--group-by", "item",
                                "--csv", csv, "--missing", "skip"});
  EXPECT_EQ(result.code, 0) << result.err;
  std::vector<std::string> advantage;
  for (const CsvRow& row : read_csv(csv)) {
    if (row.at("t") == "0") advantage.push_back(row.at("advantage"));
  }
  ASSERT_EQ(advantage.size(), 3u);
  EXPECT_EQ(advantage[0], "");
  EXPECT_EQ(advantage[1], "-" + advantage[2]);
}

TEST_F(RewardsCommand, PrintsMeansByGroup) {
  const CliResult result = scene.rewards({"--reward", "goal", "--by", "length"});
  EXPECT_EQ(result.code, 0) << result.err;
  // Returns are 4.5, 2 − 4 + 4 − 1 = 1, and 4.2 + 1 = 5.2; two of three ends succeed.
  for (const char* label : {"  agent ", "    |R| = 4 "}) {
    const std::size_t begin = result.out.find(std::string("\n") + label);
    ASSERT_NE(begin, std::string::npos) << result.out;
    std::istringstream cells(result.out.substr(begin + 1 + std::string(label).size()));
    std::string items, rewarded, moves, sum, success;
    cells >> items >> rewarded >> moves >> sum >> success;
    EXPECT_EQ(items + ' ' + rewarded + ' ' + moves + ' ' + sum + ' ' + success,
              "3 3 3.3333 3.5667 0.6667");
  }
  EXPECT_NE(result.out.find("\nreward goal\nmove: (g_t − g_t+1); end: 1 if g ≤ 3, else −1;"),
            std::string::npos)
      << result.out;
}

TEST_F(RewardsCommand, TakesSettingsOfRewardAndConvention) {
  Column changed = rewards("goal", {"--failure", "-2", "--success", "5", "--success-radius", "2"});
  expect_near(changed["1_0"], {2, 1.5, -2});
  expect_near(changed["1_2"], {2, 1.5, 2.5, -0.8, -1, 5});
  // nDTW = exp(−DTW / (4 · 6)) with a threshold of 6 m: exp(−5.5 / 24) − exp(−11.5 / 24).
  EXPECT_NEAR(rewards("ndtw-gain", {"--threshold", "6"})["1_0"][0], 0.1758967, 2e-6);
  // The convention's distances do not replace those to the goal.
  expect_near(rewards("goal", {"--distance", "hops"})["1_0"], {2, 1.5, 1});
  expect_near(rewards("goal", {"--goal-distance", "hops"})["1_0"], {1, 1, 1});
  const CliResult noted =
      scene.rewards({"--reward", "hamt", "--tie", "zero", "--distance", "hops"});
  EXPECT_NE(noted.out.find("reward hamt with tie=zero, distance=hops"), std::string::npos);
}

TEST_F(RewardsCommand, NamesItemsWithoutRewards) {
  scene.folder.write("agent.json", R"([
      {"instr_id": "1_0", "trajectory": [["A"], ["B"], ["B"]]},
      {"instr_id": "1_1", "trajectory": [["A"], ["Z"]]}, {"instr_id": "9_9", "trajectory": [["A"]]}])");
  const Arguments lenient{"--reward",  "envdrop", "--missing", "skip",
                          "--invalid", "zero",    "--csv",     "-"};
  const CliResult result = scene.rewards(lenient);
  EXPECT_EQ(result.code, 0) << result.err;
  for (const char* row : {"agent,1_0,ok,1,B,B,,,4,", "\nagent,1_1,unknown_viewpoint,,,,,,,,\n",
                          "\nagent,1_2,missing,,,,,,,,\n", "\nagent,9_9,unknown_id,,,,,,,,\n"}) {
    EXPECT_NE(result.out.find(row), std::string::npos) << row << result.out;
  }
  for (const char* note : {"agent: 1 item has no prediction (missing", " 1_2\n",
                           "agent: 1 item has a reward without"}) {
    EXPECT_NE(result.err.find(note), std::string::npos) << note << result.err;
  }
  expect_near(rewards("envdrop",
                      {"--missing", "skip", "--invalid", "skip", "--repeats", "collapse"})["1_0"],
              {1, -2});
}

TEST_F(RewardsCommand, RefusesWhatItCannotReward) {
  expect_refused({"--reward", "hamtt"}, 2, "no reward 'hamtt'; did you mean hamt?");
  expect_refused({}, 2, "--reward is required");
  expect_refused({"--reward", "goal", "--group-by", "scan"}, 2,
                 "--group-by: 'scan' is none of item");
  expect_refused({"--reward", "hamt", "--tie", "one"}, 2,
                 "--tie: 'one' is none of zero|minus-one|undefined");
  expect_refused({"--reward", "budvln", "--success-stop", "maybe"}, 2,
                 "--success-stop: 'maybe' is none of required|ignored");
  expect_refused({"--reward", "budvln", "--distance-scale", "0"}, 2,
                 "--distance-scale: '0' is none of the numbers above 0");
  for (const char* wrong : {"1.5", "-0.1", "nan", "-nan", "inf", "0.9x"}) {
    expect_refused({"--reward", "hamt", "--discount", wrong}, 2,
                   std::string("--discount: '") + wrong + "' is no number from 0 to 1");
  }
  for (const char* option : {"--success", "--slack", "--threshold", "--success-radius"}) {
    for (const char* wrong : {"nan", "inf", "1e400"}) {
      expect_refused({"--reward", "hamt", option, wrong}, 2,
                     std::string(option) + ": '" + wrong + "' is none of the numbers");
    }
  }
  expect_refused({"--reward", "hamt", "--timed-out", "1_0,7_7"}, 1,
                 "7_7: is no item of the dataset, but --timed-out");
  expect_refused({"--reward", "hamt", "--preset", "r4r"}, 1, "set it to shortest");
  expect_refused({"--reward", "hamt", "--csv", scene.agent}, 2, "would overwrite the input");
  expect_refused({"--reward", "hamt", "--strict", "--quiet", "--instructions", "all", "--start",
                  "note", "--csv", scene.folder.path("no/such/out.csv")},
                 1, "out.csv");
  scene.folder.write("agent.json", R"([{"instr_id": "1_0", "trajectory": [["A"], ["B"]]}])");
  expect_refused({"--reward", "hamt"}, 1, "2 of 3 items lack a prediction");
  scene.folder.write("agent.json", R"([{"instr_id": "8_0", "trajectory": [["A"], ["B"]]}])");
  expect_refused({"--reward", "hamt"}, 1, "no id of its 1 prediction is in the dataset");
  EXPECT_FALSE(std::filesystem::exists(scene.folder.path("out.csv")));
}

TEST_F(RewardsCommand, RefusesUnreachableItemsLikeEval) {
  // The graph without its edge from B to E.
  scene.folder.write("s.json", replaced(read_text(scene.graph), R"(["B", "E", 4.0], )", ""));
  expect_refused({"--reward", "goal"}, 1, "unreachable: 1_1");
  Column left = rewards("goal", {"--invalid", "skip"});
  EXPECT_TRUE(std::isnan(left["1_1"][1]));
  expect_near(left["1_0"], {2, 1.5, 1});
}

TEST_F(RewardsCommand, RewardsTheSameWhateverElseIsInTheFile) {
  const Column all = rewards("babywalk-mix");
  scene.folder.write("agent.json",
                     R"([{"instr_id": "1_2",
                          "trajectory": [["A"], ["B"], ["C"], ["D"], ["F"], ["G"]]}])");
  const Column alone = rewards("babywalk-mix", {"--missing", "skip"});
  EXPECT_EQ(alone.at("1_2"), all.at("1_2"));
}

}  // namespace
}  // namespace warpath::testing
