#pragma once

#include <cstdint>

#include "kernels/lanes/scalar_lanes.hpp"
#include "kernels/metrics/flags.hpp"
#include "kernels/sweep/layout.hpp"
#include "kernels/sweep/sum.hpp"
#include "kernels/views/kernel_choice.hpp"
#include "kernels/views/packing.hpp"

// Packs pairs into the slots in which the kernels read them: makes a key for each pair; after a
// sort, plan_runs.hpp plans where each run of equal keys goes, and each pair finds its slot; then
// the paths of tiles are laid side by side.

namespace warpath::kernels {

/// Holds what all pairs of a run have in common: the number of their kernel and their scan or
/// reference.
struct RunKey {
  std::uint32_t number, id;
};
/// Packs a key. Queries of tiles ascend by |Q|; of groups the longest come first, so that none of
/// them begins when all others are done.
WARPATH_CONSTEXPR std::uint64_t pack_key(const KeyBits& bits, const RunKey& run, std::uint32_t m) {
  const std::uint64_t packed = (std::uint64_t{run.number} << bits.id_bits | run.id) << bits.m_bits;
  const std::uint64_t most = (std::uint64_t{1} << bits.m_bits) - 1;
  const std::uint64_t length = m < most ? m : most;
  return packed | (in_tiles(run.number) ? length : most - length);
}
/// @param run key without its m_bits
WARPATH_CONSTEXPR RunKey unpack_run(const KeyBits& bits, std::uint64_t run) {
  return {static_cast<std::uint32_t>(run >> bits.id_bits),
          static_cast<std::uint32_t>(run & ((std::uint64_t{1} << bits.id_bits) - 1))};
}

WARPATH_HD std::uint64_t key_of(const KeyView& view, std::uint32_t i) {
  const PairsView& p = view.pairs;
  if (!p.is_active(i)) return pack_key(view.bits, {inactive_number, 0}, 0);
  const std::uint32_t r = p.reference(i), n = p.references.length(r), m = p.queries.length(i);
  if (n == 0 || m == 0) return pack_key(view.bits, {invalid_number, 0}, 0);
  const std::uint32_t scan = p.scan_of[r];
  const KernelChoice choice = choose_kernel(view.policy, static_cast<int>(n), static_cast<int>(m),
                                            static_cast<std::uint32_t>(p.scans[scan].pad));
  const std::uint32_t number = number_of(choice);
  const std::uint32_t id = by_reference(number) ? r : in_slices(number) ? scan : 0;
  return pack_key(view.bits, {number, id}, m);
}

WARPATH_HD void make_key(const KeyView& view, std::uint32_t i) {
  view.key[i] = key_of(view, i);
  view.pair[i] = i;
}

/// Returns the last of `count` runs whose `field` is not above `value`.
/// @pre the first run's is 0, and the runs ascend
WARPATH_HD std::uint32_t find_run(const KeyRun* runs, std::uint32_t count,
                                  std::uint32_t KeyRun::*field, std::uint32_t value) {
  std::uint32_t low = 0, high = count;  // the run lies in [low, high)
  while (high - low > 1) {
    const std::uint32_t middle = (low + high) / 2;
    if (runs[middle].*field <= value)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/// Writes the row of a pair that cannot be scored, as write_no_scores does. Thrust's kernels copy a
/// view into local memory if it is indexed at run time.
WARPATH_HD void place_no_scores(const ResultView& results, std::uint32_t row) {
  WARPATH_UNROLL for (int m = 0; m < path_metric_count; ++m) {
    if (results.column[m] != nullptr) results.column[m][row] = __builtin_nanf("");
  }
  results.flags[row] = flag_invalid;
}

/// Writes the pair at position k of the sorted order into its slot. The last pair of a tile has its
/// longest query.
WARPATH_HD void place_pair(const PlaceView& view, std::uint32_t k) {
  const std::uint32_t r = find_run(view.runs, *view.run_count, &KeyRun::first, k);
  const KeyRun run = view.runs[r];
  if (run.number == inactive_number) return;
  const std::uint32_t pair = view.sorted[k], row = view.by_place ? k : pair;
  if (run.number == invalid_number) return place_no_scores(view.results, row);
  const std::uint32_t slot = run.slot + (k - run.first), reference = view.pairs.reference(pair);
  view.slots[slot] = {row, view.pairs.scan_of[reference], reference, pair};
  if (!in_tiles(run.number)) return;
  if (slot % tile_pairs == tile_pairs - 1 || k + 1 == view.runs[r + 1].first) {
    view.tile_size[slot / tile_pairs] = {(view.pairs.queries.length(pair) + 1) & ~1u,
                                         static_cast<std::uint32_t>(rows_of(run.number))};
  }
}

/// Writes the reference of a slot's pair into its tile, padded as in layout.hpp.
WARPATH_HD void pack_reference(const PackView& view, const GroupPair& pair, std::uint32_t slot,
                               int n) {
  const std::uint32_t tile = slot / tile_pairs, first = view.start[tile].row;
  const int rows = static_cast<int>(view.start[tile + 1].row - first);
  const IntegerArray nodes = view.pairs.references.path(pair.reference);
  const auto pad = static_cast<std::uint16_t>(view.pairs.scans[pair.scan].pad);
  std::uint16_t* to = view.reference + std::size_t{first} * tile_pairs + slot % tile_pairs;
  for (int row = 0; row < rows; ++row, to += tile_pairs) {
    const int i = reference_index(row, rows, n);
    *to = i < 0 ? pad : static_cast<std::uint16_t>(nodes.small(static_cast<std::uint32_t>(i)));
  }
}

/// Writes the query of a slot's pair into its tile.
WARPATH_HD void pack_query(const PackView& view, const GroupPair& pair, std::uint32_t slot, int m) {
  const std::uint32_t tile = slot / tile_pairs, first = view.start[tile].column;
  const int columns = static_cast<int>(view.start[tile + 1].column - first);
  const IntegerArray nodes = view.pairs.queries.path(pair.query);
  std::uint16_t* to = view.query + std::size_t{first} * tile_pairs + slot % tile_pairs;
  for (int j = 0; j < columns; ++j, to += tile_pairs) {
    const auto i = static_cast<std::uint32_t>(query_index(j, m));
    *to = static_cast<std::uint16_t>(nodes.small(i));
  }
}

/// Packs a slot of a tile, if the tile exists.
WARPATH_HD void pack_slot(const PackView& view, std::uint32_t slot) {
  const std::uint32_t tile = slot / tile_pairs;
  if (view.start[tile].row == view.start[tile + 1].row) return;
  const GroupPair pair = view.slots[slot];
  view.row[slot] = pair.row;
  view.lengths[slot] = 0;
  if (pair.row == no_row) return;
  const std::uint32_t n = view.pairs.references.length(pair.reference);
  const std::uint32_t m = view.pairs.queries.length(pair.query);
  pack_reference(view, pair, slot, static_cast<int>(n));
  pack_query(view, pair, slot, static_cast<int>(m));
  view.lengths[slot] = n | m << 16;
  view.reference_of[slot] = pair.reference;
}

/// Writes the terms of reference r, which has these n viewpoints. @pre n > 0
WARPATH_HD void write_terms(const TermsView& view, std::uint32_t r, const IntegerArray& nodes,
                            std::uint32_t n) {
  const ScanTable scan = view.scans[view.scan_of[r]];
  const auto between = [&](std::uint32_t a, std::uint32_t b) {
    return view.distance[scan.base + std::size_t{a} * scan.pitch + b];
  };
  const std::uint32_t first = nodes.small(0);
  std::uint32_t last = first;
  Sum<ScalarOps> length{0.0f, 0.0f};
  for (std::uint32_t i = 1; i < n; ++i) {
    const std::uint32_t node = nodes.small(i);
    length.add(between(last, node));
    last = node;
  }
  view.terms[r] = {length.high, between(first, last),
                   view.cls_length != nullptr ? view.cls_length[r] : 0.0f, 0.0f};
}

/// Computes the terms of a reference. Its place is read by parts, because nvcc would make a loop
/// for each combination of the integers' widths, megabytes of code.
/// @pre the reference has a viewpoint
WARPATH_HD void make_terms(const TermsView& view, std::uint32_t r) {
  const PathLayout& layout = view.references.layout;
  const PlaceParts place = layout.read_parts(r);
  write_terms(view, r, view.references.nodes.from(layout.begin(r, place)), layout.length(place));
}

}  // namespace warpath::kernels
