#include "host/files/formats/positions.hpp"

#include <fmt/format.h>

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

bool read_point(json::element value, Point& point, bool is_pose) {
  json::array list;
  if (value.get(list) != simdjson::SUCCESS) return false;
  std::size_t axis = 0;
  for (const json::element number : list) {
    if (axis == 3 && is_pose) break;
    if (axis == 3 || number.get(point[axis]) != simdjson::SUCCESS) return false;
    if (!(std::abs(point[axis++]) <= max_metres)) return false;
  }
  return axis == 3;
}

std::string point_fault(json::element value, bool is_pose) {
  json::array list;
  if (value.get(list) != simdjson::SUCCESS) {
    return fmt::format("is {}, not [x, y, z]", type_name(value));
  }
  if (list.size() < 3 || (list.size() > 3 && !is_pose))
    return fmt::format("has {} elements, not x, y and z", list.size());
  std::size_t axis = 0;
  for (const json::element number : list) {
    if (axis++ == 3) break;
    double metres;
    if (number.get(metres) != simdjson::SUCCESS) {
      return fmt::format("has {} for a coordinate", type_name(number));
    }
    if (!(std::abs(metres) <= max_metres)) {
      return fmt::format("has the coordinate {}, which is beyond {} m", metres, max_metres);
    }
  }
  return "is no position";
}

Point as_point(json::element value, const InputError::Where& where, bool is_pose) {
  Point point;
  if (!read_point(value, point, is_pose)) {
    throw InputError(where, point_fault(value, is_pose), remedy);
  }
  return point;
}

std::optional<double> any_number(json::element value) {
  double number;
  if (value.get(number) == simdjson::SUCCESS) return number;
  return not_finite_in(value);
}

std::optional<double> any_distance(json::element value) {
  const auto distance = any_number(value);
  if (!distance || *distance < 0.0) return std::nullopt;
  if (std::isfinite(*distance) && *distance > max_metres) return std::nullopt;
  return distance;
}

}  // namespace warpath::formats
