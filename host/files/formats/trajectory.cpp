#include "host/files/formats/trajectory.hpp"

#include <fmt/format.h>

#include <cmath>

#include "host/files/formats/trajectory_details.hpp"

namespace warpath::formats {
namespace {

constexpr std::array<const char*, 2> trajectory_keys{"trajectory", "path"};
// Keys of the viewpoint in steps that are objects, as simulators and agents write them.
constexpr std::array<const char*, 8> viewpoint_keys{
    "viewpointId", "viewpoint", "viewpoint_id", "vp", "vp_id", "image_id", "pano_id", "panoid"};
constexpr std::array<const char*, 2> angle_keys{"heading", "elevation"};

bool is_viewpoint(json::Value value, std::string_view& name) {
  return value.get(name);
}

// Tells whether a value is an object that names its viewpoint.
bool is_step(json::Value value, json::Object& step, std::string_view& name) {
  if (!value.get(step)) return false;
  for (const char* key : viewpoint_keys) {
    const KeyValue viewpoint = find_key(step, key);
    if (viewpoint.count > 0) return is_viewpoint(viewpoint.value, name);
  }
  return false;
}

// Finds the list in an object that holds a trajectory.
bool is_holder(json::Value value, json::Object& holder, json::Value& list) {
  if (!value.get(holder)) return false;
  for (const char* key : trajectory_keys) {
    const KeyValue held = find_key(holder, key);
    list = held.value;
    if (held.count > 0) return list.is_array();
  }
  return false;
}

// Keeps only the viewpoints, all that scores need.
struct PathSink {
  StringTable& viewpoints;
  NamedPaths& paths;
  bool first_only;

  void viewpoint(std::string_view name, bool is_first) {
    if (is_first || !first_only) paths.elements.push_back(viewpoints.intern(name));
  }
  void angle(std::size_t, json::Value) {}
  void hold(json::Object) {}
  template <class... Values>
  void describe(std::string TrajectoryDetails::*, fmt::format_string<Values...>, Values&&...) {}
};

struct DetailSink {
  TrajectoryDetails& details;

  void viewpoint(std::string_view name, bool is_first) {
    details.places.push_back({name, {}, is_first});
  }
  void angle(std::size_t which, json::Value value) {
    double number;
    if (which >= 2 || !value.get(number) || !std::isfinite(number)) return;
    details.places.back().angles[which] = number;
  }
  void hold(json::Object holder) { details.holder = holder; }
  template <class... Values>
  void describe(std::string TrajectoryDetails::*field, fmt::format_string<Values...> text,
                Values&&... values) {
    std::string& description = details.*field;
    if (description.empty()) description = fmt::format(text, std::forward<Values>(values)...);
  }
};

template <class Sink>
class TrajectoryReader {
 public:
  explicit TrajectoryReader(Sink sink) : sink_(sink) {}

  Trajectory read(json::Value value) {
    value = held(value);
    json::Array moves;
    if (!value.get(moves)) {
      form_.malformed = true;
      sink_.describe(&TrajectoryDetails::fault, "the trajectory is {}", type_name(value));
      return form_;
    }
    for (const json::Value move : moves) {
      read_move(move);
      ++position_;
    }
    return form_;
  }

 private:
  // Returns the trajectory itself if an object holds it; for a list, each object holds its own.
  json::Value held(json::Value value) {
    json::Array candidates;
    json::Value list;
    json::Object holder;
    const bool is_list = value.get(candidates);
    const json::Value first = is_list ? candidates.at(0) : value;
    if (!is_holder(first, holder, list)) return value;
    if (is_list) form_.candidates = static_cast<std::uint32_t>(candidates.size());
    form_.has_objects = true;
    sink_.describe(&TrajectoryDetails::object, "the trajectory is {}",
                   is_list ? "a list of objects" : "an object");
    sink_.hold(holder);
    return list;
  }

  void read_move(json::Value move) {
    json::Array parts;
    json::Object step;
    std::string_view name;
    if (move.get(parts)) {
      read_parts(parts);
    } else if (is_viewpoint(move, name)) {
      form_.plain = true;
      sink_.describe(&TrajectoryDetails::plain, "trajectory[{}] is a string", position_);
      sink_.viewpoint(name, true);
    } else if (is_step(move, step, name)) {
      form_.has_objects = true;
      sink_.describe(&TrajectoryDetails::object, "trajectory[{}] is an object", position_);
      sink_.viewpoint(name, true);
      read_angles(step);
    } else {
      form_.malformed = true;
      sink_.describe(&TrajectoryDetails::fault, "trajectory[{}] is {}", position_, type_name(move));
    }
  }

  // Reads one inner list: viewpoints, each followed by numbers.
  void read_parts(json::Array parts) {
    std::size_t names = 0, numbers = 0;
    for (const json::Value part : parts) {
      std::string_view name;
      if (is_viewpoint(part, name)) {
        sink_.viewpoint(name, names++ == 0);
        numbers = 0;
      } else if (names == 0) {
        form_.malformed = true;
        sink_.describe(&TrajectoryDetails::fault, "trajectory[{}][0] is {}", position_,
                       type_name(part));
        return;
      } else {
        read_angle(numbers++, part);
      }
    }
    if (names == 0) {
      sink_.describe(&TrajectoryDetails::fault, "trajectory[{}] is an empty list", position_);
    } else if (names > 1) {
      form_.nested = true;
      sink_.describe(&TrajectoryDetails::nested, "trajectory[{}] names {} viewpoints", position_,
                     names);
    }
  }

  void read_angles(json::Object step) {
    for (std::size_t a = 0; a < angle_keys.size(); ++a) {
      const KeyValue angle = find_key(step, angle_keys[a]);
      if (angle.count > 0) read_angle(a, angle.value);
    }
  }

  void read_angle(std::size_t which, json::Value value) {
    form_.has_headings = true;
    if (is_not_finite(value)) form_.not_finite = true;
    sink_.angle(which, value);
  }

  Sink sink_;
  Trajectory form_;
  std::size_t position_ = 0;
};

}  // namespace

Trajectory read_trajectory(json::Value value, StringTable& viewpoints, NamedPaths& paths,
                           bool first_only) {
  Trajectory trajectory = TrajectoryReader(PathSink{viewpoints, paths, first_only}).read(value);
  trajectory.path = paths.end_path();
  return trajectory;
}

TrajectoryDetails read_trajectory_details(json::Value value) {
  TrajectoryDetails details;
  details.form = TrajectoryReader(DetailSink{details}).read(value);
  return details;
}

}  // namespace warpath::formats
