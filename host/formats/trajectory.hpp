#pragma once

#include <string>

#include "host/formats/json_file.hpp"
#include "host/formats/string_table.hpp"
#include "warpath/paths.hpp"

namespace warpath {

using NamedPaths = PathStore<Token>;

/// What was met in one trajectory, for the detection of the format and for the pre-flight check.
struct Trajectory {
  std::uint32_t path = 0;      ///< number in the NamedPaths it was appended to
  bool malformed = false;      ///< not a list of viewpoints; the path then ends before the fault
  bool not_finite = false;     ///< NaN or infinity among headings and elevations
  bool has_headings = false;   ///< [viewpoint, heading, elevation]
  bool nested = false;         ///< [viewpoint, viewpoint, ...]: one planner move, several viewpoints
  bool plain = false;          ///< viewpoints that are not in a list of their own
};

/// Appends a trajectory's viewpoints, none left out: a list of "viewpoint", [viewpoint],
/// [viewpoint, heading, elevation] or [viewpoint, viewpoint, ...]. An empty list is a path of its
/// own; whatever can't be read makes the trajectory malformed.
/// @param first_only take the first of each inner list and nothing else, as the official server.
Trajectory read_trajectory(json::element value, StringTable& viewpoints, NamedPaths& paths,
                           bool first_only = false);

}  // namespace warpath
