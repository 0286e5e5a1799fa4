#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/files/formats/direction.hpp"

namespace warpath::soon {

/// Reads the boxes of one SOON annotation, whose angles are radians.
/// @param bboxes [{"image_id", "target": {"left_top", "right_top", "right_bottom", "left_bottom",
///   "center": {"heading", "elevation"}}}, …]
/// @throws InputError that names the item and the box at fault
std::vector<formats::TargetBox> read_boxes(json::Value bboxes, const std::string& file,
                                           const std::string& id, formats::StringTable& viewpoints);

/// Reads the direction that a trajectory of a SOON submission names: `obj_heading` and
/// `obj_elevation`, each a number or a list of one.
/// @param is_malformed becomes true if one of the two is missing or is no such value
/// @return nothing if the trajectory has neither key, or they are malformed
std::optional<formats::Direction> read_direction(json::Object holder, bool& is_malformed);

/// Refuses a direction of a submission that no unit explains. @throws InputError that names the
/// item
void check_direction(const formats::Direction& direction, const std::string& file,
                     const std::string& id);

}  // namespace warpath::soon
