#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "host/checks/scans.hpp"
#include "tests/support/score_pair.hpp"
#include "warpath/rewards.hpp"

namespace warpath::testing {

/// Holds two scans of 12 and 4 viewpoints; reference 0 is in the first, reference 1 in the second.
struct Small {
  const Grid wide{4, 3}, narrow{4, 1};
  std::vector<const Scan*> scans = {&wide.scan, &narrow.scan};
  std::vector<std::uint32_t> scan_of = {0, 1};
  PathSet references = checks::path_set({{0, 1, 2, 6}, {0, 1, 2}});

  Rewards rewards(const RewardSettings& settings, const RewardOptions& options = {}) const {
    return {scans, references, scan_of, settings, options};
  }
  Rewards rewards(const char* preset = "babywalk-mix", const RewardOptions& options = {}) const {
    return rewards(find_reward_preset(preset).settings, options);
  }
};

/// Expects the text of an error to have both parts.
inline void expect_error(const std::string& error, const std::string& item,
                         const std::string& problem) {
  EXPECT_NE(error.find(item), std::string::npos) << error;
  EXPECT_NE(error.find(problem), std::string::npos) << error;
}

}  // namespace warpath::testing
