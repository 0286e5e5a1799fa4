#pragma once

#include <cstddef>

#include "kernels/host_device.hpp"
#include "kernels/sweep/cell.hpp"
#include "kernels/sweep/layout.hpp"
#include "kernels/views/points.hpp"

// Gives continuous paths to the sweep (see Rows and Query in sweep.hpp): a viewpoint is a point in
// space, a distance is Euclidean.

namespace warpath::kernels {

/// Holds a point for each lane, metres.
template <class L>
struct Point {
  typename L::F x, y, z;
};

/// Stands for the coordinates of padding rows. Coordinates of paths are below 1e13, so padding is
/// further from every point than any two points are from each other, and no minimum takes it. The
/// square of the distance is finite, like all others.
///   DTW: the row above the first one, whose D(-1, -1) is 0, gets D(-1, j) > j * 9e17: a warping
///     that runs through it costs more than one through the first row. Higher rows stay +inf.
///   Coverage: exp of it is 0 for thresholds up to max_point_threshold.
inline constexpr float padding_coordinate = 1e18f;

/// Returns dx² + dy² + dz² + 2^-100, each step correctly rounded: the same bits on every lane
/// policy. All results are normal floats, so that square roots need no special cases; only squares
/// below 2^-74 (distances below 7e-12 m) differ from the plain sum in more than a rare last bit.
template <class L, class F>
WARPATH_HD F squared_length(F dx, F dy, F dz) {
  const F least = L::real(distance_of_coincident_points * distance_of_coincident_points);
  return L::fma(dx, dx, L::fma(dy, dy, L::fma(dz, dz, least)));
}

/// Returns the distance of two points: the same bits on every lane policy, from either end.
template <class L>
WARPATH_HD typename L::F euclid(const Point<L>& a, const Point<L>& b) {
  return L::sqrt(squared_length<L>(a.x - b.x, a.y - b.y, a.z - b.z));
}

/// Holds a point of the query, with its id if `Ids`, for the edit distance: points are equal if
/// their ids are, however close other points lie.
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

/// Computes distances from the points of a reference, staged in the order in which the lanes load
/// them. Padding rows lie at padding_coordinate and have their own id. The device's DevicePointRows
/// load points as they are uploaded and compute K square roots at once.
template <class L, int K, bool Ids>
struct PointRows {
  const float* staged;   ///< [strip][K][axis][Lanes]
  const int* staged_id;  ///< [strip][K][Lanes]
  Point<L> at[K];
  typename L::I id[Ids ? K : 1];

  WARPATH_HD void load(const typename L::I&, int strip) {
    WARPATH_UNROLL for (int i = 0; i < K; ++i) {
      const std::size_t entry = static_cast<std::size_t>(strip) * K + i;
      const float* p = staged + entry * 3 * L::Lanes;
      at[i] = {L::load(p), L::load(p + L::Lanes), L::load(p + 2 * L::Lanes)};
      if constexpr (Ids) id[i] = L::load(staged_id + entry * L::Lanes);
    }
  }
  WARPATH_HD void column(const QueryPoint<L, Ids>& q, typename L::F (&d)[K]) const {
    WARPATH_UNROLL for (int i = 0; i < K; ++i) d[i] = euclid<L>(at[i], q.at);
  }
  WARPATH_HD typename L::F between(const QueryPoint<L, Ids>& a, const QueryPoint<L, Ids>& b) const {
    return euclid<L>(a.at, b.at);
  }
  /// Returns a word whose bit i is set if row i is the same point as q.
  WARPATH_HD typename L::B same(const QueryPoint<L, Ids>& q) const requires Ids {
    return equal_rows<L>(id, q.id);
  }
};

/// Reads the columns of one query for all lanes, laid out as in ReversedColumns.
template <class L, int C, bool Ids>
struct PointQuery {
  const float* staged;   ///< [c][axis][entry]
  const int* staged_id;  ///< [c][entry]
  ReversedColumns<L::W, C> columns;

  WARPATH_HD QueryPoint<L, Ids> node(int t, int c) const {
    const int stride = columns.entries(), entry = columns.first_entry(t);
    const float* p = staged + c * 3 * stride + entry;
    const Point<L> at{L::load(p), L::load(p + stride), L::load(p + 2 * stride)};
    if constexpr (Ids)
      return {at, L::load(staged_id + c * stride + entry)};
    else
      return {at};
  }
};

}  // namespace warpath::kernels
