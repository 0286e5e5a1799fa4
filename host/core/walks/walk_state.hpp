#pragma once

#include <vector>

#include "host/core/walks/walk_tables.hpp"
#include "warpath/random_walks.hpp"

namespace warpath {

/// Holds what defines random walks.
struct RandomWalks::State {
  std::vector<const Scan*> scans;
  PathSet references;
  std::vector<std::uint32_t> scan_of;  // by reference
  StepCounts steps;
  std::uint32_t step_count = 0;  // sum of their counts
  std::uint64_t seed = 0;
  WalkSample sample = WalkSample::cycle;
};

}  // namespace warpath
