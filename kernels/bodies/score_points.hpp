#pragma once

#include "kernels/bodies/score_pair.hpp"

// The body of the kernels of continuous paths, which the tests run on the host.

namespace warpath::kernels {

/// What the sweeps for QuantitySet dtw, five, all_edges and all_viewpoints make; for goal there is
/// none.
inline constexpr unsigned swept_dtw = quantity_dtw;
inline constexpr unsigned swept_alignment = quantity_dtw | quantity_coverage | quantity_deviation;
inline constexpr unsigned swept_all = swept_alignment | quantity_edits;

template <class L, int K, int C, unsigned Swept, bool Edges, class Borders>
WARPATH_HD void score_point_paths(const PointView& view, std::uint32_t p, const Borders& border) {
  const DevicePointPair& pair = view.pairs[p];
  SweepResult<L> sums{};
  if constexpr (Swept != 0) {
    using Rows = DevicePointRows<L, K>;
    using Query = PathQuery<L, C, DevicePoint>;
    Rows rows{view.points + pair.reference, {}, {}, {}, {}};
    const Query query{view.points + pair.query, pair.m};
    Sweep<L, K, C, Swept, Edges, Rows, Query, Borders> sweep(rows, query, pair.n, pair.m,
                                                             -1.0f / view.rules.threshold, border);
    sums = sweep.run();
    if (!sweep.has_result()) return;
  }
  sums.goal = pair.goal;
  sums.nearest = pair.nearest;
  sums.first = pair.first;
  sums.length = {pair.query_length, 0.0f};
  if constexpr (!(Swept & quantity_edits)) sums.edits = pair.edits;
  const float none = __builtin_nanf("");
  const PairInputs<L> terms{
      pair.n, pair.m, pair.reference_length, none, none, pair.start_to_goal, pair.task_success};
  RowResults results{view.results, pair.row};
  MetricFormulas<L, Swept | quantity_goal | quantity_length | quantity_edits | quantity_reference,
                 RowResults>(sums, terms, view.rules, results)
      .run();
}

/// Pair number p by all lanes of group number `group`. @pre view has a border for the group, or
/// Swept = 0 and W = 1.
template <class L, int K, int C, unsigned Swept, bool Edges>
WARPATH_HD void score_points_by_group(const PointView& view, std::uint32_t p, std::uint32_t group) {
  static_assert(Swept != 0 || L::W == 1);
  score_point_paths<L, K, C, Swept, Edges>(view, p, border_of<Swept != 0>(view, group));
}

/// The same by all groups of a block, two or more.
template <class L, int K, int C, unsigned Swept, bool Edges>
WARPATH_HD void score_points_by_chain(const PointView& view, std::uint32_t p, const ThreadId& me) {
  score_point_paths<L, K, C, Swept, Edges>(view, p, chain_of<L>(view, me));
}

}  // namespace warpath::kernels
