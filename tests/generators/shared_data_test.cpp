// Tests the agents and perturbations on R2R: against files that the simulator's own agents wrote.

#include <gtest/gtest.h>

#include <map>

#include "host/files/evaluation/inputs.hpp"
#include "host/files/generators/baseline_predictions.hpp"
#include "host/files/generators/perturbed_predictions.hpp"
#include "tests/support/golden.hpp"
#include "warpath/evaluate.hpp"

namespace warpath::testing {
namespace {

class R2rAgents : public ::testing::Test {
 protected:
  void SetUp() override {
    if (data_folder().empty()) GTEST_SKIP() << "no real data: set WARPATH_DATA to their folder";
  }

  static EvalFiles val_seen() {
    EvalFiles files;
    files.graph_store = real_graphs();
    files.dataset = data_folder() + "/R2R_val_seen.json";
    return files;
  }

  static ItemSummary score(Evaluator& evaluator, const Convention& convention) {
    return evaluator.evaluate(convention, {Backend::cpu, Interval::none}).front().summary;
  }

  // Scores a text of predictions for the items of val_seen.
  static ItemSummary score_text(std::unique_ptr<evaluation::Inputs> inputs, std::string text,
                                const Convention& convention) {
    inputs->agents.clear();
    inputs->agents.push_back(
        formats::parse_predictions("made", std::move(text), inputs->viewpoints));
    Evaluator evaluator(std::move(inputs));
    return score(evaluator, convention);
  }

  static ItemSummary score_agent(const generators::Baseline& baseline) {
    auto inputs = std::make_unique<evaluation::Inputs>(val_seen());
    std::string text = generators::baseline_predictions(baseline, *inputs);
    return score_text(std::move(inputs), std::move(text), {});
  }

  // Scores a file that the simulator's agent wrote.
  static ItemSummary score_shared(const std::string& agent) {
    EvalFiles files = val_seen();
    files.predictions = {data_folder() + "/agents/R2R_val_seen_" + agent + ".json.gz"};
    Evaluator evaluator(files);
    return score(evaluator, {});
  }

  static double mean(const ItemSummary& summary, Metric metric) { return *summary.of(metric).mean; }
};

TEST_F(R2rAgents, StopAndShortestScoreAsTheSimulatorsAgents) {
  for (const BaselineAgent agent : {BaselineAgent::stop, BaselineAgent::shortest}) {
    const ItemSummary ours = score_agent({agent}), theirs = score_shared(std::string(name(agent)));
    for (const Metric metric : {Metric::PL, Metric::NE, Metric::ONE, Metric::SR, Metric::OSR,
                                Metric::SPL, Metric::nDTW, Metric::SDTW, Metric::CLS}) {
      EXPECT_NEAR(mean(ours, metric), mean(theirs, metric), 1e-6) << name(agent);
    }
  }
}

TEST_F(R2rAgents, ReferenceFollowsEveryReference) {
  const ItemSummary scores = score_agent({BaselineAgent::reference});
  EXPECT_EQ(mean(scores, Metric::nDTW), 1.0);
  EXPECT_EQ(mean(scores, Metric::NE), 0.0);
}

TEST_F(R2rAgents, RandomHeadingSucceedsAsOftenAsTheSimulatorsAgent) {
  const ItemSummary theirs = score_shared("simrandom");
  constexpr int seeds = 20;
  std::map<Metric, double> sums{{Metric::SR, 0.0}, {Metric::OSR, 0.0}};
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const ItemSummary ours = score_agent({BaselineAgent::random_heading, seed});
    for (auto& [metric, sum] : sums) sum += mean(ours, metric);
  }
  for (const auto& [metric, sum] : sums) {
    EXPECT_NEAR(sum / seeds, mean(theirs, metric), 0.02);
  }
}

TEST_F(R2rAgents, OracleStopEndsWhereItsAgentCameNearest) {
  EvalFiles files = val_seen();
  files.predictions = {data_folder() + "/agents/R2R_val_seen_prevalent_seq2seq.json.gz"};
  auto inputs = std::make_unique<evaluation::Inputs>(files);
  std::string text = generators::baseline_predictions({BaselineAgent::oracle_stop}, *inputs);
  const ItemSummary cut = score_text(std::move(inputs), std::move(text), {});
  const ItemSummary whole = score_shared("prevalent_seq2seq");
  EXPECT_EQ(mean(cut, Metric::NE), mean(whole, Metric::ONE));
  EXPECT_EQ(mean(cut, Metric::SR), mean(whole, Metric::OSR));
  EXPECT_EQ(mean(cut, Metric::OSR), mean(whole, Metric::OSR));
}

TEST_F(R2rAgents, PerturbationsOfValSeenAreScored) {
  for (const auto kind :
       {Perturbation::random_walk, Perturbation::reversal, Perturbation::viewpoint_swap}) {
    auto inputs = std::make_unique<evaluation::Inputs>(val_seen());
    const generators::PerturbedPredictions made =
        generators::perturbed_predictions(kind, 1, *inputs);
    EXPECT_EQ(made.perturbed + made.without, 1021u);
    EXPECT_GT(made.perturbed, 1000u) << name(kind);
    EXPECT_LT(made.broken, 30u) << name(kind);
    Convention convention;
    convention.start = Check::note;
    convention.adjacency = Check::note;
    convention.missing = Missing::skip;
    const ItemSummary scores = score_text(std::move(inputs), made.text, convention);
    EXPECT_EQ(scores.of(Metric::nDTW).n, made.perturbed);
    EXPECT_LT(mean(scores, Metric::nDTW), 0.9) << name(kind);
  }
}

}  // namespace
}  // namespace warpath::testing
