#include "host/files/formats/dump_paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "host/files/io/counted.hpp"

namespace warpath::formats {
namespace {

// Infinity and NaN both say that there is no way.
bool is_same_distance(double a, double b) {
  return a == b || (!std::isfinite(a) && !std::isfinite(b));
}

template <class T>
void add_path_of(const PathStore<T>& all, std::size_t number, PathStore<T>& kept) {
  const auto path = all[number];
  kept.elements.insert(kept.elements.end(), path.begin(), path.end());
  kept.end_path();
}

}  // namespace

void DumpPaths::add(json::Object entry, const std::optional<json::Object>& info) {
  reader_.read_holder(info && !has_path(entry) ? *info : entry);
}

bool DumpPaths::are_equal(std::size_t a, std::size_t b) const {
  const PositionPath &one = data_.paths[a], &other = data_.paths[b];
  return one.has_stops == other.has_stops && one.is_stopped == other.is_stopped &&
         one.fault == other.fault && one.fault_at == other.fault_at &&
         std::ranges::equal(data_.points[a], data_.points[b]) &&
         std::ranges::equal(data_.distances[a], data_.distances[b], is_same_distance);
}

void DumpPaths::keep(const std::vector<std::size_t>& kept) {
  PositionData data;
  for (const std::size_t e : kept) {
    add_path_of(data_.points, e, data.points);
    add_path_of(data_.distances, e, data.distances);
    data.paths.push_back(std::move(data_.paths[e]));
  }
  data_ = std::move(data);
}

Predictions DumpPaths::finish(const ResultDump& dump, bool has_path_keys) {
  Predictions predictions;
  predictions.file = dump.files.front().name;
  if (const std::size_t more = dump.files.size() - 1; more > 0)
    predictions.file += " and " + io::counted(more, "more file");
  for (const DumpFile& file : dump.files) {
    predictions.hash += (predictions.hash.empty() ? "" : "+") + file.hash;
  }
  predictions.format = PredictionFormat::points;
  predictions.id_key = has_path_keys ? trajectory_and_episode_key : "episode_id";
  predictions.path_key = "path";
  for (std::uint32_t e = 0; e < dump.episodes.size(); ++e) {
    Prediction& prediction = predictions.entries.emplace_back();
    prediction.id = dump.episodes[e].id;
    prediction.trajectory.path = e;
    prediction.trajectory.malformed = !data_.paths[e].fault.empty();
    if (dump.files.size() > 1) data_.paths[e].file = dump.files[dump.episodes[e].file].name;
  }
  if (reader_.early_stops > 0) predictions.notes.push_back(early_stops_note(reader_.early_stops));
  predictions.positions = std::move(data_);
  return predictions;
}

}  // namespace warpath::formats
