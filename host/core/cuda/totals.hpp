#pragma once

#include "host/core/cuda/arrays.hpp"
#include "kernels/views/statistics.hpp"
#include "warpath/batch_statistics.hpp"

namespace warpath::cuda {

/// Returns how to count a column of that unit so that it gives the host's Statistics and Histogram.
kernels::ColumnRules column_rules(Unit unit);

/// Returns the statistics of a counted column. @throws std::overflow_error
Statistics read_statistics(const kernels::ColumnTotals& column, Metric metric);

/// Returns the view that adds to `totals`, without the arrays of any results.
kernels::AggregateView totals_view(const MetricSet& metrics, kernels::BatchTotals* totals);

/// Returns the statistics of counted totals. @throws std::overflow_error
BatchStatistics statistics_of(const kernels::BatchTotals& totals);

/// Holds the totals of a batch on a device.
class DeviceTotals {
 public:
  /// Clears the totals and waits.
  DeviceTotals(Device& device, const MetricSet& metrics);

  /// Returns the view to which chunks add their own arrays.
  const kernels::AggregateView& view() const { return view_; }
  /// Clears the totals on a stream, without waiting.
  void clear_async(Stream stream);
  /// Copies the totals back and returns their statistics. @pre all that adds to them is finished
  /// @throws std::overflow_error
  BatchStatistics read();

 private:
  Device& device_;
  HostDeviceArray<kernels::BatchTotals> totals_;
  kernels::AggregateView view_{};
  UniqueStream stream_;
};

}  // namespace warpath::cuda
