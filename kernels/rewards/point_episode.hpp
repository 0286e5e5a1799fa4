#pragma once

#include "kernels/bodies/point_rows.hpp"
#include "kernels/bodies/prepare_points.hpp"
#include "kernels/metrics/decide.hpp"
#include "kernels/rewards/episode_memory.hpp"
#include "kernels/rewards/left_out.hpp"
#include "kernels/views/rewards.hpp"

// Gives continuous paths to the episodes of episode.hpp: a viewpoint is a point in space, a row of
// the reference takes three fields, and distances are Euclidean. Distances to the goal are measured
// in double. Where distances ignore z, points are staged with a z of 0, but for the goal's.

namespace warpath::kernels {

/// Computes the distances of K points from one; all square roots at once where lanes can do that.
template <class L, int K>
WARPATH_HD void distances_from(const Point<L> (&at)[K], const Point<L>& point,
                               typename L::F (&d)[K]) {
  WARPATH_UNROLL for (int i = 0; i < K; ++i) {
    d[i] = squared_length<L>(at[i].x - point.x, at[i].y - point.y, at[i].z - point.z);
  }
  if constexpr (requires { L::square_roots(d); }) {
    L::square_roots(d);
  } else {
    WARPATH_UNROLL for (int i = 0; i < K; ++i) d[i] = L::sqrt(d[i]);
  }
}

/// Returns the length of a step; 0 between points at the same place.
template <class L>
WARPATH_HD typename L::F step_length(const Point<L>& a, const Point<L>& b) {
  const auto length = euclid<L>(a, b);
  return L::select(length > L::real(distance_of_coincident_points), length, L::real(0.0f));
}

/// Computes distances from the points of the episodes' references.
template <class L, int K>
struct PointEpisodeRows {
  using F = typename L::F;
  using I = typename L::I;
  using Node = Point<L>;
  static constexpr int axes = 3;

  const EpisodeMemory<L>& memory;
  Point<L> at[K];

  WARPATH_HD PointEpisodeRows(const EpisodeTables&, const EpisodeMemory<L>& of) : memory(of) {}

  WARPATH_HD void load(const I&, int strip) {
    WARPATH_UNROLL for (int i = 0; i < K; ++i) {
      const int field = memory.row_field(strip * K + i);
      at[i] = {memory.real(field), memory.real(field + 1), memory.real(field + 2)};
    }
  }
  WARPATH_HD void column(const Node& node, F (&d)[K]) const { distances_from<L, K>(at, node, d); }
  WARPATH_HD F between(const Node& a, const Node& b) const { return step_length<L>(a, b); }
  WARPATH_HD Node last() const {
    return {memory.real(episode_node), memory.real(episode_y), memory.real(episode_z)};
  }
  WARPATH_HD void keep(typename L::M live, const Node& node) const {
    memory.set_where(live, episode_node, node.x);
    memory.set_where(live, episode_y, node.y);
    memory.set_where(live, episode_z, node.z);
  }
};

// The rest is for lane policies whose registers are scalars.

/// Stages a point given by x, y and z.
template <class L>
WARPATH_HD Point<L> staged_point(const float* point, bool flat) {
  return {point[0], point[1], flat ? 0.0f : point[2]};
}

/// Computes distances from the points of a reference where they lie. Rows below 0 are padding.
template <class L, int K>
struct PointReferenceRows {
  const float* points;
  const bool flat;
  Point<L> at[K];

  WARPATH_HD void load(int first, int) {
    constexpr Point<L> padding{padding_coordinate, padding_coordinate, padding_coordinate};
    WARPATH_UNROLL for (int i = 0; i < K; ++i) {
      at[i] = first + i < 0 ? padding : staged_point<L>(points + 3 * (first + i), flat);
    }
  }
  WARPATH_HD void column(const Point<L>& node, float (&d)[K]) const {
    distances_from<L, K>(at, node, d);
  }
  WARPATH_HD float between(const Point<L>& a, const Point<L>& b) const {
    return step_length<L>(a, b);
  }
};

/// Writes a reference of `size` points, and an episode without points, into the memory of a lane.
/// @param prefix points that nDTW and CLS leave out
template <class L>
WARPATH_HD void store_points(const float* whole, int size, int prefix, bool flat,
                             const EpisodeMemory<L>& memory) {
  const int left_out = size > 0 ? rows_left_out(prefix, size) : 0;
  const float* const points = whole + 3 * left_out;
  const int n = size - left_out, pad = memory.rows - n;
  begin_episode<L>(n, static_cast<float>(length_of(points, static_cast<std::uint32_t>(n), flat)),
                   memory);
  memory.set(episode_prefix, left_out_code(prefix, size));
  for (int axis = 0; axis < 3 && n > 0; ++axis) {
    memory.set(episode_base + axis, points[3 * (n - 1) + axis]);
  }
  for (int i = 0; i < memory.rows; ++i) {
    Point<L> row{padding_coordinate, padding_coordinate, padding_coordinate};
    if (i >= pad) row = staged_point<L>(points + 3 * (i - pad), flat);
    memory.set(memory.row_field(i), row.x);
    memory.set(memory.row_field(i) + 1, row.y);
    memory.set(memory.row_field(i) + 2, row.z);
  }
}

/// Returns the distance from a point to a goal as rewards take it.
WARPATH_HD float point_goal_distance(const float* point, const float* goal,
                                     const PointMeasure& measure) {
  return rounded(euclid(point, goal, measure.goal_flat), measure.success_radius);
}
/// Does the same for the goal of an episode.
template <class L>
WARPATH_HD float point_goal_distance(const float* point, const EpisodeMemory<L>& memory,
                                     const PointMeasure& measure) {
  const float goal[] = {memory.real(episode_base), memory.real(episode_pitch),
                        memory.real(episode_goal)};
  return point_goal_distance(point, goal, measure);
}

}  // namespace warpath::kernels
