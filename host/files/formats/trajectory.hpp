#pragma once

#include <cstdint>

#include "host/files/formats/string_table.hpp"
#include "host/files/json/json_fwd.hpp"
#include "warpath/paths.hpp"

namespace warpath::formats {

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
Trajectory read_trajectory(json::Value value, StringTable& viewpoints, NamedPaths& paths,
                           bool first_only = false);

}  // namespace warpath::formats
