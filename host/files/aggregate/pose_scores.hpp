#pragma once

#include <array>
#include <span>

namespace warpath::aggregate {

/// Holds where a flight is, in metres, and its yaw in radians, which may have any number of turns.
struct Pose {
  std::array<double, 3> position;
  double yaw;
};

/// Holds the values of a short flight of IndoorUAV.
struct PoseScores {
  double error;         ///< distance of the ends, metres
  double angle;         ///< of the yaws at the ends, radians; below 0 where they differ by over 2π
  bool is_success;      ///< both are small
  double ndtw;          ///< above 1 where costs of angles are below 0
  bool has_overflowed;  ///< exp is beyond all numbers; nDTW is then infinite
};

/// Tells whether an agent that flies from one pose to the next has stopped at the first.
bool is_stop(const Pose& from, const Pose& to);

/// Scores poses as IndoorUAV-Agent's eval_metric/vla_metric.py does, by FastDTW's compiled build.
/// @param query up to its stop
/// @pre neither is empty
PoseScores score_poses(std::span<const Pose> query, std::span<const Pose> reference);

}  // namespace warpath::aggregate
