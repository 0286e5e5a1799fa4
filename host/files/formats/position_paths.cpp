#include "host/files/formats/position_paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace warpath::formats {
namespace {

constexpr std::array<std::string_view, 4> position_keys{"path", "trajectory", "positions",
                                                        "pred_path"};

std::optional<std::string_view> path_key_in(json::Object object) {
  const auto* const it =
      std::ranges::find_if(position_keys, [&](auto key) { return has_key(object, key); });
  return it == position_keys.end() ? std::nullopt : std::optional(*it);
}

// Returns the values of some keys, the last one of a key that is repeated; nothing: no such key.
template <std::size_t n>
std::array<std::optional<json::Value>, n> last_values(json::Object object,
                                                      const std::array<std::string_view, n>& keys) {
  std::array<std::optional<json::Value>, n> values;
  for (const auto field : object) {
    const auto key = std::ranges::find(keys, field.key);
    if (key != keys.end()) values[static_cast<std::size_t>(key - keys.begin())] = field.value;
  }
  return values;
}

// Reads the number of moves that ended in a collision: a number, a list with one for each entry, or
// habitat-lab's {"count", "is_collision"}, whose count is of all moves so far.
std::optional<double> collisions_in(json::Value value, bool is_of_move) {
  json::Array list;
  bool flag;
  if (const auto measure = object_in(value)) {
    const KeyValue found = find_key(*measure, is_of_move ? "is_collision" : "count");
    if (found.count == 0 || object_in(found.value)) return std::nullopt;
    return collisions_in(found.value, is_of_move);
  }
  if (value.get(flag)) return flag;
  if (!value.get(list)) return any_number(value);
  double sum = 0.0;
  for (const json::Value element : list) {
    const auto one = collisions_in(element, true);
    if (!one) return std::nullopt;
    sum += *one;
  }
  return sum;
}

// Returns the object that holds a path under a key, if the value is one.
std::optional<json::Object> holder_of(json::Value value) {
  const auto object = object_in(value);
  return object && has_path(*object) ? object : std::nullopt;
}

}  // namespace

bool is_path_key(std::string_view key) {
  return std::ranges::find(position_keys, key) != position_keys.end();
}

bool has_path(json::Object entry) {
  return path_key_in(entry).has_value();
}

json::Value positions_in(json::Value entry) {
  const auto holder = holder_of(entry);
  return holder ? find_key(*holder, *path_key_in(*holder)).value : entry;
}

PositionEntry read_position_entry(json::Value entry) {
  PositionEntry read;
  const auto object = object_in(entry);
  if (!object) return read;
  read.is_object = true;
  const KeyValue heading = find_key(*object, "heading"), stop = find_key(*object, "stop");
  bool stops;
  if (heading.count > 0) read.heading = any_number(heading.value);
  if (stop.count > 0 && stop.value.get(stops)) read.stop = stops;
  return read;
}

std::string early_stops_note(std::uint64_t paths) {
  return fmt::format("{} paths go on behind a stop: whether their last entry is one decides",
                     paths);
}

Trajectory PositionPathReader::read(json::Value value) {
  if (const auto holder = holder_of(value)) return read_holder(*holder);
  begin();
  read_list(value);
  return end();
}

Trajectory PositionPathReader::read_holder(json::Object holder) {
  begin();
  if (const auto key = path_key_in(holder)) {
    read_list(find_key(holder, *key).value);
  } else {
    fault("path", "is not there");
  }
  read_beside(holder);
  return end();
}

void PositionPathReader::begin() {
  path_ = {};
  stop_at_.reset();
  position_ = 0;
}

void PositionPathReader::read_list(json::Value value) {
  json::Array entries;
  if (value.get(entries)) return read_entries(entries);
  fault("path", fmt::format("is {}, not a list of positions", type_name(value)));
}

void PositionPathReader::read_entries(json::Array entries) {
  for (const json::Value entry : entries) {
    Point& point = data_.points.elements.emplace_back();
    if (const auto object = object_in(entry)) {
      read_entry(*object, point);
    } else if (!read_point(entry, point, has_poses_)) {
      fault(fmt::format("[{}]", position_), point_fault(entry, has_poses_));
    }
    ++position_;
  }
}

