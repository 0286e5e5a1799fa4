#include <fmt/format.h>

#include "host/files/formats/dataset_folder.hpp"
#include "host/files/formats/json_file.hpp"
#include "host/files/formats/position_predictions.hpp"
#include "host/tasks/drones/flights.hpp"
#include "host/tasks/list.hpp"

namespace warpath::drones {
namespace {

// A flight is known by the folders of its file: GROUP/SCENE/TRAJECTORY.
struct ReadIndoorUav {
  void operator()(const json::Value& root, const InputError::Where& place, Flights& flights,
                  const formats::Dataset&) const {
    Flight flight;
    flight.id = formats::last_names(place.file.substr(0, place.file.rfind('/')), 3);
    const std::size_t first = flight.id.find('/');
    flight.scan = std::string_view(flight.id).substr(0, flight.id.find('/', first + 1));
    flight.path = root;
    flight.path_key = "posture";
    flights.add(flight, place.file);
  }
  void finish(const formats::Dataset&) const {}
};

// Returns "gibson_1/made00/traj_-1" of "/gibson_1/made00/traj_-1/instruction.json".
std::string id_of(std::string_view key) {
  return formats::last_names(key.substr(0, key.rfind('/')), 3);
}

// Reads a file for each flight.
void read_indooruav(const std::string& folder, formats::Predictions& out,
                    const io::Reading& reading) {
  std::string hashes;
  for (const std::string& file : formats::files_below(folder)) {
    if (!file.ends_with(".json") || file.ends_with("/final_results.json")) continue;
    const formats::JsonFile document(file, reading);
    const InputError::Where where{file};
    const json::Object flight = formats::as_object(document.root(), where);
    const std::string_view key = formats::as_string(formats::require(flight, "episode_key", where),
                                                    {file, {}, "episode_key"});
    formats::require(flight, "trajectory", {file, std::string(key)});
    formats::add_position_path(id_of(key), document.root(), true, out);
    hashes += document.hash();
  }
  if (out.entries.empty()) {
    throw InputError({folder}, "has no flight", "name the folder of an agent's trajectories");
  }
  out.hash = io::content_hash(hashes);
  out.id_key = "episode_key";
  out.format = formats::PredictionFormat::points;
}

}  // namespace

const tasks::Task indooruav_task{.form = "indooruav",
                                 .title = "IndoorUAV flights",
                                 .name = "IndoorUAV",
                                 .make_reader = FlightReader<ReadIndoorUav>::make,
                                 .item_file = "posture.json",
                                 .read_results = read_indooruav};

}  // namespace warpath::drones
