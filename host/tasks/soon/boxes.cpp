#include "host/tasks/soon/boxes.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "host/files/formats/json_file.hpp"
#include "warpath/error.hpp"

namespace warpath::soon {
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

  formats::TargetBox read(json::Value element, formats::StringTable& viewpoints) const {
    const json::Object box = formats::as_object(element, where(""));
    const std::string_view name = formats::as_string(need(box, "image_id"), where(".image_id"));
    const json::Object target = formats::as_object(need(box, "target"), where(".target"));
    return {.viewpoint = viewpoints.intern(name),
            .corners = {direction(target, "left_top"), direction(target, "right_top"),
                        direction(target, "right_bottom"), direction(target, "left_bottom")},
            .centre = direction(target, "center")};
  }

 private:
  InputError::Where where(std::string_view field) const {
    return {file_, id_, fmt::format("bboxes[{}]{}", number_, field)};
  }

  json::Value need(json::Object object, std::string_view key, std::string_view place = "") const {
    return formats::require(object, key, where(place));
  }

  formats::Direction direction(json::Object target, std::string_view corner) const {
    const std::string place = fmt::format(".target.{}", corner);
    const json::Object angles = formats::as_object(need(target, corner, ".target"), where(place));
    return {.heading = angle(angles, "heading", place) / turn,
            .elevation = (angle(angles, "elevation", place) + std::numbers::pi) / turn};
  }

  double angle(json::Object angles, std::string_view key, const std::string& place) const {
    const InputError::Where found = where(fmt::format("{}.{}", place, key));
    const double radians = formats::as_number(need(angles, key, place), found);
    if (std::abs(radians) <= max_angle) return radians;
    throw InputError(found, fmt::format("is {}, which is more than four turns", radians),
                     "give headings and elevations in radians");
  }

  const std::string& file_;
  const std::string& id_;
  std::size_t number_;
};

// Returns the only number of a value that is one, or a list of one.
std::optional<double> only_number(json::Value value) {
  json::Array list;
  if (value.get(list)) {
    if (list.size() != 1) return std::nullopt;
    value = list.at(0);
  }
  if (const auto number = formats::not_finite_in(value)) return number;
  double number;
  return value.get(number) ? std::optional(number) : std::nullopt;
}

}  // namespace

std::vector<formats::TargetBox> read_boxes(json::Value bboxes, const std::string& file,
                                           const std::string& id,
                                           formats::StringTable& viewpoints) {
  std::vector<formats::TargetBox> boxes;
  for (const json::Value box : formats::as_array(bboxes, {file, id, "bboxes"})) {
    boxes.push_back(BoxReader(file, id, boxes.size()).read(box, viewpoints));
  }
  return boxes;
}

std::optional<formats::Direction> read_direction(json::Object holder, bool& is_malformed) {
  const formats::KeyValue heading = formats::find_key(holder, "obj_heading");
  const formats::KeyValue elevation = formats::find_key(holder, "obj_elevation");
  if (heading.count + elevation.count == 0) return std::nullopt;
  const auto read = [](const formats::KeyValue& value) {
    return value.count > 0 ? only_number(value.value) : std::nullopt;
  };
  const std::optional<double> h = read(heading), e = read(elevation);
  is_malformed = !h || !e;
  return is_malformed ? std::nullopt : std::optional(formats::Direction{*h, *e});
}

void check_direction(const formats::Direction& direction, const std::string& file,
                     const std::string& id) {
  const auto check = [&](double turns, const char* field) {
    if (!std::isfinite(turns) || std::abs(turns) <= max_turns) return;
    throw InputError({file, id, field}, fmt::format("is {}, beyond {} turns", turns, max_turns),
                     "write heading / 2π and (elevation + π) / 2π, from 0 to 1");
  };
  check(direction.heading, "obj_heading");
  check(direction.elevation, "obj_elevation");
}

}  // namespace warpath::soon
