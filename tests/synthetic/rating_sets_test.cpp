#include "host/program/synthetic/rating_sets.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "warpath/distances.hpp"
#include "warpath/error.hpp"

namespace warpath::synthetic {
namespace {

RatingOptions with(std::vector<RatingScenario> scenarios) {
  RatingOptions options;
  options.scenarios = std::move(scenarios);
  return options;
}

TEST(RatingSets, EveryQueryOfTheSecondScenarioSucceeds) {
  const RatingStudy study = make_rating_sets(with({{30, false}, {20, true}}));
  ASSERT_EQ(study.scenarios.size(), 2u);
  EXPECT_EQ(study.scenarios[0].size(), 30u);
  EXPECT_EQ(study.scenarios[1].size(), 20u);
  Distances metres(study.scan, Distance::euclid_3d);
  int failures = 0;
  for (const RatingSet& set : study.scenarios[0]) {
    for (const Path& query : set.queries) {
      failures += metres.row(query.back())[set.reference.back()] > study.threshold_m;
    }
  }
  EXPECT_GT(failures, 75);  // of 150
  for (const RatingSet& set : study.scenarios[1]) {
    for (const Path& query : set.queries) {
      EXPECT_LE(metres.row(query.back())[set.reference.back()], study.threshold_m);
    }
  }
}

TEST(RatingSets, QueriesDifferAndShareTheStart) {
  const RatingStudy study = make_rating_sets(with({{40, true}}));
  for (const RatingSet& set : study.scenarios[0]) {
    EXPECT_EQ(std::set<Path>(set.queries.begin(), set.queries.end()).size(), 5u);
    for (const Path& query : set.queries) EXPECT_EQ(query.front(), set.reference.front());
  }
}

TEST(RatingSets, FreeQueriesStartAnywhere) {
  RatingOptions options = with({{10, false}});
  options.shares_start = false;
  const RatingStudy study = make_rating_sets(options);
  std::set<Node> starts;
  for (const RatingSet& set : study.scenarios[0]) {
    for (const Path& query : set.queries) starts.insert(query.front());
  }
  EXPECT_GT(starts.size(), 30u);
}

TEST(RatingSets, ASeedGivesTheSameSets) {
  RatingOptions options = with({{3, false}});
  const auto first = make_rating_sets(options).scenarios[0];
  const auto second = make_rating_sets(options).scenarios[0];
  options.seed = 2;
  const auto other = make_rating_sets(options).scenarios[0];
  for (std::size_t s = 0; s < first.size(); ++s) EXPECT_EQ(first[s].queries, second[s].queries);
  EXPECT_NE(first[0].queries, other[0].queries);
}

TEST(RatingSets, RefuseWhatNobodyCouldRank) {
  RatingOptions options = with({{1, false}});
  for (const int queries : {-1, 0, 1, 27}) {
    options.queries = queries;
    EXPECT_THROW(make_rating_sets(options), UsageError) << queries;
  }
  EXPECT_THROW(make_rating_sets(with({{-1, false}})), UsageError);
}

TEST(RatingSets, WhatTheCallerThrowsEndsTheCall) {
  int sets = 0;
  const auto end = [&] {
    if (++sets == 3) throw std::runtime_error("ended");
  };
  EXPECT_THROW(make_rating_sets(with({{100, false}}), end), std::runtime_error);
  EXPECT_EQ(sets, 3);
}

}  // namespace
}  // namespace warpath::synthetic
