#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/formats/json_file.hpp"
#include "host/formats/string_table.hpp"
#include "warpath/paths.hpp"

namespace warpath {

using NamedPaths = PathStore<Token>;

/// Says what was found in one trajectory, for the description of the format and for `validate`.
struct Trajectory {
  std::uint32_t path = 0;        ///< number in the NamedPaths that it was appended to
  std::uint32_t candidates = 1;  ///< trajectories given for it; the first is read
  bool malformed = false;     ///< not a list of viewpoints; the path has those that could be read
  bool not_finite = false;    ///< NaN or infinity among headings and elevations
  bool has_headings = false;  ///< [viewpoint, heading, elevation]
  bool nested = false;        ///< [viewpoint, viewpoint, ...]: several viewpoints per planner move
  bool plain = false;         ///< has viewpoints that are not in a list of their own
  bool has_objects = false;   ///< the trajectory, or a step of it, is an object
};

/// Appends all viewpoints of a trajectory. It is a list of "viewpoint", [viewpoint], [viewpoint,
/// heading, elevation], [viewpoint, viewpoint, ...] or {"viewpointId": viewpoint, "heading": …,
/// "elevation": …}; or an object that holds such a list as its `path` or `trajectory`; or a list of
/// such objects, of which the first is read. An empty list is an empty path. Anything else makes
/// the trajectory malformed.
/// @param first_only read only the first viewpoint of each inner list, as the official server does.
Trajectory read_trajectory(json::element value, StringTable& viewpoints, NamedPaths& paths,
                           bool first_only = false);

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
  std::optional<json::object> holder;  ///< object whose `path` or `trajectory` it is
  /// As from `read_trajectory`, but without the path. If it is malformed, viewpoints may be missing
  /// from `places`.
  Trajectory form;
};

/// Reads a trajectory as `read_trajectory` does, and keeps what scores do not need.
TrajectoryDetails read_trajectory_details(json::element value);

}  // namespace warpath
