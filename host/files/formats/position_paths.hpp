#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "host/files/formats/episode_data.hpp"
#include "host/files/formats/json_file.hpp"
#include "host/files/formats/positions.hpp"
#include "host/files/formats/trajectory.hpp"

namespace warpath::formats {

/// Tells whether a key is one under which an object has a path of positions.
bool is_path_key(std::string_view key);
/// Tells whether an object has a path of positions under such a key.
bool has_path(json::Object entry);

/// Returns the list of positions of an entry, as it is in the file: the entry, or what it holds as
/// its path.
json::Value positions_in(json::Value entry);

/// Holds what one entry of a path has beside its position.
struct PositionEntry {
  bool is_object = false;           ///< {"position", …}; false: [x, y, z]
  std::optional<double> heading{};  ///< may be no finite number; nothing: not given
  std::optional<bool> stop{};       ///< nothing: not given
};
PositionEntry read_position_entry(json::Value entry);

/// Says that so many paths go on behind a stop.
std::string early_stops_note(std::uint64_t paths);

/// Reads one path after the other to the end of `data`. Of a key that an object has several times
/// the last value counts.
class PositionPathReader {
 public:
  /// @param has_poses paths are of flights: an entry may be a pose, [x, y, z, …], and outcomes
  /// stand
  ///   beside the path
  explicit PositionPathReader(PositionData& data, bool has_poses = false)
      : data_(data), has_poses_(has_poses) {}

  /// Reads a path: a list of positions, or an object that holds one. What is wrong with it is in
  /// its PositionPath.
  Trajectory read(json::Value value);
  /// Reads the path that an object holds.
  Trajectory read_holder(json::Object holder);

  std::uint64_t early_stops = 0;  ///< paths that go on behind a stop

 private:
  void begin();
  void read_list(json::Value value);
  void read_entries(json::Array entries);
  void read_entry(json::Object entry, Point& point);
  void read_beside(json::Object object);
  void read_of_flight(json::Object object);
  void read_outcome(json::Value value, std::string_view key, std::optional<double>& outcome);
  void read_stop(json::Value value, std::string at);
  void read_list_of_distances(json::Value value, std::string_view key);
  void add_distance(json::Value value, std::string_view key);
  void add_collisions(json::Value value, bool is_of_move, const std::string& at);
  Trajectory end();
  void fault(std::string at, std::string what);

  PositionData& data_;
  const bool has_poses_;
  PositionPath path_;
  std::size_t position_ = 0;
  std::optional<std::size_t> stop_at_;
};

}  // namespace warpath::formats
