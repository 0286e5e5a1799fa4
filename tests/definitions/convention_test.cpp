// Tests conventions that a program sets field by field.

#include "warpath/convention.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "tests/support/errors.hpp"
#include "tests/support/files.hpp"
#include "warpath/error.hpp"
#include "warpath/evaluate.hpp"

namespace warpath::testing {
namespace {

std::string error_of(const Convention& convention) {
  return error_of_call([&] { check(convention); });
}

TEST(CheckConvention, AcceptsEveryPreset) {
  for (const Preset& p : presets()) EXPECT_EQ(error_of(p.convention), "") << p.convention.preset;
}

TEST(CheckConvention, RefusesAThresholdThatIsNotAboveZero) {
  for (const double wrong : {0.0, -3.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    Convention c;
    c.threshold = wrong;
    EXPECT_EQ(error_of(c),
              "convention: paper: threshold: the value is out of range; set it to one of the "
              "numbers above 0");
  }
  Convention small;
  small.threshold = 1e-300;
  EXPECT_EQ(error_of(small), "");
}

TEST(CheckConvention, RefusesANegativeDenominatorOfSpl) {
  for (const double wrong : {-0.1, std::nan(""), std::numeric_limits<double>::infinity()}) {
    Convention c;
    c.spl_min_denominator = wrong;
    EXPECT_NE(error_of(c).find("spl_min_denominator: the value is out of range; set it to one of "
                               "the numbers from 0 up"),
              std::string::npos)
        << error_of(c);
  }
}

TEST(CheckConvention, RefusesEnumeratorsThatDoNotExist) {
  Convention c;
  c.spl_zero = static_cast<SplZero>(4);
  EXPECT_NE(error_of(c).find("spl_zero: the value is out of range; set it to one of "
                             "success-if-unmoved|zero|undefined|zero-if-unmoved"),
            std::string::npos)
      << error_of(c);
  c = {};
  c.duplicates = static_cast<Duplicates>(-1);
  EXPECT_NE(error_of(c).find("duplicates"), std::string::npos) << error_of(c);
}

TEST(CheckConvention, LeavesVlnPesRuleOfSplToEvaluationsOfFiles) {
  Convention c;
  c.spl_zero = SplZero::zero_if_unmoved;
  EXPECT_EQ(error_of(c), "");
  EXPECT_EQ(error_of_call([&] { check_of_paths(c); }),
            "convention: paper: spl_zero: asks for VLN-PE's SPL of 0, which only evaluations of "
            "files have; score files by an evaluation, or set it to zero");
}

TEST(CheckConvention, RefusesWhatOnlyEvaluationsOfFilesHave) {
  const auto refused = [](const Convention& c) {
    return error_of_call([&] { check_of_paths(c); });
  };
  Convention swaps, by_heading, allowed;
  swaps.edit = Edit::osa;
  by_heading.links = Links::by_heading;
  allowed.cls_length = ClsLength::nodes;
  allowed.ndtw_threshold = 2.0;
  allowed.kp_start = KpStart::none;
  EXPECT_NE(refused(swaps).find("edit: asks for optimal string alignment"), std::string::npos);
  EXPECT_NE(refused(by_heading).find("links: asks for links by heading"), std::string::npos);
  EXPECT_EQ(refused(allowed), "");
}

TEST(CheckConvention, RefusesABuildOfFastDtwThatDoesNotExist) {
  Convention c;
  c.dtw_radius = 1;
  c.dtw_build = static_cast<FastDtw>(2);
  EXPECT_EQ(error_of(c),
            "convention: paper: dtw: the value is out of range; set it to one of "
            "exact|fast:R|fast-compiled:R, R from 1 to 1000000");
}

TEST(DtwSetting, NamesTheRadiusAndTheBuild) {
  const auto setting = std::ranges::find(settings(), "dtw", &Setting::name);
  ASSERT_NE(setting, settings().end());
  Convention c;
  for (const auto& [text, radius, build] :
       {std::tuple{"fast-compiled:12", 12u, FastDtw::compiled},
        {"fast:1", 1u, FastDtw::pure},
        {"fast-compiled:1000000", 1'000'000u, FastDtw::compiled},
        {"exact", 0u, FastDtw::pure}}) {
    setting->set(c, text);
    EXPECT_EQ(c.dtw_radius, radius) << text;
    EXPECT_EQ(c.dtw_build, build) << text;
    EXPECT_EQ(setting->get(c), text);
  }
  setting->set(c, "Fast-Compiled:3");
  EXPECT_EQ(setting->get(c), "fast-compiled:3");
  for (const std::string wrong : {"fast-compiled:0", "fast-compiled:1000001", "fast-compiled:",
                                  "fast-compiled", "fast:compiled:1", "compiled:1", "fast-pure:1",
                                  "fast-compiled: 1", "fast-compiled:-1", "fast-compiled:1x"}) {
    EXPECT_THROW(setting->set(c, wrong), UsageError) << wrong;
    EXPECT_EQ(setting->get(c), "fast-compiled:3") << wrong;
  }
}

TEST(CheckConvention, CoversEverySetting) {
  for (const Setting& setting : settings()) {
    EXPECT_TRUE(setting.is_valid(Convention{})) << setting.name;
    EXPECT_FALSE(setting.accepted.empty()) << setting.name;
  }
}

TEST(CheckConvention, IsCalledByEvaluations) {
  EvalFiles files;
  files.graphs = source("tests/golden/connectivity");
  files.dataset = source("tests/golden/dataset.json");
  files.predictions = {source("tests/golden/predictions.json")};
  Evaluator evaluator(files);
  Convention c;
  c.threshold = -1.0;
  EXPECT_THROW(evaluator.evaluate(c), InputError);
}

}  // namespace
}  // namespace warpath::testing
