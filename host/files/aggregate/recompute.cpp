#include "host/files/aggregate/recompute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>

#include "host/core/definitions/path_convention.hpp"
#include "host/files/evaluation/inputs.hpp"
#include "host/files/evaluation/matching.hpp"
#include "host/files/formats/dump_measures.hpp"

namespace warpath::aggregate {
namespace {

// Says when a measure is recomputed.
enum class When { always, if_there, with_ground_truth };

struct PathMeasure {
  std::string_view name;
  Metric metric;
  When when = When::if_there;
};

constexpr PathMeasure path_measures[]{
    {"SR", Metric::SR, When::always},
    {"OSR", Metric::OSR, When::always},
    {"SPL", Metric::SPL, When::always},
    {"nDTW", Metric::nDTW, When::with_ground_truth},
    {"SDTW", Metric::SDTW, When::with_ground_truth},
    {"NE", Metric::NE, When::always},
    {"PL", Metric::PL, When::always},
    {"ONE", Metric::ONE},
    {"softSPL", Metric::SoftSPL},
    {"oracle SPL", Metric::OracleSPL},
};

// Tells whether two values are equal but for rounding in single precision.
bool are_equal(double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b)) return a == b || (std::isnan(a) && std::isnan(b));
  return std::abs(a - b) <= 1e-5 * std::max(1.0, std::abs(a));
}

void refuse_without_id(const formats::ResultDump& dump) {
  for (std::size_t e = 0; e < dump.episodes.size(); ++e) {
    if (!dump.episodes[e].id.empty()) continue;
    throw InputError(dump.where(e), "has no id, by which --recompute finds its episode",
                     "write its episode_id");
  }
}

// Paths that cannot be read are counted, but not where all of them are so.
void refuse_without_paths(const formats::ResultDump& dump,
                          const std::vector<formats::PositionPath>& paths) {
  const bool has_path = std::ranges::any_of(
      paths, [](const formats::PositionPath& path) { return path.fault.empty(); });
  if (has_path) return;
  throw InputError(dump.where(0, paths.front().fault_at),
                   paths.front().fault + ", and no other entry gives a path of positions either",
                   "write the positions of each entry as its path, [[x, y, z], …], or leave "
                   "--recompute away");
}

// Refuses datasets whose results are read and scored in a way of their own.
void refuse_dataset(const formats::Dataset& dataset) {
  if (dataset.episodes->has_poses) {
    throw InputError({dataset.file}, "is of flights, whose paths are of poses",
                     "score them by warpath eval, or name a dataset of episodes on the ground");
  }
  if (dataset.tours) {
    throw InputError({dataset.file}, "is of tours, which results of single episodes do not make",
                     "score them by warpath eval, or name the dataset of the episodes");
  }
}

// A file of distances has one list for an id.
void refuse_shared_distances(const formats::ResultDump& dump, const EvalFiles& files) {
  if (files.distances.empty()) return;
  const PointSet& points = dump.positions->positions->points;
  std::unordered_map<std::string_view, std::size_t> first;
  for (std::size_t e = 0; e < dump.episodes.size(); ++e) {
    const auto [found, is_new] = first.try_emplace(dump.episodes[e].id, e);
    if (is_new || std::ranges::equal(points[found->second], points[e])) continue;
    throw InputError(dump.where(e),
                     fmt::format("episode {} has several paths, and --distances one list for them",
                                 dump.episodes[e].id),
                     "say --duplicates first or last, or name --navmesh");
  }
}

// Refuses entries of episodes that the dataset lacks, or has in another scene.
void check_items(const formats::ResultDump& dump, const evaluation::Inputs& inputs,
                 const evaluation::Matching& matching) {
  for (std::size_t e = 0; e < dump.episodes.size(); ++e) {
    const formats::DumpEpisode& episode = dump.episodes[e];
    const std::uint32_t item = matching.item_of(e);
    constexpr const char* remedy = "name the dataset that the agent was run on";
    if (item == evaluation::Matching::no_item) {
      throw InputError(dump.where(e),
                       fmt::format("episode {} is not in {}", episode.id, inputs.dataset.file),
                       remedy);
    }
    const std::string& scan = inputs.dataset.scans[inputs.dataset.items[item].scan];
    if (episode.scene.empty() || formats::scan_of_scene(episode.scene) == scan) continue;
    throw InputError(dump.where(e, "scene_id"),
                     fmt::format("is {}, but episode {} of {} is in {}", episode.scene, episode.id,
                                 inputs.dataset.file, scan),
                     remedy);
  }
}

// Finds the row of each entry. Rows are those of one item after the other, those of an item in the
// order of its entries. @pre every entry is of an item, and has a row
std::vector<const ItemRow*> rows_of_entries(const AgentResult& run,
                                            const evaluation::Matching& matching, std::size_t items,
                                            std::size_t entries) {
  std::vector<const ItemRow*> rows(entries);
  const ItemRow* row = run.rows.data();
  for (std::size_t item = 0; item < items; ++item) {
    const std::span<const std::uint32_t> of_item = matching.entries_of(item);
    if (of_item.empty()) ++row;  // that of an item without a prediction
    for (const std::uint32_t entry : of_item) rows[entry] = row++;
  }
  return rows;
}

