#pragma once

#include <cstddef>

#include "kernels/host_device.hpp"

// Continuous paths as the sweep reads them (see sweep.hpp): a viewpoint is a point in space, a
// distance the Euclidean one.

namespace warpath::kernels {

/// A point for each lane, metres.
template <class L>
struct Point {
  typename L::F x, y, z;
};

/// Square root and products correctly rounded: the same bits on every lane policy, from either end.
template <class L>
WARPATH_HD typename L::F euclid(const Point<L>& a, const Point<L>& b) {
  const auto dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
  return L::sqrt(L::fma(dx, dx, L::fma(dy, dy, dz * dz)));
}

/// A point of the query with its id where `Ids`, for the edit distance: points are the same where
/// their ids are, however close others lie.
template <class L, bool Ids>
struct QueryPoint;
template <class L>
struct QueryPoint<L, false> {
  Point<L> at;
};
template <class L>
struct QueryPoint<L, true> {
  Point<L> at;
  typename L::I id;
};

/// Rows of points, staged in the order in which the lanes load them; rows of padding lie at
/// infinity and have an id of their own.
template <class L, int K, bool Ids>
struct PointRows {
  const float* staged;   ///< [strip][K][axis][Lanes]
  const int* staged_id;  ///< [strip][K][Lanes]
  QueryPoint<L, Ids> row[K];

  WARPATH_HD void load(const typename L::I&, int strip) {
    WARPATH_UNROLL for (int i = 0; i < K; ++i) {
      const std::size_t entry = static_cast<std::size_t>(strip) * K + i;
      const float* p = staged + entry * 3 * L::Lanes;
      row[i].at = {L::load(p), L::load(p + L::Lanes), L::load(p + 2 * L::Lanes)};
      if constexpr (Ids) row[i].id = L::load(staged_id + entry * L::Lanes);
    }
  }
  WARPATH_HD void column(const QueryPoint<L, Ids>& q, typename L::F (&d)[K]) const {
    WARPATH_UNROLL for (int i = 0; i < K; ++i) d[i] = euclid<L>(row[i].at, q.at);
  }
  WARPATH_HD typename L::F between(const QueryPoint<L, Ids>& a, const QueryPoint<L, Ids>& b) const {
    return euclid<L>(a.at, b.at);
  }
  /// Bit i: row i is the same point as q.
  WARPATH_HD typename L::B same(const QueryPoint<L, Ids>& q) const requires Ids {
    typename L::B mask = L::bits(0);
    WARPATH_UNROLL for (int i = 0; i < K; ++i) {
      mask = L::select(row[i].id == q.id, mask | L::bits(1u << i), mask);
    }
    return mask;
  }
};

/// The columns of one query for all lanes, reversed so that what the lanes see in one step lies
/// side by side:
///   step t:  lane 0 sees column t, lane 1 column t − 1, …    memory: … t+1  t  t−1  t−2 …
///                                                                           ^ step t reads here
/// With C > 1 there is an array of every C-th column for each c.
template <class L, int C, bool Ids>
struct PointQuery {
  const float* staged;   ///< [c][axis][stride]
  const int* staged_id;  ///< [c][stride]
  int stride, end;

  WARPATH_HD QueryPoint<L, Ids> node(int t, int c) const {
    const float* p = staged + c * 3 * stride + end - t;
    const Point<L> at{L::load(p), L::load(p + stride), L::load(p + 2 * stride)};
    if constexpr (Ids)
      return {at, L::load(staged_id + c * stride + end - t)};
    else
      return {at};
  }
};

}  // namespace warpath::kernels
