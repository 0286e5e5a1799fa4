#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/checks/reward_runs.hpp"
#include "tests/support/pair_cases.hpp"

namespace warpath::testing {

using checks::FloatsOnDevice;
using checks::Form;
using checks::IntegersOnDevice;
using checks::PathsOnDevice;
using checks::RewardRuns;
using checks::Rollouts;
using checks::RolloutsOnDevice;

/// Expects that something was compared, and that nothing differs.
inline void expect_none(const checks::Mismatches& found, const std::string& how) {
  EXPECT_GT(found.cases, 0u) << how;
  EXPECT_EQ(found.count, 0u) << how << ": " << found.first << ", seed " << run_seed();
}

inline void expect_bits(const std::vector<float>& got, const std::vector<float>& want,
                        const std::string& how) {
  expect_none(checks::compare_bits(got, want, how), how);
}

/// Runs the episodes in every way but forks.
inline void track_episodes(RewardRuns& runs) {
  runs.reset();
  for (std::uint32_t t = 1; t < 5; ++t) runs.step(t, false);
  runs.finish();
  runs.extend();
  runs.reset_some();
  runs.step(1, true);
  runs.finish();
}

inline void fork_episodes(RewardRuns& runs) {
  runs.reset();
  runs.step(1, false);
  runs.fork();
  runs.step(2, false);
  runs.finish();
}

}  // namespace warpath::testing
