#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <compare>
#include <cstdint>
#include <span>

#include "host/batch/point_stage.hpp"
#include "host/cuda/arrays.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"

namespace warpath::cuda {

/// What all chunks of a batch of continuous paths read.
struct PointJob {
  const PointBatchView batch;
  const kernels::Rules& rules;
  std::span<const Metric> metrics;  ///< what the kernels write
  /// By thread: how pairs are staged, just as for the CPU back end.
  tbb::enumerable_thread_specific<batch::PointStage>& stages;
};

/// The most that a chunk holds.
struct PointCapacity {
  std::uint32_t pairs = 0;
  std::uint32_t points = 0;   ///< of all paths; those of any one pair fit
  std::uint32_t metrics = 0;  ///< columns of results
  std::uint32_t border_columns = 0, border_groups = 0;

  /// Of the device's memory.
  std::uint64_t bytes() const;
};

/// Consecutive pairs on their way over the device. The stream does one thing after the other; other
/// chunks' streams run beside it.
class PointChunk {
 public:
  PointChunk(Device& device, const PointJob& job, const PointCapacity& capacity);

  /// Stages pairs first … of the batch, as many as there is room for, and sends them up. Returns
  /// their number.
  std::uint32_t begin(std::size_t first);
  /// Starts the kernels; any further time they write the same results. @pre begun
  void score();
  /// Fetches the results. @pre scored
  void deliver();
  /// Waits for what was started; for results: column(c)[k] and flags()[k] of pair first() + k.
  void finish() { device_.wait(stream_.get()); }

  std::size_t first() const { return first_; }
  std::uint32_t count() const { return count_; }
  const float* column(std::size_t c) const { return results_.host.data() + c * count_; }
  const std::uint32_t* flags() const { return flags_.host.data(); }

 private:
  struct Kernel {
    kernels::QuantitySet parts;
    kernels::GroupShape shape;
    auto operator<=>(const Kernel&) const = default;
  };

  void place();
  void stage(std::uint32_t k, batch::PointStage& own);
  void sort();
  kernels::PointView view() const;
  Kernel kernel_of(const kernels::DevicePointPair& pair) const;

  Device& device_;
  const PointJob& job_;
  const PointCapacity capacity_;
  std::size_t first_ = 0;
  std::uint32_t count_ = 0, points_used_ = 0;
  HostDeviceArray<kernels::DevicePoint> points_;
  HostDeviceArray<kernels::DevicePointPair> pairs_;
  DeviceArray<float> border_;
  DeviceArray<std::uint32_t> border_carry_;
  HostDeviceArray<float> results_;
  HostDeviceArray<std::uint32_t> flags_;
  UniqueStream stream_;
};

}  // namespace warpath::cuda
