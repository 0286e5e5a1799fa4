#pragma once

#include <array>
#include <optional>
#include <string>

#include "host/files/json/json_fwd.hpp"
#include "warpath/error.hpp"

namespace warpath::formats {

using Point = std::array<double, 3>;

/// Returns a coordinate or a length. More than 10,000 km in either direction is refused as a wrong
/// unit. @throws InputError
double checked_metres(double number, const InputError::Where& where);

/// Reads a position [x, y, z]. Returns false where it is anything else, or beyond 10,000 km.
/// @param is_pose further numbers, an orientation, may follow, and are not read; likewise below
bool read_point(json::Value value, Point& point, bool is_pose = false);

/// Says what is wrong with a value that `read_point` refuses: "is null, not [x, y, z]".
std::string point_fault(json::Value value, bool is_pose = false);

/// Reads a position. @throws InputError with what is wrong
Point as_point(json::Value value, const InputError::Where& where, bool is_pose = false);

/// Returns a number, also one that is not finite; nothing for any other value.
std::optional<double> any_number(json::Value value);

/// Returns a distance in metres: from 0 to 10,000 km, or not finite, which says that there is no
/// way; nothing for any other value.
std::optional<double> any_distance(json::Value value);

}  // namespace warpath::formats
