#pragma once

#include <cstdint>

#include "kernels/host_device.hpp"

// Defines where tables, paths and their padding lie in memory, for all shapes of all back ends.

namespace warpath::kernels {

/// Returns the pitch of a scan's table, in floats, for n viewpoints. The column behind the last is
/// +inf; padding reads it. An odd pitch avoids bank conflicts.
///
///   n = 3, pitch 5:   d(0,0)  d(0,1)  d(0,2)  +inf  +inf
///                     d(1,0)  d(1,1)  d(1,2)  +inf  +inf
///                     d(2,0)  d(2,1)  d(2,2)  +inf  +inf
template <class Size>
WARPATH_CONSTEXPR Size table_pitch(Size n) {
  return (n + 1) | 1;
}

/// Returns the entries that a scan's table takes: whole units of 16 bytes, in which it is copied.
template <class Size>
WARPATH_CONSTEXPR Size table_entries(Size n) {
  return (n * table_pitch(n) + 3) / 4 * 4;
}

/// Returns the pitch of a reference's own table, in units of 16 bytes: the entries of one
/// viewpoint. It is odd, which avoids bank conflicts.
WARPATH_CONSTEXPR int own_table_pitch(int rows) {
  return (rows + 3) / 4 | 1;
}

/// Number of copies of each unit of 16 bytes in replicated rows. A group of eight lanes reads eight
/// copies, which lie in all groups of four banks, whatever the rows: no bank conflicts.
inline constexpr int row_copies = 8;

/// Returns the units of a viewpoint's replicated row: its distances, and one unit with what else
/// depends on reference and viewpoint alone.
///
///   viewpoint v, 12 rows    copy 0        copy 1       …  copy 7
///     unit 0               d(v, r0 … r3)  the same     …
///     unit 1               d(v, r4 … r7)
///     unit 2               d(v, r8 … r11)
///     unit 3               KnownColumn, twice in each copy
WARPATH_CONSTEXPR int replicated_units(int rows, bool known) {
  return (rows + 3) / 4 + (known ? 1 : 0);
}

/// Returns the number of strips of `strip_rows` rows that a reference of n viewpoints takes.
WARPATH_CONSTEXPR int strips_of_rows(int n, int strip_rows) {
  return (n + strip_rows - 1) / strip_rows;
}

/// Returns the number of padding rows in front of a reference of n viewpoints in `rows` rows.
WARPATH_CONSTEXPR int padding_rows(int rows, int n) {
  return rows - n;
}

/// Returns which viewpoint of a reference of n viewpoints lies in a row; negative: padding. Rows
/// are aligned to the end, so the goal is always in the last of all `rows`.
///
///   rows = 8, n = 5:   row     0    1    2   3   4   5   6   7
///                      index  −3   −2   −1   0   1   2   3   4
///                             pad  pad  pad  r1  r2  r3  r4  r5
template <class Row, class Length>
WARPATH_HD auto reference_index(const Row& row, int rows, const Length& n) {
  return row + n - rows;
}

/// Returns which viewpoint of a query of m viewpoints lies in column j. Columns outside of the
/// query repeat its first or its last viewpoint.
///
///   m = 3:   column  −2  −1   0   1   2   3   4
///                    q1  q1  q1  q2  q3  q3  q3
WARPATH_HD int query_index(int j, int m) {
  const int from_first = j < 0 ? 0 : j;
  return from_first < m ? from_first : m - 1;
}

/// Describes the layout of one query for W lanes that work on it together, C columns per step: an
/// array for each of the C columns of a step, reversed, so that the columns of one step are
/// neighbours.
///
///   C = 1, step t:   lane     0    1    2  …      entry   …  e − 1   e   e + 1  e + 2  …
///                    column   t  t − 1 t − 2      column     t + 1   t   t − 1  t − 2
///                                                                    ^ e = first_entry(t)
template <int W, int C>
class ReversedColumns {
 public:
  WARPATH_HD explicit ReversedColumns(int m) : last_step_((m + C - 1) / C + W - 2) {}

  /// Returns the number of entries of one array.
  WARPATH_HD int entries() const { return last_step_ + W; }
  /// Returns the first entry that the lanes read in step t.
  WARPATH_HD int first_entry(int t) const { return last_step_ - t; }
  /// Returns the column in entry k of array c. It may lie outside of the query (see query_index).
  WARPATH_HD int column(int k, int c) const { return C * (last_step_ - k) + c; }

 private:
  int last_step_;
};

}  // namespace warpath::kernels
