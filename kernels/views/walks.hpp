#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/philox.hpp"
#include "kernels/sweep/layout.hpp"
#include "kernels/sweep/quantities.hpp"
#include "kernels/views/pairs.hpp"
#include "kernels/views/paths.hpp"

// Defines what the kernels that make random walks read: plain structs of plain arrays.

namespace warpath::kernels {

/// Says how many steps walks take: steps[i] for draws below below[i] that are not below
/// below[i − 1].
struct StepTable {
  static constexpr int max_kinds = 64;
  int kinds;                       ///< distinct numbers of steps, at least 1
  std::uint32_t steps[max_kinds];  ///< ascending
  std::uint32_t below[max_kinds];  ///< ascending; below[kinds − 1] is the number of choices
};

/// Views a scan's edges: entry (v << shift) + i is neighbour i of viewpoint v and its number of
/// neighbours, `node | neighbours << 16`, and `length` the length of the edge to it.
struct WalkGraph {
  const std::uint32_t* next;
  const float* length;
  int shift;
};

/// Most walks of a slice: their numbers in it take 11 bits.
inline constexpr std::uint32_t max_slice_walks = 2048;

/// Says where a scan's edges lie: entries base … base + (viewpoints << shift) − 1 (see WalkGraph).
struct WalkScan {
  std::uint64_t base;
  std::int32_t shift;
};

/// Names walks of one reference that go to one block. Their results lie side by side, in slots
/// first_slot … first_slot + count − 1.
struct WalkSlice {
  std::uint32_t reference, scan;
  std::uint32_t size;    ///< |R|
  std::uint32_t start;   ///< where the walks begin, as in WalkGraph
  std::uint32_t number;  ///< lower half of the first walk's number, or where the list begins
  std::uint32_t stride;  ///< from one number to the next; 0: the numbers are listed
  std::uint32_t count;   ///< from 1 to max_slice_walks
  std::uint32_t first_slot;
};

/// Names a walk that has to be made once more, because a word may have to be drawn again.
struct NotedWalk {
  std::uint32_t slot, slice, number;
};

/// Returns the units of 16 bytes that a reference's own table of K rows takes of a block's memory:
/// in replicated rows (see layout.hpp), or in plain ones, which take less memory and more time.
/// @param known uses_known_columns of its quantities
WARPATH_CONSTEXPR std::uint32_t walk_row_quads(bool replicated, int rows, std::uint32_t viewpoints,
                                               bool known) {
  if (!replicated) return viewpoints * static_cast<std::uint32_t>(own_table_pitch(rows));
  return viewpoints * static_cast<std::uint32_t>(row_copies * replicated_units(rows, known));
}

/// Holds the order of a slice's walks in a block's shared memory.
struct WalkOrder {
  std::uint32_t below[StepTable::max_kinds];  ///< of the StepTable; 2^32 − 1 behind its last kind
  std::uint32_t count[StepTable::max_kinds];  ///< walks of each kind: number of steps
  std::uint32_t begin[StepTable::max_kinds];  ///< place of its first walk
  std::uint32_t place[max_slice_walks];       ///< by walk: kind + 64 · place among its kind
  std::uint16_t walk[max_slice_walks];        ///< by place
};
static_assert(StepTable::max_kinds == 64);

/// Returns the entries of a scan's edges in a block's memory (see WalkEdgeTable).
WARPATH_CONSTEXPR std::uint32_t edge_entries(std::uint32_t viewpoints, int shift) {
  return (viewpoints << shift) + 1;
}

/// Returns the bytes of dynamic shared memory per block for scans of up to that many viewpoints and
/// entries of edges. @param known uses_known_columns of the kernel's quantities
WARPATH_CONSTEXPR std::size_t walk_block_bytes(bool replicated, int rows, std::uint32_t viewpoints,
                                               std::uint32_t edges, bool known) {
  return std::size_t{16} * walk_row_quads(replicated, rows, viewpoints, known) +
         std::size_t{8} * edges;
}

/// Returns the set whose kernel makes walks for a request: there are three.
WARPATH_CONSTEXPR QuantitySet walk_set(QuantitySet set) {
  if (set == QuantitySet::dtw || set == QuantitySet::alignment) return QuantitySet::alignment;
  return set == QuantitySet::goal ? QuantitySet::all_edges : set;
}

/// Holds slices of walks.
struct WalkView {
  BatchView batch;  ///< results by slot
  PathArray references;
  const WalkScan* walk_scans;  ///< by scan
  const std::uint32_t* next;   ///< edges of all scans (see WalkGraph), as is the next
  const float* length;
  StepTable steps;
  PhiloxKey seed;
  PhiloxSchedule keys;  ///< of the seed
  /// Walks with a rest up to this are made once more: 2^shift − 1 of all scans, or more in tests.
  std::uint32_t max_noted_rest;
  std::uint32_t high;  ///< upper half of all walks' numbers
  const WalkSlice* slices;
  std::uint32_t first_slice, end_slice;  ///< that the kernel takes
  std::uint32_t block_bytes;             ///< walk_block_bytes of the one that needs the most
  const std::uint32_t* list;             ///< lower halves of numbers
  std::uint32_t* size;          ///< by slot: where to write the viewpoints of a walk; null: nowhere
  std::uint32_t* reference_of;  ///< by slot: where to write the reference; null: nowhere
  std::uint32_t* noted_count;
  NotedWalk* noted;  ///< room for all slots
};

}  // namespace warpath::kernels
