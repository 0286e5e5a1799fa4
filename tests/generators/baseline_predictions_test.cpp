// Tests how the predictions of simple agents are made; tests/cli tests what they are.

#include "host/files/generators/baseline_predictions.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/files.hpp"

namespace warpath::testing {
namespace {

TEST(BaselinePredictions, DoNotDependOnTheLimitOfDistances) {
  EvalFiles files;
  files.graphs = source("tests/golden/connectivity");
  files.dataset = source("tests/golden/dataset.json");
  files.predictions = {source("tests/golden/predictions.json")};
  evaluation::Inputs inputs(files);
  generators::Baseline baseline{BaselineAgent::oracle_stop};
  const std::string text = generators::baseline_predictions(baseline, inputs);
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(text, '{')),
            inputs.agents.front().entries.size());
  baseline.max_distance_bytes = 0;
  EXPECT_EQ(generators::baseline_predictions(baseline, inputs), text);
}

}  // namespace
}  // namespace warpath::testing
