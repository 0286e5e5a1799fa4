#include "host/tasks/drones/flights.hpp"

#include <fmt/format.h>

#include <limits>

namespace warpath::drones {

Flights::Flights(formats::Dataset& out, bool keep_instructions)
    : out_(out),
      keep_instructions_(keep_instructions),
      data_(out.episodes.emplace()),
      scans_(out.scans) {
  data_.is_z_up = data_.has_poses = true;
}

void Flights::add(const Flight& flight, const std::string& file) {
  const InputError::Where where{file, flight.id};
  if (!ids_.emplace(flight.id, out_.items.size()).second) {
    throw InputError(where, "the dataset has this id twice", "remove one of the two flights");
  }
  formats::Item item{};
  item.id = flight.id;
  item.scan = scans_.number(flight.scan);
  read_path(flight, where);
  const auto path = data_.references[data_.references.size() - 1];
  if (flight.start || !path.empty())
    data_.starts.elements.push_back(flight.start ? *flight.start : path.front());
  data_.starts.end_path();
  if (flight.goal || !path.empty())
    data_.goals.elements.push_back(flight.goal ? *flight.goal : path.back());
  data_.goals.end_path();
  if (!path.empty()) data_.ends.elements.push_back(path.back());
  data_.ends.end_path();
  data_.geodesic_distance.push_back(std::numeric_limits<double>::quiet_NaN());
  data_.instruction_ids.emplace_back();
  std::string key = fmt::format("{} ", item.scan);
  key.append(reinterpret_cast<const char*>(path.data()), path.size_bytes());
  const auto next = static_cast<std::uint32_t>(references_.size());
  item.reference = references_.emplace(std::move(key), next).first->second;
  if (keep_instructions_) out_.instructions.push_back(flight.instruction);
  out_.items.push_back(std::move(item));
}

void Flights::read_path(const Flight& flight, const InputError::Where& where) {
  if (flight.path) {
    const InputError::Where at{where.file, where.item, flight.path_key};
    std::size_t k = 0;
    for (const json::Value position : formats::as_array(*flight.path, at)) {
      formats::Point& point = data_.references.elements.emplace_back();
      json::Value value = position;
      if (const auto object = formats::object_in(position)) {
        value = formats::require(*object, "position", at);
      }
      if (!formats::read_point(value, point, true)) {
        const InputError::Where wrong{at.file, at.item, fmt::format("{}[{}]", at.field, k)};
        formats::as_point(value, wrong, true);
      }
      ++k;
    }
    if (k == 0) throw InputError(at, "has no position", "repair the flight, or remove it");
  }
  data_.references.end_path();
}

}  // namespace warpath::drones
