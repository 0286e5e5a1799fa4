#include "host/formats/trajectory.hpp"

namespace warpath {
namespace {

bool is_viewpoint(json::element value, std::string_view& name) {
  return value.get(name) == simdjson::SUCCESS && !is_not_finite(value);
}

// One inner list: a viewpoint, then numbers, or more viewpoints.
void read_entry(json::array entry, StringTable& viewpoints, NamedPaths& paths, bool first_only,
                Trajectory& result) {
  std::size_t position = 0;
  std::string_view name;
  for (const json::element value : entry) {
    if (is_viewpoint(value, name)) {
      if (position > 0) result.nested = true;
      if (position == 0 || !first_only) paths.nodes.push_back(viewpoints.intern(name));
    } else if (position == 0) {
      result.malformed = true;
    } else {
      result.has_headings = true;
      if (is_not_finite(value)) result.not_finite = true;
    }
    ++position;
  }
}

}  // namespace

Trajectory read_trajectory(json::element value, StringTable& viewpoints, NamedPaths& paths,
                           bool first_only) {
  Trajectory result;
  json::array moves;
  if (value.get(moves) != simdjson::SUCCESS) {
    result.malformed = true;
    result.path = paths.close();
    return result;
  }
  std::string_view name;
  json::array entry;
  for (const json::element move : moves) {
    if (move.get(entry) == simdjson::SUCCESS) {
      read_entry(entry, viewpoints, paths, first_only, result);
    } else if (is_viewpoint(move, name)) {
      result.plain = true;
      paths.nodes.push_back(viewpoints.intern(name));
    } else {
      result.malformed = true;
    }
  }
  result.path = paths.close();
  return result;
}

}  // namespace warpath
