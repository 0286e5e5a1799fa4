#pragma once

#include <cstddef>

#include "host/checks/compare.hpp"
#include "host/core/definitions/metric_traits.hpp"
#include "warpath/convention.hpp"
#include "warpath/scorer.hpp"
#include "warpath/scores.hpp"

namespace warpath::checks {

/// Computes how far single-precision rounding, of coordinates and of sums, may move the metrics of
/// one pair of continuous paths.
class PointRounding {
 public:
  /// @param expected scores of the reference back end, all metrics
  PointRounding(const PointBatch& batch, const Scores& expected, std::size_t row,
                const Convention& convention);

  /// Returns the largest allowed difference of a metric, in its unit.
  double allowed(Metric m) const;

 private:
  double value(Metric m) const { return expected_.at(m, row_); }
  double of_dtw() const;
  double of_ndtw(Metric m) const;

  const Scores& expected_;
  std::size_t row_;
  const Convention& convention_;
  definitions::PathSizes sizes_;
  double distance_;  // of one distance, metres
  double points_;    // |R| + |Q|
  double coverage_;  // relative
};

/// Counts the values that are further off than rounding may bring them; statuses and zero rules
/// must be equal. The first is named by metric or status, and its pair.
/// @param expected scores of the reference back end; both have all metrics, a row for each pair
Mismatches compare_with_reference(const Scores& got, const Scores& expected,
                                  const PointBatch& batch, const Convention& convention);

/// Counts all that differs in its bits and names the first likewise; NaNs count as the same.
Mismatches compare_bits(const Scores& got, const Scores& expected, const PointBatch& batch,
                        const Convention& convention);

}  // namespace warpath::checks
