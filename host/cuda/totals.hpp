#pragma once

#include "host/cuda/memory.hpp"
#include "kernels/aggregate.hpp"
#include "warpath/summary.hpp"

namespace warpath::cuda {

/// How a column of that unit is counted so that the host's Aggregate and Histogram come of it.
kernels::ColumnRules column_rules(Unit unit);

/// Sums, range and histogram of what was counted. @throws std::overflow_error
Aggregate read_aggregate(const kernels::ColumnTotals& column, Metric metric);

/// The totals of a batch on a device.
class DeviceTotals {
 public:
  /// Returns when they are 0.
  DeviceTotals(Device& device, const MetricSet& metrics);

  /// For chunks to put their own arrays in.
  const kernels::AggregateView& view() const { return view_; }
  /// @pre all that adds to them is done. @throws std::overflow_error
  BatchSummary read(std::size_t pairs);

 private:
  Device& device_;
  OwnedStream stream_;
  Mirror<kernels::BatchTotals> totals_;
  kernels::AggregateView view_{};
};

}  // namespace warpath::cuda
