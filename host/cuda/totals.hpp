#pragma once

#include "host/cuda/arrays.hpp"
#include "kernels/bodies/statistics.hpp"
#include "warpath/batch_statistics.hpp"

namespace warpath::cuda {

/// Returns how to count a column of that unit so that it gives the host's Statistics and Histogram.
kernels::ColumnRules column_rules(Unit unit);

/// Returns the statistics of a counted column. @throws std::overflow_error
Statistics read_statistics(const kernels::ColumnTotals& column, Metric metric);

/// Holds the totals of a batch on a device.
class DeviceTotals {
 public:
  /// Clears the totals and waits.
  DeviceTotals(Device& device, const MetricSet& metrics);

  /// Returns the view to which chunks add their own arrays.
  const kernels::AggregateView& view() const { return view_; }
  /// Copies the totals back and returns the statistics of `pairs` pairs. @pre all that adds to them
  /// is finished
  /// @throws std::overflow_error
  BatchStatistics read(std::size_t pairs);

 private:
  Device& device_;
  HostDeviceArray<kernels::BatchTotals> totals_;
  UniqueStream stream_;
  kernels::AggregateView view_{};
};

}  // namespace warpath::cuda
