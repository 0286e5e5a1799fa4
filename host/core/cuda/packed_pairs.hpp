#pragma once

#include <cstdint>
#include <span>

#include "host/core/cuda/arena.hpp"
#include "host/core/cuda/plan.hpp"
#include "kernels/views/packing.hpp"

// Packs pairs that lie in the device's memory and scores them: the part that batches of the host
// and batches of the device have in common. Nothing of it waits, allocates, or reads back.

namespace warpath::cuda {

/// Limits of packed pairs.
struct PackCapacity {
  Room room{};
  std::uint32_t max_rows = 0;       ///< largest K of all tiles
  std::uint32_t border_groups = 0;  ///< with a border at the same time; 0: none
  std::size_t scratch_bytes = 0;    ///< bytes that the device asks for, for max_elements()

  /// Returns how many elements a sort or a sum may have.
  std::uint32_t max_elements() const { return std::max(room.pairs, room.tiles()); }
};

/// Holds the arrays of packed pairs, all on the device.
struct PackArrays {
  std::span<std::uint64_t> key, sorted_key, run_key;
  std::span<std::uint32_t> pair, sorted_pair, run_length, run_count, active_pairs;
  std::span<kernels::KeyRun> runs;
  std::span<kernels::Slice> slices;
  std::span<kernels::LaunchRange> ranges;
  std::span<kernels::GroupPair> slots;
  std::span<kernels::TileStart> tile_size, tile_start;
  std::span<std::uint32_t> lengths, row, slot_reference;
  std::span<std::uint16_t> tile_reference, tile_query;
  std::span<float> border;
  std::span<std::uint32_t> border_carry;
  std::span<char> scratch;

  /// Adds every array to `layout`.
  void list(ArenaLayout& layout, const PackCapacity& capacity);
};

/// Packs and scores pairs in given arrays on a given stream.
class PackedPairs {
 public:
  /// @param pairs at most as many, and as long, as the capacity of the arrays says
  PackedPairs(Device& device, const PackArrays& arrays, const PackCapacity& capacity,
              const Dispatch& dispatch, const kernels::PairsView& pairs)
      : device_(device), a_(arrays), capacity_(capacity), dispatch_(dispatch), pairs_(pairs) {}

  /// Starts to sort the pairs and to pack them into slots.
  /// @param by_place see PlaceView
  void pack(bool by_place, const kernels::ResultView& results, Stream stream) const;
  /// Starts the kernels, any number of times. @pre pack
  /// @param sides where tile kernels run beside each other, so that several small ones fill the
  /// device; what `stream` gets later waits for them. Groups stay on `stream`, because kernels of
  /// groups share their borders.
  void score(const kernels::BatchView& view, Stream stream,
             std::span<const Stream> sides = {}) const;

 private:
  kernels::Scratch scratch() const { return {a_.scratch.data(), a_.scratch.size()}; }
  void sort(Stream stream) const;
  void place(bool by_place, const kernels::ResultView& results, Stream stream) const;
  void start_tiles(std::uint32_t number, const kernels::BatchView& view, Stream stream) const;
  kernels::GroupView group_view(std::uint32_t number, const kernels::BatchView& view) const;
  void start_group_slices(std::uint32_t number, const kernels::BatchView& view,
                          Stream stream) const;
  void start_groups(std::uint32_t number, const kernels::BatchView& view, Stream stream) const;

  Device& device_;
  const PackArrays& a_;
  const PackCapacity& capacity_;
  const Dispatch& dispatch_;
  const kernels::PairsView pairs_;
};

}  // namespace warpath::cuda
