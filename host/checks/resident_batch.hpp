#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/checks/device_arrays.hpp"
#include "host/checks/host_paths.hpp"
#include "host/checks/order.hpp"
#include "warpath/metrics.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"
#include "warpath/views.hpp"

// Lays batches out in a device's memory, in the forms that batches there may have, and reads scores
// back. Constructors copy everything and wait.

namespace warpath::checks {

/// How a batch lies on the device.
struct Form {
  std::uint8_t id_bytes = 4;      ///< of a viewpoint
  std::uint8_t number_bytes = 4;  ///< of a length, an offset and a number of a reference or scan
  bool in_rows = true;            ///< rows of equal length; otherwise one path after the other
  bool has_both = false;          ///< lengths, too, of paths that lie one after the other
};
std::string name_of(const Form& form);

/// Paths of viewpoints or of points on a device.
class PathsOnDevice {
 public:
  /// Keeps the layout of the paths. @param form of the integers
  PathsOnDevice(cuda::Device& device, const HostPaths& paths, const Form& form);
  PathsView view() const;
  PositionsView positions() const;
  /// Replaces the elements by those of paths with the same layout.
  void write(const HostPaths& paths);

 private:
  std::uint32_t pitch_, max_length_;
  bool in_space_;
  std::optional<IntegersOnDevice> viewpoints_, offsets_, lengths_;
  std::optional<FloatsOnDevice> points_;
};

/// A batch on a device. Query k is that of pair k.
class BatchOnDevice {
 public:
  /// @param active by pair, 0: is left out
  BatchOnDevice(cuda::Device& device, const PairBatch& batch,
                const std::vector<std::uint8_t>& active, const Form& form);
  /// The references are in the batch, as floats.
  BatchOnDevice(cuda::Device& device, const PointBatch& batch,
                const std::vector<std::uint8_t>& active, const Form& form);
  Batch view() const;
  /// The number of each pair's reference.
  IntegersOnDevice& reference() { return reference_; }

 private:
  std::uint32_t count_, reference_count_ = 0;
  std::optional<PathsOnDevice> references_;
  PathsOnDevice queries_;
  IntegersOnDevice reference_;
  ArrayOnDevice<std::uint8_t> active_;
  FloatsOnDevice task_success_;
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

}  // namespace warpath::checks
