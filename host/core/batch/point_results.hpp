#pragma once

#include <cstdint>

#include "kernels/views/rules.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"

// Defines what both fast back ends share around their kernels of continuous paths.

namespace warpath::batch {

/// Translates a convention and a set of metrics for those kernels.
kernels::Rules point_rules(const PointBatchView& batch, const Convention& convention,
                           const MetricSet& metrics);

/// Writes the part of a row that no kernel computes: status, zero rules and counts. Several threads
/// may write different rows.
template <class T>
class PointResults {
 public:
  PointResults(const PointBatchView& batch, const ScoreColumns<T>& columns);

  /// @param flags the flags that the kernel returned
  void write(std::size_t row, std::uint32_t flags) const;

 private:
  const PointBatchView batch_;
  const ScoreColumns<T> columns_;
  const MetricSet counts_;
  const std::uint32_t asked_flags_;
};
extern template class PointResults<float>;
extern template class PointResults<double>;

}  // namespace warpath::batch
