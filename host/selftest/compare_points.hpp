#pragma once

#include <cstddef>
#include <string>

#include "host/definitions/metric_traits.hpp"
#include "warpath/convention.hpp"
#include "warpath/scorer.hpp"
#include "warpath/scores.hpp"

namespace warpath::selftest {

/// What the rounding of single precision may do to the metrics of one pair of continuous paths, of
/// its coordinates and of the sums.
class PointRounding {
 public:
  /// @param expected the reference back end's scores, all metrics
  PointRounding(const PointBatch& batch, const Scores& expected, std::size_t row,
                const Convention& convention);

  /// The metric may be off by so much, in its own unit.
  double allowed(Metric m) const;

 private:
  double value(Metric m) const { return expected_.at(m, row_); }
  double of_dtw() const;
  double of_ndtw(Metric m) const;

  const Scores& expected_;
  std::size_t row_;
  const Convention& convention_;
  PathSizes sizes_;
  double distance_;  // one distance, metres
  double points_;    // |R| + |Q|
  double coverage_;  // relative
};

/// How a number of values compare with what is expected.
struct PointComparison {
  std::size_t cases = 0, wrong = 0;
  double worst = 0.0;  ///< the largest difference, in what is allowed
  std::string first;   ///< the first that is wrong: metric or status, of which pair

  void add(const PointComparison& other);
};

/// Every metric to what rounding may do to it, statuses and zero rules exactly.
/// @param expected the reference back end's; both have all metrics, a row for each pair
PointComparison compare_with_reference(const Scores& got, const Scores& expected,
                                       const PointBatch& batch, const Convention& convention);

/// All of it to the last bit; NaNs count as the same.
PointComparison compare_bits(const Scores& got, const Scores& expected, const PointBatch& batch,
                             const Convention& convention);

}  // namespace warpath::selftest
