#include "host/files/evaluation/inputs.hpp"

#include <fmt/format.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <array>

#include "host/core/base/progress.hpp"
#include "host/core/base/suggest.hpp"
#include "host/files/evaluation/shared_work.hpp"
#include "host/files/formats/dataset_folder.hpp"
#include "host/files/formats/position_predictions.hpp"
#include "host/files/io/input_file.hpp"

namespace warpath::evaluation {
namespace {

// A window of so many pairs keeps all cores busy, and takes some megabytes.
constexpr std::size_t min_window_pairs = 16'384;

// Finds what has this name; nothing, or null, for an empty one.
template <class Found>
Found forced(const std::string& name, Found (*find)(std::string_view)) {
  if (name.empty()) return {};
  if (const Found found = find(name)) return found;
  throw UsageError(fmt::format("no format '{}'", name));
}

constexpr std::string_view all_references = "all";

struct ReferenceName {
  formats::ReferenceChoice choice;
  std::string_view name, in_reports;  // both are understood
};
constexpr std::array<ReferenceName, 3> reference_names{{
    {formats::ReferenceChoice::path, "path", "player"},
    {formats::ReferenceChoice::planner, "planner", "planner"},
    {formats::ReferenceChoice::trusted, "trusted", "trusted"},
}};

formats::ReferenceChoice reference_of(const EvalFiles& files) {
  return base::equal_letters(files.ndh_reference, all_references)
             ? formats::ReferenceChoice::all
             : find_reference_choice(files.ndh_reference);
}

std::vector<std::string> read_once(const EvalFiles& files) {
  std::vector<std::string> inputs{files.pairs.empty() ? files.dataset : files.pairs};
  for (const std::string& file : {files.objects, files.coordinates}) {
    if (!file.empty()) inputs.push_back(file);
  }
  inputs.insert(inputs.end(), files.predictions.begin(), files.predictions.end());
  inputs.insert(inputs.end(), files.task_success.begin(), files.task_success.end());
  inputs.push_back(files.ground_truth);
  inputs.push_back(files.tours);
  inputs.insert(inputs.end(), files.distances.begin(), files.distances.end());
  return inputs;
}

// Returns the store that was given; an empty one where there are no graphs.
std::shared_ptr<const GraphStore> store_of(const EvalFiles& files) {
  if (files.graph_store != nullptr || !files.graphs.empty()) return files.graph_store;
  return std::make_shared<GraphStore>();
}

// All distances are of one source.
void check_grid(const EvalFiles& files, bool has_graphs) {
  if (files.grid.empty()) {
    const EvalFiles defaults;
    if (files.connect == defaults.connect && files.snap == defaults.snap) return;
    throw UsageError("--connect and --snap are of the cells of --grid: name the grids");
  }
  const char* other = has_graphs                   ? "--graphs"
                      : !files.navmesh.empty()     ? "--navmesh"
                      : !files.distances.empty()   ? "--distances"
                      : !files.coordinates.empty() ? "--coordinates"
                                                   : nullptr;
  if (other == nullptr) return;
  throw UsageError(
      fmt::format("--grid gives all distances and positions: leave {} away, or --grid", other));
}

// Tours of positions may go over meshes, but are aligned by straight lines. A ground truth of tours
// names no scans, so no mesh or grid is theirs.
void check_tours_of_positions(const EvalFiles& files, const formats::Dataset& dataset) {
  if (!dataset.tours || !dataset.episodes) return;
  const char* other = files.tours.empty() && !files.navmesh.empty() ? "--navmesh"
                      : files.tours.empty() && !files.grid.empty()  ? "--grid"
                                                                    : nullptr;
  if (other != nullptr) {
    throw UsageError(
        fmt::format("{} has tours without the names of scans, which {} needs, and "
                    "IVLN-CE measures straight lines: leave {} away",
                    dataset.file, other, other));
  }
  if (!files.navmesh.empty() && find_over_meshes(files.geodesic) == OverMeshes::all)
    throw UsageError("tours are aligned by straight lines: say --geodesic goal");
}

// Words about meshes need some.
void check_navmesh(const EvalFiles& files) {
  if (files.navmesh.empty()) {
    const EvalFiles none;
    if (files.habitat == none.habitat && files.geodesic == none.geodesic) return;
    throw UsageError(
        "--habitat and --geodesic are for the distances of --navmesh: name the meshes");
  }
  if (!files.distances.empty()) {
    throw UsageError("--navmesh measures the distances that --distances gives: say one of the two");
  }
}

// Runs are of agents that have a name, and several files.
void check_runs(const EvalFiles& files) {
  if (!files.runs) return;
  if (files.merge) throw UsageError("--merge makes one run of several files: leave --runs away");
  const auto is_several = [&](const std::string& name) {
    return !name.empty() && std::ranges::count(files.names, name) > 1;
  };
  if (std::ranges::any_of(files.names, is_several)) return;
  throw UsageError("--runs: no agent has several files; name them NAME=FILE,FILE,…");
}

// Refuses what a pairs file has no use for.
void check_pairs(const EvalFiles& files) {
  if (files.sub_instructions) {
    throw UsageError("--sub-instructions are of a dataset, which a pairs file is not");
  }
  if (!files.tours.empty()) {
    throw UsageError("--tours are of a dataset's items, which a pairs file has not");
  }
  const char* given = !files.navmesh.empty()        ? "--navmesh"
                      : !files.distances.empty()    ? "--distances"
                      : !files.ground_truth.empty() ? "--ground-truth"
                                                    : nullptr;
  if (given == nullptr) return;
  throw UsageError(fmt::format("{} is for continuous episodes, which a pairs file has not", given));
}

}  // namespace

Inputs::Inputs(EvalFiles eval_files, Kept kept, EpisodeUse episodes, const HeldPredictions& held)
    : files(std::move(eval_files)), graphs(store_of(files), files.graphs, files.max_input_bytes) {
  const bool has_graphs = files.graph_store != nullptr || !files.graphs.empty();
  if (has_graphs) files.graphs = graphs.name();
  check_grid(files, has_graphs);
  check_navmesh(files);
  check_runs(files);
  io::check_standard_input(read_once(files));
  refuse_standard_input(files.shared, read_once(files));
  const io::Reading reading{files.max_input_bytes, &files.texts};
  if (!files.coordinates.empty()) {
    graphs.place(std::make_unique<formats::Coordinates>(files.coordinates, reading));
  }
  base::Progress progress("reading", read_once(files).size(), "files");
  if (files.sub_instructions && files.ndh_reference != "path") {
    throw UsageError("--reference is for NDH annotations, which have no --sub-instructions");
  }
  if (files.pairs.empty()) {
    EarlyAgents early = read_dataset(kept, held, reading);
    check_held(held, early);
    read_given(episodes, reading);
    read_tours(reading);
    progress.add();
    read_agents(std::move(early), kept.documents, reading, progress);
  } else {
    check_pairs(files);
    if (files.grid.empty())
      read_pairs(reading);
    else
      read_points(reading);
    progress.add();
  }
  if (!files.objects.empty()) {
    read_boxes(reading);
    progress.add();
  }
  if (files.ndh_reference != "path" && !dataset.task->has_references) {
    throw UsageError(fmt::format("--reference {} is for NDH annotations, which {} are not",
                                 files.ndh_reference, dataset.file));
  }
  if (files.task_success.size() > 1 && files.task_success.size() != agents.size()) {
    throw UsageError(fmt::format("{} --task-success files for {} agents: give one, or one each",
                                 files.task_success.size(), agents.size()));
  }
  for (const std::string& file : files.task_success) {
    task_success.push_back(formats::read_task_success(file, reading));
    progress.add();
  }
  snap_to_grids(reading);
  if (!dataset.episodes) {
    if (!has_graphs) throw UsageError("--graphs is required");
    graphs.require(dataset.scans);
  }
  files.texts.clear();
}

// Windows spare memory where there are several, and no other process has a part of the pairs.
void Inputs::read_pairs(const io::Reading& reading) {
  agents.resize(1);
  if (files.summaries_only && files.shared == nullptr && !files.texts.contains(files.pairs)) {
    windows.emplace();
    bool is_large = false;
    const bool is_read = for_each_window([&] {
      graphs.require(dataset.scans);
      is_large = windows->pairs > max_reference_items;
      return !is_large;
    });
    if (is_large || (is_read && windows->pairs > min_window_pairs)) return;
  }
  read_whole_pairs(reading);
}

// Points are snapped once all are known, so there are no windows.
void Inputs::read_points(const io::Reading& reading) {
  formats::PairsFile pairs = formats::read_point_pairs(files.pairs, reading);
  dataset = std::move(pairs.dataset);
  agents.push_back(std::move(pairs.predictions));
}

void Inputs::read_whole_pairs(const io::Reading& reading) {
  windows.reset();
  formats::PairsFile pairs = formats::read_pairs(files.pairs, viewpoints, reading);
  dataset = std::move(pairs.dataset);
  agents.front() = std::move(pairs.predictions);
}

bool Inputs::for_each_window(const std::function<bool()>& use) {
  std::size_t count = 0;
  formats::PairsFile pairs;
  const auto swap_window = [&] {
    std::swap(pairs.dataset, dataset);
    std::swap(pairs.predictions, agents.front());
  };
  const auto use_window = [&](formats::PairsFile&) {
    swap_window();
    count += dataset.items.size();
    windows->pairs = std::max(windows->pairs, count);
    const bool is_used = use();
    swap_window();
    return is_used;
  };
  bool is_read = false;
  try {
    is_read = formats::read_pair_windows(files.pairs, pairs, viewpoints,
                                         io::Reading(files.max_input_bytes), min_window_pairs,
                                         use_window);
  } catch (const InputError&) {
  }
  swap_window();
  return is_read;
}

void Inputs::read_boxes(const io::Reading& reading) {
  if (dataset.task->read_goals != nullptr) {
    objects = dataset.task->read_goals(files.objects, dataset, reading);
    return;
  }
  if (dataset.task->read_objects == nullptr) {
    throw UsageError(
        fmt::format("--objects is for REVERIE annotations, but {} was read as {}: leave it away",
                    dataset.file, dataset.task->title));
  }
  objects = dataset.task->read_objects(files.objects, dataset, viewpoints, reading);
}

// Reads what is for continuous episodes alone.
void Inputs::read_given(EpisodeUse episodes, const io::Reading& reading) {
  if (!dataset.episodes) {
    const std::pair<const char*, bool> given[]{{"--ground-truth", !files.ground_truth.empty()},
                                               {"--distances", !files.distances.empty()},
                                               {"--navmesh", !files.navmesh.empty()},
                                               {"--grid", !files.grid.empty()}};
    const auto* wrong = std::ranges::find(given, true, &std::pair<const char*, bool>::second);
    if (wrong == std::end(given)) return;
    throw UsageError(
        fmt::format("{} is for continuous episodes, which {} are not", wrong->first, dataset.file));
  }
  const bool have_distances =
      !files.grid.empty() || !files.navmesh.empty() || !files.distances.empty();
  if (episodes == EpisodeUse::refused ||
      (episodes == EpisodeUse::with_distances && !have_distances)) {
    throw InputError({dataset.file},
                     fmt::format("holds {}, positions without viewpoints", dataset.task->title),
                     episodes == EpisodeUse::with_distances
                         ? "name meshes by --navmesh, grids by --grid, or a file of distances to "
                           "the goal by --distances"
                         : "warpath eval scores them; this command takes viewpoints only");
  }
  if (files.ground_truth.empty()) return;
  if (dataset.task->read_ground_truth == nullptr) {
    throw UsageError(fmt::format(
        "--ground-truth is for VLN-CE episodes, and {} of {} have references: leave it away",
        dataset.file, dataset.task->title));
  }
  dataset.task->read_ground_truth(files.ground_truth, dataset, reading);
}

void Inputs::read_tours(const io::Reading& reading) {
  if (!files.tours.empty() && dataset.tours) {
    throw UsageError(fmt::format("{} has tours: leave --tours away", dataset.file));
  }
  if (!files.tours.empty()) {
    formats::read_tours(files.tours, files.split, dataset, reading);
  } else if (!files.split.empty() && !dataset.tours) {
    throw UsageError("--split is of a file of tours: name one by --tours");
  }
  check_tours_of_positions(files, dataset);
}

void Inputs::read_distance_files(const io::Reading& reading) {
  const std::size_t count = files.distances.size();
  if (count > 1 && count != agents.size()) {
    throw UsageError(
        fmt::format("{} --distances files for {} agents: give one each", count, agents.size()));
  }
  for (std::size_t a = 0; a < agents.size() && count > 0; ++a) {
    formats::read_distances(files.distances[count == 1 ? 0 : a], agents[a], reading);
  }
}

void Inputs::measure_over_meshes(const io::Reading& reading) {
  if (files.navmesh.empty()) return;
  meshes.emplace(files.navmesh, navmesh::find_habitat(files.habitat),
                 find_over_meshes(files.geodesic), dataset, reading);
  for (formats::Predictions& agent : agents) meshes->measure(dataset, agent);
}

void Inputs::snap_to_grids(const io::Reading& reading) {
  if (files.grid.empty()) return;
  grids.emplace(files, dataset, graphs, reading);
  grids->snap(dataset, agents, viewpoints);
  files.graphs = files.grid;
}

formats::Predictions Inputs::read_agent(const std::string& file, bool keep_document,
                                        const io::Reading& reading) {
  const auto format = forced(files.prediction_format, formats::find_prediction_format);
  const auto read_results = dataset.task->read_results;
  if (read_results != nullptr && formats::is_folder(file, reading)) {
    formats::Predictions results;
    results.file = file;
    read_results(file, results, reading);
    return matched(std::move(results));
  }
  if (dataset.task->read_predictions != nullptr) {
    if (keep_document) {
      throw InputError({file},
                       fmt::format("is of {}, which has no submissions", dataset.task->title),
                       "warpath eval scores it");
    }
    return dataset.task->read_predictions(file, dataset, reading);
  }
  formats::Predictions predictions =
      dataset.episodes
          ? formats::read_position_predictions(file, format, reading, keep_document,
                                               dataset.episodes->has_poses)
          : formats::read_predictions(file, format, viewpoints, keep_document, reading);
  return matched(std::move(predictions));
}

formats::Predictions Inputs::matched(formats::Predictions predictions) const {
  if (dataset.task->match != nullptr) dataset.task->match(dataset, predictions);
  return predictions;
}

void Inputs::replace_agents(const std::string& name, std::string text) {
  const InputTexts texts{{name, std::move(text)}};
  files.predictions = {name};
  files.prediction_format.clear();
  agents.clear();
  agents.push_back(read_agent(name, true, io::Reading(files.max_input_bytes, &texts)));
}

// Reads the dataset, and at the same time those predictions that need nothing of it.
Inputs::EarlyAgents Inputs::read_dataset(const Kept& kept, const HeldPredictions& held,
                                         const io::Reading& reading) {
  const auto* task = forced(files.dataset_format, tasks::find_task);
  formats::DatasetChoice choice{reference_of(files), files.sub_instructions, kept.instructions};
  choice.split = files.split;
  const auto format = formats::find_prediction_format(files.prediction_format);
  EarlyAgents early(files.predictions.size());
  tbb::task_group others;
  if (!kept.documents && (format || files.prediction_format.empty())) {
    others.run([&] {
      for (std::size_t a = 0; a < early.size(); ++a) {
        const std::string& file = files.predictions[a];
        const auto in_memory = held.find(file);
        early[a] = in_memory != held.end() ? std::optional(std::move(*in_memory->second))
                                           : formats::read_early_predictions(file, format, reading);
      }
    });
  }
  try {
    dataset = formats::read_dataset(files.dataset, task, choice, viewpoints, reading);
  } catch (...) {
    others.cancel();
    others.wait();
    throw;
  }
  others.wait();
  return early;
}

// Refuses predictions in memory whose paths are not of the dataset's kind.
void Inputs::check_held(const HeldPredictions& held, const EarlyAgents& early) const {
  for (std::size_t a = 0; a < early.size(); ++a) {
    const std::string& name = files.predictions[a];
    if (!held.contains(name)) continue;
    const bool has_positions = early[a]->predictions.positions.has_value();
    if (has_positions == dataset.episodes.has_value()) continue;
    if (has_positions) {
      throw InputError({dataset.file}, "holds no VLN-CE episodes, and the predictions positions",
                       "name the dataset of episodes that the agent was run on");
    }
    throw InputError({name}, "names viewpoints, and the dataset has episodes of positions",
                     "give a dict from episode to positions");
  }
}

void Inputs::read_agents(EarlyAgents early, bool keep_documents, const io::Reading& reading,
                         base::Progress& progress) {
  for (std::size_t a = 0; a < files.predictions.size(); ++a) {
    const bool is_read = early[a] && (!dataset.episodes || early[a]->predictions.positions);
    formats::Predictions predictions =
        is_read ? matched(std::move(*early[a]).numbered(viewpoints))
                : read_agent(files.predictions[a], keep_documents, reading);
    early[a].reset();
    if (files.merge && !agents.empty()) {
      agents.front().append(predictions);
    } else {
      agents.push_back(std::move(predictions));
    }
    progress.add();
  }
  read_distance_files(reading);
  measure_over_meshes(reading);
}

std::vector<formats::ReferenceChoice> Inputs::references() const {
  if (dataset.all_references.empty()) return {reference_of(files)};
  return {formats::ReferenceChoice::path, formats::ReferenceChoice::planner,
          formats::ReferenceChoice::trusted};
}

void Inputs::refer_to(formats::ReferenceChoice reference) {
  if (!dataset.all_references.empty()) dataset.refer_to(reference);
}

std::string_view name(formats::ReferenceChoice reference) {
  return std::ranges::find(reference_names, reference, &ReferenceName::choice)->in_reports;
}

void require_one_reference(const EvalFiles& files) {
  if (reference_of(files) != formats::ReferenceChoice::all) return;
  throw UsageError("--reference all is for eval and explain: choose path, planner or trusted");
}

formats::ReferenceChoice find_reference_choice(const std::string& name) {
  std::vector<std::string_view> names;
  for (const ReferenceName& known : reference_names) {
    if (base::equal_letters(name, known.name) || base::equal_letters(name, known.in_reports)) {
      return known.choice;
    }
    names.push_back(known.name);
  }
  throw UsageError(base::no_such("--reference", name, names));
}

const formats::TaskSuccess* Inputs::success_of(std::size_t agent) const {
  if (task_success.empty()) return nullptr;
  return &task_success[task_success.size() == 1 ? 0 : agent];
}

}  // namespace warpath::evaluation
