#include <fmt/format.h>

#include "host/files/formats/json_file.hpp"
#include "host/tasks/drones/flights.hpp"
#include "host/tasks/list.hpp"

namespace warpath::drones {
namespace {

bool is_openfly(const json::Object& first) {
  return formats::has_key(first, "image_path") && formats::has_key(first, "pos");
}

// An item has no id but its number in the list.
struct ReadOpenFly {
  void operator()(const json::Value& entry, const InputError::Where& place, Flights& flights,
                  const formats::Dataset& dataset) const {
    Flight flight;
    flight.id = fmt::format("{}", dataset.items.size());
    const InputError::Where where{place.file, flight.id};
    const json::Object item = formats::as_object(entry, where);
    const std::string_view image = formats::as_string(formats::require(item, "image_path", where),
                                                      {where.file, where.item, "image_path"});
    flight.scan = image.substr(0, image.find('/'));
    flight.path = formats::require(item, "pos", where);
    flight.path_key = "pos";
    const formats::KeyValue text = formats::find_key(item, "gpt_instruction");
    if (std::string_view words; text.count > 0 && text.value.get(words)) flight.instruction = words;
    flights.add(flight, place.file);
  }
  void finish(const formats::Dataset&) const {}
};

}  // namespace

const tasks::Task openfly_task{.form = "openfly",
                               .title = "OpenFly flights",
                               .name = "OpenFly",
                               .recognises_own = is_openfly,
                               .make_reader = FlightReader<ReadOpenFly>::make};

}  // namespace warpath::drones
