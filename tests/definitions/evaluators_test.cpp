// Tests the table of public repositories, and the names by which it is asked.

#include "host/core/definitions/evaluators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
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

TEST(Evaluators, AreFoundByAPartOfTheirName) {
  for (const auto& [part, whole] : std::map<std::string, std::string>{
           {"HNR", "HNR-VLN"}, {"3dff", "Sim2Real-VLN-3DFF"}, {"StreamVL", "StreamVLN"}}) {
    ASSERT_EQ(find_evaluators(part).size(), 1u) << part;
    EXPECT_EQ(find_evaluators(part)[0].name, whole);
  }
  EXPECT_EQ(find_evaluators("NavGPT").size(), 1u) << "a whole name is no part of NavGPT-2's";
  EXPECT_THROW(find_evaluators(""), UsageError);
  EXPECT_THROW(find_evaluators("-"), UsageError);
}

TEST(Evaluators, AreThoseOfAPresetOrRule) {
  const auto names = [](std::string_view typed) {
    std::set<std::string_view> found;
    for (const definitions::Evaluator& e : find_evaluators(typed)) found.insert(e.name);
    return found;
  };
  using Names = std::set<std::string_view>;
  EXPECT_EQ(names("envdrop"), (Names{"CLIP-ViL", "R2R-EnvDrop", "Recurrent-VLN-BERT", "SSM-VLN"}));
  EXPECT_EQ(names("navid"), (Names{"NaVid", "Uni-NaVid"}));
  EXPECT_EQ(names("hamt"), (Names{"HAMT", "NavCoT"})) << "a project and a preset";
}

// A paper has authors and a place where it can be found, and tables only behind these.
TEST(Evaluators, NameThePapersOfTheirTables) {
  const std::regex form(
      R"([A-Z][A-Za-z]+ et al\.(, [A-Z][A-Za-z ]+ \d+)?(, arXiv \d{4}\.\d{5})?(, Tables? [0-9I]+( (and|to) [0-9I]+)?)?)");
  std::size_t without = 0;
  for (const definitions::Evaluator& e : evaluators()) {
    without += e.paper.empty() ? 1 : 0;
    EXPECT_TRUE(e.paper.empty() || std::regex_match(std::string(e.paper), form)) << e.paper;
  }
  EXPECT_EQ(without, 1u) << "RxR-Habitat's numbers are in no table";
  EXPECT_NE(run({"presets", "--for", "VLN-DUET"})
                .out.find("  published in: Chen et al., CVPR 2022, arXiv 2202.11742, Table 6\n"),
            std::string::npos);
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
