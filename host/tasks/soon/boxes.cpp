#include "host/tasks/soon/boxes.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "host/formats/json_file.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace {

constexpr double turn = 2.0 * std::numbers::pi;
// Radians; a larger angle is taken for one in another unit, such as degrees.
constexpr double max_angle = 4.0 * turn;
// Of a submission, whose squared errors must have a mean. No angle in radians or degrees is larger.
constexpr double max_turns = 1e6;

class BoxReader {
 public:
  BoxReader(const std::string& file, const std::string& id, std::size_t number)
      : file_(file), id_(id), number_(number) {}

  TargetBox read(json::element element, StringTable& viewpoints) const {
    const json::object box = as_object(element, where(""));
    const std::string_view name = as_string(need(box, "image_id"), where(".image_id"));
    const json::object target = as_object(need(box, "target"), where(".target"));
    return {.viewpoint = viewpoints.intern(name),
            .corners = {direction(target, "left_top"), direction(target, "right_top"),
                        direction(target, "right_bottom"), direction(target, "left_bottom")},
            .centre = direction(target, "center")};
  }

 private:
  InputError::Where where(std::string_view field) const {
    return {file_, id_, fmt::format("bboxes[{}]{}", number_, field)};
  }

  json::element need(json::object object, std::string_view key, std::string_view place = "") const {
    return require(object, key, where(place));
  }

  Direction direction(json::object target, std::string_view corner) const {
    const std::string place = fmt::format(".target.{}", corner);
    const json::object angles = as_object(need(target, corner, ".target"), where(place));
    return {.heading = angle(angles, "heading", place) / turn,
            .elevation = (angle(angles, "elevation", place) + std::numbers::pi) / turn};
  }

  double angle(json::object angles, std::string_view key, const std::string& place) const {
    const InputError::Where found = where(fmt::format("{}.{}", place, key));
    const double radians = as_number(need(angles, key, place), found);
    if (std::abs(radians) <= max_angle) return radians;
    throw InputError(found, fmt::format("is {}, which is more than four turns", radians),
                     "give headings and elevations in radians");
  }

  const std::string& file_;
  const std::string& id_;
  std::size_t number_;
};

// Returns the only number of a value that is one, or a list of one.
std::optional<double> only_number(json::element value) {
  json::array list;
  if (value.get(list) == simdjson::SUCCESS) {
    if (list.size() != 1) return std::nullopt;
    value = list.at(0).value();
  }
  if (const auto number = not_finite_in(value)) return number;
  double number;
  return value.get(number) == simdjson::SUCCESS ? std::optional(number) : std::nullopt;
}

}  // namespace

std::vector<TargetBox> read_boxes(json::element bboxes, const std::string& file,
                                  const std::string& id, StringTable& viewpoints) {
  std::vector<TargetBox> boxes;
  for (const json::element box : as_array(bboxes, {file, id, "bboxes"})) {
    boxes.push_back(BoxReader(file, id, boxes.size()).read(box, viewpoints));
  }
  return boxes;
}

std::optional<Direction> read_direction(json::object holder, bool& is_malformed) {
  const KeyValue heading = find_key(holder, "obj_heading");
  const KeyValue elevation = find_key(holder, "obj_elevation");
  if (heading.count + elevation.count == 0) return std::nullopt;
  const auto read = [](const KeyValue& value) {
    return value.count > 0 ? only_number(value.value) : std::nullopt;
  };
  const std::optional<double> h = read(heading), e = read(elevation);
  is_malformed = !h || !e;
  return is_malformed ? std::nullopt : std::optional(Direction{*h, *e});
}

void check_direction(const Direction& direction, const std::string& file, const std::string& id) {
  const auto check = [&](double turns, const char* field) {
    if (!std::isfinite(turns) || std::abs(turns) <= max_turns) return;
    throw InputError({file, id, field}, fmt::format("is {}, beyond {} turns", turns, max_turns),
                     "write heading / 2π and (elevation + π) / 2π, from 0 to 1");
  };
  check(direction.heading, "obj_heading");
  check(direction.elevation, "obj_elevation");
}

}  // namespace warpath
