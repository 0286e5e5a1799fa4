#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "host/files/formats/trajectory.hpp"

namespace warpath::formats {

/// Holds a direction in turns: heading / 2π, and (elevation + π) / 2π.
struct Direction {
  double heading, elevation;
};

/// Holds the box around a target as it is seen from one viewpoint.
struct TargetBox {
  Token viewpoint;
  std::array<Direction, 4> corners;  ///< in order around the box
  Direction centre;                  ///< as the annotation has it
};

/// Holds one of several trajectories that a submission gives for an entry.
struct EntryTrajectory {
  std::uint32_t entry;  ///< of the predictions, that it belongs to
  Trajectory trajectory;
  std::optional<Direction> direction{};  ///< where the agent says that the target is
  bool has_malformed_direction = false;
};

}  // namespace warpath::formats
