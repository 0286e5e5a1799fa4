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
#include "host/files/formats/position_paths.hpp"
#include "host/files/formats/positions.hpp"
#include "host/files/formats/step_log.hpp"

namespace warpath::formats {
namespace {

constexpr std::array<std::string_view, 4> episode_id_keys{"episode_id", "instruction_id",
                                                          "instr_id", "id"};
// CityNav's results have the paths under this key, beside means.
constexpr std::string_view logs_key = "trajectory_logs";
constexpr std::string_view expected =
    "expected {episode: [{position, heading, stop}, …]}, {episode: [[x, y, z], …]} or lines of "
    "episode_id or instruction_id, and path";

std::optional<std::string_view> key_in(json::Object object,
                                       std::span<const std::string_view> keys) {
  const auto it = std::ranges::find_if(keys, [&](auto key) { return has_key(object, key); });
  return it == keys.end() ? std::nullopt : std::optional(*it);
}

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
    json::Array list;
    json::Object object;
    if (document.root().get(list)) {
      if (!has_poses_ || !is_step_log(list)) {
        read_lines(list);
      } else if (keeps_entries) {
        throw InputError({out_.file}, "is a log of steps, in which no entry has a path",
                         "warpath eval scores it");
      } else {
        read_step_log(list, document, out_);
      }
    } else {
      object = as_object(document.root(), {out_.file});
      if (has_poses_ && has_key(object, logs_key)) {
        read_dict(as_object(find_key(object, logs_key).value, {out_.file, {}, "trajectory_logs"}));
      } else if (key_in(object, episode_id_keys) && has_path(object)) {
        read_line(document.root(), "");
        out_.format = PredictionFormat::position_lines;
      } else {
        read_dict(object);
      }
    }
    finish();
  }

  // Reads a chunk. Returns false if only a reader of the whole file can say what it is.
  bool read_chunk(const json::Value& entries) {
    json::Array list;
    json::Object dict;
    if (entries.get(list)) {
      if (has_poses_ && is_step_log(list)) return false;
      read_lines(list);
      return true;
    }
    if (!entries.get(dict) || key_in(dict, episode_id_keys) || has_path(dict) ||
        (has_poses_ && has_key(dict, logs_key))) {
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
      out_.notes.push_back(early_stops_note(paths_.early_stops));
    }
    refuse_without_paths();
  }

 private:
  void read_lines(const json::Array& list) {
    std::size_t position = 0;
    for (const json::Value element : list) {
      read_line(element, document_ == nullptr ? "" : document_->place(position));
      ++position;
    }
    out_.format = PredictionFormat::position_lines;
  }

  void read_dict(json::Object dict) {
    const auto add_field = [&](const json::Field& field) {
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

  void check_first(json::Value value) {
    json::Array list;
    json::Object object;
    if (value.get(object)) {
      if (const auto kind = foreign_positions(object)) {
        throw InputError({out_.file}, kind->what, kind->remedy);
      }
    }
    has_objects_ = value.get(list) && list.size() > 0 && list.at(0).get(object);
  }

  void read_line(json::Value element, const std::string& place) {
    const json::Object object = as_object(element, {out_.file, place});
    const auto id_key = key_in(object, episode_id_keys);
    if (!id_key) {
      throw InputError({out_.file, place}, "has no episode_id or instruction_id",
                       fmt::format("{}; {}", found_keys(object), expected));
    }
    if (out_.entries.empty()) out_.id_key = *id_key;
    add(id_text(find_key(object, *id_key).value, {out_.file, place, std::string(*id_key)}),
        element);
  }

  void add(std::string id, json::Value value) {
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
  PositionPathReader paths_;
  bool has_objects_ = false;
};

// Reads the paths of each chunk on their own.
class ChunkedPositions : public ChunkReader {
 public:
  explicit ChunkedPositions(bool has_poses) : has_poses_(has_poses) {}

  bool read(std::size_t slot, const json::Value& entries) override {
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

void add_position_path(std::string id, json::Value value, bool has_poses, Predictions& out) {
  if (!out.positions) out.positions.emplace();
  out.entries.push_back({std::move(id), PositionPathReader(*out.positions, has_poses).read(value)});
}

void read_distances(const std::string& file, Predictions& predictions, const io::Reading& reading) {
  const JsonFile document(file, reading);
  const json::Object root = as_object(document.root(), {document.path()});
  std::unordered_map<std::string_view, json::Value> lists;
  for (const auto field : root) lists[field.key] = field.value;
  PositionData& data = *predictions.positions;
  data.distances = {};
  for (std::size_t p = 0; p < predictions.entries.size(); ++p) {
    const InputError::Where where{document.path(), predictions.entries[p].id};
    const auto found = lists.find(predictions.entries[p].id);
    if (found == lists.end()) {
      const std::string& own = data.paths[p].file;
      throw InputError(
          where,
          fmt::format("has no distances for this path of {}", own.empty() ? predictions.file : own),
          "write a list for each, or leave --distances away (Euclidean)");
    }
    std::size_t k = 0;
    for (const json::Value element : as_array(found->second, where)) {
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
  data.distances_hash = document.hash();
  predictions.hash += "+" + document.hash();
}

}  // namespace warpath::formats
