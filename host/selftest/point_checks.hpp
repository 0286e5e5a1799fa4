#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/selftest/compare_points.hpp"
#include "host/selftest/selftest.hpp"

namespace warpath::selftest {

/// A way to score continuous paths, all metrics.
struct ScoringVariant {
  std::string name;
  std::function<Scores(const PointBatch&, const Convention&)> score;
};

/// Ways that have to give the same bits, the first of them also the reference's numbers.
class PointChecks {
 public:
  /// @pre there is one
  explicit PointChecks(std::vector<ScoringVariant> ways)
      : ways_(std::move(ways)), same_(ways_.size()) {}

  void add(const PointBatch& batch, const Convention& convention);

  /// A line for the reference and one for each way but the first. One that fails names the first
  /// value that is wrong.
  std::vector<Check> results() const;

 private:
  std::vector<ScoringVariant> ways_;
  PointComparison against_reference_;
  std::vector<PointComparison> same_;
};

/// Tests a back end's continuous paths: one made-up pair for each five of options.pairs, and fewer
/// for the settings.
/// @throws InputError for cuda where there is no device
std::vector<Check> check_points(const SelftestOptions& options);

}  // namespace warpath::selftest
