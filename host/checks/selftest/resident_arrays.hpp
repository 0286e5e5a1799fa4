#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/checks/selftest/order.hpp"
#include "host/core/cuda/arrays.hpp"
#include "warpath/metrics.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"
#include "warpath/views.hpp"

// Lays batches out in a device's memory, in the forms that batches there may have, and reads scores
// back. Constructors copy everything and wait.

namespace warpath::selftest {

/// Says how a batch lies on the device.
struct Form {
  std::uint8_t id_bytes;      ///< of a viewpoint
  std::uint8_t number_bytes;  ///< of a length, an offset and a number of a reference or scan
  bool in_rows;               ///< rows of equal length; otherwise one path after the other
};

/// Holds integers of any width.
class IntegersOnDevice {
 public:
  IntegersOnDevice(cuda::Device& device, std::span<const std::int64_t> values, std::uint8_t width);
  Integers view() const { return {bytes_.data(), width_}; }

 private:
  std::uint8_t width_;
  cuda::DeviceArray<std::uint8_t> bytes_;
};

/// Holds where paths lie. Rows have a gap behind the longest path.
class LayoutOnDevice {
 public:
  /// @param sizes by path
  LayoutOnDevice(cuda::Device& device, std::span<const std::int64_t> sizes, const Form& form);
  Layout view() const;

 private:
  std::uint32_t max_length_;
  bool in_rows_;
  IntegersOnDevice numbers_;  // lengths of rows, or offsets
};

/// Holds paths of viewpoints. Ids in gaps are -1.
class PathsOnDevice {
 public:
  /// @param which the numbers of the paths, in the order in which they are to lie
  PathsOnDevice(cuda::Device& device, const PathSet& paths, const Order& which, const Form& form);
  PathsView view() const { return {viewpoints_.view(), layout_.view()}; }

 private:
  LayoutOnDevice layout_;
  IntegersOnDevice viewpoints_;
};

/// Holds continuous paths, as floats. Coordinates in gaps are NaN.
class PointsOnDevice {
 public:
  PointsOnDevice(cuda::Device& device, const PointSet& paths, const Order& which, const Form& form);
  PathsView view() const { return {points_.data(), layout_.view()}; }

 private:
  LayoutOnDevice layout_;
  cuda::DeviceArray<float> points_;
};

/// Holds what a batch says of its pairs beside their paths.
class PairsOnDevice {
 public:
  PairsOnDevice(cuda::Device& device, std::span<const std::int64_t> reference_of,
                std::span<const std::uint8_t> active, std::span<const double> task_success,
                const Form& form);
  /// Enters everything but paths.
  void enter(Batch& batch) const {
    batch.count = static_cast<std::uint32_t>(active_.size());
    batch.reference = reference_of_.view();
    batch.active = active_.data();
    batch.task_success = task_success_.data();
  }

 private:
  IntegersOnDevice reference_of_;
  cuda::DeviceArray<std::uint8_t> active_;
  cuda::DeviceArray<float> task_success_;
};

/// Receives the scores of a batch on the device.
class ResultsOnDevice {
 public:
  /// @param metrics that are asked for; of those, the ones that kernels compute get a column
  ResultsOnDevice(cuda::Device& device, const MetricSet& metrics, std::uint32_t count);

  /// Starts to fill everything with a mark.
  void mark(cuda::Stream stream);
  ScoreArrays view() const;
  /// Starts to copy everything back.
  void download(cuda::Stream stream);

  const MetricSet& columns() const { return columns_; }
  /// Returns the scores of these rows, in this order. @pre downloaded, as for the next
  Scores scores(const Order& rows) const;
  /// Tells whether all of a row still has its mark.
  bool is_marked(std::size_t row) const;

 private:
  cuda::Device& device_;
  const MetricSet metrics_;
  MetricSet columns_;
  std::uint32_t count_;
  cuda::HostDeviceArray<float> values_;  // [column][row]
  cuda::HostDeviceArray<std::uint32_t> flags_;
};

}  // namespace warpath::selftest
