#include "host/files/formats/position_predictions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <unordered_map>
#include <utility>

#include "host/files/formats/append_paths.hpp"
#include "host/files/formats/entry_chunks.hpp"
#include "host/files/formats/foreign.hpp"
#include "host/files/formats/id_table.hpp"
#include "host/files/formats/json_file.hpp"
#include "host/files/formats/positions.hpp"

namespace warpath::formats {
namespace {

constexpr std::array<std::string_view, 4> episode_id_keys{"episode_id", "instruction_id",
                                                          "instr_id", "id"};
constexpr std::array<std::string_view, 4> position_keys{"path", "trajectory", "positions",
                                                        "pred_path"};
// CityNav's results have the paths under this key, beside means.
constexpr std::string_view logs_key = "trajectory_logs";
constexpr std::string_view expected =
    "expected {episode: [{position, heading, stop}, …]}, {episode: [[x, y, z], …]} or lines of "
    "episode_id or instruction_id, and path";

std::optional<std::string_view> key_in(json::object object,
                                       std::span<const std::string_view> keys) {
  const auto it = std::ranges::find_if(keys, [&](auto key) { return has_key(object, key); });
  return it == keys.end() ? std::nullopt : std::optional(*it);
}

// Reads the number of moves that ended in a collision: a number, or a list with one for each entry.
// Or an outcome: true, false or a number.
std::optional<double> collisions_in(json::element value) {
  json::array list;
  bool flag;
  if (value.get(flag) == simdjson::SUCCESS) return flag;
  if (value.get(list) != simdjson::SUCCESS) return any_number(value);
  double sum = 0.0;
  for (const json::element element : list) {
    const auto one = collisions_in(element);
    if (!one) return std::nullopt;
    sum += *one;
  }
  return sum;
}

// Returns the object that holds a path under a key, if the value is one.
std::optional<json::object> holder_of(json::element value) {
  json::object object;
  if (value.get(object) != simdjson::SUCCESS || !key_in(object, position_keys)) return std::nullopt;
  return object;
}

// Reads one path to the end of `data`.
class PathReader {
 public:
  explicit PathReader(PositionData& data, bool has_poses = false)
      : data_(data), has_poses_(has_poses) {}

  Trajectory read(json::element value) {
    path_ = {};
    stop_at_.reset();
    const std::size_t first = data_.points.elements.size();
    json::array entries;
    const std::optional<json::object> holder = holder_of(value);
    value = positions_in(value);
    if (value.get(entries) != simdjson::SUCCESS) {
      fault("path", fmt::format("is {}, not a list of positions", type_name(value)));
    } else {
      read_entries(entries);
    }
    if (holder) read_beside(*holder);
    return end(data_.points.elements.size() - first);
  }

  std::uint64_t early_stops = 0;

 private:
  void read_entries(json::array entries) {
    position_ = 0;
    for (const json::element entry : entries) {
      Point& point = data_.points.elements.emplace_back();
      if (const auto object = object_in(entry)) {
        read_entry(*object, point);
      } else if (!read_point(entry, point, has_poses_)) {
        fault(fmt::format("[{}]", position_), point_fault(entry, has_poses_));
      }
      ++position_;
    }
  }

  void read_entry(json::object entry, Point& point) {
    bool has_position = false;
    for (const auto field : entry) {
      if (field.key == "position") {
        has_position = true;
        if (!read_point(field.value, point)) {
          fault(fmt::format("[{}].position", position_), point_fault(field.value));
        }
      } else if (field.key == "stop") {
        read_stop(field.value, fmt::format("[{}].stop", position_));
      } else if (field.key == "distance" || field.key == "distance_to_goal") {
        add_distance(field.value, field.key);
      } else if (field.key == "collision" || field.key == "is_collision" ||
                 field.key == "collided") {
        add_collisions(field.value, fmt::format("[{}].{}", position_, field.key));
      }
    }
    if (!has_position) fault(fmt::format("[{}]", position_), "has no position");
  }

  void read_stop(json::element value, std::string at) {
    bool stops = false;
    if (value.get(stops) != simdjson::SUCCESS) {
      return fault(std::move(at), fmt::format("is {}, not true or false", type_name(value)));
    }
    path_.has_stops = true;
    if (stops && !stop_at_) stop_at_ = position_;
    path_.is_stopped = stops;
  }

