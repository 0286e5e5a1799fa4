#include <fmt/format.h>

#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "host/files/formats/dataset.hpp"
#include "host/files/formats/json_file.hpp"
#include "host/files/formats/positions.hpp"
#include "host/tasks/list.hpp"

namespace warpath::ivlnce {
namespace {

// Where a tour's records stand, for errors.
struct Place {
  const std::string& file;
  const std::string& tour;
  std::size_t record = 0;

  InputError::Where where(std::string_view key = {}) const {
    return {file, tour, fmt::format("[{}]{}{}", record, key.empty() ? "" : ".", key)};
  }
};

// A record of where an agent or its guide was.
struct Record {
  json::Value episode;
  formats::Point position;
  bool is_of_agent;
};

// Reads {"position", "phase", "episode_id"}.
Record read_record(json::Value value, const Place& place) {
  const auto object = formats::object_in(value);
  if (!object) formats::as_object(value, place.where());
  Record record{};
  const auto require = [&](std::string_view key) {
    const formats::KeyValue found = formats::find_key(*object, key);
    return found.count > 0 ? found.value : formats::require(*object, key, place.where());
  };
  record.episode = require("episode_id");
  std::string_view phase;
  const json::Value phase_value = require("phase"), position = require("position");
  if (!phase_value.get(phase)) {
    phase = formats::as_string(phase_value, place.where("phase"));
  }
  record.is_of_agent = phase == "agent";
  if (!formats::read_point(position, record.position)) {
    formats::as_point(position, place.where("position"));
  }
  return record;
}

// Reads the records of the agent in a tour, and calls `begin` with the id of an episode where one
// begins, and `add` with each position.
template <class Begin, class Add>
void read_records(json::Value records, Place place, const Begin& begin, const Add& add) {
  std::string id;
  bool has_begun = false;
  std::unordered_set<std::string> seen;
  for (const json::Value value : formats::as_array(records, {place.file, place.tour})) {
    const Record record = read_record(value, place);
    if (record.is_of_agent) {
      std::string_view text;
      const bool is_same = has_begun && record.episode.get(text) && text == id;
      std::string own =
          is_same ? std::string() : formats::id_text(record.episode, place.where("episode_id"));
      if (!is_same && (!has_begun || own != id)) {
        if (!seen.insert(own).second) {
          throw InputError(place.where("episode_id"),
                           fmt::format("goes back to episode {}, which has ended", own),
                           "write the episodes of a tour one after the other, each once");
        }
        begin(own, place);
        id = std::move(own);
        has_begun = true;
      }
      add(record.position);
    }
    ++place.record;
  }
}

// Returns the first records that an object {split: {tour: [record, …]}} has, if it is one.
bool is_tours_file(const json::Object& root) {
  for (const auto split : root) {
    const auto tours = formats::object_in(split.value);
    if (!tours || tours->size() == 0) continue;
    json::Array records;
    if (!(*tours->begin()).value.get(records) || records.size() == 0) {
      return false;
    }
    const auto first = formats::object_in(records.at(0));
    return first && formats::has_key(*first, "episode_id") && formats::has_key(*first, "phase");
  }
  return false;
}

// Reads tours of episodes: an episode starts at the first of its agent's positions, and its goal is
// the last one.
class GroundTruthReader {
 public:
  explicit GroundTruthReader(formats::Dataset& dataset)
      : dataset_(dataset), episodes_(dataset.episodes.emplace()) {
    dataset.scans.emplace_back();
    episodes_.ground_truth = dataset.file;
  }

  void read(const std::string& name, json::Value records) {
    formats::Tour& tour = dataset_.tours->tours.emplace_back();
    tour.name = name;
    PointSet& points = episodes_.references;
    read_records(
        records, {dataset_.file, name},
        [&](const std::string& id, const Place& place) {
          end_episode();
          const auto number = static_cast<std::uint32_t>(dataset_.items.size());
          const auto [before, is_new] = tour_of_.emplace(id, name);
          if (!is_new) {
            throw InputError(
                place.where("episode_id"),
                fmt::format("names episode {}, which tour {} has, too", id, before->second),
                "keep an episode in one tour");
          }
          dataset_.items.push_back({.id = id, .scan = 0, .reference = number});
          tour.items.push_back(number);
        },
        [&](const formats::Point& point) { points.elements.push_back(point); });
    end_episode();
    if (!tour.items.empty()) return;
    throw InputError({dataset_.file, name}, "is a tour without a record of phase agent",
                     "write its records, or remove it");
  }

