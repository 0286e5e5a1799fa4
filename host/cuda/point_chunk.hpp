#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <compare>
#include <cstdint>
#include <span>

#include "host/batch/point_stage.hpp"
#include "host/cuda/arena.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"

namespace warpath::cuda {

/// What all chunks of a batch of continuous paths read.
struct PointContext {
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
};

/// The arrays of a chunk, all its memory.
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

/// Takes consecutive pairs over the device. The stream does one thing after the other; other
/// chunks' streams run beside it. See ChunkPipeline.
class PointChunk {
 public:
  using Context = PointContext;
  using Capacity = PointCapacity;
  static constexpr bool start_waits = false;

  PointChunk(Device& device, const PointContext& context, const PointCapacity& capacity);

  /// Returns the bytes that a chunk takes of the device's memory.
  static std::size_t device_bytes(const PointCapacity& capacity) {
    return arena_bytes<PointChunkArrays>(capacity).device;
  }

  /// Uploads pairs first … of the batch, as many as there is room for. Returns their number.
  std::uint32_t upload(std::size_t first);
  /// Starts the kernels; any further time they write the same results. @pre upload
  void score();
  /// Starts to read the results back. @pre score
  void start_output();
  /// Does the last two in turn.
  void start() {
    score();
    start_output();
  }
  /// Waits for what was started; for results: column(c)[k] and flags()[k] of pair first() + k.
  void finish() { device_.wait(stream_.get()); }

  std::size_t first() const { return first_; }
  std::uint32_t count() const { return count_; }
  const float* column(std::size_t c) const { return arrays_->results.host.data() + c * count_; }
  const std::uint32_t* flags() const { return arrays_->flags.host.data(); }

 private:
  struct Kernel {
    kernels::QuantitySet parts;
    kernels::GroupShape shape;
    auto operator<=>(const Kernel&) const = default;
  };

  void place();
  void fill_pinned(std::uint32_t k, batch::PointStage& own);
  void sort();
  kernels::PointView view() const;
  Kernel kernel_of(const kernels::DevicePointPair& pair) const;

  Device& device_;
  const PointContext& context_;
  const PointCapacity capacity_;
  std::size_t first_ = 0;
  std::uint32_t count_ = 0, points_used_ = 0;
  UniqueStream stream_;
  Arena<PointChunkArrays> arrays_;
};

}  // namespace warpath::cuda
