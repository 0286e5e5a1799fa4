#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/files/formats/json_file.hpp"
#include "host/files/formats/trajectory.hpp"

namespace warpath::formats {

/// Holds one viewpoint of a trajectory, with what scores never read.
struct TrajectoryStep {
  std::string_view viewpoint;
  std::array<double, 2> angles{};  ///< heading and elevation; 0 if not finite
  bool first = true;  ///< is the first of its inner list, the only one that R2R's server reads
};

/// Describes a trajectory in detail. A text that is not empty names the first such place.
struct TrajectoryDetails {
  std::vector<TrajectoryStep> places;  ///< every viewpoint named, in order
  std::string fault;                   ///< it is not a list of viewpoints: "trajectory[2] is null"
  std::string plain;                   ///< a viewpoint without a list of its own
  std::string nested;                  ///< an inner list of several viewpoints
  std::string object;                  ///< an object in place of a list
  std::optional<json::Object> holder;  ///< object whose `path` or `trajectory` it is
  /// As from `read_trajectory`, but without the path. If it is malformed, viewpoints may be missing
  /// from `places`.
  Trajectory form;
};

/// Reads a trajectory as `read_trajectory` does, and keeps what scores do not need.
TrajectoryDetails read_trajectory_details(json::Value value);

}  // namespace warpath::formats
