#pragma once

#include "kernels/bodies/point_rows.hpp"
#include "kernels/bodies/score_pair.hpp"
#include "kernels/metrics/point_formulas.hpp"
#include "kernels/views/points.hpp"

// Scores continuous paths: the bodies of the kernels, which the tests run on the host.

namespace warpath::kernels {

/// Sweeps a pair of continuous paths with all lanes of a group and writes its row.
/// @tparam Swept swept_of a QuantitySet
template <class L, int K, int C, unsigned Swept, bool Edges, class Borders>
WARPATH_HD void score_point_paths(const PointView& view, std::uint32_t p, const Borders& border) {
  const DevicePointPair& pair = view.pairs[p];
  if (pair.row == no_row) return;
  std::uint32_t wanted = wanted_columns(view.results);
  WARPATH_KEEP(wanted);
  if (pair.n == 0 || pair.m == 0) {
    if (!border.template has_result<L>(1)) return;
    return write_no_scores(view.results, pair.row);
  }
  SweepResult<L> swept{};
  if constexpr (Swept != 0) {
    using Rows = DevicePointRows<L, K>;
    using Query = PointPathQuery<L, C>;
    Rows rows{view.points + pair.reference, {}, {}, {}, {}};
    const Query query{view.points + pair.query, pair.m};
    Sweep<L, K, C, Swept, Edges, Rows, const Query, Borders> sweep(
        rows, query, pair.n, pair.m, -1.0f / view.rules.threshold, border);
    swept = sweep.run();
    if (!sweep.has_result()) return;
  }
  RowResults results{view.results, pair.row, wanted};
  write_point_metrics<L, Swept>(swept, pair, view.rules, results);
}

/// Scores pair p with all lanes of group `group`. @pre view has a border for the group, or Swept =
/// 0 and W = 1.
template <class L, int K, int C, unsigned Swept, bool Edges>
WARPATH_HD void score_points_by_group(const PointView& view, std::uint32_t p, std::uint32_t group) {
  static_assert(Swept != 0 || L::W == 1);
  score_point_paths<L, K, C, Swept, Edges>(view, p, border_of<Swept != 0>(view, group));
}

/// Scores pair p with all groups of a block, two or more.
template <class L, int K, int C, unsigned Swept, bool Edges>
WARPATH_HD void score_points_by_chain(const PointView& view, std::uint32_t p, const ThreadId& me) {
  score_point_paths<L, K, C, Swept, Edges>(view, p, chain_of<L>(view, me));
}

}  // namespace warpath::kernels
