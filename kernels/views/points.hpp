#pragma once

#include <cstdint>

#include "kernels/views/pairs.hpp"
#include "kernels/views/paths.hpp"
#include "kernels/views/rules.hpp"

// Defines what kernels of continuous paths read.

namespace warpath::kernels {

/// The distance that kernels give two points at the same place, metres. No distance is less.
inline constexpr float distance_of_coincident_points = 0x1p-50f;

/// Bounds the thresholds under which kernels score continuous paths, metres: beside the least one
/// distance_of_coincident_points is nothing, and to the greatest one padding rows are out of reach.
inline constexpr double min_point_threshold = 1e-6, max_point_threshold = 1e15;

/// Holds what is measured of a pair of continuous paths in double precision, by the host or by
/// prepare_points. It replaces the sweep's own values.
struct PointPairInputs {
  std::int32_t n, m;   ///< |R|, |Q|
  std::int32_t edits;  ///< ED if it is known; −1: the sweep counts it
  float goal, nearest,
      first;  ///< distances to the goal from the query's last, nearest and first point
  float query_length, reference_length, start_to_goal, task_success;
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

/// Holds pairs of continuous paths of any length.
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

/// Holds pairs of continuous paths, and where their points go: those of pair i's reference to
/// points[i * pitch], followed by those of its query.
struct PreparePointsView {
  PathArray references, queries;  ///< of points
  std::uint32_t count;
  IntegerArray reference_of;   ///< none: pair i has reference i
  const std::uint8_t* active;  ///< 0: the pair is left out; null: none is
  const float* task_success;   ///< null: not given
  double threshold;
  bool flat;       ///< ignores z
  bool needs_ids;  ///< the edit distance is swept
  std::uint32_t pitch;
  DevicePoint* points;
  DevicePointPair* pairs;
};

/// Holds a pair of continuous paths in host memory: coordinates in metres relative to a common
/// origin, all of one axis before those of the next.
struct PointTask : PointPairInputs {
  const float *reference[3], *query[3];
  /// Equal for coordinates that are identical in double; read only if the edit distance is swept.
  const std::int32_t *reference_id, *query_id;
};

}  // namespace warpath::kernels
