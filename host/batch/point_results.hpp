#pragma once

#include <cstdint>

#include "kernels/metrics/metric_formulas.hpp"
#include "warpath/points.hpp"

// What the back ends in single precision share around their kernels of continuous paths.

namespace warpath::batch {

/// Translates a convention and a set of metrics for those kernels.
kernels::Rules point_rules(const PointBatch& batch, const Convention& convention,
                           const MetricSet& metrics);

/// Writes what no kernel computes of a row: status, zero rules and counts.
class PointResults {
 public:
  PointResults(const PointBatch& batch, const MetricSet& metrics, Scores& scores);

  /// @param flags the kernel's bits. Different rows may be written by different threads.
  void write(std::size_t row, std::uint32_t flags) const;

 private:
  const PointBatch& batch_;
  const MetricSet counts_;
  Scores& scores_;
  const std::uint32_t asked_flags_;
};

}  // namespace warpath::batch
