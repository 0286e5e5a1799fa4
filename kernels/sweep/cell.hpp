#pragma once

#include "kernels/host_device.hpp"

// Computes the recurrences for one lane: K consecutive rows (viewpoints of the reference) and C
// consecutive columns (viewpoints of the query). The code is the same for every lane policy and
// shape.

namespace warpath::kernels {

/// Computes DTW (Ilharco et al. 2019): D(i, j) = d(i, j) + min(D(i−1, j), D(i, j−1), D(i−1, j−1)).
///
///             c = 0 .. C-1              in                       out
///   corner  up[0] up[1]          row[i] D(i, column before)      D(i, last column)
///   row[0]    .     .            up[c]  D(row above, c)          D(last row, c)
///   row[1]    .     .            corner D(row above, column before)
template <class L, int K, int C, class F>
WARPATH_HD void dtw_cells(F (&row)[K], F (&up)[C], F corner, const F (&d)[C][K]) {
  WARPATH_UNROLL for (int i = 0; i < K; ++i) {
    F left = row[i], diagonal = corner;
    corner = left;
    WARPATH_UNROLL for (int c = 0; c < C; ++c) {
      const F cell = L::min3(left, diagonal, up[c]) + d[c][i];
      diagonal = up[c];
      left = up[c] = cell;
    }
    row[i] = left;
  }
}

/// Returns min(lowest, row i over the C columns).
template <class L, int C, int K, class F>
WARPATH_HD F row_minimum(F lowest, const F (&d)[C][K], int i) {
  WARPATH_UNROLL for (int c = 0; c + 1 < C; c += 2) lowest = L::min3(lowest, d[c][i], d[c + 1][i]);
  return C % 2 ? L::min(lowest, d[C - 1][i]) : lowest;
}

/// Returns min(lowest, one column over the lane's K rows), two rows at a time for the three-way
/// minimum.
template <class L, int K, class F>
WARPATH_HD F column_minimum(F lowest, const F (&d)[K]) {
  WARPATH_UNROLL for (int i = 0; i + 1 < K; i += 2) lowest = L::min3(lowest, d[i], d[i + 1]);
  return K % 2 ? L::min(lowest, d[K - 1]) : lowest;
}

/// Returns a word whose bit First + i is set if row i of the lane's K rows has that value. Rows and
/// columns are compared by their ids, or by their distances: those at distance 0 are equal, because
/// no other distance is 0.
template <class L, int First = 0, int K, class T>
WARPATH_HD typename L::B equal_rows(const T (&row)[K], const T& value) {
  typename L::B mask = L::bits(0);
  WARPATH_UNROLL for (int i = 0; i < K; ++i) {
    mask = L::select(row[i] == value, mask | L::bits(1u << (First + i)), mask);
  }
  return mask;
}

/// Returns a word whose bit First + i is set if row i is at distance 0.
template <class L, int First, int K, class F>
WARPATH_HD typename L::B zero_rows(const F (&d)[K]) {
  if constexpr (requires { L::template zero_rows<First>(d); })
    return L::template zero_rows<First>(d);
  else
    return equal_rows<L, First>(d, L::real(0.0f));
}

/// Names the bits that are passed down between lanes (and strips) in one column of the edit
/// distance.
enum EditCarry : unsigned {
  edit_plus = 1,        ///< the horizontal difference at the last row is +1
  edit_minus = 2,       ///< the same difference is −1
  edit_equal = 4,       ///< the last row's viewpoint equals this column's
  edit_top = edit_plus  ///< what enters above the first row
};

/// Computes the Levenshtein distance, bit-parallel in words of K rows (Myers 1999; blocks by Hyyrö
/// 2003). Bit i of the words is row i. Over edges, bit i stands for the edge that *ends* in row i,
/// so that a lane needs the same from the lane above as DTW does: one value of this column and one
/// of the column before. Padding rows have vertical difference 0 and pass +1 down. No edge ends in
/// the first viewpoint: its row starts with +1, which turns the +1 that enters column 0 into 0, so
/// that row and column change nothing below.
template <class L, int K, bool Edges>
struct EditColumn {
  static_assert(K <= 32);
  using B = typename L::B;
  B plus, minus;  // vertical differences +1 and −1
  B equal;        // equal_rows of the previous column

  /// Computes one column. `carry` comes from above for this column, `corner` for the previous
  /// column. Returns the carry for the rows below.
  WARPATH_HD B step(B now, B carry, B corner) {
    const B one = L::bits(1);
    const B up = carry & one, down = (carry >> 1) & one;
    B match = Edges ? now & ((equal << 1) | (corner >> 2)) : now;
    equal = now;
    const B vertical = match | minus;
    match = match | down;
    const B horizontal = (((match & plus) + plus) ^ plus) | match;
    B ph = minus | ~(horizontal | plus), mh = plus & horizontal;
    const B out =
        ((ph >> (K - 1)) & one) | (((mh >> (K - 1)) & one) << 1) | (((now >> (K - 1)) & one) << 2);
    ph = (ph << 1) | up;
    mh = (mh << 1) | down;
    plus = mh | ~(vertical | ph);
    minus = ph & vertical;
    return out;
  }
};

}  // namespace warpath::kernels
