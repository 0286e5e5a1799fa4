#include "host/cuda/chunk_memory.hpp"

#include <algorithm>

namespace warpath::cuda {

using kernels::tile_pairs;

namespace {

std::uint64_t max_slices(const Room& room) {
  return room.runs + room.slots() / (tile_pairs * slice_tiles) + 1;
}

std::uint64_t max_tiles(const Room& room) {
  return room.slots() / tile_pairs + 2;
}

}  // namespace

std::uint32_t ChunkCapacity::max_elements() const {
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(room.pairs, max_tiles(room)));
}

template <class Id>
void ChunkArrays<Id>::list(ArenaLayout& layout, const ChunkCapacity& capacity) {
  const Room& room = capacity.room;
  const std::size_t pairs = room.pairs, max_slots = room.slots(), tiles = max_tiles(room);
  const std::size_t max_runs = std::min(room.pairs, room.runs);
  layout.add(reference_of, pairs);
  layout.add(query_length, pairs);
  layout.add(nodes, room.query_nodes);
  layout.add(task_success, capacity.task_success ? pairs : 0);
  layout.add(cls_query_length, capacity.cls_lengths ? pairs : 0);
  layout.add(query_raw, capacity.query_raw ? pairs : 0);

  layout.add_device(wide_length, are_lengths_short ? pairs : 0);
  layout.add_device(query_offsets, pairs + 1);
  layout.add_device(pair, pairs);
  layout.add_device(sorted_pair, pairs);
  layout.add_device(key, pairs);
  layout.add_device(sorted_key, pairs);
  layout.add(run_key, max_runs);
  layout.add(run_length, max_runs);
  layout.add(run_count, 1);

  layout.add(runs, max_runs + 1);
  layout.add(slices, max_slices(room));
  layout.add_device(slots, max_slots);
  layout.add_device(tile_columns, tiles);
  layout.add_device(query_start, tiles);
  layout.add_device(lengths, max_slots);
  layout.add_device(row, max_slots);
  layout.add_device(slot_reference, max_slots);
  layout.add_device(tile_reference, max_slots * capacity.max_rows);
  layout.add_device(tile_query, room.columns() * tile_pairs);
  const std::size_t border_entries = std::size_t{capacity.border_groups} * room.max_query;
  layout.add_device(border, 4 * border_entries);
  layout.add_device(border_carry, 2 * border_entries);
  layout.add_device(scratch, capacity.scratch_bytes);

  const std::size_t values = pairs * capacity.metrics;
  layout.add_device(results.device, values);
  layout.add_device(flags.device, pairs);
  layout.add_pinned(results.host, capacity.are_results_returned ? values : 0);
  layout.add_pinned(flags.host, capacity.are_results_returned ? pairs : 0);
}

template struct ChunkArrays<std::uint8_t>;
template struct ChunkArrays<std::uint16_t>;

}  // namespace warpath::cuda
