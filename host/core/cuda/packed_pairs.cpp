#include "host/core/cuda/packed_pairs.hpp"

#include <algorithm>

namespace warpath::cuda {

using namespace kernels;

void PackArrays::list(ArenaLayout& layout, const PackCapacity& capacity) {
  const Room& room = capacity.room;
  const bool has_tiles = capacity.max_rows > 0;
  const std::size_t pairs = room.pairs, max_runs = room.max_runs();
  const std::size_t tiles = has_tiles ? room.tiles() : 0, tile_slots = tiles * tile_pairs;
  layout.add_device(key, pairs);
  layout.add_device(sorted_key, pairs);
  layout.add_device(pair, pairs);
  layout.add_device(sorted_pair, pairs);
  layout.add_device(run_key, max_runs);
  layout.add_device(run_length, max_runs);
  layout.add_device(run_count, 1);
  layout.add_device(active_pairs, 1);
  layout.add_device(runs, max_runs + 1);
  layout.add_device(slices, room.slices());
  layout.add_device(ranges, kernel_numbers);
  layout.add_device(slots, room.tiles() * tile_pairs);
  layout.add_device(tile_size, tiles);
  layout.add_device(tile_start, tiles + 1);
  layout.add_device(lengths, tile_slots);
  layout.add_device(row, tile_slots);
  layout.add_device(slot_reference, tile_slots);
  layout.add_device(tile_reference, tile_slots * capacity.max_rows);
  layout.add_device(tile_query, has_tiles ? room.columns() * tile_pairs : 0);
  const std::size_t border_entries = std::size_t{capacity.border_groups} * room.max_query;
  layout.add_device(border, 4 * border_entries);
  layout.add_device(border_carry, 2 * border_entries);
  layout.add_device(scratch, capacity.scratch_bytes);
}

void PackedPairs::pack(bool by_place, const ResultView& results, Stream stream) const {
  sort(stream);
  place(by_place, results, stream);
  if (!dispatch_.has_tiles()) return;
  device_.launch(PackView{.pairs = pairs_,
                          .slots = a_.slots.data(),
                          .tiles = static_cast<std::uint32_t>(a_.tile_size.size()),
                          .start = a_.tile_start.data(),
                          .reference = a_.tile_reference.data(),
                          .query = a_.tile_query.data(),
                          .lengths = a_.lengths.data(),
                          .row = a_.row.data(),
                          .reference_of = a_.slot_reference.data()},
                 stream);
}

void PackedPairs::sort(Stream stream) const {
  device_.launch(KeyView{.pairs = pairs_,
                         .policy = dispatch_.policy,
                         .bits = dispatch_.bits,
                         .key = a_.key.data(),
                         .pair = a_.pair.data()},
                 stream);
  device_.launch(SortPairs{.view = {.key = a_.key.data(),
                                    .sorted_key = a_.sorted_key.data(),
                                    .pair = a_.pair.data(),
                                    .sorted_pair = a_.sorted_pair.data(),
                                    .count = pairs_.count,
                                    .bits = dispatch_.bits.total()},
                           .scratch = scratch()},
                 stream);
  device_.launch(FindRuns{.view = {.key = a_.sorted_key.data(),
                                   .count = pairs_.count,
                                   .m_bits = dispatch_.bits.m_bits,
                                   .run_key = a_.run_key.data(),
                                   .run_length = a_.run_length.data(),
                                   .runs = a_.run_count.data()},
                          .scratch = scratch()},
                 stream);
}

void PackedPairs::place(bool by_place, const ResultView& results, Stream stream) const {
  device_.launch(PlanView{.run_key = a_.run_key.data(),
                          .run_length = a_.run_length.data(),
                          .run_count = a_.run_count.data(),
                          .bits = dispatch_.bits,
                          .scan_of = pairs_.scan_of,
                          .wanted_slices = dispatch_.wanted_slices,
                          .runs = a_.runs.data(),
                          .slices = a_.slices.data(),
                          .ranges = a_.ranges.data(),
                          .active_pairs = a_.active_pairs.data()},
                 stream);
  device_.fill(a_.slots.data(), 0xff, a_.slots.size_bytes(), stream);
  device_.fill(a_.tile_size.data(), 0, a_.tile_size.size_bytes(), stream);
  device_.launch(PlaceView{.pairs = pairs_,
                           .sorted = a_.sorted_pair.data(),
                           .runs = a_.runs.data(),
                           .run_count = a_.run_count.data(),
                           .slots = a_.slots.data(),
                           .tile_size = a_.tile_size.data(),
                           .by_place = by_place,
                           .results = results},
                 stream);
  if (!dispatch_.has_tiles()) return;
  device_.launch(TileSum{.view = {.sizes = a_.tile_size.data(),
                                  .starts = a_.tile_start.data(),
                                  .count = static_cast<std::uint32_t>(a_.tile_size.size())},
                         .scratch = scratch()},
                 stream);
}

//   stream   … packed ┬ tiles ─ tiles ─ groups ┬ …
//   side              ├ tiles ─────────────────┤
//   side              └ tiles ─────────────────┘
void PackedPairs::score(const BatchView& view, Stream stream, std::span<const Stream> sides) const {
  const auto tile_kernels = static_cast<std::size_t>(
      std::ranges::count_if(dispatch_.kernels, [](std::uint32_t k) { return in_tiles(k); }));
  sides = sides.first(std::min(sides.size(), std::max<std::size_t>(tile_kernels, 1) - 1));
  for (const Stream side : sides) device_.order(stream, side);
  std::size_t next = 0;
  for (const std::uint32_t number : dispatch_.kernels) {
    if (in_tiles(number)) {
      start_tiles(number, view, next < sides.size() ? sides[next] : stream);
      next = next < sides.size() ? next + 1 : 0;
    } else if (in_slices(number)) {
      start_group_slices(number, view, stream);
    } else {
      start_groups(number, view, stream);
    }
  }
  for (const Stream side : sides) device_.order(side, stream);
}

void PackedPairs::start_tiles(std::uint32_t number, const BatchView& view, Stream stream) const {
  const KernelChoice choice = choice_of(number);
  const bool has_sizes = choice.target == KernelId::shared_table;
  const TileView tiles{.batch = view,
                       .slices = a_.slices.data(),
                       .range = a_.ranges.data() + number,
                       .max_slices = static_cast<std::uint32_t>(a_.slices.size()),
                       .max_scan = has_sizes ? dispatch_.policy.max_viewpoints[choice.scan_size]
                                             : dispatch_.max_scan,
                       .reference = a_.tile_reference.data(),
                       .query = a_.tile_query.data(),
                       .start = a_.tile_start.data(),
                       .lengths = a_.lengths.data(),
                       .row = a_.row.data(),
                       .reference_of = a_.slot_reference.data()};
  device_.launch(ScoreTiles{.view = tiles,
                            .kernel = tile_kernel(choice.target),
                            .set = dispatch_.policy.set,
                            .rows = choice.rows},
                 stream);
}

GroupView PackedPairs::group_view(std::uint32_t number, const BatchView& view) const {
  return {.batch = view,
          .pairs = pairs_,
          .slots = a_.slots.data(),
          .range = a_.ranges.data() + number,
          .count = pairs_.count,
          .border_columns = capacity_.room.max_query,
          .border_groups = capacity_.border_groups,
          .border = a_.border.data(),
          .border_carry = a_.border_carry.data()};
}

void PackedPairs::start_group_slices(std::uint32_t number, const BatchView& view,
                                     Stream stream) const {
  const KernelChoice choice = choice_of(number);
  device_.launch(
      ScoreGroupSlices{.view = {.groups = group_view(number, view),
                                .slices = a_.slices.data(),
                                .max_slices = static_cast<std::uint32_t>(a_.slices.size()),
                                .max_scan = dispatch_.policy.max_viewpoints[choice.scan_size]},
                       .shape = group_shape(choice.target),
                       .set = dispatch_.policy.set},
      stream);
}

void PackedPairs::start_groups(std::uint32_t number, const BatchView& view, Stream stream) const {
  device_.launch(ScoreGroups{.view = group_view(number, view),
                             .shape = group_shape(choice_of(number).target),
                             .set = dispatch_.policy.set},
                 stream);
}

}  // namespace warpath::cuda
