#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_set>

#include "host/files/evaluation/matching.hpp"
#include "host/files/formats/json_file.hpp"
#include "host/files/formats/position_paths.hpp"
#include "host/files/formats/positions.hpp"
#include "host/files/io/counted.hpp"
#include "host/files/io/json_writer.hpp"
#include "host/files/io/whole_number.hpp"
#include "host/tasks/vlnce/servers.hpp"

namespace warpath::vlnce {
namespace {

// Counts what was changed, added or left out.
struct EpisodeChanges {
  std::uint64_t without_stop = 0, without_heading = 0, repeats = 0, not_stopped = 0, empty = 0;
};

std::string json_position(const formats::Point& position) {
  return fmt::format("[{}, {}, {}]", io::json_float(position[0]), io::json_float(position[1]),
                     io::json_float(position[2]));
}

class Converter {
 public:
  Converter(const formats::Predictions& predictions, const formats::Dataset* dataset,
            bool assumes_stop)
      : predictions_(predictions), dataset_(dataset), assumes_stop_(assumes_stop) {
    if (dataset != nullptr) matching_.emplace(*dataset, predictions);
  }

  submission::Conversion convert(bool to_lines) {
    submission::Conversion out;
    out.text = to_lines ? lines() : dict();
    out.entries = predictions_.entries.size();
    add_notes(out.notes);
    return out;
  }

 private:
  struct Line {
    std::uint64_t id;
    std::uint32_t entry;
  };

  std::string dict() {
    std::string text = "{";
    std::unordered_set<std::string> seen;
    for (std::uint32_t e = 0; e < predictions_.entries.size(); ++e) {
      const std::string id = episode_id(e);
      if (!seen.insert(id).second) refuse_repeat(e);
      text += fmt::format("{}\n{}: [", e == 0 ? "" : ",", io::json_string(id));
      write_entries(e, text);
      text += "]";
    }
    return text + "\n}\n";
  }

  std::string lines() {
    std::vector<Line> order;
    for (std::uint32_t e = 0; e < predictions_.entries.size(); ++e) {
      order.push_back({instruction_id(e), e});
    }
    std::ranges::stable_sort(order, {}, &Line::id);
    std::string text;
    for (std::size_t k = 0; k < order.size(); ++k) {
      if (k > 0 && order[k].id == order[k - 1].id) refuse_repeat(order[k].entry);
      text += fmt::format(R"({{"instruction_id": {}, "path": [)", order[k].id);
      write_path(order[k].entry, text);
      text += "]}\n";
    }
    return text;
  }

  // Returns the positions of an entry. @throws InputError where there are none to be written
  std::span<const formats::Point> positions_of(std::uint32_t entry) {
    const formats::Prediction& p = predictions_.entries[entry];
    const formats::PositionPath& path = predictions_.positions->paths[p.trajectory.path];
    if (!path.fault.empty()) {
      throw InputError({predictions_.file, p.id, path.fault_at}, path.fault,
                       "repair or remove the entry");
    }
    const auto positions = predictions_.positions->points[p.trajectory.path];
    changes_.empty += positions.empty();
    return positions;
  }

  // Writes [x, y, z] for each position that is not the one before again.
  void write_path(std::uint32_t entry, std::string& text) {
    const auto positions = positions_of(entry);
    for (std::size_t k = 0; k < positions.size(); ++k) {
      if (k > 0 && positions[k] == positions[k - 1]) {
        ++changes_.repeats;
        continue;
      }
      text.append(k == 0 ? "" : ", ").append(json_position(positions[k]));
    }
    const formats::PositionPath& path = path_of(entry);
    changes_.not_stopped += path.has_stops && !path.is_stopped;
  }

