#include "host/files/formats/instruction_text.hpp"
#include "host/files/formats/json_file.hpp"
#include "host/tasks/drones/flights.hpp"
#include "host/tasks/list.hpp"

namespace warpath::drones {
namespace {

// Tells VLN-CE's episodes, whose paths are of positions alone, from those with poses.
bool is_aerialvln(const json::Object& first) {
  json::Array path, pose;
  const formats::KeyValue found = formats::find_key(first, "reference_path");
  return formats::has_key(first, "episode_id") && found.count > 0 && found.value.get(path) &&
         path.at(0).get(pose) && pose.size() > 3;
}

struct ReadAerialVln {
  void operator()(const json::Value& entry, const InputError::Where& place, Flights& flights,
                  const formats::Dataset&) const {
    const json::Object episode = formats::as_object(entry, place);
    Flight flight;
    flight.id = formats::id_text(formats::require(episode, "episode_id", place),
                                 {place.file, place.item, "episode_id"});
    const InputError::Where where{place.file, flight.id};
    const std::string scene = formats::id_text(formats::require(episode, "scene_id", where),
                                               {where.file, where.item, "scene_id"});
    flight.scan = scene;
    const formats::KeyValue path = formats::find_key(episode, "reference_path");
    if (path.count > 0 && !path.value.is_null()) flight.path = path.value;
    flight.path_key = "reference_path";
    flight.start = formats::as_point(formats::require(episode, "start_position", where),
                                     {where.file, where.item, "start_position"});
    flight.goal = goal(episode, where);
    flight.instruction = formats::instruction_text(episode, 0);
    flights.add(flight, place.file);
  }
  void finish(const formats::Dataset&) const {}

 private:
  // The evaluator takes the first goal.
  static std::optional<formats::Point> goal(json::Object episode, const InputError::Where& where) {
    const formats::KeyValue goals = formats::find_key(episode, "goals");
    const bool is_of_test_split =
        goals.count == 0 && formats::find_key(episode, "reference_path").count == 0;
    if (is_of_test_split) return std::nullopt;
    formats::require(episode, "goals", where);
    const InputError::Where at{where.file, where.item, "goals[0]"};
    for (const json::Value first :
         formats::as_array(goals.value, {where.file, where.item, "goals"})) {
      return formats::as_point(formats::require(formats::as_object(first, at), "position", at),
                               {at.file, at.item, at.field + ".position"});
    }
    throw InputError({where.file, where.item, "goals"}, "is empty", "repair the episode");
  }
};

}  // namespace

const tasks::Task aerialvln_task{.form = "aerialvln",
                                 .title = "AerialVLN episodes",
                                 .name = "AerialVLN",
                                 .list_key = "episodes",
                                 .recognises_own = is_aerialvln,
                                 .make_reader = FlightReader<ReadAerialVln>::make};

}  // namespace warpath::drones
