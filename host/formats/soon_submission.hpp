#pragma once

#include <optional>
#include <vector>

#include "host/formats/direction.hpp"

namespace warpath {

/// Holds one of the trajectories that a SOON submission gives for an instruction.
struct SoonTrajectory {
  std::uint32_t entry;  ///< of the predictions, that it belongs to
  Trajectory trajectory;
  std::optional<Direction> direction{};  ///< where the agent says that the target is
  bool has_malformed_direction = false;
};

/// Says what becomes of a SOON submission whose dataset is not SOON's.
inline constexpr const char* first_trajectory_note =
    "of each SOON entry the first path is scored, and no object direction";

/// Returns the trajectories of an entry: the elements of a list of objects with `path`, or the
/// value itself.
std::vector<json::element> soon_trajectories_in(json::element trajectory);

/// Reads all trajectories of an entry: a list of objects with `path`, one such object, or a plain
/// trajectory. An element of the list that is something else is malformed.
/// @param paths take the paths, in order
std::vector<SoonTrajectory> read_soon_entry(json::element trajectory, std::uint32_t entry,
                                            StringTable& viewpoints, NamedPaths& paths);

}  // namespace warpath
