#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "warpath/export.hpp"
#include "warpath/metrics.hpp"

namespace warpath {

/// What became of one item. Where several apply the first of this order is reported: what leaves an
/// item without any value, then what is worth a note, then what leaves one metric without value.
enum class Status : std::uint8_t {
  ok,
  missing,     ///< the run has no prediction for it
  not_scored,  ///< the convention does not score this instruction
  unknown_id,  ///< a prediction that no item of the dataset asks for
  malformed,   ///< the prediction's trajectory has not the form of its format
  empty_path,
  unknown_viewpoint,
  unreachable,  ///< no path of the graph joins two of its viewpoints, whichever metrics are asked
                ///< for
  wrong_start,
  non_adjacent,
  duplicate_id,
  not_finite,  ///< a NaN or infinity among the numbers of its trajectory; no metric reads them
  length_undefined,  ///< a step that is no edge has no length inside CLS under this convention
  spl_undefined,     ///< SPL is 0/0
  cls_undefined,     ///< CLS is 0/0
  dtw_undefined,     ///< DTW / PL(R) is 0/0
  no_task_success,   ///< --task-success has no usable value for it: no SDTW
};
inline constexpr int status_count = static_cast<int>(Status::no_task_success) + 1;

/// The one to report where both apply.
inline Status more_severe(Status a, Status b) {
  if (a == Status::ok) return b;
  return b == Status::ok || a < b ? a : b;
}

struct StatusInfo {
  std::string_view name;     ///< as in the CSV
  std::string_view problem;  ///< reads after "12 items: "
  std::string_view remedy;
};

WARPATH_EXPORT const StatusInfo& info(Status status);

/// The places where the original formula is 0/0 and the convention's rule gave the value.
enum ZeroRule : std::uint8_t { zero_spl = 1, zero_ls = 2, zero_sed = 4 };

/// Scores of a batch: one column per metric, one row per pair; NaN is "no value". The columns of
/// metrics that were not asked for are empty.
struct WARPATH_EXPORT Scores {
  MetricMap<std::vector<double>> column;
  std::vector<Status> status;
  std::vector<std::uint8_t> zero_rules;  ///< bits of ZeroRule

  explicit Scores(std::size_t pairs = 0, const MetricSet& metrics = MetricSet::all());
  /// Room for that many pairs and those metrics; what stands in it is left as it is.
  void resize(std::size_t pairs, const MetricSet& metrics);
  std::size_t size() const { return status.size(); }
  double& at(Metric m, std::size_t row) { return column[m][row]; }
  double at(Metric m, std::size_t row) const { return column[m][row]; }
};

}  // namespace warpath
