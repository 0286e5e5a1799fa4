#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "host/files/formats/dataset.hpp"
#include "host/files/formats/json_file.hpp"
#include "host/files/formats/positions.hpp"
#include "host/tasks/task.hpp"

namespace warpath::drones {

/// Describes a flight of annotations: an item.
struct Flight {
  std::string id;
  std::string_view scan;
  std::optional<json::Value> path;      ///< [[x, y, z, …], …]; nothing: a test split
  std::string path_key;                 ///< for errors
  std::optional<formats::Point> start;  ///< nothing: the path's first
  std::optional<formats::Point> goal;   ///< nothing: the path's last
  std::string instruction;
};

/// Adds flights to a dataset, whose positions have the height last.
class Flights {
 public:
  Flights(formats::Dataset& out, bool keep_instructions);

  /// @throws InputError for an id that is there already, and a path that is empty or no path
  void add(const Flight& flight, const std::string& file);

 private:
  void read_path(const Flight& flight, const InputError::Where& where);

  formats::Dataset& out_;
  const bool keep_instructions_;
  formats::EpisodeData& data_;
  formats::ScanNumbers scans_;
  std::unordered_map<std::string, std::size_t> ids_;
  std::unordered_map<std::string, std::uint32_t> references_;
};

/// Reads annotations by a function of their own for each entry.
template <class Read>
class FlightReader : public tasks::OwnReader {
 public:
  FlightReader(formats::Dataset& out, bool keep_instructions)
      : out_(out), flights_(out, keep_instructions) {}

  void read(const json::Value& entry, const InputError::Where& place) override {
    const std::string& file = place.file.empty() ? out_.file : place.file;
    read_(entry, {file, place.item, place.field}, flights_, out_);
  }
  void finish() override { read_.finish(out_); }

  static std::unique_ptr<tasks::OwnReader> make(formats::Dataset& out, bool keep_instructions) {
    return std::make_unique<FlightReader>(out, keep_instructions);
  }

 private:
  formats::Dataset& out_;
  Flights flights_;
  Read read_;
};

}  // namespace warpath::drones
