#pragma once

#include "kernels/host_device.hpp"
#include "kernels/sweep/sum.hpp"

// Defines the state of a prefix between two columns: see prefix.hpp.

namespace warpath::kernels {

/// Holds what a lane keeps of K rows of the reference, aligned to the end as in layout.hpp.
template <class L, int K>
struct RowState {
  typename L::F dtw[K];      ///< D(i, last column)
  typename L::F nearest[K];  ///< minimum of the row's distances
};

/// Holds what a lane keeps of a prefix besides its rows.
template <class L>
struct PrefixState {
  Sum<L> length;
  /// D(−1, −1), as the first row meets it: 0 before the first column if there is no padding row.
  typename L::F corner;
};

/// Returns the rows of a prefix without viewpoints. @param first index in the reference of row 0;
/// rows below 0 are padding
template <class L, int K>
WARPATH_HD void clear_rows(typename L::I first, RowState<L, K>& rows) {
  const auto inf = L::real(__builtin_inff()), zero = L::real(0.0f);
  WARPATH_UNROLL for (int i = 0; i < K; ++i) {
    rows.dtw[i] = L::select(first == -1 - i, zero, inf);
    rows.nearest[i] = inf;
  }
}

/// Returns the rest of it. @param rows of all strips
template <class L>
WARPATH_HD PrefixState<L> empty_prefix(typename L::I n, int rows) {
  const auto zero = L::real(0.0f);
  return {{zero, zero}, L::select(n == rows, zero, L::real(__builtin_inff()))};
}

}  // namespace warpath::kernels
