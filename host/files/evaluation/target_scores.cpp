#include "host/files/evaluation/target_scores.hpp"

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>

#include "host/core/definitions/path_convention.hpp"
#include "host/core/reference/reference.hpp"
#include "host/files/evaluation/cell_scores.hpp"
#include "host/files/evaluation/episode_scores.hpp"
#include "host/files/evaluation/goal_measures.hpp"
#include "host/files/evaluation/tour_scores.hpp"
#include "host/files/evaluation/warping_scores.hpp"
#include "warpath/error.hpp"

namespace warpath::evaluation {
namespace {

bool has_goals(const formats::Dataset& dataset) {
  return std::ranges::any_of(dataset.items,
                             [](const formats::Item& item) { return item.goals.has_value(); });
}

MetricSet task_metrics(const Inputs& inputs) {
  const tasks::Task& task = *inputs.dataset.task;
  return task.metrics == nullptr ? MetricSet() : task.metrics(inputs);
}

// Holds where a query succeeds, and how far from there it is.
struct Success {
  double error, oracle_error;
  bool is_success, is_oracle_success;
  double shortest;  // from the query's start
  double progress;
};

// Success by membership of the goal set; errors stay those of the reference's end.
Success success_in_set(const GoalPair& pair, const Scores& scores, std::size_t row) {
  return {.error = scores.at(Metric::NE, row),
          .oracle_error = scores.at(Metric::ONE, row),
          .is_success = pair.is_goal(pair.query.back()),
          .is_oracle_success =
              std::ranges::any_of(pair.query, [&](Node node) { return pair.is_goal(node); }),
          .shortest = scores.at(Metric::SP, row),
          .progress = scores.at(Metric::GP, row)};
}

// Where the target is seen: the query's last viewpoint becomes the goal if the target is seen from
// it, but the closest viewpoint is still the one that is closest to the reference's end. Goal
// progress is towards the goal so chosen.
Success success_where_seen(const GoalPair& pair, const Convention& c) {
  const Node last = pair.query.back();
  const Node goal = pair.is_goal(last) ? last : pair.end();
  Distances& d = pair.distances;
  const Node closest = *std::ranges::min_element(
      pair.query, {}, [&](Node node) { return d.between(node, pair.end()); });
  const double error = d.between(last, goal), oracle_error = d.between(closest, goal);
  return {.error = error,
          .oracle_error = oracle_error,
          .is_success = within(error, c.success, c.threshold),
          .is_oracle_success = within(oracle_error, c.oracle, c.threshold),
          .shortest = d.between(pair.query.front(), goal),
          .progress = d.between(pair.reference.front(), goal) - error};
}

Success success_at_end(const Scores& scores, std::size_t row) {
  return {.error = scores.at(Metric::NE, row),
          .oracle_error = scores.at(Metric::ONE, row),
          .is_success = scores.at(Metric::SR, row) == 1.0,
          .is_oracle_success = scores.at(Metric::OSR, row) == 1.0,
          .shortest = scores.at(Metric::SP, row),
          .progress = scores.at(Metric::GP, row)};
}

Success success_of(const GoalPair& pair, const Convention& c, const Scores& scores,
                   std::size_t row) {
  switch (c.goal) {
    case Goal::set:
      return success_in_set(pair, scores, row);
    case Goal::seen:
      return success_where_seen(pair, c);
    case Goal::end:
      break;
  }
  Success found = success_at_end(scores, row);
  if (c.links == Links::by_heading) {
    // VELMA's TC takes the way back, too. It has no OSR, which here takes that of every viewpoint,
    // so that no success is without an oracle's.
    const auto back = [&](Node node) { return pair.distances.between(pair.end(), node); };
    found.is_success |= within(back(pair.query.back()), c.success, c.threshold);
    found.is_oracle_success |= std::ranges::any_of(pair.query, [&](Node node) {
      return within(back(node), c.oracle, definitions::oracle_threshold(c));
    });
  }
  return found;
}

// Returns SPL's length of an ideal path. @pre SP is of the pair's goal already
double ideal_length(const GoalPair& pair, const Convention& c, const Scores& scores,
                    std::size_t row) {
  if (c.spl_length == SplLength::reference) return scores.at(Metric::PLR, row);
  const bool is_nearest = c.spl_length == SplLength::nearest && !pair.goals.empty();
  if (is_nearest) return pair.to_goals(pair.query.front());
  return scores.at(Metric::SP, row);
}

void score_success(const GoalPair& pair, const PackedRun& run, const Convention& c, Scores& scores,
                   std::size_t row) {
  const Success found = success_of(pair, c, scores, row);
  scores.at(Metric::NE, row) = found.error;
  scores.at(Metric::ONE, row) = found.oracle_error;
  scores.at(Metric::OSR, row) = found.is_oracle_success;
  scores.at(Metric::SP, row) = found.shortest;
  scores.at(Metric::GP, row) = found.progress;
  const double spl_length = ideal_length(pair, c, scores, row);
  const definitions::PathSizes sizes{.reference = pair.reference.size(),
                                     .query = pair.query.size()};
  reference::finish_success(found.is_success, spl_length, sizes, c, scores, row);
  if (run.batch.task_success.empty()) {
    scores.at(Metric::SDTW, row) = scores.at(Metric::SR, row) * scores.at(Metric::nDTW, row);
  }
}

// Back ends give SPL the value SR where nothing was walked and the ideal path has a length.
void zero_spl_of_unmoved(Scores& scores) {
  for (std::size_t k = 0; k < scores.size(); ++k) {
    if (scores.at(Metric::PL, k) == 0.0) scores.at(Metric::SPL, k) = 0.0;
  }
}

// Computes the edit distance that no back end has, and SED.
void score_edits(const PairBatchView& batch, const Convention& convention, Scores& scores) {
  if (!definitions::needs_own_edits(convention)) return;
  tbb::enumerable_thread_specific<reference::Workspace> workspaces;
  tbb::parallel_for(std::size_t{0}, scores.size(), [&](std::size_t k) {
    if (scores.status[k] == Status::unreachable) return;
    const auto reference = batch.references[batch.pairs[k].reference];
    const auto query = batch.queries[batch.pairs[k].query];
    const std::uint64_t edits =
        reference::edit_distance(reference, query, convention, workspaces.local());
    const definitions::PathSizes sizes{.reference = reference.size(), .query = query.size()};
    reference::finish_edits(edits, sizes, convention, scores, k);
  });
}

// Computes the metrics of the dataset's task, and success by goal sets.
void score_goals(const Inputs& inputs, const formats::Predictions& predictions,
                 const PackedRun& run, const Convention& convention, Scores& scores) {
  const MetricSet metrics = task_metrics(inputs);
  const bool is_by_goals =
      definitions::needs_goal_sets(convention) || convention.links == Links::by_heading;
  if (metrics.empty() && !is_by_goals) return;
  scores.resize(scores.size(), MetricSet::of_paths() | metrics);
  const tasks::Task& task = *inputs.dataset.task;
  const bool has_own =
      !metrics.empty() && (task.is_scored == nullptr || task.is_scored(predictions));
  GoalPairs pairs(inputs, run, convention.distance);
  for (std::size_t k = 0; k < scores.size(); ++k) {
    if (scores.status[k] == Status::unreachable) continue;
    const GoalPair pair = pairs.pair(k);
    if (is_by_goals) score_success(pair, run, convention, scores, k);
    if (!has_own) continue;
    task.score({.dataset = inputs.dataset,
                .pair = pair,
                .pairs = pairs,
                .k = k,
                .prediction = predictions.entries[run.sources[k].entry],
                .ideal_length = ideal_length(pair, convention, scores, k),
                .convention = convention,
                .scores = scores});
  }
}

}  // namespace

MetricSet available_metrics(const Inputs& inputs) {
  const MetricSet of_tours = tour_metrics(inputs);
  if (inputs.dataset.has_positions()) return episode_metrics(inputs) | of_tours;
  return MetricSet::of_paths() | task_metrics(inputs) | of_tours;
}

void check_targets(const Inputs& inputs, const Convention& convention) {
  check_tours(inputs, convention);
  if (convention.positions == Positions::given && inputs.files.coordinates.empty()) {
    throw UsageError(fmt::format(
        "preset {} measures between given positions (positions), for RxR the panorama centres of "
        "the .house files: name them by --coordinates, or say --positions any, as preset rxr does, "
        "which takes those of the graphs",
        convention.preset));
  }
  if ((inputs.meshes || inputs.grids) && convention.start_distance == StartDistance::spl) {
    const char* option = inputs.meshes ? "--navmesh" : "--grid";
    throw UsageError(
        fmt::format("start-distance spl, VLN-PE's, measures to the end of reference_path, {0} to "
                    "the goals: say "
                    "--start-distance measured, or leave {0} away",
                    option));
  }
  if (inputs.grids) {
    refuse_goal_sets(convention);
    refuse_flat_distances(convention.distance, "--distance");
  }
  if (inputs.dataset.has_positions()) return check_episode_convention(inputs, convention);
  if (const auto name = definitions::setting_of_positions(convention); !name.empty()) {
    throw UsageError(
        fmt::format("--{0} is for paths of positions, and {1} has viewpoints: choose a preset of "
                    "its task, or leave --{0} away",
                    name, inputs.dataset.file));
  }
  if (!definitions::needs_goal_sets(convention) || has_goals(inputs.dataset)) return;
  if (const std::string_view without = inputs.dataset.task->without_goals; !without.empty()) {
    throw UsageError(fmt::format("preset {} {}", convention.preset, without));
  }
  throw UsageError(fmt::format(
      "preset {} asks for goal sets (goal, spl-length), which {} has not: choose a preset of its "
      "task, or say --goal end --spl-length shortest",
      convention.preset, inputs.dataset.file));
}

void refuse_flat_distances(Distance distance, std::string_view option) {
  if (distance != Distance::euclid_2d) return;
  throw UsageError(fmt::format(
      "{} 2d: a grid has lengths of its own, heights included: say 3d or hops", option));
}

Convention for_scorers(const Convention& convention) {
  Convention of_paths = convention;
  of_paths.links = Links::both;
  of_paths.edit = Edit::levenshtein;
  of_paths.goal = Goal::end;
  of_paths.dtw_radius = 0;
  of_paths.ndtw = Ndtw::dtw;
  if (definitions::needs_own_spl_zero(convention)) of_paths.spl_zero = SplZero::zero;
  const bool is_straight = convention.spl_length == SplLength::straight;
  if (convention.spl_length == SplLength::nearest || is_straight) {
    of_paths.spl_length = SplLength::shortest;
  }
  const Convention defaults;
  of_paths.oracle_threshold = defaults.oracle_threshold;
  of_paths.spl_offset = defaults.spl_offset;
  of_paths.spl_walked_offset = defaults.spl_walked_offset;
  of_paths.spl_ratio = defaults.spl_ratio;
  of_paths.goal_distance = defaults.goal_distance;
  of_paths.outcome = defaults.outcome;
  of_paths.ended = defaults.ended;
  return of_paths;
}

void score_targets(const Inputs& inputs, const formats::Predictions& predictions,
                   const PackedRun& run, const Convention& convention, Scores& scores) {
  if (definitions::needs_own_spl_zero(convention)) zero_spl_of_unmoved(scores);
  score_edits(run.batch, convention, scores);
  score_goals(inputs, predictions, run, convention, scores);
  if (inputs.grids) score_goal_cells(inputs, predictions, run, convention, scores);
  score_warpings(run.batch, convention, scores);
}

}  // namespace warpath::evaluation
