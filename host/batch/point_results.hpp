#pragma once

#include <cstdint>

#include "kernels/metrics/metric_formulas.hpp"
#include "warpath/points.hpp"

// What the back ends in single precision have in common around their kernels of continuous paths.

namespace warpath::batch {

/// The convention as those kernels read it.
kernels::Rules point_rules(const PointBatch& batch, const Convention& convention,
                           const MetricSet& metrics);

/// Writes what no kernel makes of a row: status, zero rules and counts.
class PointResults {
 public:
  PointResults(const PointBatch& batch, const MetricSet& metrics, Scores& scores);

  /// @param flags the kernel's bits. Different rows may be written by different threads.
  void write(std::size_t row, std::uint32_t flags) const;

 private:
  const PointBatch& batch_;
  const MetricSet metrics_;
  Scores& scores_;
  const std::uint32_t asked_flags_;
};

}  // namespace warpath::batch