void PositionPathReader::read_entry(json::Object entry, Point& point) {
  constexpr std::array<std::string_view, 7> keys{
      "position", "stop", "distance", "distance_to_goal", "collision", "is_collision", "collided"};
  constexpr std::size_t first_distance = 2, first_collision = 4;
  const auto values = last_values(entry, keys);
  if (!values[0]) {
    fault(fmt::format("[{}]", position_), "has no position");
  } else if (!read_point(*values[0], point)) {
    fault(fmt::format("[{}].position", position_), point_fault(*values[0]));
  }
  if (values[1]) read_stop(*values[1], fmt::format("[{}].stop", position_));
  for (std::size_t k = first_distance; k < first_collision; ++k) {
    if (values[k]) add_distance(*values[k], keys[k]);
  }
  for (std::size_t k = first_collision; k < keys.size(); ++k) {
    if (values[k]) add_collisions(*values[k], true, fmt::format("[{}].{}", position_, keys[k]));
  }
}

// Reads what stands beside the path of an object: stop, distances, collisions.
void PositionPathReader::read_beside(json::Object object) {
  constexpr std::array<std::string_view, 4> keys{"stop", "distances", "distance_to_goal",
                                                 "collisions"};
  const auto values = last_values(object, keys);
  if (values[0]) read_stop(*values[0], "stop");
  for (const std::size_t k : {1, 2}) {
    if (values[k]) read_list_of_distances(*values[k], keys[k]);
  }
  if (values[3]) add_collisions(*values[3], false, "collisions");
  if (has_poses_) read_of_flight(object);
}

// Reads what simulators of flights write beside a path.
void PositionPathReader::read_of_flight(json::Object object) {
  constexpr std::array<std::string_view, 5> keys{"done", "is_collisioned", "success",
                                                 "oracle_success", "termination_reason"};
  const auto values = last_values(object, keys);
  if (values[0]) read_stop(*values[0], "done");
  if (values[1]) add_collisions(*values[1], false, "is_collisioned");
  if (values[2]) read_outcome(*values[2], keys[2], path_.success);
  if (values[3]) read_outcome(*values[3], keys[3], path_.oracle_success);
  std::string_view ending;
  if (!values[4]) return;
  if (!values[4]->get(ending))
    return fault("termination_reason", fmt::format("is {}, not a text", type_name(*values[4])));
  path_.ending = ending;
}

void PositionPathReader::read_outcome(json::Value value, std::string_view key,
                                      std::optional<double>& outcome) {
  bool flag = false;
  const auto number = value.get(flag) ? std::optional<double>(flag) : any_number(value);
  if (!number || (*number != 0.0 && *number != 1.0))
    return fault(std::string(key), "is neither 0 nor 1");
  outcome = number;
}

void PositionPathReader::read_stop(json::Value value, std::string at) {
  bool stops = false;
  if (!value.get(stops)) {
    return fault(std::move(at), fmt::format("is {}, not true or false", type_name(value)));
  }
  path_.has_stops = true;
  if (stops && !stop_at_) stop_at_ = position_;
  path_.is_stopped = stops;
}

void PositionPathReader::read_list_of_distances(json::Value value, std::string_view key) {
  json::Array list;
  if (!value.get(list)) return;  // that of the end alone
  position_ = 0;
  for (const json::Value distance : list) {
    add_distance(distance, key);
    ++position_;
  }
}

void PositionPathReader::add_distance(json::Value value, std::string_view key) {
  const auto distance = any_distance(value);
  if (!distance) {
    return fault(fmt::format("[{}].{}", position_, key),
                 fmt::format("is {}, not a distance from 0 to 10,000 km", type_name(value)));
  }
  data_.distances.elements.push_back(*distance);
}

void PositionPathReader::add_collisions(json::Value value, bool is_of_move, const std::string& at) {
  const auto count = collisions_in(value, is_of_move);
  if (!count || !(*count >= 0.0) || *count > 1e9) {
    return fault(at, "is no number of collisions");
  }
  path_.collisions = std::max(path_.collisions, 0.0) + *count;
}

Trajectory PositionPathReader::end() {
  const std::size_t positions = data_.points.elements.size() - data_.points.offsets.back();
  const std::size_t given = data_.distances.elements.size() - data_.distances.offsets.back();
  if (given != 0 && given != positions && path_.fault.empty()) {
    fault("distances", fmt::format("are {}, but there are {} positions", given, positions));
  }
  early_stops += stop_at_ && *stop_at_ + 1 < positions;
  Trajectory trajectory;
  trajectory.malformed = !path_.fault.empty();
  trajectory.path = data_.points.end_path();
  data_.distances.end_path();
  data_.paths.push_back(std::move(path_));
  return trajectory;
}

void PositionPathReader::fault(std::string at, std::string what) {
  if (!path_.fault.empty()) return;
  path_.fault_at = std::move(at);
  path_.fault = std::move(what);
}

}  // namespace warpath::formats
