// One call for every back end: what scores come to is what their columns add up to.

#include <gtest/gtest.h>

#include "tests/support/pair_cases.hpp"
#include "warpath/score.hpp"

namespace warpath::testing {
namespace {

class Summarize : public ::testing::TestWithParam<Backend> {};
INSTANTIATE_TEST_SUITE_P(BackEnds, Summarize, ::testing::Values(Backend::reference, Backend::cpu),
                         [](const auto& given) { return std::string(name(given.param)); });

TEST_P(Summarize, IsWhatTheColumnsAddUpTo) {
  RandomBatch made(run_seed() + 400);
  made.add_pairs(300, 20, 30);
  BatchSummary want;
  want.add(score(made.batch(), {}, GetParam()));
  const BatchSummary got = summarize(made.batch(), {}, GetParam());
  EXPECT_TRUE(got == want);
  EXPECT_EQ(got.summary.items, made.batch().pairs.size());
  EXPECT_GT(got.summary.of(Metric::nDTW).n(), 0u);
}

TEST_P(Summarize, HasOnlyWhatWasAskedFor) {
  RandomBatch made(run_seed() + 401);
  made.add_pairs(300, 20, 30);
  MetricSet asked;
  asked.set(static_cast<std::size_t>(Metric::nDTW));
  const BatchSummary all = summarize(made.batch(), {}, GetParam());
  const BatchSummary some = summarize(made.batch(), {}, GetParam(), asked);
  EXPECT_EQ(some.summary.of(Metric::SPL).n(), 0u);
  EXPECT_EQ(some.summary.of(Metric::nDTW).mean(), all.summary.of(Metric::nDTW).mean());
  EXPECT_TRUE(some.histogram(Metric::nDTW) == all.histogram(Metric::nDTW));
}

}  // namespace
}  // namespace warpath::testing
