#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "host/program/synthetic/study.hpp"

namespace warpath::synthetic {

/// Holds paths that a person ranks beside each other: queries that differ, and their reference.
struct RatingSet {
  Path reference;
  std::vector<Path> queries;
};

/// Says how many sets there are of a kind (Ilharco et al. 2019, 4.1: UC is unconstrained, in SC
/// every query ends within the threshold of the reference's end).
struct RatingScenario {
  int sets = 0;
  bool only_successes = false;
};

struct RatingOptions {
  std::uint64_t seed = 1;
  int queries = 5;           ///< of each set, 2 to 26
  bool shares_start = true;  ///< queries start where the reference does, else at a random node
  std::vector<RatingScenario> scenarios{};
};

struct RatingStudy {
  Scan scan;
  double threshold_m = 0.0;
  std::vector<std::vector<RatingSet>> scenarios;  ///< sets, by scenario
};

/// Draws the environment of `make_study`, with its defaults, and sets on it.
/// @param after_set is called after each set; what it throws ends the call.
/// @throws UsageError if an option is out of range, or 100,000 draws give no query that a set
/// lacks.
RatingStudy make_rating_sets(
    const RatingOptions& options, const std::function<void()>& after_set = [] {});

}  // namespace warpath::synthetic
