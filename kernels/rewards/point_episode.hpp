#pragma once

#include "kernels/bodies/point_rows.hpp"
#include "kernels/metrics/decide.hpp"
#include "kernels/rewards/episode.hpp"

// Gives continuous paths to the episodes of episode.hpp: a viewpoint is a point in space, a row of
// the reference takes three fields, and distances are Euclidean. Distances to the goal are measured
// in double before and come with the path.

namespace warpath::kernels {

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
  WARPATH_HD void column(const Node& node, F (&d)[K]) const {
    WARPATH_UNROLL for (int i = 0; i < K; ++i) d[i] = euclid<L>(at[i], node);
  }
  /// Returns the length of a step; 0 between points at the same place.
  WARPATH_HD F between(const Node& a, const Node& b) const {
    const F length = euclid<L>(a, b);
    const F least = L::real(distance_of_coincident_points);
    return L::select(length > least, length, L::real(0.0f));
  }
  WARPATH_HD Node last() const {
    return {memory.real(episode_node), memory.real(episode_y), memory.real(episode_z)};
  }
  WARPATH_HD void keep(typename L::M live, const Node& node) const {
    memory.set_where(live, episode_node, node.x);
    memory.set_where(live, episode_y, node.y);
    memory.set_where(live, episode_z, node.z);
  }
};

/// Returns the distance from a point to a goal as rewards take it. @param flat ignores z
WARPATH_HD float point_goal_distance(const float* point, const float* goal, bool flat,
                                     double radius) {
  return rounded(euclid(point, goal, flat), radius);
}

}  // namespace warpath::kernels
