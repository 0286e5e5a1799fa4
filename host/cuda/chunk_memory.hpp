#pragma once

#include <cstdint>
#include <type_traits>

#include "host/cuda/arena.hpp"
#include "host/cuda/plan.hpp"
#include "kernels/bodies/pack_pairs.hpp"

namespace warpath::cuda {

/// The most that a chunk holds.
struct ChunkCapacity {
  Room room{};
  std::uint32_t max_rows = 0;       ///< K of the tiles with most rows
  std::uint32_t metrics = 0;        ///< columns of results
  std::uint32_t border_groups = 0;  ///< groups whose borders fit at once; 0: no pair goes to groups
  bool task_success = false, cls_lengths = false, query_raw = false;
  bool are_results_returned = true;  ///< to the host
  std::size_t scratch_bytes = 0;     ///< as the device asks for max_elements()

  std::uint32_t max_elements() const;
};

/// The arrays of a chunk, all its memory.
/// Id: std::uint8_t where every viewpoint fits and no pair goes to groups, else std::uint16_t.
template <class Id>
struct ChunkArrays {
  // Viewpoints are bytes only where no query is longer than a tile's.
  static constexpr bool are_lengths_short = sizeof(Id) == 1;
  using Length = std::conditional_t<are_lengths_short, std::uint16_t, std::uint32_t>;

  // As uploaded.
  HostDeviceSpan<std::uint32_t> reference_of, query_raw;
  HostDeviceSpan<Length> query_length;
  HostDeviceSpan<Id> nodes;
  HostDeviceSpan<float> task_success, cls_query_length;
  // Sorted.
  std::span<std::uint32_t> wide_length, query_offsets, pair, sorted_pair;
  std::span<std::uint64_t> key, sorted_key;
  HostDeviceSpan<std::uint64_t> run_key;
  HostDeviceSpan<std::uint32_t> run_length, run_count;
  // Placed in slots.
  HostDeviceSpan<kernels::KeyRun> runs;
  HostDeviceSpan<kernels::Slice> slices;
  std::span<kernels::GroupPair> slots;
  std::span<std::uint32_t> tile_columns, query_start, lengths, row, slot_reference;
  std::span<std::uint16_t> tile_reference, tile_query;
  std::span<float> border;
  std::span<std::uint32_t> border_carry;
  std::span<char> scratch;
  // Scored.
  HostDeviceSpan<float> results;
  HostDeviceSpan<std::uint32_t> flags;

  /// Adds every array to `layout`.
  void list(ArenaLayout& layout, const ChunkCapacity& capacity);
};

extern template struct ChunkArrays<std::uint8_t>;
extern template struct ChunkArrays<std::uint16_t>;

}  // namespace warpath::cuda
