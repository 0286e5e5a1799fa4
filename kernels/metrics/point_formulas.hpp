#pragma once

#include <cstdint>

#include "kernels/metrics/metric_formulas.hpp"
#include "kernels/views/points.hpp"

namespace warpath::kernels {

/// Sets what a sweep measured of two paths to 0 where it is no more than points at the same place
/// give: each of the up to n + m - 1 cells of a warping, each of the m deviations.
template <class L>
WARPATH_HD void remove_coincident_distances(SweepResult<L>& swept, std::int32_t n, std::int32_t m) {
  const auto removed = [](typename L::F x, float times) {
    const auto limit = L::real(times * distance_of_coincident_points);
    return L::select(x <= limit, L::real(0.0f), x);
  };
  swept.dtw = removed(swept.dtw, static_cast<float>(n) + static_cast<float>(m));
  swept.deviation.high = removed(swept.deviation.high, static_cast<float>(m));
  swept.max_deviation = removed(swept.max_deviation, 1.0f);
}

/// Computes the metrics of a pair of continuous paths, all lanes on one pair, and passes them to
/// Out (see MetricFormulas).
/// @tparam Swept the quantities in `swept`; the pair brings all others
template <class L, unsigned Swept, class Out>
WARPATH_HD void write_point_metrics(SweepResult<L>& swept, const PointPairInputs& pair,
                                    const Rules& rules, Out& out) {
  remove_coincident_distances(swept, pair.n, pair.m);
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
