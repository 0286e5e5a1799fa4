#pragma once

#include <cstdint>
#include <type_traits>

#include "host/cuda/arena.hpp"
#include "host/cuda/plan.hpp"
#include "kernels/bodies/pack_pairs.hpp"

namespace warpath::cuda {

/// Limits of a chunk.
struct ChunkCapacity {
  Room room{};
  std::uint32_t max_rows = 0;       ///< largest K of all tiles
  std::uint32_t metrics = 0;        ///< number of result columns
  std::uint32_t border_groups = 0;  ///< with a border at the same time; 0: none
  bool task_success = false, cls_lengths = false, query_raw = false;
  bool are_results_returned = true;  ///< results are copied to the host
  std::size_t scratch_bytes = 0;     ///< bytes that the device asks for, for max_elements()

  std::uint32_t max_elements() const;
};

/// Holds the arrays of a chunk, all its memory. Id is std::uint8_t if every viewpoint fits and no
/// pair goes to groups, else std::uint16_t.
template <class Id>
struct ChunkArrays {
  // Viewpoints are bytes only if no query is longer than a tile's limit.
  static constexpr bool are_lengths_short = sizeof(Id) == 1;
  using Length = std::conditional_t<are_lengths_short, std::uint16_t, std::uint32_t>;

  // Arrays as uploaded.
  HostDeviceSpan<std::uint32_t> reference_of, query_raw;
  HostDeviceSpan<Length> query_length;
  HostDeviceSpan<Id> nodes;
  HostDeviceSpan<float> task_success, cls_query_length;
  // Arrays after sorting.
  std::span<std::uint32_t> wide_length, query_offsets, pair, sorted_pair;
  std::span<std::uint64_t> key, sorted_key;
  HostDeviceSpan<std::uint64_t> run_key;
  HostDeviceSpan<std::uint32_t> run_length, run_count;
  // Arrays after packing into slots.
  HostDeviceSpan<kernels::KeyRun> runs;
  HostDeviceSpan<kernels::Slice> slices;
  std::span<kernels::GroupPair> slots;
  std::span<std::uint32_t> tile_columns, query_start, lengths, row, slot_reference;
  std::span<std::uint16_t> tile_reference, tile_query;
  std::span<float> border;
  std::span<std::uint32_t> border_carry;
  std::span<char> scratch;
  // Results.
  HostDeviceSpan<float> results;
  HostDeviceSpan<std::uint32_t> flags;

  /// Adds every array to `layout`.
  void list(ArenaLayout& layout, const ChunkCapacity& capacity);
};

extern template struct ChunkArrays<std::uint8_t>;
extern template struct ChunkArrays<std::uint16_t>;

}  // namespace warpath::cuda
