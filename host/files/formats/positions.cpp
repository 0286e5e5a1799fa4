#include "host/files/formats/positions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/files/formats/json_file.hpp"

namespace warpath::formats {
namespace {

constexpr double max_metres = 1e7;
constexpr std::string_view remedy = "write three finite numbers, in metres";

}  // namespace

double checked_metres(double number, const InputError::Where& where) {
  if (std::abs(number) > max_metres) {
    throw InputError(where, fmt::format("is {}, which is beyond {} m", number, max_metres),
                     "positions are metres, and so are weights");
  }
  return number;
}

bool read_point(json::Value value, Point& point, bool is_pose) {
  bool has_more;
  if (!value.get(point, has_more) || (has_more && !is_pose)) return false;
  return std::ranges::all_of(point, [](double metres) { return std::abs(metres) <= max_metres; });
}

std::string point_fault(json::Value value, bool is_pose) {
  json::Array list;
  if (!value.get(list)) {
    return fmt::format("is {}, not [x, y, z]", type_name(value));
  }
  if (list.size() < 3 || (list.size() > 3 && !is_pose))
    return fmt::format("has {} elements, not x, y and z", list.size());
  std::size_t axis = 0;
  for (const json::Value number : list) {
    if (axis++ == 3) break;
    double metres;
    if (!number.get(metres)) {
      return fmt::format("has {} for a coordinate", type_name(number));
    }
    if (!(std::abs(metres) <= max_metres)) {
      return fmt::format("has the coordinate {}, which is beyond {} m", metres, max_metres);
    }
  }
  return "is no position";
}

Point as_point(json::Value value, const InputError::Where& where, bool is_pose) {
  Point point;
  if (!read_point(value, point, is_pose)) {
    throw InputError(where, point_fault(value, is_pose), remedy);
  }
  return point;
}

std::optional<double> any_number(json::Value value) {
  double number;
  if (value.get(number)) return number;
  return not_finite_in(value);
}

std::optional<double> any_distance(json::Value value) {
  const auto distance = any_number(value);
  if (!distance || *distance < 0.0) return std::nullopt;
  if (std::isfinite(*distance) && *distance > max_metres) return std::nullopt;
  return distance;
}

}  // namespace warpath::formats
