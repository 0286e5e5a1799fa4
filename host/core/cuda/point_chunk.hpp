#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <compare>
#include <cstdint>
#include <span>

#include "host/core/batch/point_stage.hpp"
#include "host/core/cuda/chunk_base.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"

namespace warpath::cuda {

/// Holds what all chunks of a batch of continuous paths read.
struct PointContext {
  const PointBatchView batch;
  const kernels::Rules& rules;
  std::span<const Metric> metrics;  ///< that the kernels compute
  /// Per thread: prepares pairs, as on the CPU back end.
  tbb::enumerable_thread_specific<batch::PointStage>& stages;
};

/// Limits of a chunk.
struct PointCapacity {
  std::uint32_t pairs = 0;
  std::uint32_t points = 0;   ///< of all paths; any single pair fits
  std::uint32_t metrics = 0;  ///< number of result columns
  std::uint32_t border_columns = 0, border_groups = 0;
};

/// Holds the arrays of a chunk, all its memory.
struct PointChunkArrays {
  HostDeviceSpan<kernels::DevicePoint> points;
  HostDeviceSpan<kernels::DevicePointPair> pairs;
  std::span<float> border;
  std::span<std::uint32_t> border_carry;
  HostDeviceSpan<float> results;
  HostDeviceSpan<std::uint32_t> flags;

  /// Adds every array to `layout`.
  void list(ArenaLayout& layout, const PointCapacity& capacity);
};

/// Scores consecutive pairs on the device, and copies their results back.
class PointChunk : public ResultChunk<PointContext, PointCapacity, PointChunkArrays> {
 public:
  using ResultChunk::ResultChunk;

  /// Uploads pairs first … of the batch, as many as fit. Returns their number.
  std::uint32_t upload(std::size_t first);
  /// Starts the kernels. Calling it again writes the same results. @pre upload
  void score();
  /// Starts to copy the results back. @pre score
  void start_output();
  /// Calls the last two in turn.
  void start() {
    score();
    start_output();
  }

 private:
  struct Kernel {
    kernels::QuantitySet set;
    kernels::GroupShape shape;
    auto operator<=>(const Kernel&) const = default;
  };

  void place();
  void fill_pinned(std::uint32_t k, batch::PointStage& own);
  void sort();
  kernels::PointView view() const;
  Kernel kernel_of(const kernels::DevicePointPair& pair) const;

  std::uint32_t points_used_ = 0;
};

}  // namespace warpath::cuda
