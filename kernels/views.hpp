#pragma once

#include <cstdint>

#include "kernels/metrics/point_formulas.hpp"
#include "warpath/metrics.hpp"

// What the host lays out and the kernels read: plain structs of plain arrays. A view owns nothing.
// The device's kernels take their view as a parameter by value, so that all threads read it from
// constant memory.

namespace warpath::kernels {

/// The pairs of a tile: a warp scores them together, a thread to each.
inline constexpr std::uint32_t tile_pairs = 32;
/// Stands for the row of a slot in which no pair lies.
inline constexpr std::uint32_t no_row = 0xffffffff;

/// Says where a scan's distances lie: d(a, b) at base + a * pitch + b.
struct ScanTable {
  std::uint32_t base;
  std::int32_t pitch;  ///< table_pitch of the number of viewpoints
  std::int32_t pad;    ///< the number of viewpoints, and the column of +inf behind them
};

/// Holds what all pairs with one reference share. NaN where nobody asks for it.
struct alignas(16) ReferenceTerms {
  float length;         ///< PL(R)
  float start_to_goal;  ///< d(r_1, r_|R|)
  float cls_length;     ///< PL(R) inside CLS, where the convention has another
  float unused;
};

/// Says where the results of entry p go: to column[metric][p], or nowhere where the column is null.
/// Group g of the CPU's kernels writes entries g * lanes to (g + 1) * lanes − 1.
struct ResultView {
  float* column[metric_count];
  std::uint32_t* flags;  ///< bits of Flag
};

/// Holds what all kernels of a batch share. A *row* is a pair's index in the batch; where results
/// are only added up, it may be the pair's place in the sorted order (see PlaceView).
struct BatchView {
  Rules rules;
  const float* distance;             ///< all scans' tables
  const ScanTable* scans;            ///< by scan
  const ReferenceTerms* references;  ///< by reference
  const float* task_success;         ///< by row; null: none is given
  const float* cls_query_length;     ///< by row; null: CLS takes PL(Q)
  ResultView results;
};

/// Names tiles that go to one block: all pairs are in one scan (and, for the kernels of shared
/// references, have one reference). The block loads that scan's table for each of its slices, so a
/// slice should have some thousands of pairs, and the device as many slices as fit onto it at once,
/// or several times that. None is empty; its first lane has a pair.
struct Slice {
  std::uint32_t scan, first_tile, tiles;
};

/// Leads to short pairs, a thread to each. *Slot* s is lane s % 32 of tile s / 32. All tiles have
/// as many rows as the kernel, K; each has as many columns as its longest query, rounded up to an
/// even number. Ids are planar, so that a warp's loads lie side by side:
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
  std::uint32_t max_scan;             ///< viewpoints of the largest scan of all slices
  const std::uint16_t* reference;     ///< [tile][K][32]
  const std::uint16_t* query;         ///< [column][32]
  const std::uint32_t* query_start;   ///< by tile: its first column
  const std::uint32_t* lengths;       ///< by slot: |R| + 65536 |Q|; 0 where no pair lies
  const std::uint32_t* row;           ///< by slot: where its results go
  const std::uint32_t* reference_of;  ///< by slot: index into BatchView::references
};
inline constexpr std::uint32_t max_tile_length = 65535;

/// Leads to paths one after the other: path p is nodes[offsets[p]] … nodes[offsets[p + 1] − 1].
template <class Node>
struct PathView {
  const Node* nodes;
  const std::uint32_t* offsets;
};

/// Names a pair by the numbers of its row, scan, reference and query.
struct GroupPair {
  std::uint32_t row, scan, reference, query;
};

/// Leads to pairs of any length, several threads to each. Where `count` is large put the longest
/// first.
struct GroupView {
  BatchView batch;
  PathView<std::uint16_t> references, queries;
  const GroupPair* pairs;
  std::uint32_t count;
  // Where strips hand their last rows over, for shapes with a border. The memory holds as many
  // groups as shall run at once; more than fit onto the device are of no use.
  std::uint32_t border_columns;  ///< |Q| of the longest query
  std::uint32_t border_groups;
  float* border;                ///< [group][4][border_columns]: DTW and column minima, twice
  std::uint32_t* border_carry;  ///< [group][2][border_columns]
};

/// A point of a continuous path, metres relative to the centre of the pair's reference.
struct alignas(16) DevicePoint {
  float x, y, z;
  std::int32_t id;  ///< equal where coordinates are identical in double; −1 is the padding's
};

/// A pair of continuous paths in the device's memory.
struct DevicePointPair : PointPairInputs {
  std::uint32_t row, reference, query;  ///< `reference`, `query`: where their first points lie
};

/// Leads to pairs of continuous paths of any length. Where `count` is large put the longest first.
struct PointView {
  Rules rules;
  const DevicePoint* points;
  const DevicePointPair* pairs;
  std::uint32_t count;
  std::uint32_t border_columns, border_groups;  ///< as in GroupView, and so are the next two
  float* border;
  std::uint32_t* border_carry;
  ResultView results;
};

/// Leads to paths as they are uploaded, and to the slots that they are laid out in as tiles.
template <class Id>
struct PackView {
  PathView<Id> references, queries;
  const GroupPair* pairs;  ///< by slot, tiles of a slice one after the other; row: no_row if none
  const ScanTable* scans;
  std::uint32_t slots;
  int rows;                          ///< K of the kernel that reads the tiles
  const std::uint32_t* query_start;  ///< by tile, and one behind the last
  std::uint16_t *reference, *query;  ///< as in TileView, and so are the others
  std::uint32_t *lengths, *row, *reference_of;
};

/// A pair of continuous paths in the host's memory: coordinates one axis after the other, metres,
/// relative to a common origin.
struct PointTask : PointPairInputs {
  const float *reference[3], *query[3];
  /// Equal where coordinates are identical in double; read only where the edit distance is swept.
  const std::int32_t *reference_id, *query_id;
};

}  // namespace warpath::kernels
