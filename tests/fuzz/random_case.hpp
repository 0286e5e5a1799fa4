#pragma once

#include <string>
#include <vector>

#include "tests/fuzz/targets.hpp"
#include "warpath/convention.hpp"
#include "warpath/graph.hpp"
#include "warpath/metrics.hpp"
#include "warpath/paths.hpp"

namespace warpath::fuzz {

/// What there is to score: small scans, paths on them, a convention and the metrics asked for.
struct RandomCase {
  std::vector<Scan> scans;
  PairBatch batch;  ///< points to the scans
  Convention convention;
  MetricSet metrics;  ///< never empty

  /// Makes a case of any bytes; those that are missing count as 0.
  explicit RandomCase(Bytes bytes);
  RandomCase(const RandomCase&) = delete;
  RandomCase& operator=(const RandomCase&) = delete;

  /// Describes everything, for the message of a failure.
  std::string text() const;
};

}  // namespace warpath::fuzz