  void add_distance(json::element value, std::string_view key) {
    const auto distance = any_distance(value);
    if (!distance) {
      return fault(fmt::format("[{}].{}", position_, key),
                   fmt::format("is {}, not a distance from 0 to 10,000 km", type_name(value)));
    }
    data_.distances.elements.push_back(*distance);
  }

  void add_collisions(json::element value, const std::string& at) {
    const auto count = collisions_in(value);
    if (!count || !(*count >= 0.0) || *count > 1e9) {
      return fault(at, "is no number of collisions");
    }
    path_.collisions = std::max(path_.collisions, 0.0) + *count;
  }

  // Reads what stands beside the path of an object: stop, distances, collisions.
  void read_beside(json::object object) {
    for (const auto field : object) {
      if (field.key == "stop") {
        read_stop(field.value, "stop");
      } else if (field.key == "distances" || field.key == "distance_to_goal") {
        json::array list;
        if (field.value.get(list) != simdjson::SUCCESS) continue;  // that of the end alone
        position_ = 0;
        for (const json::element distance : list) {
          add_distance(distance, field.key);
          ++position_;
        }
      } else if (field.key == "collisions") {
        add_collisions(field.value, "collisions");
      } else if (has_poses_) {
        read_of_flight(field.key, field.value);
      }
    }
  }

  // Reads what simulators of flights write beside a path.
  void read_of_flight(std::string_view key, json::element value) {
    if (key == "done") {
      read_stop(value, "done");
    } else if (key == "is_collisioned") {
      add_collisions(value, std::string(key));
    } else if (key == "success" || key == "oracle_success") {
      const auto outcome = collisions_in(value);
      if (!outcome || (*outcome != 0.0 && *outcome != 1.0)) {
        return fault(std::string(key), "is neither 0 nor 1");
      }
      (key == "success" ? path_.success : path_.oracle_success) = *outcome;
    } else if (key == "termination_reason") {
      std::string_view ending;
      if (value.get(ending) != simdjson::SUCCESS) {
        return fault(std::string(key), fmt::format("is {}, not a text", type_name(value)));
      }
      path_.ending = ending;
    }
  }

  Trajectory end(std::size_t positions) {
    const std::size_t given = data_.distances.elements.size() - data_.distances.offsets.back();
    if (given != 0 && given != positions && path_.fault.empty()) {
      fault("distances", fmt::format("are {}, but there are {} positions", given, positions));
    }
    early_stops += stop_at_ && *stop_at_ + 1 < positions;
    Trajectory trajectory;
    trajectory.malformed = !path_.fault.empty();
    trajectory.path = data_.points.end_path();
    data_.distances.end_path();
    data_.paths.push_back(std::move(path_));
    return trajectory;
  }

  void fault(std::string at, std::string what) {
    if (!path_.fault.empty()) return;
    path_.fault_at = std::move(at);
    path_.fault = std::move(what);
  }

  PositionData& data_;
  const bool has_poses_;
  PositionPath path_;
  std::size_t position_ = 0;
  std::optional<std::size_t> stop_at_;
};

class PositionReader {
 public:
  PositionReader(Predictions& out, bool has_poses)
      : out_(out), has_poses_(has_poses), paths_(out.positions.emplace(), has_poses) {
    out.id_key = "episode_id";
    out.path_key = "path";
  }

  // Reads a file that was parsed as a whole.
  void read(JsonFile& document, bool keeps_entries) {
    document_ = &document;
    keeps_entries_ = keeps_entries;
    json::array list;
    json::object object;
    if (document.root().get(list) == simdjson::SUCCESS) {
      read_lines(list);
    } else {
      object = as_object(document.root(), {out_.file});
      if (has_poses_ && has_key(object, logs_key)) {
        read_dict(as_object(find_key(object, logs_key).value, {out_.file, {}, "trajectory_logs"}));
      } else if (key_in(object, episode_id_keys) && key_in(object, position_keys)) {
        read_line(document.root(), "");
        out_.format = PredictionFormat::position_lines;
      } else {
        read_dict(object);
      }
    }
    finish();
  }

  // Reads a chunk. Returns false if only a reader of the whole file can say what it is.
  bool read_chunk(const json::element& entries) {
    json::array list;
    json::object dict;
    if (entries.get(list) == simdjson::SUCCESS) {
      read_lines(list);
      return true;
    }
    if (entries.get(dict) != simdjson::SUCCESS || key_in(dict, episode_id_keys) ||
        key_in(dict, position_keys) || (has_poses_ && has_key(dict, logs_key))) {
      return false;
    }
    read_dict(dict);
    return out_.notes.empty();
  }

