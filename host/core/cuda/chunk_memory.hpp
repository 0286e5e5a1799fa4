#pragma once

#include <cstdint>

#include "host/core/cuda/packed_pairs.hpp"

namespace warpath::cuda {

/// Limits of a chunk.
struct ChunkCapacity {
  PackCapacity packed{};
  std::uint32_t id_bytes = 2;      ///< width of uploaded viewpoints
  std::uint32_t length_bytes = 4;  ///< width of uploaded lengths
  std::uint32_t metrics = 0;       ///< number of result columns
  bool task_success = false, cls_lengths = false, query_raw = false;
  bool are_results_returned = true;  ///< results are copied to the host
};

/// Holds the arrays of a chunk, all its memory.
struct ChunkArrays {
  // Arrays as uploaded.
  HostDeviceSpan<std::uint32_t> reference_of, query_raw;
  HostDeviceSpan<std::uint8_t> query_length, nodes;  ///< of the capacity's widths
  HostDeviceSpan<float> task_success, cls_query_length;
  std::span<std::uint32_t> query_offsets;
  PackArrays packed;
  // Results.
  HostDeviceSpan<float> results;
  HostDeviceSpan<std::uint32_t> flags;

  /// Adds every array to `layout`.
  void list(ArenaLayout& layout, const ChunkCapacity& capacity);
};

}  // namespace warpath::cuda
