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

/// What was met in one trajectory, for the format_description of the format and for the pre-flight
/// check.
struct Trajectory {
  std::uint32_t path = 0;        ///< number in the NamedPaths it was appended to
  std::uint32_t candidates = 1;  ///< trajectories that the file gives for it; the first is read
  bool malformed = false;        ///< not a list of viewpoints; the path has what could be read
  bool not_finite = false;       ///< NaN or infinity among headings and elevations
  bool has_headings = false;     ///< [viewpoint, heading, elevation]
  bool nested = false;           ///< [viewpoint, viewpoint, ...]: several viewpoints a planner move
  bool plain = false;            ///< viewpoints that are not in a list of their own
  bool has_objects = false;      ///< the trajectory, or a step of it, is an object
};

/// Appends a trajectory's viewpoints, none left out. It is a list of "viewpoint", [viewpoint],
/// [viewpoint, heading, elevation], [viewpoint, viewpoint, ...] or {"viewpointId": viewpoint,
/// "heading": …, "elevation": …}; or an object that holds such a list as its `path` or
/// `trajectory`; or a list of such objects, of which the first is read. An empty list is a path of
/// its own; whatever can't be read makes the trajectory malformed.
/// @param first_only take the first of each inner list and nothing else, as the official server.
Trajectory read_trajectory(json::element value, StringTable& viewpoints, NamedPaths& paths,
                           bool first_only = false);

/// One viewpoint of a trajectory, with what scores never read.
struct TrajectoryStep {
  std::string_view viewpoint;
  std::array<double, 2> angles{};  ///< heading and elevation; 0 where there is no finite number
  bool first = true;               ///< of its inner list, the only one that R2R's server reads
};

/// A trajectory to the letter. Where a description is not empty it names the first such place.
struct TrajectoryDetails {
  std::vector<TrajectoryStep> places;  ///< every viewpoint named, in order
  std::string fault;                   ///< no list of viewpoints: "trajectory[2] is null"
  std::string plain;                   ///< a viewpoint without a list of its own
  std::string nested;                  ///< an inner list of several viewpoints
  std::string object;                  ///< an object in place of a list
  std::optional<json::object> holder;  ///< the object whose `path` or `trajectory` it is
  Trajectory form;  ///< as `read_trajectory` has it, but for the path; where it is
                    ///< malformed some viewpoints may be missing from `places`
};

/// Reads what `read_trajectory` reads, and keeps what scores do without.
TrajectoryDetails read_trajectory_details(json::element value);

}  // namespace warpath