  // Takes what was read of the entries that follow.
  void append(const PositionReader& later, double part_read) {
    if (out_.entries.empty()) {
      out_.id_key = later.out_.id_key;
      out_.format = later.out_.format;
    }
    const auto paths_before = static_cast<std::uint32_t>(out_.positions->paths.size());
    make_room(out_.entries, later.out_.entries.size(), part_read);
    for (Prediction& prediction : later.out_.entries) {
      prediction.trajectory.path += paths_before;
      out_.entries.push_back(std::move(prediction));
    }
    append_to(*out_.positions, *later.out_.positions, part_read);
    paths_.early_stops += later.paths_.early_stops;
  }

  // Tells whether no two entries have one id, of which an object's last value counts.
  bool has_each_id_once() const {
    const auto id_of = [&](std::uint32_t entry) -> const std::string& {
      return out_.entries[entry].id;
    };
    return IdTable(out_.entries.size())
        .add_all(static_cast<std::uint32_t>(out_.entries.size()), id_of);
  }

  void finish() {
    if (paths_.early_stops > 0) {
      out_.notes.push_back(
          fmt::format("{} paths go on behind a stop: whether their last entry is one decides",
                      paths_.early_stops));
    }
    refuse_without_paths();
  }

 private:
  void read_lines(const json::array& list) {
    std::size_t position = 0;
    for (const json::element element : list) {
      read_line(element, document_ == nullptr ? "" : document_->place(position));
      ++position;
    }
    out_.format = PredictionFormat::position_lines;
  }

  void read_dict(json::object dict) {
    const auto add_field = [&](const simdjson::dom::key_value_pair& field) {
      if (out_.entries.empty()) check_first(field.value);
      add(std::string(field.key), field.value);
    };
    out_.entries.reserve(dict.size());
    KeyReader keys;
    const auto fields = keys.fields(dict);
    // Whoever checks or rewrites the file sees every copy of an id.
    if (keeps_entries_) {
      for (const auto field : dict) add_field(field);
    } else {
      for (const auto& field : fields) add_field(field);
      keys.note_repeated(out_.notes);
    }
    out_.format = has_objects_ ? PredictionFormat::positions : PredictionFormat::points;
  }

  void check_first(json::element value) {
    json::array list;
    json::object object;
    if (value.get(object) == simdjson::SUCCESS) {
      if (const auto kind = foreign_positions(object)) {
        throw InputError({out_.file}, kind->what, kind->remedy);
      }
    }
    has_objects_ = value.get(list) == simdjson::SUCCESS && list.size() > 0 &&
                   list.at(0).get(object) == simdjson::SUCCESS;
  }

  void read_line(json::element element, const std::string& place) {
    const json::object object = as_object(element, {out_.file, place});
    const auto id_key = key_in(object, episode_id_keys);
    if (!id_key) {
      throw InputError({out_.file, place}, "has no episode_id or instruction_id",
                       fmt::format("{}; {}", found_keys(object), expected));
    }
    if (out_.entries.empty()) out_.id_key = *id_key;
    add(id_text(find_key(object, *id_key).value, {out_.file, place, std::string(*id_key)}),
        element);
  }

  void add(std::string id, json::element value) {
    out_.entries.push_back({std::move(id), paths_.read(value)});
    if (keeps_entries_) out_.entries.back().entry = document_->keep(value);
  }

  void refuse_without_paths() const {
    if (out_.entries.empty()) return;
    const bool has_path = std::ranges::any_of(
        out_.entries, [](const Prediction& p) { return !p.trajectory.malformed; });
    if (has_path) return;
    const PositionPath& first = out_.positions->paths.front();
    throw InputError({out_.file, out_.entries.front().id, first.fault_at},
                     first.fault + ", and no other entry gives a path of positions either",
                     expected);
  }

  Predictions& out_;
  const bool has_poses_;
  JsonFile* document_ = nullptr;  // null: a chunk is read
  bool keeps_entries_ = false;
  PathReader paths_;
  bool has_objects_ = false;
};

// Reads the paths of each chunk on their own.
class ChunkedPositions : public ChunkReader {
 public:
  explicit ChunkedPositions(bool has_poses) : has_poses_(has_poses) {}

