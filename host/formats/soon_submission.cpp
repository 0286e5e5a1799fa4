#include "host/formats/soon_submission.hpp"

#include "host/formats/json_file.hpp"
#include "host/formats/prediction_shapes.hpp"

namespace warpath {
namespace {

SoonTrajectory read_one(json::element value, std::uint32_t entry, StringTable& viewpoints,
                        NamedPaths& paths) {
  SoonTrajectory read{entry, read_trajectory(value, viewpoints, paths)};
  if (const auto holder = object_in(value)) {
    read.direction = read_direction(*holder, read.has_malformed_direction);
  }
  return read;
}

}  // namespace

std::vector<json::element> soon_trajectories_in(json::element trajectory) {
  json::array list;
  if (!is_soon_trajectory(trajectory) || trajectory.get(list) != simdjson::SUCCESS) {
    return {trajectory};
  }
  return {list.begin(), list.end()};
}

std::vector<SoonTrajectory> read_soon_entry(json::element trajectory, std::uint32_t entry,
                                            StringTable& viewpoints, NamedPaths& paths) {
  std::vector<SoonTrajectory> all;
  const bool are_objects = is_soon_trajectory(trajectory);
  for (const json::element value : soon_trajectories_in(trajectory)) {
    all.push_back(read_one(value, entry, viewpoints, paths));
    if (are_objects && !value.is_object()) all.back().trajectory.malformed = true;
  }
  return all;
}

}  // namespace warpath
