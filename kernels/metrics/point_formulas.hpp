#pragma once

#include "kernels/metrics/metric_formulas.hpp"

namespace warpath::kernels {

/// Holds what the host measures of a pair of continuous paths in double precision. It replaces the
/// sweep's own values.
struct PointPairInputs {
  std::int32_t n, m;   ///< |R|, |Q|
  std::int32_t edits;  ///< ED if it is known; −1: the sweep counts it
  float goal, nearest,
      first;  ///< distances to the goal from the query's last, nearest and first point
  float query_length, reference_length, start_to_goal, task_success;
};

/// Computes the metrics of a pair of continuous paths, all lanes on one pair, and passes them to
/// Out (see MetricFormulas).
/// @tparam Swept the quantities in `swept`; the pair brings all others
template <class L, unsigned Swept, class Out>
WARPATH_HD void write_point_metrics(SweepResult<L>& swept, const PointPairInputs& pair,
                                    const Rules& rules, Out& out) {
  swept.goal = L::real(pair.goal);
  swept.nearest = L::real(pair.nearest);
  swept.first = L::real(pair.first);
  swept.length = {L::real(pair.query_length), L::real(0.0f)};
  if constexpr (!(Swept & quantity_edits)) swept.edits = L::integer(pair.edits);
  const auto none = L::real(__builtin_nanf(""));
  const PairInputs<L> inputs{.n = L::integer(pair.n),
                             .m = L::integer(pair.m),
                             .reference_length = L::real(pair.reference_length),
                             .cls_query_length = none,
                             .cls_reference_length = none,
                             .start_to_goal = L::real(pair.start_to_goal),
                             .task_success = L::real(pair.task_success)};
  constexpr unsigned all = Swept | quantities_of_point_pair | quantity_edits;
  MetricFormulas<L, all, Out>(swept, inputs, rules, out).run();
}

}  // namespace warpath::kernels
