#include "host/tasks/vlnce/episodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "host/files/formats/instruction_text.hpp"
#include "host/files/formats/json_file.hpp"
#include "host/files/formats/positions.hpp"

namespace warpath::vlnce {
namespace {

// Returns the object that a key has; nothing if there is no key, or another value.
std::optional<json::Object> object_at(json::Object object, std::string_view key) {
  const formats::KeyValue found = formats::find_key(object, key);
  return found.count > 0 ? formats::object_in(found.value) : std::nullopt;
}

void read_path(json::Value value, const InputError::Where& where, PointSet& paths) {
  std::size_t k = 0;
  for (const json::Value element : formats::as_array(value, where)) {
    formats::Point& point = paths.elements.emplace_back();
    if (!formats::read_point(element, point)) {
      formats::as_point(element, {where.file, where.item, fmt::format("{}[{}]", where.field, k)});
    }
    ++k;
  }
  paths.end_path();
}

// Refuses episodes some of which have a goal and others none.
void check_goals(const formats::Dataset& dataset) {
  const PointSet& goals = dataset.episodes->goals;
  if (goals.elements.empty()) return;  // a test split
  for (std::size_t i = 0; i < dataset.items.size(); ++i) {
    if (goals.size_of(i) > 0) continue;
    throw InputError({dataset.file, dataset.items[i].id, "goals"},
                     "has no goal, but other episodes have", "repair the episode");
  }
}

void note_start_distances(formats::Dataset& dataset) {
  const auto& distances = dataset.episodes->geodesic_distance;
  const bool has_any = std::ranges::any_of(distances, [](double d) { return !std::isnan(d); });
  if (has_any || dataset.episodes->goals.elements.empty()) return;
  dataset.notes.emplace_back(
      "no episode has a geodesic_distance: that of the start, and so SPL's length, is found as the "
      "distances of other positions are");
}

class EpisodeReader : public tasks::OwnReader {
 public:
  EpisodeReader(formats::Dataset& out, bool keep_instructions)
      : out_(out), keep_instructions_(keep_instructions), data_(out.episodes.emplace()) {}

  void read(const json::Value& entry, const InputError::Where& place) override {
    const json::Object episode = formats::as_object(entry, place);
    read_episode(episode, place);
    if (keep_instructions_) out_.instructions.push_back(formats::instruction_text(episode, 0));
  }

  void finish() override {
    check_goals(out_);
    note_start_distances(out_);
  }

 private:
  void read_episode(json::Object episode, const InputError::Where& place) {
    formats::Item item{};
    item.id = formats::id_text(formats::require(episode, "episode_id", place),
                               {place.file, place.item, "episode_id"});
    const InputError::Where where{out_.file, item.id};
    if (!ids_.emplace(item.id, out_.items.size()).second) {
      throw InputError(where, "the dataset has this id twice", "remove one of the two episodes");
    }
    item.scan = scans_.number(formats::scan_of_scene(formats::as_string(
        formats::require(episode, "scene_id", where), {where.file, where.item, "scene_id"})));
    read_instruction(episode, item);
    read_positions(episode, where);
    data_.geodesic_distance.push_back(geodesic_distance(episode, where));
    item.reference = reference_number(episode, item);
    out_.items.push_back(std::move(item));
  }

  void read_instruction(json::Object episode, formats::Item& item) {
    std::string& id = data_.instruction_ids.emplace_back();
    const auto instruction = object_at(episode, "instruction");
    if (!instruction) return;
    const formats::KeyValue language = formats::find_key(*instruction, "language");
    if (language.count > 0 && language.value.is_string()) {
      item.language =
          formats::as_string(language.value, {out_.file, item.id, "instruction.language"});
    }
    const formats::KeyValue own = formats::find_key(*instruction, "instruction_id");
    if (own.count > 0)
      id = formats::id_text(own.value, {out_.file, item.id, "instruction.instruction_id"});
  }

  void read_positions(json::Object episode, const InputError::Where& where) {
    data_.starts.elements.push_back(
        formats::as_point(formats::require(episode, "start_position", where),
                          {where.file, where.item, "start_position"}));
    data_.starts.end_path();
    read_goals(episode, where);
    const formats::KeyValue path = formats::find_key(episode, "reference_path");
    if (path.count > 0 && !path.value.is_null()) {
      read_path(path.value, {where.file, where.item, "reference_path"}, data_.references);
    } else {
      data_.references.end_path();
    }
    const auto reference = data_.references[data_.references.size() - 1];
    if (!reference.empty()) data_.ends.elements.push_back(reference.back());
    data_.ends.end_path();
  }