  // Writes {"position", "heading", "stop"} for each position.
  void write_entries(std::uint32_t entry, std::string& text) {
    const auto positions = positions_of(entry);
    const formats::PositionPath& path = path_of(entry);
    const bool is_stopped = path.has_stops ? path.is_stopped : assumes_stop_;
    bool has_headings = true;
    std::size_t k = 0;
    const formats::Prediction& p = predictions_.entries[entry];
    for (const json::Value element :
         formats::as_array(formats::positions_in(*p.entry), {predictions_.file, p.id})) {
      const formats::PositionEntry read = formats::read_position_entry(element);
      const bool has_heading = read.heading && std::isfinite(*read.heading);
      const bool stops = k + 1 == positions.size() ? is_stopped : read.stop.value_or(false);
      text += fmt::format(R"({}{{"position": {}, "heading": {}, "stop": {}}})", k == 0 ? "" : ", ",
                          json_position(positions[k]),
                          io::json_float(has_heading ? *read.heading : 0.0), stops);
      has_headings = has_headings && has_heading;
      ++k;
    }
    changes_.without_heading += !has_headings;
    changes_.without_stop += !path.has_stops && !positions.empty();
  }

  const formats::PositionPath& path_of(std::uint32_t entry) const {
    return predictions_.positions->paths[predictions_.entries[entry].trajectory.path];
  }

  bool names_instructions() const { return predictions_.id_key == "instruction_id"; }

  // Returns the item that an entry predicts. @throws InputError if it is not known
  std::uint32_t item_of(std::uint32_t entry, std::string_view wanted) const {
    const InputError::Where where{predictions_.file, predictions_.entries[entry].id};
    if (!matching_) {
      throw InputError(
          where, fmt::format("is an {}, and the form names the {}", predictions_.id_key, wanted),
          "name the episodes by --dataset, which have both");
    }
    const std::uint32_t item = matching_->item_of(entry);
    if (item != evaluation::Matching::no_item) return item;
    throw InputError(where,
                     fmt::format("is not in {}, so its {} is not known", dataset_->file, wanted),
                     "name the dataset of this split, or remove the entry");
  }

  std::string episode_id(std::uint32_t entry) const {
    if (!names_instructions()) return predictions_.entries[entry].id;
    const std::uint32_t item = item_of(entry, "episode_id");
    return dataset_->items[item].id;
  }

  std::uint64_t instruction_id(std::uint32_t entry) const {
    std::string id = predictions_.entries[entry].id;
    if (!names_instructions()) {
      const std::uint32_t item = item_of(entry, "instruction_id");
      id = dataset_->episodes->instruction_ids[item];
      if (id.empty()) {
        throw InputError({dataset_->file, predictions_.entries[entry].id}, "has no instruction_id",
                         "name RxR-CE's episodes by --dataset");
      }
    }
    if (const auto number = io::parse_whole_number(id)) return *number;
    throw InputError({predictions_.file, predictions_.entries[entry].id},
                     fmt::format("the instruction_id {} is no whole number", id),
                     "RxR-Habitat wants integers: repair or remove the entry");
  }

  [[noreturn]] void refuse_repeat(std::uint32_t entry) const {
    throw InputError({predictions_.file, predictions_.entries[entry].id}, "is there twice",
                     "keep one: the form has one path for each");
  }

  void add_notes(std::vector<std::string>& notes) const {
    const auto add = [&](std::uint64_t count, std::string_view noun, std::string_view what) {
      io::note_counted(notes, count, noun, what);
    };
    add(changes_.without_stop, "path",
        assumes_stop_ ? "that said nothing of a stop: the last entry is one, as told"
                      : "that said nothing of a stop: written without one, a failure for the "
                        "server; --assume-stop ends each with one");
    add(changes_.without_heading, "path", "without a heading in every entry: written as 0");
    add(changes_.repeats, "position", "that repeated the one before: left out");
    add(changes_.not_stopped, "path",
        "that did not end with a stop, which RxR-Habitat's form cannot say");
    add(changes_.empty, "empty path", "written as it is, which the server cannot score");
  }

  const formats::Predictions& predictions_;
  const formats::Dataset* dataset_;
  const bool assumes_stop_;
  std::optional<evaluation::Matching> matching_;
  EpisodeChanges changes_;
};

}  // namespace

submission::Conversion convert_positions(const submission::Server& server,
                                         const formats::Predictions& predictions,
                                         const formats::Dataset* dataset, bool assumes_stop) {
  return Converter(predictions, dataset, assumes_stop).convert(&server == &rxr_habitat_server);
}

}  // namespace warpath::vlnce