 private:
  void end_episode() {
    PointSet& points = episodes_.references;
    if (points.size() == dataset_.items.size()) return;
    points.end_path();
    const auto path = points[points.size() - 1];
    for (PointSet* set : {&episodes_.starts, &episodes_.goals, &episodes_.ends}) {
      set->elements.push_back(set == &episodes_.starts ? path.front() : path.back());
      set->end_path();
    }
    episodes_.geodesic_distance.push_back(std::numeric_limits<double>::quiet_NaN());
    episodes_.instruction_ids.emplace_back();
  }

  formats::Dataset& dataset_;
  formats::EpisodeData& episodes_;
  std::unordered_map<std::string, std::string> tour_of_;  // by episode
};

void read_ground_truth_file(const formats::JsonFile& document, const std::string& split,
                            formats::Dataset& dataset) {
  const InputError::Where where{document.path()};
  const json::Object root = formats::as_object(document.root(), where);
  const json::Value value = formats::split_in(root, split, where);
  const std::string name(split.empty() ? (*root.begin()).key : split);
  dataset.tours = {document.path(), name, {}};
  GroundTruthReader reader(dataset);
  for (const auto tour : formats::as_object(value, {document.path(), {}, name})) {
    reader.read(std::string(tour.key), tour.value);
  }
  if (!dataset.items.empty()) return;
  throw InputError({document.path(), {}, name}, "has no tour", "name another --split");
}

// Reads what an agent recorded.
class AgentReader {
 public:
  AgentReader(const std::string& file, const formats::Dataset& dataset, formats::Predictions& out)
      : file_(file), dataset_(dataset), out_(out), positions_(out.positions.emplace()) {
    for (const formats::Tour& tour : dataset.tours->tours) {
      tours_.emplace(tour.name, &tour);
      for (std::size_t k = 0; k < tour.items.size(); ++k) {
        places_.emplace(dataset.items[tour.items[k]].id, TourPlace{&tour, k});
      }
    }
  }

  void read(const std::string& name, json::Value records) {
    const auto tour = tours_.find(name);
    if (tour == tours_.end()) {
      throw InputError({file_, name}, fmt::format("is no tour of {}", dataset_.file),
                       "name the ground truth of the same split, or another --split");
    }
    std::size_t next = 0;  // episode of the tour
    read_records(
        records, {file_, name},
        [&](const std::string& id, const Place& place) {
          end_path();
          next = find(id, *tour->second, next, place) + 1;
          out_.entries.push_back({.id = id, .trajectory = {}});
        },
        [&](const formats::Point& point) { positions_.points.elements.push_back(point); });
    end_path();
  }

 private:
  struct TourPlace {
    const formats::Tour* tour;
    std::size_t position;
  };

  // Returns the place of an episode in its tour, from `next` on.
  std::size_t find(const std::string& id, const formats::Tour& tour, std::size_t next,
                   const Place& place) const {
    const auto found = places_.find(id);
    if (found == places_.end() || found->second.tour != &tour) {
      throw InputError(place.where("episode_id"),
                       fmt::format("names episode {}, which the tour "
                                   "has not in {}",
                                   id, dataset_.file),
                       "name the ground truth of the same split");
    }
    const std::size_t at = found->second.position;
    if (at >= next) return at;
    throw InputError(place.where("episode_id"),
                     fmt::format("comes to episode {} behind {}, which it precedes in {}", id,
                                 out_.entries.back().id, dataset_.file),
                     "write the episodes in the order of the ground truth");
  }

  void end_path() {
    if (out_.entries.size() == positions_.paths.size()) return;
    out_.entries.back().trajectory.path = positions_.points.end_path();
    positions_.distances.end_path();
    positions_.paths.emplace_back();
  }

  const std::string& file_;
  const formats::Dataset& dataset_;
  formats::Predictions& out_;
  formats::PositionData& positions_;
  std::unordered_map<std::string, const formats::Tour*> tours_;  // by name
  std::unordered_map<std::string_view, TourPlace> places_;       // by episode
};

formats::Predictions read_agent(const std::string& file, const formats::Dataset& dataset,
                                const io::Reading& reading) {
  const formats::JsonFile document(file, reading);
  formats::Predictions predictions;
  predictions.file = document.path();
  predictions.hash = document.hash();
  predictions.format = formats::PredictionFormat::positions;
  predictions.id_key = "episode_id";
  predictions.path_key = "position";
  formats::KeyReader keys;
  AgentReader reader(predictions.file, dataset, predictions);
  for (const auto& tour : keys.fields(formats::as_object(document.root(), {document.path()}))) {
    reader.read(std::string(tour.key), tour.value);
  }
  keys.note_repeated(predictions.notes);
  return predictions;
}

}  // namespace

const tasks::Task ivlnce_task{.form = "ivlnce",
                              .title = "IVLN-CE tours",
                              .name = "VLN-CE",
                              .recognises_file = is_tours_file,
                              .read_file = read_ground_truth_file,
                              .read_predictions = read_agent};

}  // namespace warpath::ivlnce