  // Reads "goals": [{"position"}, …], or a single position "goal".
  void read_goals(json::Object episode, const InputError::Where& where) {
    const formats::KeyValue goals = formats::find_key(episode, "goals"),
                            goal = formats::find_key(episode, "goal");
    if (goals.count > 0 && !goals.value.is_null()) {
      std::size_t k = 0;
      for (const json::Value element :
           formats::as_array(goals.value, {where.file, where.item, "goals"})) {
        const InputError::Where at{where.file, where.item, fmt::format("goals[{}]", k++)};
        data_.goals.elements.push_back(
            formats::as_point(formats::require(formats::as_object(element, at), "position", at),
                              {at.file, at.item, at.field + ".position"}));
      }
    } else if (goal.count > 0 && !goal.value.is_null()) {
      data_.goals.elements.push_back(
          formats::as_point(goal.value, {where.file, where.item, "goal"}));
    }
    data_.goals.end_path();
  }

  double geodesic_distance(json::Object episode, const InputError::Where& where) const {
    constexpr const char* key = "geodesic_distance";
    const auto info = object_at(episode, "info");
    const formats::KeyValue found =
        formats::find_key(info && formats::has_key(*info, key) ? *info : episode, key);
    if (found.count == 0 || found.value.is_null()) return std::numeric_limits<double>::quiet_NaN();
    const InputError::Where at{where.file, where.item, fmt::format("info.{}", key)};
    const double distance = formats::as_metres(found.value, at);
    if (distance >= 0.0) return distance;
    throw InputError(at, fmt::format("is {}, below 0", distance), "repair the episode");
  }

  // Numbers trajectories: by trajectory_id, or where there is none by their positions.
  std::uint32_t reference_number(json::Object episode, const formats::Item& item) {
    const formats::KeyValue id = formats::find_key(episode, "trajectory_id");
    std::string key = fmt::format("{} ", item.scan);
    if (id.count > 0 && !id.value.is_null()) {
      key += formats::id_text(id.value, {out_.file, item.id, "trajectory_id"});
    } else {
      const auto path = data_.references[data_.references.size() - 1];
      key.append(reinterpret_cast<const char*>(path.data()), path.size_bytes());
    }
    const auto next = static_cast<std::uint32_t>(trajectories_.size());
    return trajectories_.emplace(std::move(key), next).first->second;
  }

  formats::Dataset& out_;
  bool keep_instructions_;
  formats::EpisodeData& data_;
  formats::ScanNumbers scans_{out_.scans};
  std::unordered_map<std::string, std::size_t> ids_;
  std::unordered_map<std::string, std::uint32_t> trajectories_;
};

}  // namespace

bool is_episode(const json::Object& entry) {
  return formats::has_key(entry, "episode_id") &&
         (formats::has_key(entry, "start_position") || formats::has_key(entry, "reference_path"));
}

std::unique_ptr<tasks::OwnReader> make_episode_reader(formats::Dataset& dataset,
                                                      bool keep_instructions) {
  return std::make_unique<EpisodeReader>(dataset, keep_instructions);
}

void read_ground_truth(const std::string& file, formats::Dataset& dataset,
                       const io::Reading& reading) {
  const formats::JsonFile document(file, reading);
  const json::Object root = formats::as_object(document.root(), {document.path()});
  std::unordered_map<std::string_view, json::Value> truths;
  for (const auto field : root) truths[field.key] = field.value;
  PointSet references;
  for (const formats::Item& item : dataset.items) {
    const auto truth = truths.find(item.id);
    if (truth == truths.end()) {
      throw InputError({document.path(), item.id},
                       fmt::format("has no ground truth for this episode of {}", dataset.file),
                       "name the ground truth of the same split and role, or leave "
                       "--ground-truth away (reference_path)");
    }
    json::Value locations = truth->second;
    json::Object object;
    const InputError::Where where{document.path(), item.id};
    if (locations.get(object)) locations = formats::require(object, "locations", where);
    read_path(locations, {where.file, where.item, "locations"}, references);
    if (references.size_of(references.size() - 1) > 0) continue;
    throw InputError({where.file, where.item, "locations"}, "is empty", "repair the ground truth");
  }
  dataset.episodes->references = std::move(references);
  dataset.episodes->ground_truth = document.path();
  dataset.hash += "+" + document.hash();
}

}  // namespace warpath::vlnce
