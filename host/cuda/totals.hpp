#pragma once

#include "host/cuda/arrays.hpp"
#include "kernels/bodies/statistics.hpp"
#include "warpath/batch_statistics.hpp"

namespace warpath::cuda {

/// Returns how a column of that unit is counted so that the host's Statistics and Histogram come of
/// it.
kernels::ColumnRules column_rules(Unit unit);

/// Returns the statistics of what was counted. @throws std::overflow_error
Statistics read_statistics(const kernels::ColumnTotals& column, Metric metric);

/// Holds the totals of a batch on a device.
class DeviceTotals {
 public:
  /// Sets them to 0 and waits.
  DeviceTotals(Device& device, const MetricSet& metrics);

  /// For chunks to put their own arrays in.
  const kernels::AggregateView& view() const { return view_; }
  /// Reads them back as the statistics of `pairs` pairs. @pre all that adds to them is done.
  /// @throws std::overflow_error
  BatchStatistics read(std::size_t pairs);

 private:
  Device& device_;
  UniqueStream stream_;
  HostDeviceArray<kernels::BatchTotals> totals_;
  kernels::AggregateView view_{};
};

}  // namespace warpath::cuda
