#include "host/submission.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace warpath {
namespace {

bool is_name(json::element value, std::string_view& name) {
  return value.get(name) == simdjson::SUCCESS && !is_not_finite(value);
}

void note_first(std::string& description, std::string text) {
  if (description.empty()) description = std::move(text);
}

// An inner list: viewpoints, each with up to two numbers behind it.
void read_inner(json::array parts, std::size_t position, Walk& walk) {
  std::size_t names = 0, numbers = 0;
  for (const json::element part : parts) {
    std::string_view name;
    double number;
    if (is_name(part, name)) {
      walk.places.push_back({name, {}, names++ == 0});
      numbers = 0;
    } else if (names == 0) {
      walk.readable = false;
      note_first(walk.fault, fmt::format("trajectory[{}][0] is {}", position, type_name(part)));
      return;
    } else if (numbers < 2) {
      double& angle = walk.places.back().angles[numbers++];
      if (part.get(number) == simdjson::SUCCESS) angle = number;
    }
  }
  if (names == 0) note_first(walk.fault, fmt::format("trajectory[{}] is an empty list", position));
  if (names > 1) {
    note_first(walk.nested, fmt::format("trajectory[{}] names {} viewpoints", position, names));
  }
}

std::string checked_path(const std::string& path) {
  // Opening a pipe again would wait for ever.
  if (!std::filesystem::is_regular_file(path)) {
    throw InputError({path}, "is no regular file, and this command reads it twice",
                     "save it to a file first");
  }
  return path;
}

json::element trajectory_of(json::element entry, const std::string& path_key) {
  json::object object;
  json::element trajectory;
  if (entry.get(object) != simdjson::SUCCESS) return entry;  // a dict of bare trajectories
  for (const std::string_view key : {std::string_view(path_key), std::string_view("trajectory")}) {
    if (object[key].get(trajectory) == simdjson::SUCCESS) return trajectory;
  }
  return object["path"].value();
}

}  // namespace

Walk read_walk(json::element trajectory) {
  Walk walk;
  json::array moves, parts;
  if (trajectory.get(moves) != simdjson::SUCCESS) {
    walk.readable = false;
    walk.fault = fmt::format("the trajectory is {}", type_name(trajectory));
    return walk;
  }
  std::size_t position = 0;
  for (const json::element move : moves) {
    std::string_view name;
    if (move.get(parts) == simdjson::SUCCESS) {
      read_inner(parts, position, walk);
    } else if (is_name(move, name)) {
      note_first(walk.plain, fmt::format("trajectory[{}] is a string", position));
      walk.places.push_back({name});
    } else {
      walk.readable = false;
      note_first(walk.fault, fmt::format("trajectory[{}] is {}", position, type_name(move)));
    }
    ++position;
  }
  return walk;
}

Submission::Submission(const Predictions& predictions)
    : document_(checked_path(predictions.file)), is_list_(document_.root().is_array()) {
  if (document_.hash() != predictions.hash) {
    throw InputError({predictions.file}, "changed while it was read", "run the command again");
  }
  json::object dict;
  if (document_.root().get(dict) == simdjson::SUCCESS) {
    for (const auto field : dict) {
      trajectories_.push_back(trajectory_of(field.value, "trajectory"));
    }
    return;
  }
  for (const json::element entry : json::array(document_.root())) {
    trajectories_.push_back(trajectory_of(entry, predictions.path_key));
  }
}

}  // namespace warpath
