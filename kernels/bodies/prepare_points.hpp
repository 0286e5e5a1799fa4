#pragma once

#include <cstdint>

#include "kernels/metrics/decide.hpp"
#include "kernels/views/points.hpp"

// Prepares continuous paths that lie in the device's memory, as host/core/batch/point_stage.hpp
// prepares those of the host: decides in double what has to be decided in double, then converts
// coordinates to single precision relative to the centre of the reference.

namespace warpath::kernels {

/// Returns the length of a path of n points, added up in double in path order.
WARPATH_HD double length_of(const float* path, std::uint32_t n, bool flat) {
  double length = 0.0;
  for (std::uint32_t k = 1; k < n; ++k) length += euclid(path + 3 * (k - 1), path + 3 * k, flat);
  return length;
}

/// Returns the centre of a path's extent along an axis.
WARPATH_HD double centre_of(const float* path, std::uint32_t n, int axis) {
  float low = path[axis], high = path[axis];
  for (std::uint32_t k = 1; k < n; ++k) {
    const float x = path[3 * k + axis];
    low = x < low ? x : low;
    high = x > high ? x : high;
  }
  return (double{low} + double{high}) / 2;
}

/// Returns the number of the first of n points with the coordinates of `point`, or `none`. −0
/// equals 0.
WARPATH_HD std::int32_t number_of_point(const float* path, std::uint32_t n, const float* point) {
  constexpr std::int32_t none = -2;  // differs from the −1 of padding
  for (std::uint32_t k = 0; k < n; ++k) {
    const float* other = path + 3 * k;
    if (other[0] == point[0] && other[1] == point[1] && other[2] == point[2]) {
      return static_cast<std::int32_t>(k);
    }
  }
  return none;
}

/// Writes m points of a path relative to `origin`. @param reference of n points, for their ids
WARPATH_HD void write_points(const PreparePointsView& view, const double (&origin)[3],
                             const float* path, std::uint32_t m, const float* reference,
                             std::uint32_t n, DevicePoint* to) {
  for (std::uint32_t k = 0; k < m; ++k) {
    const float* p = path + 3 * k;
    to[k] = {static_cast<float>(p[0] - origin[0]), static_cast<float>(p[1] - origin[1]),
             view.flat ? 0.0f : static_cast<float>(p[2] - origin[2]),
             view.needs_ids ? number_of_point(reference, n, p) : 0};
  }
}

/// Writes the distances of a query from the goal.
WARPATH_HD void measure_goal(const PreparePointsView& view, const float* query, std::uint32_t m,
                             const float* goal, DevicePointPair& to) {
  const double first = euclid(query, goal, view.flat);
  double nearest = first, last = first;
  for (std::uint32_t k = 1; k < m; ++k) {
    last = euclid(query + 3 * k, goal, view.flat);
    nearest = last < nearest ? last : nearest;
  }
  to.goal = rounded(last, view.threshold);
  to.nearest = rounded(nearest, view.threshold);
  to.first = rounded(first, view.threshold);
}

/// Prepares pair i. An inactive pair gets no row, and one with an empty path no points.
WARPATH_HD void prepare_points(const PreparePointsView& view, std::uint32_t i) {
  DevicePointPair& to = view.pairs[i];
  to.row = no_row;
  if (view.active != nullptr && view.active[i] == 0) return;
  const std::uint32_t r = view.reference_of.exist() ? view.reference_of[i] : i;
  const std::uint32_t n = view.references.length(r), m = view.queries.length(i);
  to.row = i;
  to.n = static_cast<std::int32_t>(n);
  to.m = static_cast<std::int32_t>(m);
  if (n == 0 || m == 0) return;
  const float *reference = view.references.points_of(r), *query = view.queries.points_of(i);
  const double origin[3] = {centre_of(reference, n, 0), centre_of(reference, n, 1),
                            centre_of(reference, n, 2)};
  to.reference = i * view.pitch;
  to.query = to.reference + n;
  write_points(view, origin, reference, n, reference, n, view.points + to.reference);
  write_points(view, origin, query, m, reference, n, view.points + to.query);
  const float* goal = reference + 3 * (n - 1);
  measure_goal(view, query, m, goal, to);
  to.edits = -1;
  to.query_length = static_cast<float>(length_of(query, m, view.flat));
  to.reference_length = static_cast<float>(length_of(reference, n, view.flat));
  to.start_to_goal = rounded(euclid(reference, goal, view.flat), view.threshold);
  to.task_success = view.task_success != nullptr ? view.task_success[i] : __builtin_nanf("");
}

}  // namespace warpath::kernels
