// Tests the table of public repositories, and the names by which it is asked.

#include "host/core/definitions/evaluators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

#include "host/files/aggregate/rules.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/files.hpp"
#include "warpath/convention.hpp"
#include "warpath/error.hpp"

namespace warpath::testing {
namespace {

using definitions::evaluators;
using definitions::find_evaluators;

TEST(Evaluators, NamePresetsAndRulesThatExist) {
  std::set<std::string_view> projects, rules;
  for (const auto& rule : aggregate::aggregate_rules()) rules.insert(rule.name);
  for (const definitions::Evaluator& evaluator : evaluators()) {
    projects.insert(evaluator.name);
    EXPECT_FALSE(evaluator.preset.empty() && evaluator.rule.empty()) << evaluator.name;
    if (!evaluator.preset.empty()) {
      EXPECT_EQ(find_preset(evaluator.preset).convention.preset, evaluator.preset);
    }
    EXPECT_TRUE(evaluator.rule.empty() || rules.contains(evaluator.rule)) << evaluator.rule;
  }
  EXPECT_GE(projects.size(), 35u);
}

TEST(Evaluators, StandByNameAndTask) {
  const auto letters = [](const definitions::Evaluator& e) {
    std::string key = std::string(e.name) + " " + std::string(e.task);
    std::ranges::transform(key, key.begin(), [](unsigned char c) { return std::tolower(c); });
    return key;
  };
  EXPECT_TRUE(std::ranges::is_sorted(evaluators(), {}, letters));
}

TEST(Evaluators, AreFoundHoweverTheirNameIsTyped) {
  for (const char* typed : {"NavGPT-2", "navgpt2", "NAVGPT 2", "navgpt_2"}) {
    ASSERT_EQ(find_evaluators(typed).size(), 1u) << typed;
    EXPECT_EQ(find_evaluators(typed)[0].preset, "duet");
  }
  EXPECT_EQ(find_evaluators("VLN-DUET").size(), 3u);
  EXPECT_EQ(find_evaluators("all").size(), evaluators().size());
}

TEST(Evaluators, AreSuggestedWhereNoneHasTheName) {
  const CliResult got = run({"presets", "--for", "NavGTP-2"});
  EXPECT_EQ(got.code, 2);
  EXPECT_EQ(got.out, "");
  EXPECT_NE(got.err.find("no project 'NavGTP-2'; did you mean NavGPT-2?"), std::string::npos)
      << got.err;
}

TEST(Evaluators, NameThePresetOfAProjectThatHasOne) {
  EXPECT_EQ(find_preset("NavGPT-2").convention.preset, "duet");
  EXPECT_EQ(find_preset("etp-r1").convention.preset, "etpnav");
  EXPECT_THROW(find_preset("InternNav"), UsageError) << "one of its two tasks has no preset";
  EXPECT_EQ(
      error_of_call<UsageError>([] { find_preset("ScaleVLN"); }),
      "ScaleVLN scores its tasks by different rules: warpath presets --for ScaleVLN lists them");
}

// VLN-CE's default is vlnce-fastdtw, and a hyphen must not decide between two presets.
TEST(Evaluators, NameNoPresetWhereAnotherIsNearlyCalledSo) {
  EXPECT_EQ(find_preset("VLNCE").convention.preset, "vlnce");
  EXPECT_THROW(find_preset("VLN-CE"), UsageError);
}

TEST(Evaluators, ArePrintedWithTheirCommandsAndSettings) {
  const std::string text = run({"presets", "--for", "soon"}).out;
  EXPECT_NE(text.find("SOON, SOON\n  warpath eval --preset soon\n"), std::string::npos) << text;
  EXPECT_NE(text.find("other than in the papers: "), std::string::npos) << text;
  EXPECT_NE(run({"presets", "--for", "JanusVLN"}).out.find("warpath aggregate --rules streamvln"),
            std::string::npos);
}

}  // namespace
}  // namespace warpath::testing
