#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/core/batch/point_stage.hpp"
#include "host/core/cuda/options.hpp"
#include "host/core/cuda/point_chunk.hpp"

namespace warpath::cuda {

/// Holds what all chunks of a batch of continuous paths read.
class PreparedPoints {
 public:
  /// All arguments must outlive this object.
  PreparedPoints(Device& device, const PointBatchView& batch, const Convention& convention,
                 const PointOptions& options);
  PreparedPoints(const PreparedPoints&) = delete;
  PreparedPoints& operator=(const PreparedPoints&) = delete;

  const PointContext& context() const { return context_; }
  /// Returns the capacity of chunks of at most options.chunk_pairs pairs and `max_points` points
  /// (more if a single pair has more), such that `chunks` of them fit into the memory.
  /// @throws InputError if not even one pair fits
  PointCapacity capacity(std::uint64_t max_points, std::size_t chunks) const;

 private:
  Device& device_;
  const PointBatchView batch_;
  const PointOptions& options_;
  const std::vector<Metric> metrics_;  // that the kernels compute
  const kernels::Rules rules_;
  mutable tbb::enumerable_thread_specific<batch::PointStage> stages_;
  const PointContext context_;
};

}  // namespace warpath::cuda
