#include "host/files/evaluation/episode_scores.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/core/definitions/path_convention.hpp"
#include "host/core/graph/euclid.hpp"
#include "host/core/reference/reference.hpp"
#include "host/files/evaluation/goal_distances.hpp"
#include "host/files/evaluation/mesh_pairs.hpp"
#include "host/files/evaluation/target_scores.hpp"
#include "host/files/evaluation/warping_scores.hpp"
#include "warpath/error.hpp"
#include "warpath/scorer.hpp"

namespace warpath::evaluation {
namespace {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();
constexpr MetricSet of_warping{Metric::DTW, Metric::nDTW, Metric::SDTW};

// Returns the lengths of a path's prefixes: element k is that of the first k + 1 positions.
std::vector<double> prefix_lengths(const formats::PositionData& positions, std::uint32_t number,
                                   Distance distance, const formats::EpisodeData& episodes) {
  const graph::Euclid euclid(distance);
  const auto at = [&](const auto& point) { return placed(point, distance, episodes); };
  const auto path = positions.points[number];
  std::vector<double> lengths(path.size());
  for (std::size_t k = 1; k < path.size(); ++k) {
    const double step = positions.steps.size() > 0 ? positions.steps[number][k]
                                                   : euclid(at(path[k - 1]), at(path[k]));
    lengths[k] = lengths[k - 1] + step;
  }
  return lengths;
}

// Scores pairs of positions by distances over meshes, some at a time: each has a table of its own.
Scores score_over_meshes(const Inputs& inputs, const PackedEpisodes& run,
                         const Convention& convention, const ScorerOptions& options,
                         const Watch& watch) {
  Scores scores(run.batch.pairs.size(), options.metrics);
  const auto score_part = [&](const MeshPairs& pairs, std::size_t first) {
    const Scores part = Scorer(pairs.batch.scans, convention, options).score(pairs.batch, watch);
    const auto place = static_cast<std::ptrdiff_t>(first);
    for (const Metric m : options.metrics)
      std::ranges::copy(part.column[m], scores.column[m].begin() + place);
    std::ranges::copy(part.status, scores.status.begin() + place);
    std::ranges::copy(part.zero_rules, scores.zero_rules.begin() + place);
  };
  for_each_mesh_part(*inputs.meshes, inputs.dataset, run, score_part);
  return scores;
}

// Computes what a simulator's evaluator decides of one pair.
class EpisodeScorer {
 public:
  EpisodeScorer(const formats::EpisodeData& episodes, const formats::PositionData& positions,
                const PackedEpisodes& run, const Convention& convention, Scores& scores,
                std::size_t k, std::uint32_t path)
      : run_(run),
        convention_(convention),
        scores_(scores),
        k_(k),
        path_(positions.paths[path]),
        geodesic_distance_(episodes.geodesic_distance[run.sources[k].item]),
        distances_(
            goal_distances(episodes, run.sources[k].item, positions, path, convention, false)),
        oracle_distances_(
            has_own_oracle(convention)
                ? goal_distances(episodes, run.sources[k].item, positions, path, convention, true)
                : distances_),
        lengths_(prefix_lengths(positions, path, convention.distance, episodes)),
        query_(run.batch.queries[run.batch.pairs[k].query]),
        reference_(run.batch.references[run.batch.pairs[k].reference]),
        sizes_{.reference = reference_.size(), .query = query_.size(), .query_raw = 0} {}

  void score() {
    set(Metric::PL, finite(lengths_.back()));
    set(Metric::NE, finite(error()));
    set(Metric::ONE, finite(oracle_error()));
    set(Metric::SP, finite(start()));
    set(Metric::GP, finite(start()) - finite(error()));
    set(Metric::OSR, oracle_success());
    score_success(is_success());
    score_dtw();
    set(Metric::SoftSPL, soft_spl());
    const double spl = scores_.at(Metric::SPL, k_);
    set(Metric::OracleSPL, convention_.oracle_stop == OracleStop::best ? best_spl()
                           : std::isnan(spl)                           ? 0.0
                                                                       : spl);
    count();
  }

 private:
  void set(Metric metric, double value) {
    if (!scores_.column[metric].empty()) scores_.at(metric, k_) = value;
  }
  static double finite(double distance) { return std::isinf(distance) ? no_value : distance; }

  static bool has_own_oracle(const Convention& c) {
    return definitions::goal_distance(c, true) != definitions::goal_distance(c, false);
  }