// Tells whether an entry has values. Over a grid it has none where there is no way.
bool has_values(const ItemRow& row, const Scores& scores) {
  return row.pair && !std::isnan(scores.at(Metric::SR, *row.pair));
}

// Returns the value that a simulator's evaluator writes: an error or a length without a value is
// infinite. @pre the pair has values
double value_of(const Scores& scores, Metric metric, std::size_t pair) {
  const double value = scores.at(metric, pair);
  const bool is_length = metric == Metric::NE || metric == Metric::ONE || metric == Metric::PL;
  return is_length && std::isnan(value) ? std::numeric_limits<double>::infinity() : value;
}

ComparedMeasure compare(const formats::DumpMeasure& given,
                        const std::vector<formats::DumpValue>& values,
                        const formats::ResultDump& dump) {
  ComparedMeasure compared{.name = given.name};
  double given_sum = 0.0, sum = 0.0;
  for (std::size_t e = 0; e < given.values.size(); ++e) {
    if (!given.values[e].is_number() || !values[e].is_number()) continue;
    const double before = given.values[e].number, now = values[e].number;
    ++compared.compared;
    compared.different += !are_equal(before, now);
    if (!std::isfinite(before) || !std::isfinite(now)) continue;
    ++compared.finite;
    given_sum += before;
    sum += now;
    if (std::abs(before - now) <= compared.max_difference) continue;
    compared.max_difference = std::abs(before - now);
    compared.max_episode = dump.episodes[e].id;
  }
  if (compared.finite > 0) {
    compared.given_mean = given_sum / static_cast<double>(compared.finite);
    compared.mean = sum / static_cast<double>(compared.finite);
  }
  return compared;
}

// Puts a measure where reports have it: known ones in their order, before others.
formats::DumpMeasure& measure_in(formats::ResultDump& dump, std::string_view name) {
  const auto known = formats::known_measures();
  const auto rank = [&](std::string_view of) {
    return std::ranges::find(known, of, &formats::KnownMeasure::name) - known.begin();
  };
  auto& measures = dump.measures;
  const auto place = std::ranges::find_if(measures, [&](const formats::DumpMeasure& m) {
    return !m.is_known || rank(m.name) >= rank(name);
  });
  if (place != measures.end() && place->name == name) return *place;
  const formats::KnownMeasure& is = known[static_cast<std::size_t>(rank(name))];
  formats::DumpMeasure measure{std::string(name), true, is.unit, is.better, {}};
  measure.values.resize(dump.episodes.size());
  return *measures.insert(place, std::move(measure));
}

void note_kept(const formats::ResultDump& dump, Recomputed& recomputed) {
  for (const formats::DumpMeasure& measure : dump.measures) {
    const bool is_new = std::ranges::find(recomputed.measures, measure.name,
                                          &ComparedMeasure::name) != recomputed.measures.end();
    if (!is_new) recomputed.kept.push_back(measure.name);
  }
}

void count_statuses(const std::vector<const ItemRow*>& rows, const formats::ResultDump& dump,
                    const Scores& scores, Recomputed& recomputed) {
  for (std::size_t e = 0; e < rows.size(); ++e) {
    const std::string& id = dump.episodes[e].id;
    recomputed.statuses[static_cast<std::size_t>(rows[e]->status)].add(id);
    if (has_values(*rows[e], scores)) continue;
    recomputed.unscored.add(fmt::format("{} ({})", id, info(rows[e]->status).name));
  }
}

// Says where the first malformed path is damaged, and how.
std::string first_fault(const std::vector<const ItemRow*>& rows, const formats::ResultDump& dump,
                        const std::vector<formats::PositionPath>& paths) {
  for (std::size_t e = 0; e < rows.size(); ++e) {
    if (rows[e]->status != Status::malformed) continue;
    const formats::PositionPath& path = paths[e];
    if (path.fault.empty())
      return InputError(dump.where(e, "stop"), "is in no entry, but other paths have it", "")
          .what();
    return InputError(dump.where(e, path.fault_at), path.fault, "").what();
  }
  return "";
}

// Hands the dump's paths to an evaluation, whose only agent they are.
std::unique_ptr<evaluation::Inputs> read_inputs(formats::ResultDump& dump, EvalFiles files) {
  const auto held = std::make_shared<formats::EarlyPredictions>();
  held->predictions = std::move(*dump.positions);
  dump.positions.reset();
  files.predictions = {held->predictions.file};
  return std::make_unique<evaluation::Inputs>(
      std::move(files), evaluation::Kept{}, evaluation::EpisodeUse::taken,
      evaluation::HeldPredictions{{held->predictions.file, held}});
}

