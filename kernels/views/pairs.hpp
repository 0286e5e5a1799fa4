#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/views/paths.hpp"
#include "kernels/views/rules.hpp"
#include "warpath/metrics.hpp"

// Defines what the host lays out and the kernels read: plain structs of plain arrays. A view owns
// nothing. The device's kernels take their view by value, so all threads read it from constant
// memory.

namespace warpath::kernels {

/// Number of pairs in a tile: a warp scores them together, one thread each.
inline constexpr std::uint32_t tile_pairs = 32;
/// Row of a slot without a pair.
inline constexpr std::uint32_t no_row = 0xffffffff;

/// Says where a scan's distances lie: d(a, b) at base + a * pitch + b. The table has table_entries
/// entries.
struct ScanTable {
  std::uint32_t base;  ///< a multiple of 4 floats; the first table is aligned to 16 bytes
  std::int32_t pitch;  ///< table_pitch of the number of viewpoints
  std::int32_t pad;    ///< number of viewpoints; the column of that index holds +inf
};

/// Holds the values that all pairs of one reference share; NaN for those that are not asked for.
struct alignas(16) ReferenceTerms {
  float length;         ///< PL(R)
  float start_to_goal;  ///< d(r_1, r_|R|)
  float cls_length;     ///< PL(R) inside CLS, if the convention has a different one
  float unused;
};

/// Says where the results of entry p go: to column[metric][p], or nowhere if the column is null.
/// Group g of the CPU's kernels writes entries g * lanes to (g + 1) * lanes − 1.
struct ResultView {
  float* column[path_metric_count];
  std::uint32_t* flags;  ///< bits of Flag
};

/// Holds what all kernels of a batch share. A *row* is a pair's index in the batch. If results are
/// only added up, it may be the pair's position in the sorted order (see PlaceView).
struct BatchView {
  Rules rules;
  const float* distance;             ///< tables of all scans
  const ScanTable* scans;            ///< by scan
  const ReferenceTerms* references;  ///< by reference
  const float* task_success;         ///< by row; null: not given
  const float* cls_query_length;     ///< by row; null: CLS takes PL(Q)
  ResultView results;
};

// scripts/kernel_cycles.py finds the choices of a convention by their place in the parameters.
static_assert(offsetof(BatchView, rules) == 0 && offsetof(Rules, spl_length) == 16 &&
              offsetof(Rules, quantities) == 48);

/// Names tiles, or slots of pairs that groups of lanes score, that go to one block: all pairs are
/// in one scan (and, for the kernels of shared references, have one reference). The block loads
/// that scan's table for each of its slices. No slice is empty; the first lane of its tiles has a
/// pair.
struct Slice {
  std::uint32_t scan, first, count;
};

/// Says what a kernel is to score: slots first_slot … (groups without a shared table), or
/// slices first_slice … end_slice − 1. It lies in the device's memory, where pairs are planned.
struct LaunchRange {
  std::uint32_t first_slot, slots, first_slice, end_slice;
};

/// Says where a tile begins: columns of queries and rows of references before it. The next tile's
/// start is its end.
struct alignas(8) TileStart {
  std::uint32_t column, row;
};

/// Holds short pairs, one thread each. *Slot* s is lane s % 32 of tile s / 32. All tiles have as
/// many rows as the kernel, K; each has as many columns as its longest query, rounded up to an even
/// number. Ids are stored by row or column, then by lane, so that a warp's loads are consecutive:
///
///              lane   0  1  2 … 31                          lane   0  1  2 … 31
///   row start[t].row  pad r0 pad … r0   column start[t].column   q0 q0 q0 … q0
///   row … + 1         r0  r1 r0  … r1                       …    …
///   row … + K − 1     goals             the longest one's last   qm qm qm … qm
///
/// References are aligned to the end, with `pad` in front; queries repeat their last viewpoint (see
/// layout.hpp).
struct TileView {
  BatchView batch;
  const Slice* slices;
  const LaunchRange* range;           ///< the kernel's slices
  std::uint32_t max_slices;           ///< that the range may have
  std::uint32_t max_scan;             ///< viewpoints of the largest scan in any slice
  const std::uint16_t* reference;     ///< [row][32]
  const std::uint16_t* query;         ///< [column][32]
  const TileStart* start;             ///< by tile, with an end marker behind the last
  const std::uint32_t* lengths;       ///< by slot: |R| + 65536 |Q|; 0 if there is no pair
  const std::uint32_t* row;           ///< by slot: row of its results
  const std::uint32_t* reference_of;  ///< by slot: index into BatchView::references
};

/// Views pairs: pair i is query i against reference reference_of[i], in that reference's scan.
struct PairsView {
  std::uint32_t count;
  IntegerArray reference_of;   ///< none: pair i has reference i
  const std::uint8_t* active;  ///< 0: the pair is left out; null: none is
  PathArray references, queries;
  const std::uint32_t* scan_of;  ///< by reference
  const ScanTable* scans;

  WARPATH_HD std::uint32_t reference(std::uint32_t i) const {
    return reference_of.exist() ? reference_of[i] : i;
  }
  WARPATH_HD bool is_active(std::uint32_t i) const { return active == nullptr || active[i] != 0; }
};

/// Names a pair by the numbers of its row, scan, reference and query.
struct GroupPair {
  std::uint32_t row, scan, reference, query;
};

/// Holds pairs of any length, several threads each. Where there are many, the longest come first.
struct GroupView {
  BatchView batch;
  PairsView pairs;
  const GroupPair* slots;    ///< pairs to score; null: all active ones, results in their own rows
  const LaunchRange* range;  ///< the kernel's slots; null: `count` from the first on
  std::uint32_t count;       ///< slots, or the maximum that the range may have
  // Memory through which strips pass their last rows on, for shapes with a border. It has room for
  // as many groups as may run at once; more than fit onto the device are useless.
  std::uint32_t border_columns;  ///< |Q| of the longest query
  std::uint32_t border_groups;
  float* border;                ///< [group][4][border_columns]: DTW and column minima, twice
  std::uint32_t* border_carry;  ///< [group][2][border_columns]
};

/// Holds pairs of any length whose scans' tables fit into a block's shared memory.
struct GroupSliceView {
  GroupView groups;  ///< `range` names the slices; `count` is not read
  const Slice* slices;
  std::uint32_t max_slices;  ///< that the range may have
  std::uint32_t max_scan;    ///< viewpoints of the largest scan in any slice
};

}  // namespace warpath::kernels