  bool read(std::size_t slot, const json::element& entries) override {
    parts_[slot] = std::make_unique<Part>(has_poses_);
    return parts_[slot]->reader.read_chunk(entries);
  }

  bool take(std::size_t slot) override {
    all_.append(parts_[slot]->reader, part_read);
    return true;
  }

  // Returns nothing if the whole file has to be read.
  std::optional<Predictions> finish(const ChunkedFile& file) {
    predictions_.file = file.name;
    predictions_.hash = file.hash;
    predictions_.is_lines = file.is_lines;
    const bool is_list = predictions_.format == PredictionFormat::position_lines;
    if (!is_list && !all_.has_each_id_once()) return std::nullopt;
    all_.finish();
    return std::move(predictions_);
  }

 private:
  struct Part {
    explicit Part(bool has_poses) : reader(predictions, has_poses) {}
    Predictions predictions;
    PositionReader reader;
  };

  const bool has_poses_;
  Predictions predictions_;
  PositionReader all_{predictions_, has_poses_};
  std::array<std::unique_ptr<Part>, max_slots> parts_;
};

}  // namespace

json::element positions_in(json::element entry) {
  const auto holder = holder_of(entry);
  return holder ? find_key(*holder, *key_in(*holder, position_keys)).value : entry;
}

PositionEntry read_position_entry(json::element entry) {
  PositionEntry read;
  const auto object = object_in(entry);
  if (!object) return read;
  read.is_object = true;
  const KeyValue heading = find_key(*object, "heading"), stop = find_key(*object, "stop");
  bool stops;
  if (heading.count > 0) read.heading = any_number(heading.value);
  if (stop.count > 0 && stop.value.get(stops) == simdjson::SUCCESS) read.stop = stops;
  return read;
}

Predictions read_position_predictions(const std::string& file,
                                      std::optional<PredictionFormat> forced,
                                      const io::Reading& reading, bool keep_document,
                                      bool has_poses) {
  if (forced && !is_of_positions(*forced)) {
    throw UsageError(
        fmt::format("--format {} is for paths of viewpoints, and the dataset has "
                    "positions: leave it away",
                    name(*forced)));
  }
  if (!keep_document) {
    ChunkedPositions chunks(has_poses);
    if (const auto read = read_in_chunks(file, reading, chunks)) {
      if (auto predictions = chunks.finish(*read)) return std::move(*predictions);
    }
  }
  const auto document = std::make_shared<JsonFile>(file, reading);
  Predictions predictions;
  predictions.file = document->path();
  predictions.hash = document->hash();
  predictions.is_lines = document->is_lines();
  if (keep_document) predictions.document = document;
  PositionReader(predictions, has_poses).read(*document, keep_document);
  return predictions;
}

void add_position_path(std::string id, json::element value, bool has_poses, Predictions& out) {
  if (!out.positions) out.positions.emplace();
  out.entries.push_back({std::move(id), PathReader(*out.positions, has_poses).read(value)});
}

void read_distances(const std::string& file, Predictions& predictions, const io::Reading& reading) {
  const JsonFile document(file, reading);
  const json::object root = as_object(document.root(), {document.path()});
  std::unordered_map<std::string_view, json::element> lists;
  for (const auto field : root) lists[field.key] = field.value;
  PositionData& data = *predictions.positions;
  data.distances = {};
  for (std::size_t p = 0; p < predictions.entries.size(); ++p) {
    const InputError::Where where{document.path(), predictions.entries[p].id};
    const auto found = lists.find(predictions.entries[p].id);
    if (found == lists.end()) {
      throw InputError(where, fmt::format("has no distances for this path of {}", predictions.file),
                       "write a list for each, or leave --distances away (Euclidean)");
    }
    std::size_t k = 0;
    for (const json::element element : as_array(found->second, where)) {
      const auto distance = any_distance(element);
      if (!distance) {
        throw InputError({where.file, where.item, fmt::format("[{}]", k)},
                         "is no number, or below 0 or beyond 10,000 km",
                         "write a distance in metres; Infinity says no way");
      }
      data.distances.elements.push_back(*distance);
      ++k;
    }
    data.distances.end_path();
    if (k == data.points.size_of(p)) continue;
    throw InputError(where,
                     fmt::format("has {} distances for {} positions", k, data.points.size_of(p)),
                     "write one for each position, the start included");
  }
  predictions.hash += "+" + document.hash();
}

}  // namespace warpath::formats
