#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "host/files/evaluation/goal_measures.hpp"
#include "host/files/formats/entry_reader.hpp"
#include "host/files/io/counted.hpp"
#include "host/tasks/list.hpp"
#include "host/tasks/r2r/server.hpp"

namespace warpath::ndh {
namespace {

std::uint32_t read_chosen_reference(formats::EntryReader& reader,
                                    const formats::DatasetEntry& entry) {
  const char* player = entry.has("player_path") ? "player_path" : "path";
  const formats::ReferenceChoice wanted = reader.choice().reference;
  if (wanted == formats::ReferenceChoice::path) return reader.read_reference(entry, player);
  const std::uint32_t planner = reader.read_reference(entry, "planner_path");
  if (wanted == formats::ReferenceChoice::planner) return planner;
  const std::uint32_t walked = reader.read_reference(entry, player);
  const formats::NamedPaths& references = reader.dataset().references;
  const auto goal = references[planner];
  const auto steps = references[walked];
  const bool passes_goal = !goal.empty() && !steps.empty() &&
                           std::ranges::find(steps.subspan(1), goal.back()) != steps.end();
  const formats::ReferencePaths found{
      .path = walked, .planner = planner, .trusted = passes_goal ? walked : planner};
  reader.keep_references(found);
  return found.of(wanted);
}

// Either all items have a region, or none: means would be over different ones.
void check_has_region(const formats::Dataset& dataset, const formats::Item& item) {
  if (dataset.items.empty()) return;
  const formats::Item& first = dataset.items.front();
  if (first.goals.has_value() == item.goals.has_value()) return;
  const formats::Item& without = item.goals ? first : item;
  throw InputError({dataset.file, without.id}, "no key 'end_panos', which other items have",
                   "name the viewpoints of its region, or take the key away from all items");
}

bool is_ndh_entry(const formats::DatasetEntry& entry) {
  return entry.has("planner_path") || entry.has("player_path") || entry.has("inst_idx");
}

std::string_view ndh_id_key(const formats::DatasetEntry& entry) {
  return entry.has("inst_idx") ? "inst_idx" : formats::path_id_key(entry);
}

// Adds the items of an entry, whose reference is the chosen one of the player's and the planner's
// path.
void read_ndh_entry(formats::EntryReader& reader, const formats::DatasetEntry& entry) {
  formats::Item item{entry.id, entry.scan, read_chosen_reference(reader, entry)};
  if (entry.id_key == "inst_idx") {
    reader.read_language(entry, item);
    reader.add(entry, std::move(item));
  } else {
    const std::size_t count = reader.count_instructions(entry);
    reader.add_each(entry, std::move(item), count);
  }
}

// Reads the region that an item ends in, and the planner's goal, where the entry has them.
void read_region(formats::EntryReader& reader, const formats::DatasetEntry& entry,
                 formats::Item& item) {
  formats::Dataset& dataset = reader.dataset();
  if (entry.has("end_panos")) {
    item.goals = reader.read_viewpoints(entry, "end_panos", item.id, dataset.goals);
    if (dataset.goals[*item.goals].empty()) {
      throw InputError({dataset.file, item.id, "end_panos"}, "names no viewpoint",
                       "name those of the region, or take the key away from all items");
    }
  }
  check_has_region(dataset, item);
  if (!entry.has("planner_path")) return;
  formats::NamedPaths planner;
  reader.read_viewpoints(entry, "planner_path", item.id, planner);
  if (!planner.elements.empty()) item.planner_goal = planner.elements.back();
}

// Says which items have no OPSR and OPE, unless none has.
void note_without_planner(formats::Dataset& dataset) {
  io::CountedIds without;
  for (const formats::Item& item : dataset.items) {
    if (!item.planner_goal) without.add(item.id);
  }
  if (without.count == 0 || without.count == dataset.items.size()) return;
  dataset.notes.push_back(fmt::format("no OPSR and OPE: {} without a planner_path, {}",
                                      io::counted(without.count, "item"), without.examples));
}

// Returns the metrics of NDH that a dataset has what they need for: a region (OGP) or the
// planner's goal (OPE, OPSR).
MetricSet region_metrics(const evaluation::Inputs& inputs) {
  MetricSet metrics;
  for (const formats::Item& item : inputs.dataset.items) {
    if (item.goals) metrics.insert(Metric::OGP);
    if (item.planner_goal) metrics.insert(Metric::OPE).insert(Metric::OPSR);
  }
  return metrics;
}

// Computes GP and OGP towards the nearest viewpoint of the region, and the errors towards the
// planner's goal, as CVDN's tasks/NDH/eval.py does. An item without a region keeps its GP; one
// without a planner's path gets no OPE.
void score_region(const evaluation::TaskPair& one) {
  const evaluation::GoalPair& pair = one.pair;
  if (!pair.goals.empty()) {
    const double start = pair.to_goals(pair.query.front());
    double nearest = std::numeric_limits<double>::infinity();
    for (const Node node : pair.query) nearest = std::min(nearest, pair.to_goals(node));
    one.set(Metric::GP, start - pair.to_goals(pair.query.back()));
    one.set(Metric::OGP, start - nearest);
  }
  if (pair.item.planner_goal) {
    const Node goal = one.pairs.find(one.k, *pair.item.planner_goal, "planner_path");
    const double error = pair.from_query(goal);
    one.set(Metric::OPE, error);
    one.set(Metric::OPSR, within(error, one.convention.oracle, one.convention.threshold));
  }
}

}  // namespace

const tasks::Task ndh_task{.form = "ndh",
                           .title = "NDH",
                           .name = "NDH",
                           .recognises = is_ndh_entry,
                           .id_key = ndh_id_key,
                           .read_entry = read_ndh_entry,
                           .complete_item = read_region,
                           .finish = note_without_planner,
                           .has_references = true,
                           .metrics = region_metrics,
                           .score = score_region,
                           .goals_key = "end_panos",
                           .servers = r2r::r2r_servers,
                           .server_note =
                               "the rules of R2R's server; NDH's own wants inst_idx, an "
                               "integer, which --fix keeps but does not make",
                           .keeps_inst_idx = true};

}  // namespace warpath::ndh
