#include <fmt/format.h>

#include "host/files/formats/json_file.hpp"
#include "host/files/formats/objects.hpp"
#include "host/files/io/counted.hpp"
#include "host/files/io/counted_ids.hpp"
#include "host/tasks/drones/flights.hpp"
#include "host/tasks/list.hpp"

namespace warpath::drones {
namespace {

// Its episode generator drops episodes whose marker is farther from the target, metres.
constexpr double max_marker_distance = 30.0;

bool is_citynav(const json::Object& first) {
  return formats::has_key(first, "area") && formats::has_key(first, "object_ids");
}

json::Value first_of(json::Object item, const char* key, const InputError::Where& where) {
  const InputError::Where at{where.file, where.item, key};
  for (const json::Value element : formats::as_array(formats::require(item, key, where), at))
    return element;
  throw InputError(at, "is empty", "repair the item");
}

class ReadCityNav {
 public:
  void operator()(const json::Value& entry, const InputError::Where& place, Flights& flights,
                  const formats::Dataset&) {
    const json::Object item = formats::as_object(entry, place);
    const std::string map = fmt::format("{}_block_{}", text_in_id(item, "area", place),
                                        text_in_id(item, "block", place));
    Flight flight;
    // The results' keys are Python tuples.
    flight.id = fmt::format(
        "('{}', {}, {})", map,
        in_id(formats::id_text(first_of(item, "object_ids", place),
                               {place.file, place.item, "object_ids"}),
              {place.file, place.item, "object_ids"}),
        formats::id_text(first_of(item, "ann_ids", place), {place.file, place.item, "ann_ids"}));
    const InputError::Where where{place.file, flight.id};
    const formats::KeyValue marker = formats::find_key(item, "dist_marker_to_target");
    if (marker.count > 0 &&
        formats::as_metres(marker.value, {where.file, where.item, "dist_marker_to_target"}) >
            max_marker_distance) {
      return far_.add(flight.id);
    }
    flight.scan = map;
    flight.path = formats::require(item, "trajectory", where);
    flight.path_key = "trajectory";
    flight.goal = formats::as_point(first_of(item, "target_positions", where),
                                    {where.file, where.item, "target_positions[0]"});
    const formats::KeyValue texts = formats::find_key(item, "descriptions");
    json::Array descriptions;
    if (texts.count > 0 && texts.value.get(descriptions)) {
      std::string_view words;
      if (descriptions.at(0).get(words)) flight.instruction = words;
    }
    flights.add(flight, place.file);
  }

  void finish(formats::Dataset& dataset) const {
    if (dataset.items.empty()) {
      throw InputError({dataset.file}, "every marker is over 30 m from its target",
                       "such items are not evaluated; check dist_marker_to_target");
    }
    if (far_.count == 0) return;
    dataset.notes.push_back(fmt::format(
        "left out, as its evaluators do: {} whose marker is over {} m from the target, {}",
        io::counted(far_.count, "item"), max_marker_distance, far_.examples));
  }

 private:
  static std::string text_in_id(json::Object item, const char* key,
                                const InputError::Where& where) {
    const InputError::Where at{where.file, where.item, key};
    return in_id(formats::id_text(formats::require(item, key, where), at), at);
  }

  // Refuses a text after which names_in() would not find the end of a name.
  static std::string in_id(std::string text, const InputError::Where& where) {
    if (text.find_first_of("',") == std::string::npos) return text;
    throw InputError(where, fmt::format("is {}, with a quote or a comma", text),
                     "the ids of results separate names by these; name it otherwise");
  }

  io::CountedIds far_;
};

// Returns the map and the object of an id: "('map', 12, 0)". Neither has a quote or a comma.
std::pair<std::string_view, std::string_view> names_in(std::string_view id) {
  const std::size_t map_end = id.find('\'', 2), object = map_end + 3;
  return {id.substr(2, map_end - 2), id.substr(object, id.find(',', object) - object)};
}

// Reads {map: {object: {"position"}}}.
formats::ObjectsFile read_targets(const std::string& file, formats::Dataset& dataset,
                                  const io::Reading& reading) {
  const formats::JsonFile document(file, reading);
  const json::Object maps = formats::as_object(document.root(), {document.path()});
  PointSet goals;
  for (const formats::Item& item : dataset.items) {
    const auto [map, object] = names_in(item.id);
    const InputError::Where where{document.path(), item.id, std::string(map)};
    const json::Object objects =
        formats::as_object(formats::require(maps, map, {document.path(), item.id}), where);
    const InputError::Where at{where.file, where.item, fmt::format("{}.{}", map, object)};
    const json::Object target = formats::as_object(formats::require(objects, object, where), at);
    goals.elements.push_back(formats::as_point(formats::require(target, "position", at),
                                               {at.file, at.item, at.field + ".position"}));
    goals.end_path();
  }
  dataset.episodes->goals = std::move(goals);
  formats::ObjectsFile targets;
  targets.path = document.path();
  targets.hash = document.hash();
  targets.description = fmt::format("targets of {}", io::counted(dataset.items.size(), "item"));
  return targets;
}

}  // namespace

const tasks::Task citynav_task{.form = "citynav",
                               .title = "CityNav flights",
                               .name = "CityNav",
                               .recognises_own = is_citynav,
                               .make_reader = FlightReader<ReadCityNav>::make,
                               .read_goals = read_targets};

}  // namespace warpath::drones
