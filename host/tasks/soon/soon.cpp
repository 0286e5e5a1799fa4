#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "host/files/evaluation/goal_measures.hpp"
#include "host/files/formats/entry_reader.hpp"
#include "host/files/formats/json_file.hpp"
#include "host/tasks/list.hpp"
#include "host/tasks/soon/box_hits.hpp"
#include "host/tasks/soon/boxes.hpp"
#include "host/tasks/soon/server.hpp"
#include "host/tasks/soon/starts.hpp"
#include "host/tasks/soon/trajectories.hpp"

namespace warpath::soon {
namespace {

// Reads path k of an annotation, whose items begin at `first`.
std::uint32_t read_start(formats::EntryReader& reader, const formats::DatasetEntry& entry,
                         json::Value value, std::size_t k, std::size_t first) {
  const formats::Dataset& dataset = reader.dataset();
  formats::NamedPaths& references = reader.dataset().references;
  const InputError::Where where = reader.where(entry, fmt::format("path[{}]", k));
  formats::as_array(value, where);
  const formats::Trajectory path = formats::read_trajectory(value, reader.viewpoints(), references);
  if (path.malformed || references.size_of(path.path) == 0) {
    throw InputError(where, "should be a list of viewpoint ids", "repair the item");
  }
  const formats::Token start = references[path.path].front();
  for (std::size_t i = first; i < dataset.items.size(); ++i) {
    const std::uint32_t known = dataset.items[i].reference;
    if (references[known].front() != start) continue;
    references.offsets.pop_back();
    references.elements.resize(references.offsets.back());
    return known;
  }
  return reader.share_last(entry.scan);
}

bool is_soon_entry(const formats::DatasetEntry& entry) {
  return entry.has_path_and_scan() && entry.has("bboxes");
}

std::string_view soon_id_key(const formats::DatasetEntry& entry) {
  return entry.has("instr_id") ? "instr_id" : entry.has("path_id") ? "path_id" : "instr_id";
}

// Adds an item for each path of an annotation. Of paths with one start, the first is the reference
// of all. The boxes around the target are the items' goals.
void read_soon_annotation(formats::EntryReader& reader, const formats::DatasetEntry& entry) {
  formats::Dataset& dataset = reader.dataset();
  const InputError::Where where = reader.where(entry, "path");
  const json::Array paths = formats::as_array(reader.get(entry, "path"), where);
  if (paths.size() == 0) throw InputError(where, "has no path", "give one for each start");
  const json::Value bboxes = reader.get(entry, "bboxes");
  dataset.boxes.push_back(read_boxes(bboxes, dataset.file, entry.id, reader.viewpoints()));
  for (const formats::TargetBox& box : dataset.boxes.back())
    dataset.goals.elements.push_back(box.viewpoint);
  const std::uint32_t goals = dataset.goals.end_path();
  const std::size_t first = dataset.items.size();
  for (const json::Value path : paths) {
    const std::size_t k = dataset.items.size() - first;
    formats::Item item{fmt::format("{}_{}", entry.id, k), entry.scan,
                       read_start(reader, entry, path, k, first)};
    item.goals = goals;
    reader.add(entry, std::move(item));
  }
}

// Returns the number of annotations, each of which has one goal set.
std::size_t count_annotations(const formats::Dataset& dataset) {
  return dataset.goals.size();
}

// Returns the box of the viewpoint that the query ends at; null if it has none.
const formats::TargetBox* last_box(const evaluation::GoalPair& pair,
                                   std::span<const formats::TargetBox> boxes, Boxes which) {
  const formats::TargetBox* found = nullptr;
  for (std::size_t b = 0; b < boxes.size(); ++b) {
    if (pair.goals[b] != pair.query.back()) continue;
    if (found == nullptr || which == Boxes::last) found = &boxes[b];
  }
  return found;
}

// Returns RGS, SFPL, HE, EE and PE.
MetricSet direction_metrics(const evaluation::Inputs&) {
  using enum Metric;
  return {RGS, SFPL, HE, EE, PE};
}

// Tells whether an agent says anywhere where the target is. The metrics of an agent that does not
// have no value.
bool names_directions(const formats::Predictions& predictions) {
  return std::ranges::any_of(predictions.entries,
                             [](const formats::Prediction& p) { return p.direction.has_value(); });
}

// Computes the metrics of SOON, as SOON-EvalAI-Starters' main.py does, of a pair whose success and
// SPL are computed already. HE and EE have a value where the query ends at a viewpoint with a box,
// PE where RGS is 1 besides. Where the agent names no direction, RGS and SFPL are 0.
void score_direction(const evaluation::TaskPair& one) {
  const Convention& convention = one.convention;
  const std::optional<formats::Direction>& direction = one.prediction.direction;
  const formats::TargetBox* box =
      last_box(one.pair, one.dataset.boxes[*one.pair.item.goals], convention.boxes);
  bool is_found = false;
  if (box != nullptr && direction) {
    const DirectionErrors errors = errors_of(*box, *direction, convention.angles);
    is_found = is_inside(*box, *direction, convention.angles);
    one.set(Metric::HE, errors.heading);
    one.set(Metric::EE, errors.elevation);
    if (is_found) one.set(Metric::PE, errors.point);
  }
  if (convention.grounding == Grounding::with_success && one.get(Metric::SR) == 0.0) {
    is_found = false;
  }
  one.set(Metric::RGS, is_found);
  one.set(Metric::SFPL, one.get(Metric::RGS) * one.get(Metric::SPL));
}

}  // namespace

const tasks::Task soon_task{
    .form = "soon",
    .title = "SOON",
    .name = "SOON",
    .recognises = is_soon_entry,
    .id_key = soon_id_key,
    .read_entry = read_soon_annotation,
    .has_parts = false,
    .count_entries = count_annotations,
    .has_own_form = is_soon_trajectory,
    .read_trajectories = add_soon_entry,
    .first_trajectory_note = "of each SOON entry the first path is scored, and no object direction",
    .match = match_starts,
    .metrics = direction_metrics,
    .is_scored = names_directions,
    .score = score_direction,
    .servers = soon_servers};

}  // namespace warpath::soon
