#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/checks/compare_points.hpp"
#include "host/checks/selftest/selftest.hpp"

namespace warpath::selftest {

/// Describes a way to score continuous paths, for all metrics.
struct ScoringVariant {
  std::string name;
  std::function<Scores(const PointBatch&, const Convention&)> score;
};

/// Checks that all variants give the same bits, and the first of them the reference's numbers.
class PointChecks {
 public:
  /// @pre there is at least one variant
  explicit PointChecks(std::vector<ScoringVariant> ways)
      : ways_(std::move(ways)), same_(ways_.size()) {}

  void add(const PointBatch& batch, const Convention& convention);

  /// Returns a line for the reference and one for each variant but the first. A failed check names
  /// the first wrong value.
  std::vector<Check> results() const;

 private:
  std::vector<ScoringVariant> ways_;
  checks::Mismatches against_reference_;
  std::vector<checks::Mismatches> same_;
};

/// Tests a back end's continuous paths: one synthetic pair for each five of options.pairs, and
/// fewer for the settings.
/// @throws InputError for cuda if there is no device
std::vector<Check> check_points(const SelftestOptions& options);

}  // namespace warpath::selftest
