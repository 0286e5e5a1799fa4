#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpath/paths.hpp"

namespace warpath::formats {

/// Returns the scan of a scene: "17DRP5sb8fy" of "mp3d/17DRP5sb8fy/17DRP5sb8fy.glb".
inline std::string_view scan_of_scene(std::string_view scene) {
  const std::string_view file = scene.substr(scene.rfind('/') + 1);
  return file.substr(0, file.find('.'));
}

/// Holds what a dataset of continuous episodes (VLN-CE, RxR-CE) has beside its items. Positions are
/// metres with y up, as in Habitat.
struct EpisodeData {
  bool is_z_up = false;    ///< the third coordinate is the height; false: the second
  bool has_poses = false;  ///< numbers behind a position are its orientation, and are not scored
  PointSet references;     ///< by item: ground truth, or reference_path
  PointSet starts;         ///< by item: one position
  PointSet goals;          ///< by item: positions of its goals; none: a test split
  PointSet ends;           ///< by item: the end of reference_path; none: it has none
  std::vector<double> geodesic_distance;     ///< by item: from start to goal; NaN: not given
  std::vector<std::string> instruction_ids;  ///< by item: RxR's; empty: none
  std::string ground_truth;                  ///< file of the references; empty: reference_path
};

/// Describes one predicted path of positions.
struct PositionPath {
  bool has_stops = false;    ///< the file says at which entry the agent stops
  bool is_stopped = true;    ///< the last entry is a stop; true where the file has no stops
  double collisions = -1.0;  ///< number of moves that ended in one; negative: not given
  std::optional<double> success{}, oracle_success{};  ///< as the file records them
  std::string ending{};                               ///< how the episode ended; empty: not given
  std::string fault_at{}, fault{};  ///< the first place and problem of a malformed path
  std::string file{};               ///< that has it; empty: that of the predictions
};

/// Holds what predictions of positions have beside their entries. Paths are numbered as
/// Trajectory::path.
struct PositionData {
  PointSet points;
  PathStore<double> distances;  ///< to the goal, one for each position, or an empty list: not given
  /// From the position before, one for each position; the first has 0. No lists: Euclidean.
  PathStore<double> steps;
  std::vector<PositionPath> paths;
  std::string distances_hash{};  ///< of the file that gives the distances; empty: none does
};

}  // namespace warpath::formats
