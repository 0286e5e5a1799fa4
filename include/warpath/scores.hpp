#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "warpath/export.hpp"
#include "warpath/metrics.hpp"

namespace warpath {

/// The outcome of one item or pair, ordered by severity: first the statuses without any
/// score, then those that are only noted, then those where one metric has no value. If several
/// apply, the first in this order is reported.
enum class Status : std::uint8_t {
  ok,
  missing,            ///< the agent has no prediction for it
  not_scored,         ///< the convention does not score this instruction
  unknown_id,         ///< the prediction's id is not in the dataset
  malformed,          ///< the prediction's trajectory does not have the form of its format
  empty_path,         ///< the trajectory has no viewpoint
  unknown_viewpoint,  ///< the path names a viewpoint that its scan does not have
  unreachable,    ///< no way joins two of its viewpoints or positions, whichever metrics are asked
                  ///< for
  spl_above_one,  ///< SPL is above 1, since it has no maximum under this convention; no other note
                  ///< hides it
  wrong_start,    ///< the query does not begin where the reference does
  non_adjacent,   ///< a move of the query is not an edge
  duplicate_id,   ///< several predictions for one item
  not_finite,     ///< its trajectory contains a NaN or an infinity; no metric reads such numbers
  length_undefined,  ///< a step that is not an edge has no length inside CLS under this convention
  spl_undefined,     ///< SPL is 0/0
  cls_undefined,     ///< CLS is 0/0
  dtw_undefined,     ///< DTW / PL(R) is 0/0
  no_task_success,   ///< the task success is not known, so there is no SDTW
  goal_unreachable,  ///< no way leads to an episode's goal from where it starts or ends: no SPL, or
                     ///< no NE
  other_ending,      ///< the episode ended in a way that the convention does not score (`ended`)
};
inline constexpr int status_count = static_cast<int>(Status::other_ending) + 1;

/// Returns the status to report if both apply.
inline Status more_severe(Status a, Status b) {
  if (a == Status::ok) return b;
  return b == Status::ok || a < b ? a : b;
}

/// Describes a status to users.
struct StatusInfo {
  std::string_view name;     ///< as in the CSV
  bool is_of_pairs;          ///< scoring can give it; the others come from reading files only
  std::string_view problem;  ///< reads after "12 items: "
  std::string_view remedy;
};

/// Returns the description of a status.
WARPATH_EXPORT const StatusInfo& info(Status status);

/// The metrics whose formula can be 0/0 so that a rule of the convention gives the value.
enum class ZeroByZero : std::uint8_t { SPL, LS, SED };

/// Returns the bit that stands for a 0/0 in `Scores::zero_rules`.
constexpr std::uint8_t bit_of(ZeroByZero where) {
  return static_cast<std::uint8_t>(1u << static_cast<unsigned>(where));
}

/// Tells whether an entry of `Scores::zero_rules` says that a rule decided that 0/0.
constexpr bool contains(std::uint8_t zero_rules, ZeroByZero where) {
  return (zero_rules & bit_of(where)) != 0;
}

/// The scores of a batch: one column per metric, one row per pair; NaN is "no value". The
/// columns of metrics that were not asked for are empty.
struct WARPATH_EXPORT Scores {
  MetricMap<std::vector<double>> column;
  std::vector<Status> status;
  std::vector<std::uint8_t> zero_rules;  ///< which 0/0 a rule decided, see contains()

  explicit Scores(std::size_t pairs = 0, const MetricSet& metrics = MetricSet::of_paths());
  /// Makes room for that many pairs and those metrics. Existing values are left unchanged.
  void resize(std::size_t pairs, const MetricSet& metrics);
  std::size_t size() const { return status.size(); }
  double& at(Metric m, std::size_t row) { return column[m][row]; }
  double at(Metric m, std::size_t row) const { return column[m][row]; }
};

/// The caller's memory for scores: an array for each wanted metric, with one element per
/// pair.
template <class T>
struct ScoreColumns {
  MetricMap<T*> column{};              ///< null if a metric is not wanted
  Status* status = nullptr;            ///< may be null
  std::uint8_t* zero_rules = nullptr;  ///< see contains(); may be null

  MetricSet metrics() const {
    MetricSet set;
    for (const Metric m : MetricSet::of_paths()) {
      if (column[m] != nullptr) set.insert(m);
    }
    return set;
  }
};

/// Returns the columns of `scores`, which must not be resized meanwhile.
WARPATH_EXPORT ScoreColumns<double> columns_of(Scores& scores);

}  // namespace warpath