  // @pre where the outcome is recorded, packing has found it
  bool is_success() const {
    if (convention_.outcome == Outcome::recorded) return *path_.success > 0.0;
    return (path_.is_stopped || convention_.stop == Stop::ignored) &&
           within(error(), convention_.success, convention_.threshold);
  }
  // @pre where the outcome is recorded and OSR is asked for, packing has found it
  double oracle_success() const {
    if (convention_.outcome == Outcome::recorded) return path_.oracle_success.value_or(no_value);
    return within(oracle_error(), convention_.oracle, definitions::oracle_threshold(convention_));
  }

  double error() const { return distances_.back(); }
  double oracle_error() const {
    // The stop ends at the last position, so one position alone counts.
    const bool is_start_ignored = convention_.oracle_start == OracleStart::ignored;
    const std::size_t first = is_start_ignored && oracle_distances_.size() > 1 ? 1 : 0;
    return *std::min_element(oracle_distances_.begin() + static_cast<std::ptrdiff_t>(first),
                             oracle_distances_.end());
  }
  double start() const { return distances_.front(); }
  double spl_length() const {
    if (convention_.spl_length == SplLength::reference) return scores_.at(Metric::PLR, k_);
    if (convention_.spl_length == SplLength::straight) {
      return graph::Euclid(convention_.distance)(reference_.front(), reference_.back());
    }
    const bool is_given =
        convention_.start_distance == StartDistance::spl && !std::isnan(geodesic_distance_);
    return is_given ? geodesic_distance_ : start();
  }

  void score_success(bool is_success) {
    const bool has_length = std::isfinite(spl_length());
    reference::finish_success(is_success, has_length ? spl_length() : 0.0, sizes_, convention_,
                              scores_, k_);
    if (!has_length) {
      const bool is_zero = !is_success && convention_.spl_zero != SplZero::undefined;
      set(Metric::SPL, is_zero ? 0.0 : no_value);
    }
    if (scores_.at(Metric::SPL, k_) > 1.0) {
      scores_.status[k_] = more_severe(scores_.status[k_], Status::spl_above_one);
    }
    if (std::isfinite(error()) && has_length) return;
    scores_.status[k_] = more_severe(scores_.status[k_], Status::goal_unreachable);
  }

  void score_dtw() {
    const auto& success = run_.batch.task_success;
    const double weight = success.empty() ? scores_.at(Metric::SR, k_) : success[k_];
    if (definitions::needs_own_warping(convention_)) {
      return score_warping(reference_, query_, weight, convention_, scores_, k_);
    }
    set(Metric::SDTW, weight * scores_.at(Metric::nDTW, k_));
  }

  double soft_spl() const {
    if (!std::isfinite(start()) || start() == 0.0) return no_value;
    const double success = std::max(0.0, 1.0 - error() / start());
    return success * start() / std::max(start(), lengths_.back());
  }

  // Returns the largest SPL of all prefixes.
  double best_spl() const {
    if (!std::isfinite(spl_length())) return no_value;
    const double ideal = definitions::spl_ideal(convention_, spl_length());
    double best = 0.0;
    for (std::size_t k = 0; k < distances_.size(); ++k) {
      if (!within(distances_[k], convention_.success, convention_.threshold)) continue;
      if (lengths_[k] == 0.0 && definitions::needs_own_spl_zero(convention_)) continue;
      const double walked = definitions::spl_denominator(convention_, ideal, lengths_[k]);
      best = std::max(best, walked > 0.0 ? ideal / walked : 1.0);
    }
    return best;
  }

  void count() {
    const auto moves = static_cast<double>(lengths_.size() - 1);
    set(Metric::n_query_raw, static_cast<double>(lengths_.size()));
    set(Metric::steps, moves + (path_.has_stops && path_.is_stopped ? 1.0 : 0.0));
    if (path_.collisions < 0.0) return;
    set(Metric::collisions, path_.collisions);
    set(Metric::CR, moves > 0.0 ? path_.collisions / moves : no_value);
  }