bool is_wanted(const PathMeasure& measure, const formats::ResultDump& dump, bool has_ground_truth) {
  switch (measure.when) {
    case When::always:
      return true;
    case When::if_there:
      return dump.find(measure.name) != nullptr;
    case When::with_ground_truth:
      return has_ground_truth;
  }
  return false;
}

void replace_measures(const std::vector<const ItemRow*>& rows, const Scores& scores,
                      const MetricSet& there, bool has_ground_truth, formats::ResultDump& dump,
                      Recomputed& recomputed) {
  for (const PathMeasure& m : path_measures) {
    if (!there.contains(m.metric) || !is_wanted(m, dump, has_ground_truth)) continue;
    formats::DumpMeasure& measure = measure_in(dump, m.name);
    std::vector<formats::DumpValue> values(rows.size());
    for (std::size_t e = 0; e < rows.size(); ++e) {
      if (!has_values(*rows[e], scores)) continue;
      values[e] = {value_of(scores, m.metric, *rows[e]->pair), formats::DumpValue::Kind::number};
    }
    recomputed.measures.push_back(compare(measure, values, dump));
    measure.values = std::move(values);
  }
}

}  // namespace

void check_recomputing(const Convention& convention, const EvalFiles& files) {
  const std::string preset = "preset " + convention.preset;
  if (convention.distance == Distance::hops) {
    throw UsageError(
        fmt::format("{} counts hops (distance), and positions have none: choose vlnce, or say "
                    "--distance 3d",
                    preset));
  }
  if (convention.goal != Goal::end) {
    throw UsageError(fmt::format(
        "{} asks for goal sets of viewpoints, which positions have not: choose vlnce", preset));
  }
  if (convention.spl_length == SplLength::nearest) {
    throw UsageError(
        fmt::format("{} asks for the nearest of a goal set of viewpoints (spl-length), which "
                    "positions have not: choose vlnce, or say --spl-length shortest",
                    preset));
  }
  if (convention.positions == Positions::given) {
    throw UsageError(
        fmt::format("{} asks for the positions of viewpoints, of which results have none: choose "
                    "vlnce",
                    preset));
  }
  if (convention.outcome != Outcome::computed) {
    throw UsageError(
        fmt::format("{} takes success as results record it (outcome), which --recompute computes: "
                    "choose vlnce, or say --outcome computed",
                    preset));
  }
  if (convention.ended != "any") {
    throw UsageError(
        fmt::format("{} scores episodes by how they ended (ended), which --recompute does not "
                    "read: choose vlnce, or say --ended any",
                    preset));
  }
  if (!files.grid.empty() && convention.distance == Distance::euclid_2d) {
    throw UsageError(
        fmt::format("{} measures horizontally (distance), and a grid has lengths of its own, "
                    "heights included: say --distance 3d",
                    preset));
  }
}

Recomputed recompute(formats::ResultDump& dump, EvalFiles files, Convention convention) {
  refuse_without_id(dump);
  // Positions that cannot be read may be the dataset's fault, so that it is read first.
  const formats::PositionData& positions = *dump.positions->positions;
  if (positions.points.elements.empty()) refuse_without_paths(dump, positions.paths);
  refuse_shared_distances(dump, files);
  const bool has_ground_truth = !files.ground_truth.empty();
  std::unique_ptr<evaluation::Inputs> read = read_inputs(dump, std::move(files));
  const evaluation::Inputs& inputs = *read;
  const std::vector<formats::PositionPath>& paths = inputs.agents.front().positions->paths;
  refuse_dataset(inputs.dataset);
  refuse_without_paths(dump, paths);
  Evaluator evaluator(std::move(read));
  const evaluation::Matching matching(inputs.dataset, inputs.agents.front());
  check_items(dump, inputs, matching);
  // Every entry has a row, whichever of them counts.
  convention.instructions = Instructions::all;
  convention.invalid = Invalid::skip;
  convention.missing = Missing::skip;
  convention.duplicates = Duplicates::each;
  EvalOptions options;
  options.metrics = {Metric::SP};
  for (const PathMeasure& m : path_measures) options.metrics.insert(m.metric);
  const std::vector<AgentResult> runs = evaluator.evaluate(convention, options);
  const AgentResult& run = runs.front();
  const std::vector<const ItemRow*> rows =
      rows_of_entries(run, matching, inputs.dataset.items.size(), dump.episodes.size());
  Recomputed recomputed{.inputs = evaluator.description(),
                        .convention = convention,
                        .predictions = run.format_description,
                        .distances = run.distances};
  count_statuses(rows, dump, run.scores, recomputed);
  recomputed.first_fault = first_fault(rows, dump, paths);
  replace_measures(rows, run.scores, evaluator.metrics(), has_ground_truth, dump, recomputed);
  note_kept(dump, recomputed);
  return recomputed;
}

}  // namespace warpath::aggregate
