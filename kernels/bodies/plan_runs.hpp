#pragma once

#include <cstdint>

#include "kernels/bodies/mapping.hpp"
#include "kernels/bodies/pack_pairs.hpp"
#include "kernels/views/packing.hpp"

// Plans where the runs of sorted pairs go, on the device, so that the host need not wait for the
// sort: slots for each run, slices of their tiles, and what each kernel is to score.

namespace warpath::kernels {

/// Counts the tiles of each kernel. It lies in the shared memory of the block that plans.
struct TilesOfKernel {
  std::uint32_t tiles[kernel_numbers];
};

/// Returns the minimum of tiles, or of 32 pairs of groups, that a block scores for each loading of
/// its table. A pair of 32 lanes takes longer than most tables.
WARPATH_CONSTEXPR std::uint32_t min_slice_tiles(std::uint32_t number) {
  return number < number_of({KernelId::lanes_32_shared_table, 0, 0}) ? 8 : 1;
}

/// Returns the tiles that pairs of one run take.
WARPATH_CONSTEXPR std::uint32_t tiles_for(std::uint32_t pairs) {
  return (pairs + tile_pairs - 1) / tile_pairs;
}
/// Returns the tiles of a full slice: few enough that the slices of a kernel fill the device, and
/// enough that loading its table hardly counts.
WARPATH_HD std::uint32_t slice_tiles(const PlanView& view, const TilesOfKernel& all,
                                     std::uint32_t number) {
  const std::uint32_t even = (all.tiles[number] + view.wanted_slices - 1) / view.wanted_slices;
  const std::uint32_t least = min_slice_tiles(number);
  return even > least ? even : least;
}

/// Counts pairs, slots and slices: of a run, or of all runs before it. A run takes whole tiles.
struct alignas(16) RunPlace {
  std::uint32_t pairs = 0, slots = 0, slices = 0;
  std::uint32_t unused = 0;  // threads exchange all 16 bytes

  friend WARPATH_HD RunPlace operator+(const RunPlace& a, const RunPlace& b) {
    return {a.pairs + b.pairs, a.slots + b.slots, a.slices + b.slices};
  }
};

/// Returns what a run takes.
WARPATH_HD RunPlace size_of_run(const PlanView& view, const TilesOfKernel& all, std::uint32_t r) {
  const std::uint32_t number = unpack_run(view.bits, view.run_key[r]).number;
  const std::uint32_t pairs = view.run_length[r], tiles = tiles_for(pairs);
  if (number >= kernel_numbers) return {pairs, 0, 0};
  if (!in_slices(number)) return {pairs, tiles * tile_pairs, 0};
  const std::uint32_t of_slice = slice_tiles(view, all, number);
  return {pairs, tiles * tile_pairs, (tiles + of_slice - 1) / of_slice};
}

/// Adds up the tiles of each kernel. @pre `all` is 0 and visible to all threads of the block
template <class Block>
WARPATH_HD void count_tiles(const PlanView& view, const ThreadId& me, TilesOfKernel& all,
                            const Block& block) {
  for (std::uint32_t r = me.thread; r < *view.run_count; r += me.threads) {
    const std::uint32_t number = unpack_run(view.bits, view.run_key[r]).number;
    if (number < kernel_numbers) block.add(&all.tiles[number], tiles_for(view.run_length[r]));
  }
}

/// Writes a run's place, and where its kernel's runs begin or end if this is the first or the last.
WARPATH_HD void write_run(const PlanView& view, std::uint32_t r, const RunPlace& before,
                          const RunPlace& size) {
  const auto number_of_run = [&](std::uint32_t k) {
    return unpack_run(view.bits, view.run_key[k]).number;
  };
  const std::uint32_t number = number_of_run(r);
  const RunPlace after = before + size;
  const bool is_last = r + 1 == *view.run_count;
  view.runs[r] = {before.pairs, before.slots, before.slices, number};
  if (is_last) {
    view.runs[r + 1] = {after.pairs, after.slots, after.slices, inactive_number};
    *view.active_pairs = number == inactive_number ? before.pairs : after.pairs;
  }
  if (number >= kernel_numbers) return;
  LaunchRange& range = view.ranges[number];
  if (r == 0 || number_of_run(r - 1) != number) {
    range.first_slot = before.slots;
    range.first_slice = before.slices;
  }
  if (is_last || number_of_run(r + 1) != number) range.end_slice = after.slices;
  if (!in_slices(number)) range.slots = size.pairs;  // such a kernel has one run
}

/// Writes slice s.
WARPATH_HD void write_slice(const PlanView& view, const TilesOfKernel& all, std::uint32_t s) {
  const std::uint32_t r = find_run(view.runs, *view.run_count, &KeyRun::slice, s);
  const RunKey key = unpack_run(view.bits, view.run_key[r]);
  const std::uint32_t scan = by_reference(key.number) ? view.scan_of[key.id] : key.id;
  const std::uint32_t unit = in_tiles(key.number) ? tile_pairs : 1;  // slots that `first` counts
  const std::uint32_t whole = slice_tiles(view, all, key.number) * (tile_pairs / unit);
  const std::uint32_t before = (s - view.runs[r].slice) * whole;
  const std::uint32_t left = (view.run_length[r] + unit - 1) / unit - before;
  view.slices[s] = {scan, view.runs[r].slot / unit + before, left < whole ? left : whole};
}

/// Plans all runs with the threads of one block.
/// @param Block add(word, x) adds to a word that all threads share; sync() waits for all of them;
/// exclusive_sum(x, total) returns the sum of the threads before and writes that of all
template <class Block>
WARPATH_HD void plan_runs(const PlanView& view, const ThreadId& me, TilesOfKernel& all,
                          const Block& block) {
  for (std::uint32_t k = me.thread; k < kernel_numbers; k += me.threads) {
    all.tiles[k] = 0;
    view.ranges[k] = {0, 0, 0, 0};
  }
  block.sync();
  count_tiles(view, me, all, block);
  block.sync();
  const std::uint32_t runs = *view.run_count;
  RunPlace done{};
  for (std::uint32_t first = 0; first < runs; first += me.threads) {
    const std::uint32_t r = first + me.thread;
    const RunPlace size = r < runs ? size_of_run(view, all, r) : RunPlace{};
    RunPlace total{};
    const RunPlace before = done + block.exclusive_sum(size, total);
    if (r < runs) write_run(view, r, before, size);
    done = done + total;
  }
  block.sync();
  for (std::uint32_t s = me.thread; s < done.slices; s += me.threads) write_slice(view, all, s);
}

/// Stands for the block if one thread does everything.
struct BlockOfOne {
  WARPATH_HD void add(std::uint32_t* word, std::uint32_t x) const { *word += x; }
  WARPATH_HD void sync() const {}
  WARPATH_HD RunPlace exclusive_sum(const RunPlace& x, RunPlace& total) const {
    total = x;
    return {};
  }
};

}  // namespace warpath::kernels