  const PackedEpisodes& run_;
  const Convention& convention_;
  Scores& scores_;
  const std::size_t k_;
  const formats::PositionPath& path_;
  const double geodesic_distance_;  // that the dataset has; NaN: none
  const std::vector<double> distances_, oracle_distances_, lengths_;
  const std::span<const std::array<double, 3>> query_, reference_;
  const definitions::PathSizes sizes_;
};

}  // namespace

MetricSet episode_metrics(const Inputs& inputs) {
  MetricSet metrics = MetricSet::of_paths() | MetricSet{Metric::SoftSPL, Metric::OracleSPL};
  for (const formats::Predictions& agent : inputs.agents) {
    if (!agent.positions) continue;
    const bool has_collisions = std::ranges::any_of(
        agent.positions->paths,
        [](const formats::PositionPath& path) { return path.collisions >= 0.0; });
    if (has_collisions) metrics.insert(Metric::collisions).insert(Metric::CR);
  }
  return metrics;
}

void refuse_goal_sets(const Convention& convention) {
  if (!definitions::needs_goal_sets(convention)) return;
  throw UsageError(
      fmt::format("preset {} asks for goal sets of viewpoints (goal, spl-length), which positions "
                  "have not: choose vlnce, or say --goal end --spl-length shortest",
                  convention.preset));
}

// Refuses a plane for distances to the goal that are given, not measured between positions.
static void refuse_plane_of_given(const Inputs& inputs, const Convention& convention) {
  if (convention.goal_distance == GoalDistance::same) return;
  std::string given, remedy = "say --goal-distance same";
  const auto has_lists = [](const formats::Predictions& agent) {
    return agent.positions && !agent.positions->distances.elements.empty();
  };
  const auto& at_start = inputs.dataset.episodes->geodesic_distance;
  if (inputs.meshes) {
    given = "--navmesh";
  } else if (!inputs.files.distances.empty()) {
    given = "--distances";
  } else if (const auto agent = std::ranges::find_if(inputs.agents, has_lists);
             agent != inputs.agents.end()) {
    given = agent->file + ", whose entries have them,";
  } else if (convention.start_distance == StartDistance::episode &&
             std::ranges::any_of(at_start, [](double d) { return !std::isnan(d); })) {
    given = inputs.dataset.file + ", by info.geodesic_distance,";
    remedy = "say --start-distance measured, or --goal-distance same";
  }
  if (given.empty()) return;
  throw UsageError(fmt::format(
      "--goal-distance is of distances between positions, but {} gives those to the goal: {}",
      given, remedy));
}

void check_episode_convention(const Inputs& inputs, const Convention& convention) {
  refuse_goal_sets(convention);
  refuse_plane_of_given(inputs, convention);
  if (definitions::needs_own_edits(convention) || convention.links != Links::both) {
    throw UsageError(
        fmt::format("preset {} is for paths on Touchdown's links (edit, links), which positions "
                    "have not: choose vlnce",
                    convention.preset));
  }
  if (convention.distance == Distance::hops) {
    throw UsageError("positions have no edges to count: say --distance 3d or 2d");
  }
}

void check_over_meshes(const Inputs& inputs, const Convention& convention) {
  if (!inputs.meshes || inputs.meshes->which() != OverMeshes::all) return;
  if (convention.distance != Distance::euclid_3d) {
    throw UsageError("--geodesic all measures over meshes: leave --distance away, or say 3d");
  }
  if (definitions::needs_own_warping(convention)) {
    throw UsageError(
        fmt::format("the DTW of preset {} is by straight lines (FastDTW, or means of Gaussians): "
                    "choose vlnce, or say --geodesic goal",
                    convention.preset));
  }
}

Scores score_episodes(const Inputs& inputs, const formats::Predictions& predictions,
                      const PackedEpisodes& run, const Convention& convention, Backend backend,
                      const Watch& watch) {
  MetricSet on_backend = MetricSet::of_paths();
  if (convention.dtw_radius > 0) {
    for (const Metric m : of_warping) on_backend.erase(m);
  }
  const ScorerOptions options{.backend = backend, .metrics = on_backend};
  const bool are_over_meshes = inputs.meshes && inputs.meshes->which() == OverMeshes::all;
  check_over_meshes(inputs, convention);
  Scores scores = are_over_meshes
                      ? score_over_meshes(inputs, run, for_scorers(convention), options, watch)
                      : Scorer({}, for_scorers(convention), options).score(run.batch, watch);
  scores.resize(scores.size(), episode_metrics(inputs));
  tbb::parallel_for(std::size_t{0}, scores.size(), [&](std::size_t k) {
    const std::uint32_t path = predictions.entries[run.sources[k].entry].trajectory.path;
    EpisodeScorer(*inputs.dataset.episodes, *predictions.positions, run, convention, scores, k,
                  path)
        .score();
  });
  return scores;
}

}  // namespace warpath::evaluation
