#include "host/tasks/soon/trajectories.hpp"

#include "host/files/formats/json_file.hpp"
#include "host/files/formats/predictions.hpp"
#include "host/tasks/soon/boxes.hpp"

namespace warpath::soon {
namespace {

formats::EntryTrajectory read_one(json::Value value, std::uint32_t entry,
                                  formats::StringTable& viewpoints, formats::NamedPaths& paths) {
  formats::EntryTrajectory read{entry, formats::read_trajectory(value, viewpoints, paths)};
  if (const auto holder = formats::object_in(value)) {
    read.direction = read_direction(*holder, read.has_malformed_direction);
  }
  return read;
}

}  // namespace

bool is_soon_trajectory(const json::Value& trajectory) {
  json::Object object;
  if (trajectory.get(object)) return formats::has_key(object, "path");
  json::Array list;
  if (!trajectory.get(list) || list.size() == 0) return false;
  return list.at(0).get(object) && formats::has_key(object, "path");
}

std::vector<json::Value> soon_trajectories_in(json::Value trajectory) {
  json::Array list;
  if (!is_soon_trajectory(trajectory) || !trajectory.get(list)) {
    return {trajectory};
  }
  return {list.begin(), list.end()};
}

std::vector<formats::EntryTrajectory> read_soon_entry(json::Value trajectory, std::uint32_t entry,
                                                      formats::StringTable& viewpoints,
                                                      formats::NamedPaths& paths) {
  std::vector<formats::EntryTrajectory> all;
  const bool are_objects = is_soon_trajectory(trajectory);
  for (const json::Value value : soon_trajectories_in(trajectory)) {
    all.push_back(read_one(value, entry, viewpoints, paths));
    if (are_objects && !value.is_object()) all.back().trajectory.malformed = true;
  }
  return all;
}

void add_soon_entry(const json::Value& trajectory, const std::string& id, formats::Predictions& out,
                    formats::StringTable& viewpoints) {
  const auto number = static_cast<std::uint32_t>(out.entries.size());
  const auto all = read_soon_entry(trajectory, number, viewpoints, out.paths);
  for (const formats::EntryTrajectory& t : all) {
    if (t.direction) check_direction(*t.direction, out.file, id);
  }
  out.trajectories.insert(out.trajectories.end(), all.begin(), all.end());
}

}  // namespace warpath::soon
