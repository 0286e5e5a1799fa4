#pragma once

#include <cstdint>

#include "kernels/metrics/point_formulas.hpp"
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
  std::uint32_t base;   ///< a multiple of 4; so is the address of the first scan's, of 16 bytes
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
  float* column[metric_count];
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

/// Names tiles that go to one block: all pairs are in one scan (and, for the kernels of shared
/// references, have one reference). The block loads that scan's table for each of its slices, so a
/// slice should have some thousands of pairs, and the device as many slices as fit onto it at once,
/// or several times that number. No slice is empty; its first lane has a pair.
struct Slice {
  std::uint32_t scan, first_tile, tiles;
};

/// Holds short pairs, one thread each. *Slot* s is lane s % 32 of tile s / 32. All tiles have as
/// many rows as the kernel, K; each has as many columns as its longest query, rounded up to an even
/// number. Ids are stored by row or column, then by lane, so that a warp's loads are consecutive:
///
///              lane   0  1  2 … 31                          lane   0  1  2 … 31
///   row 0            pad r0 pad … r0     column query_start[t]    q0 q0 q0 … q0
///   row 1            r0  r1 r0  … r1                         …     …
///   row K − 1        goals                the longest one's last  qm qm qm … qm
///
/// References are aligned to the end, with `pad` in front; queries repeat their last viewpoint (see
/// layout.hpp).
struct TileView {
  BatchView batch;
  const Slice* slices;
  std::uint32_t slice_count;
  std::uint32_t max_scan;             ///< viewpoints of the largest scan in any slice
  const std::uint16_t* reference;     ///< [tile][K][32]
  const std::uint16_t* query;         ///< [column][32]
  const std::uint32_t* query_start;   ///< by tile: its first column
  const std::uint32_t* lengths;       ///< by slot: |R| + 65536 |Q|; 0 if there is no pair
  const std::uint32_t* row;           ///< by slot: row of its results
  const std::uint32_t* reference_of;  ///< by slot: index into BatchView::references
};
inline constexpr std::uint32_t max_tile_length = 65535;

/// Holds paths one after the other: path p is nodes[offsets[p]] … nodes[offsets[p + 1] − 1].
template <class Node>
struct PathView {
  const Node* nodes;
  const std::uint32_t* offsets;
};

/// Names a pair by the numbers of its row, scan, reference and query.
struct GroupPair {
  std::uint32_t row, scan, reference, query;
};

/// Holds pairs of any length, several threads each. If `count` is large, put the longest first.
struct GroupView {
  BatchView batch;
  PathView<std::uint16_t> references, queries;
  const GroupPair* pairs;
  std::uint32_t count;
  // Memory through which strips pass their last rows on, for shapes with a border. It has room for
  // as many groups as may run at once; more than fit onto the device are useless.
  std::uint32_t border_columns;  ///< |Q| of the longest query
  std::uint32_t border_groups;
  float* border;                ///< [group][4][border_columns]: DTW and column minima, twice
  std::uint32_t* border_carry;  ///< [group][2][border_columns]
};

/// Holds a point of a continuous path, in metres relative to the centre of the pair's reference.
struct alignas(16) DevicePoint {
  float x, y, z;
  std::int32_t id;  ///< equal for coordinates that are identical in double; −1: padding
};

/// Holds a pair of continuous paths in the device's memory.
struct DevicePointPair : PointPairInputs {
  std::uint32_t row, reference, query;  ///< `reference`, `query`: index of their first points
};

/// Holds pairs of continuous paths of any length. If `count` is large, put the longest first.
struct PointView {
  Rules rules;
  const DevicePoint* points;
  const DevicePointPair* pairs;
  std::uint32_t count;
  std::uint32_t border_columns, border_groups;  ///< as in GroupView, as are the next two
  float* border;
  std::uint32_t* border_carry;
  ResultView results;
};

/// Holds paths as they are uploaded, and the slots in which they are packed as tiles.
template <class Id>
struct PackView {
  PathView<Id> references, queries;
  const GroupPair* pairs;  ///< by slot, tiles of a slice one after the other; row: no_row if empty
  const ScanTable* scans;
  std::uint32_t slots;
  int rows;                          ///< K of the kernel that reads the tiles
  const std::uint32_t* query_start;  ///< by tile, with an end marker behind the last
  std::uint16_t *reference, *query;  ///< as in TileView, as are the others
  std::uint32_t *lengths, *row, *reference_of;
};

/// Holds a pair of continuous paths in host memory: coordinates in metres relative to a common
/// origin, all of one axis before those of the next.
struct PointTask : PointPairInputs {
  const float *reference[3], *query[3];
  /// Equal for coordinates that are identical in double; read only if the edit distance is swept.
  const std::int32_t *reference_id, *query_id;
};

}  // namespace warpath::kernels
