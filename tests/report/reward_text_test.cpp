// Tests what is printed of rewards: the table of presets, and explanations whose terms add up.

#include "host/program/report/reward_text.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "host/files/io/wrap.hpp"
#include "tests/support/documents.hpp"
#include "tests/support/good_files.hpp"
#include "tests/support/reward_scene.hpp"

namespace warpath::testing {
namespace {

TEST(RewardPresets, StandInTheDocumentation) {
  EXPECT_EQ(generated_text("docs/rewards.md", "warpath presets --rewards --markdown"),
            run({"presets", "--rewards", "--markdown"}).out)
      << "put the output of warpath presets --rewards --markdown between the two comments of "
         "docs/rewards.md";
}

TEST(RewardPresets, FitEightyColumnsAndNameEverything) {
  const std::string text = run({"presets", "--rewards"}).out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(io::columns(line), 80u) << line;
  for (const RewardPreset& p : reward_presets()) {
    EXPECT_NE(text.find("\n  " + p.settings.preset + "\n"), std::string::npos) << text;
  }
  for (const RewardSetting& setting : reward_settings()) {
    EXPECT_NE(text.find(fmt::format("\n  --{} ", setting.name)), std::string::npos) << setting.name;
  }
}

TEST(RewardFormula, HasTheSettingsInIt) {
  const auto formula = [](const char* name) {
    return report::reward_formula(find_reward_preset(name).settings);
  };
  EXPECT_EQ(formula("hamt").move,
            "sign(g_t − g_t+1) (no value where it is 0) + ΔnDTW − 2 (1 − g_t) where g_t ≤ 1 and "
            "g_t+1 > g_t");
  EXPECT_EQ(formula("hamt").end, "2 + 2 nDTW if g < 3, else −2");
  EXPECT_EQ(formula("hamt").timeout, "nothing");
  EXPECT_EQ(formula("ndtw-gain").end, "(1 − g / 3) if g ≤ 3, else 0");
  EXPECT_EQ(formula("cls").move, "0");
  EXPECT_EQ(formula("cls").end, "1 if g ≤ 3, else 0; + CLS in both cases");
  EXPECT_EQ(formula("valan-goal").end, "4 if g = 0, else −4");
  EXPECT_EQ(formula("vlnce-waypoint").move, "(g_t − g_t+1) + min(−0.05, −0.2 d(q_t, q_t+1))");
  EXPECT_EQ(formula("valan-dtw").end, "0");
  EXPECT_EQ(formula("etp-r1-rxr").end,
            "nDTW + SPL if g ≤ 1.5, else 0; + nDTW + (1 − g / 6) in both cases");
  EXPECT_EQ(formula("budvln").end,
            "1 + SPL if g < 3 and a stop, else −1; + (1 − g / 6) in both cases");
}

// Returns the numbers of a line's cells, from the given cell on.
std::vector<float> numbers_of(const std::string& line, std::size_t from) {
  std::istringstream cells(line);
  std::vector<float> numbers;
  std::string cell;
  for (std::size_t k = 0; cells >> cell; ++k) {
    if (k >= from) numbers.push_back(std::stof(cell));
  }
  return numbers;
}

std::string line_after(const std::string& text, const std::string& beginning) {
  const std::size_t at = text.find(beginning);
  if (at == std::string::npos) return "";
  return text.substr(at, text.find('\n', at + 1) - at);
}

// Checks that the terms of each move add up to the last cell, and that these, with the end's, are
// the rewards. Presets that put the end elsewhere are not for it.
void expect_terms_to_add_up(const std::string& text, std::size_t moves) {
  const std::vector<float> rewards = numbers_of(line_after(text, "rewards: "), 1);
  ASSERT_EQ(rewards.size(), moves + 1) << text;
  const std::size_t table = text.find("\n  move ");
  ASSERT_NE(table, std::string::npos) << text;
  for (std::size_t t = 0; t < moves; ++t) {
    const std::vector<float> terms =
        numbers_of(line_after(text.substr(table), fmt::format("\n{:>6} ", t)), 3);
    ASSERT_FALSE(terms.empty()) << text;
    float sum = 0.0f;
    for (std::size_t k = 0; k + 1 < terms.size(); ++k) sum += terms[k];
    EXPECT_EQ(sum, terms.back()) << t << '\n' << text;
    EXPECT_EQ(sum, rewards[t]) << t << '\n' << text;
  }
  const std::string end = line_after(text, "\n  sum (");
  EXPECT_EQ(std::stof(end.substr(end.find(')') + 1)), rewards.back()) << text;
}

TEST(ExplainRewards, HasTermsThatAddUpForEveryPreset) {
  const RewardScene scene;
  const std::pair<const char*, std::size_t> items[]{{"1_0", 2}, {"1_1", 3}, {"1_2", 5}};
  for (const RewardPreset& preset : reward_presets()) {
    SCOPED_TRACE(preset.settings.preset);
    for (const auto& [item, moves] : items) {
      const CliResult result = scene.explain({"--item", item, "--rewards", preset.settings.preset});
      ASSERT_EQ(result.code, 0) << result.err;
      expect_terms_to_add_up(result.out, moves);
    }
  }
}

TEST(ExplainRewards, ShowsEachTermOfAMove) {
  const RewardScene scene;
  const std::string text = scene.explain({"--item", "1_2", "--rewards", "hamt"}).out;
  EXPECT_NE(text.find("agent.json: item 1_2 of scan s, status ok\n\nreward hamt\n"),
            std::string::npos)
      << text;
  // From D, the goal, to F: away from it, within the miss radius, and off the reference.
  const std::vector<float> terms =
      numbers_of(line_after(text.substr(text.find("\n  move ")), "\n     3 "), 3);
  ASSERT_EQ(terms.size(), 4u) << text;
  EXPECT_EQ(terms[0], -1.0f);
  EXPECT_EQ(terms[1], -2.0f);
  EXPECT_NEAR(terms[2], -0.064493f, 2e-6f);
  EXPECT_NEAR(terms[3], -3.064493f, 2e-6f);
  EXPECT_NE(text.find("sum (success)"), std::string::npos) << text;
}

TEST(ExplainRewards, ShowsEachTermOfAnEnd) {
  const RewardScene scene;
  const std::string text =
      scene.explain({"--item", "1_2", "--rewards", "etp-r1-r2r,success-radius=2"}).out;
  const auto term = [&](const std::string& name) {
    const std::string line = line_after(text, "\n  " + name);
    return line.empty() ? -1.0f : std::stof(line.substr(name.size() + 3));
  };
  EXPECT_EQ(term("success or failure"), 1.0f) << text;
  EXPECT_NEAR(term("SPL of a success"), 6.0 / 7.8, 2e-6) << text;
  EXPECT_NEAR(term("distance"), 0.7, 2e-6) << text;
  const std::string timed =
      scene.explain({"--item", "1_0", "--rewards", "budvln", "--timed-out"}).out;
  EXPECT_NE(timed.find("sum (failure)"), std::string::npos) << timed;
}

TEST(ExplainRewards, SaysWhereTheEndGoes) {
  const RewardScene scene;
  const std::string replaced =
      scene.explain({"--item", "1_1", "--rewards", "valan-goal", "--timed-out"}).out;
  EXPECT_NE(replaced.find("The end's reward takes the place of that of move 2: -4."),
            std::string::npos)
      << replaced;
  EXPECT_NE(replaced.find("\nrewards: 1 -1 -4 0\nsum of rewards: -4\n"), std::string::npos)
      << replaced;
  const std::string added =
      scene.explain({"--item", "1_0", "--rewards", "goal,end-column=last-move"}).out;
  EXPECT_NE(added.find("The end's reward is added to that of move 1: 2.5."), std::string::npos)
      << added;
  EXPECT_NE(added.find("\nrewards: 2 2.5 0\nsum of rewards: 4.5\n"), std::string::npos) << added;
  const std::string nothing =
      scene.explain({"--item", "1_1", "--rewards", "envdrop", "--timed-out"}).out;
  EXPECT_NE(nothing.find("\nrewards: 1 -1 1 0\n"), std::string::npos) << nothing;
}

// The status is that of warpath rewards, and an item of no dataset has no scan.
TEST(ExplainRewards, NamesTheStatusOfTheItem) {
  const RewardScene scene;
  scene.folder.write("s.json", replaced(read_text(scene.graph), R"(["B", "E", 4.0], )", ""));
  const std::string unreachable = scene.explain({"--item", "1_1", "--rewards", "goal"}).out;
  EXPECT_TRUE(unreachable.find("item 1_1 of scan s, status unreachable\n") != std::string::npos)
      << unreachable;
  scene.folder.write("agent.json", R"([{"instr_id": "1_0", "trajectory": [["A"]]},
                                       {"instr_id": "9_9", "trajectory": [["A"]]}])");
  const std::string unknown =
      scene.explain({"--item", "9_9", "--rewards", "goal", "--missing", "skip"}).out;
  EXPECT_TRUE(unknown.find("agent.json: item 9_9, status unknown_id\n\nno rewards: ") !=
              std::string::npos)
      << unknown;
}

TEST(ExplainRewards, RefusesWhatMakesNoSense) {
  const RewardScene scene;
  const auto expect_refused = [&](const std::vector<std::string>& more, int code,
                                  const std::string& text) {
    const CliResult result = scene.explain(more);
    EXPECT_EQ(result.code, code);
    EXPECT_NE(result.err.find(text), std::string::npos) << result.err;
  };
  expect_refused({"--item", "1_0", "--timed-out"}, 2, "name one by --rewards");
  expect_refused({"--item", "1_0", "--rewards", "hamtt"}, 2,
                 "no reward 'hamtt'; did you mean hamt?");
  expect_refused({"--item", "1_0", "--rewards", "hamt,ties=zero"}, 2,
                 "no setting of rewards 'ties'; did you mean tie?");
  expect_refused({"--item", "1_0", "--rewards", "hamt,tie"}, 2, "'tie' is not SETTING=VALUE");
  expect_refused({"--item", "1_0", "--rewards", "hamt,tie=one"}, 2,
                 "--rewards: tie: 'one' is none");
  expect_refused({"--item", "7_7", "--rewards", "hamt"}, 1, "no such item");
}

}  // namespace
}  // namespace warpath::testing
