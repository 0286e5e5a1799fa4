#include "host/files/evaluation/cell_scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/core/reference/reference.hpp"
#include "host/files/evaluation/goal_measures.hpp"

namespace warpath::evaluation {
namespace {

constexpr double no_way = std::numeric_limits<double>::infinity();

// Returns the distances to the nearest goal of the query's viewpoints, and of the reference's
// first one behind them.
std::vector<double> distances_to_goals(const GoalPair& pair) {
  std::vector<Node> from(pair.query.begin(), pair.query.end());
  from.push_back(pair.reference.front());
  std::vector<double> nearest(from.size(), no_way);
  for (const Node goal : pair.goals) {
    const auto row = pair.distances.row_to(goal);
    for (std::size_t k = 0; k < from.size(); ++k) nearest[k] = std::min(nearest[k], row[from[k]]);
  }
  // Rows of a grid are long, and few pairs share a goal.
  pair.distances.clear();
  return nearest;
}

class CellScorer {
 public:
  CellScorer(const PackedRun& run, const Convention& convention, Scores& scores, std::size_t row)
      : run_(run), convention_(convention), scores_(scores), row_(row) {}

  // Measures to the goals instead of the reference's end.
  void measure(const GoalPair& pair) {
    std::vector<double> distances = distances_to_goals(pair);
    const double of_reference = distances.back();
    distances.pop_back();
    const double error = distances.back();
    const double oracle_error = *std::ranges::min_element(distances);
    set(Metric::NE, error);
    set(Metric::ONE, oracle_error);
    set(Metric::SP, distances.front());
    set(Metric::GP, of_reference - error);
    scores_.at(Metric::OSR, row_) =
        within(oracle_error, convention_.oracle, convention_.threshold) ? 1.0 : 0.0;
    is_success_ = within(error, convention_.success, convention_.threshold);
    if (std::isfinite(error) && std::isfinite(distances.front())) return;
    scores_.status[row_] = more_severe(scores_.status[row_], Status::goal_unreachable);
  }

  void finish(const GoalPair& pair, bool is_stopped) {
    const bool is_success = is_success_.value_or(scores_.at(Metric::SR, row_) == 1.0) && is_stopped;
    const double length = convention_.spl_length == SplLength::reference
                              ? scores_.at(Metric::PLR, row_)
                              : scores_.at(Metric::SP, row_);
    const definitions::PathSizes sizes{.reference = pair.reference.size(),
                                       .query = pair.query.size()};
    const bool has_length = std::isfinite(length);
    reference::finish_success(is_success, has_length ? length : 0.0, sizes, convention_, scores_,
                              row_);
    if (!has_length) {
      const bool is_zero = !is_success && convention_.spl_zero != SplZero::undefined;
      set(Metric::SPL, is_zero ? 0.0 : no_way);
    }
    if (!run_.batch.task_success.empty()) return;
    set(Metric::SDTW, scores_.at(Metric::SR, row_) * scores_.at(Metric::nDTW, row_));
  }

 private:
  void set(Metric metric, double value) {
    scores_.at(metric, row_) =
        std::isfinite(value) ? value : std::numeric_limits<double>::quiet_NaN();
  }

  const PackedRun& run_;
  const Convention& convention_;
  Scores& scores_;
  const std::size_t row_;
  std::optional<bool> is_success_;  // nothing: as the reference's end decides
};

}  // namespace

void score_goal_cells(const Inputs& inputs, const formats::Predictions& predictions,
                      const PackedRun& run, const Convention& convention, Scores& scores) {
  GoalPairs pairs(inputs, run, convention.distance);
  for (std::size_t k = 0; k < scores.size(); ++k) {
    if (scores.status[k] == Status::unreachable) continue;
    const std::uint32_t path = predictions.entries[run.sources[k].entry].trajectory.path;
    const bool is_stopped =
        predictions.positions->paths[path].is_stopped || convention.stop == Stop::ignored;
    const GoalPair pair = pairs.pair(k);
    const bool is_elsewhere =
        std::ranges::any_of(pair.goals, [&](Node goal) { return goal != pair.reference.back(); });
    if (!is_elsewhere && is_stopped) continue;
    CellScorer scorer(run, convention, scores, k);
    if (is_elsewhere) scorer.measure(pair);
    scorer.finish(pair, is_stopped);
  }
}

}  // namespace warpath::evaluation
