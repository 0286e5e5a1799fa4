// Tests metrics that a caller computes: their columns are treated as those of other metrics, and
// what cannot be a value or a name is refused.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/errors.hpp"
#include "warpath/error.hpp"
#include "warpath/evaluate.hpp"

namespace warpath::testing {
namespace {

// Uses a street a - b - c with two metres per step, three items on two paths, and two runs.
class OwnMetricsOfItems : public ::testing::Test {
 protected:
  static EvalFiles files() {
    EvalFiles files;
    const auto store = std::make_shared<GraphStore>();
    store->add({.id = "s",
                .viewpoints = {"a", "b", "c"},
                .positions = {{0, 0, 0}, {2, 0, 0}, {4, 0, 0}},
                .edges = {{0, 1}, {1, 2}}});
    files.graph_store = store;
    files.dataset = "data";
    files.predictions = {"first", "second"};
    files.names = {"ours", "ours"};
    files.runs = true;
    files.texts["data"] = R"([
      {"path_id": 0, "scan": "s", "path": ["a", "b", "c"], "instructions": ["", ""]},
      {"path_id": 1, "scan": "s", "path": ["a", "b"], "instructions": [""]}])";
    files.texts["first"] = R"([{"instr_id": "0_0", "trajectory": [["a"], ["b"]]},
      {"instr_id": "0_1", "trajectory": [["a"], ["b"], ["c"]]},
      {"instr_id": "1_0", "trajectory": [["a"]]}])";
    files.texts["second"] = R"([{"instr_id": "0_0", "trajectory": [["a"], ["b"], ["c"]]},
      {"instr_id": "1_0", "trajectory": [["a"], ["b"]]}])";
    return files;
  }

  // Copies NE and SR, the error taken from the paths.
  static OwnMetrics copies() {
    OwnMetrics own;
    own.metrics = {{"Error", Unit::length, Better::lower},
                   {"Success", Unit::fraction, Better::higher}};
    own.compute = [](const ItemPaths& paths, std::span<OwnValue> values) {
      const double error = paths.distance(paths.query.back(), paths.reference.back());
      values[0].value = error;
      values[1] = {error <= 3.0 ? 1.0 : 0.0, true};
    };
    return own;
  }

  static std::string refusal_of(const OwnMetrics& own) {
    Evaluator evaluator(files());
    Convention convention;
    convention.missing = Missing::skip;
    return error_of_call<Error>([&] { evaluator.evaluate(convention, {.own = own}); });
  }

  static OwnMetrics constant(const std::string& name, Unit unit, double value) {
    return {{{name, unit}},
            [value](const ItemPaths&, std::span<OwnValue> values) { values[0].value = value; }};
  }
};

void expect_equal(const Estimate& own, const Estimate& other) {
  EXPECT_EQ(own.n, other.n);
  EXPECT_EQ(own.of, other.of);
  EXPECT_EQ(own.clusters, other.clusters);
  EXPECT_EQ(own.mean, other.mean);
  EXPECT_EQ(own.ci95, other.ci95);
}

TEST_F(OwnMetricsOfItems, AreSummarisedAsOthersAre) {
  for (const Missing missing : {Missing::skip, Missing::zero}) {
    for (const Interval interval : {Interval::path, Interval::bootstrap}) {
      Convention convention;
      convention.missing = missing;
      Evaluator evaluator(files());
      const auto runs = evaluator.evaluate(convention, {.interval = interval, .own = copies()});
      for (const AgentResult& run : runs) {
        expect_equal(run.summary.own[0], run.summary.of(Metric::NE));
        expect_equal(run.summary.own[1], run.summary.of(Metric::SR));
        EXPECT_TRUE(run.own[1].is_rate);
        EXPECT_FALSE(run.own[0].is_rate);
      }
      EXPECT_EQ(runs[1].summary.own[0].n, 2u);
      EXPECT_EQ(runs[1].summary.own[1].n, missing == Missing::zero ? 3u : 2u);
      const auto group = group_runs(runs, convention, interval).front();
      expect_equal(group.summary.own[0], group.summary.of(Metric::NE));
      EXPECT_EQ(group.own_deviations[0], group.deviations[Metric::NE]);
      const auto by_length = warpath::group(runs[0], GroupBy::length, convention, interval);
      expect_equal(by_length[0].summary.own[1], by_length[0].summary.of(Metric::SR));
    }
  }
}

TEST_F(OwnMetricsOfItems, AreNotComputedOfRunsThatAreRefused) {
  OwnMetrics own = constant("Mine", Unit::fraction, 1);
  EvalFiles of_second = files();
  int calls = 0;
  own.compute = [&](const ItemPaths&, std::span<OwnValue>) { ++calls; };
  of_second.predictions = {"second"};
  of_second.names = {};
  of_second.runs = false;
  Evaluator evaluator(of_second);
  Convention convention;  // refuses items without a prediction
  EXPECT_THROW(evaluator.evaluate(convention, {.own = own}), InputError);
  EXPECT_EQ(calls, 0);
  convention.missing = Missing::skip;
  evaluator.evaluate(convention, {.own = own});
  EXPECT_EQ(calls, 2);
}

TEST_F(OwnMetricsOfItems, NeedNamesOfTheirOwn) {
  EXPECT_NE(refusal_of(constant("ndtw", Unit::fraction, 0)).find("is called ndtw already"),
            std::string::npos);
  for (const char* none : {"", "1st", "a,b", "a|b", "two words", "näher"}) {
    EXPECT_NE(refusal_of(constant(none, Unit::fraction, 0)).find("is no name"), std::string::npos)
        << none;
  }
  for (const char* other : {"instr_id", "Language", "groups", "nav_error", "Mine_N"}) {
    EXPECT_NE(refusal_of(constant(other, Unit::fraction, 0)).find("of another column"),
              std::string::npos)
        << other;
  }
  OwnMetrics twice = copies();
  twice.metrics[1].name = "error";
  EXPECT_NE(refusal_of(twice).find("is there twice"), std::string::npos);
  EXPECT_NE(refusal_of({{{"Mine"}}, {}}).find("need a function"), std::string::npos);
}

TEST_F(OwnMetricsOfItems, AreRefusedOutOfTheirRange) {
  EXPECT_EQ(refusal_of(constant("Mine", Unit::fraction, 1.5)),
            "first: 0_0: Mine: is 1.5, but a fraction lies in [0, 1]; declare the metric with "
            "another unit, such as length or count");
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_NE(refusal_of(constant("Mine", Unit::count, infinite)).find("Mine: is infinite"),
            std::string::npos);
  EXPECT_EQ(refusal_of(constant("Mine", Unit::count, -1e12)),
            "first: 0_0: Mine: is -1e+12, which is beyond 1e9; return it in a larger unit");
  EXPECT_EQ(refusal_of(constant("Mine", Unit::count, -7.5)), "");
}

TEST_F(OwnMetricsOfItems, MayBeUndefined) {
  Evaluator evaluator(files());
  Convention convention;
  convention.missing = Missing::zero;
  const auto runs =
      evaluator.evaluate(convention, {.own = constant("Mine", Unit::fraction, std::nan(""))});
  EXPECT_EQ(runs[0].summary.own[0].n, 0u);
  EXPECT_FALSE(runs[0].summary.own[0].mean);
  EXPECT_EQ(runs[1].summary.own[0].n, 1u);  // its missing item, which counts 0
}

}  // namespace
}  // namespace warpath::testing
