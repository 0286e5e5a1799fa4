#pragma once

#include <cstddef>

#include "kernels/metrics/metric_formulas.hpp"
#include "kernels/rewards/reward_rules.hpp"
#include "kernels/sweep/cell.hpp"
#include "kernels/sweep/sum.hpp"

// Scores every prefix of a query in one sweep: after column t, the last row of the DTW matrix is
// the DTW of the first t + 1 viewpoints, and the rows' minima give their path coverage.
//
//                  t = 0  1  2  3          a lane has a pair of its own and takes a column at a
//   reference  r0    .    .  .  .          time: K rows, in strips if the reference is longer
//              r1    .    .  .  .
//              r2   D0   D1 D2 D3   <-  DTW of the prefixes
//
// The state between two columns is small and can be put away, so that a batch of finished rollouts
// (state in registers) and a tracker (state in memory, a column a call) share every line.

namespace warpath::kernels {

/// Holds what a lane keeps of K rows of the reference, aligned to the end as in layout.hpp.
template <class L, int K>
struct RowState {
  typename L::F dtw[K];      ///< D(i, last column)
  typename L::F nearest[K];  ///< minimum of the row's distances
};

/// Holds what a lane keeps of a prefix besides its rows.
template <class L>
struct PrefixState {
  Sum<L> length;
  /// D(−1, −1), as the first row meets it: 0 before the first column if there is no padding row.
  typename L::F corner;
};

/// Returns the rows of a prefix without viewpoints. @param first index in the reference of row 0;
/// rows below 0 are padding
template <class L, int K>
WARPATH_HD void clear_rows(typename L::I first, RowState<L, K>& rows) {
  const auto inf = L::real(__builtin_inff()), zero = L::real(0.0f);
  WARPATH_UNROLL for (int i = 0; i < K; ++i) {
    rows.dtw[i] = L::select(first == -1 - i, zero, inf);
    rows.nearest[i] = inf;
  }
}

/// Returns the rest of it. @param rows of all strips
template <class L>
WARPATH_HD PrefixState<L> empty_prefix(typename L::I n, int rows) {
  const auto zero = L::real(0.0f);
  return {{zero, zero}, L::select(n == rows, zero, L::real(__builtin_inff()))};
}

/// Keeps the rows of a reference of up to K viewpoints in registers.
template <class L, int K>
struct RegisterRows {
  static constexpr bool in_strips = false;
  static constexpr int strips = 1;
  RowState<L, K> rows;

  WARPATH_HD RowState<L, K>& load(int) { return rows; }
  WARPATH_HD void store(int, const RowState<L, K>&) {}
  /// Calls `change` and takes it back except in the lanes of `where`.
  template <class Change>
  WARPATH_HD void change_where(typename L::M where, const Change& change) {
    const RowState<L, K> before = rows;
    change();
    WARPATH_UNROLL for (int i = 0; i < K; ++i) {
      rows.dtw[i] = L::select(where, rows.dtw[i], before.dtw[i]);
      rows.nearest[i] = L::select(where, rows.nearest[i], before.nearest[i]);
    }
  }
};

/// Holds the inputs of the metrics of prefixes, none of which depends on |Q|.
template <class L>
struct PrefixInputs : PairInputs<L> {
  typename L::F norm;  ///< of nDTW; times the threshold 0, or from 2^-100 to 2^120

  WARPATH_HD PrefixInputs(typename L::I nodes, typename L::F length, const Rules& rules)
      : PairInputs<L>{.n = nodes,
                      .m = nodes,
                      .reference_length = length,
                      .cls_query_length = L::real(0.0f),
                      .cls_reference_length = length,
                      .start_to_goal = L::real(0.0f),
                      .task_success = L::real(0.0f)},
        norm(ndtw_norm<L>(nodes, settled<L>(length), rules)) {}
};

/// Says that the formulas need not treat any value apart, nor any convention but the most common
/// choices.
template <class L>
struct OrdinaryPrefixInputs : PrefixInputs<L> {
  static constexpr bool are_ordinary = true;
  typename L::M is_ordinary;  ///< the reference, and the choices

  WARPATH_HD OrdinaryPrefixInputs(typename L::I nodes, typename L::F length, const Rules& rules)
      : PrefixInputs<L>(nodes, length, rules), is_ordinary(is_common(length, rules)) {}

  /// Tells whether that is so for a prefix: no quotient is below 2^-100, for |R| is below 2^16.
  template <unsigned Quantities>
  WARPATH_HD typename L::M holds(const SweepResult<L>& sums) const {
    typename L::M result = is_ordinary;
    if constexpr (Quantities & quantity_dtw) result = result & (sums.dtw <= L::real(0x1p40f));
    if constexpr (Quantities & quantity_coverage)
      result = result & (sums.coverage.high >= L::real(0x1p-40f));
    if constexpr (Quantities & quantity_length)
      result = result & (sums.length.high <= L::real(0x1p20f));
    return result;
  }

 private:
  WARPATH_HD static typename L::M is_common(typename L::F length, const Rules& rules) {
    const auto least = L::real(0x1p-20f), most = L::real(0x1p20f);
    const bool is_most_common = rules.dtw_norm == DtwNorm::cost && !rules.given_lengths;
    const typename L::M in_range = (length >= least) & (length <= most);
    return in_range & typename L::M{is_most_common};
  }
};

/// Takes the metrics that rewards are made of. DTW stays infinite where nothing leads.
template <class L>
struct PrefixSink {
  PrefixValues<L>& values;

  WARPATH_HD void set(Metric m, const typename L::F& value) const {
    if (m == Metric::nDTW) values.ndtw = value;
    if (m == Metric::DTW) values.dtw = value;
    if (m == Metric::CLS) values.cls = value;
  }
  WARPATH_HD void clear(typename L::M where, std::uint32_t) const {
    const auto none = L::real(__builtin_nanf(""));
    values.ndtw = L::select(where, none, values.ndtw);
    values.cls = L::select(where, none, values.cls);
  }
  WARPATH_HD void flags(const typename L::B&) const {}
};

/// Returns the values of a prefix of which the sweep has measured `sums`.
/// @tparam Inputs PrefixInputs or OrdinaryPrefixInputs
template <class L, unsigned Quantities, class Inputs>
WARPATH_HD PrefixValues<L> prefix_values(const SweepResult<L>& sums, const Inputs& inputs,
                                         const Rules& rules, typename L::F goal) {
  const auto zero = L::real(0.0f);
  PrefixValues<L> values{goal, zero, zero, zero};
  if constexpr (Quantities & (quantity_dtw | quantity_coverage)) {
    PrefixSink<L> sink{values};
    MetricFormulas<L, Quantities | quantity_reference, PrefixSink<L>, Inputs>(sums, inputs, rules,
                                                                              sink)
        .run();
  }
  return values;
}

/// Extends prefixes, one per lane, by a viewpoint at a time.
/// @tparam Quantities of quantity_dtw, quantity_coverage and quantity_length
/// @tparam Store RegisterRows, or a class that loads and stores the rows of any number of strips
/// @tparam Rows as those of the sweep: load(first, strip), column(node, d), between(a, b)
template <class L, int K, unsigned Quantities, class Store, class Rows>
class Prefix {
  using F = typename L::F;
  using I = typename L::I;

 public:
  /// @param n,length of the reference
  WARPATH_HD Prefix(Store& store, Rows& rows, I n, F length, const RewardRules& rules,
                    PrefixState<L>& state)
      : store_(store),
        rows_(rows),
        n_(n),
        rules_(rules.metrics),
        inputs_(n, length, rules.metrics),
        state_(state) {
    if (!Store::in_strips) rows_.load(n_ - K, 0);
  }

  /// Adds a viewpoint. @param length of the step that leads to it; 0 for the first
  template <class Node>
  WARPATH_HD void add(const Node& node, F length) {
    if constexpr (Quantities & (quantity_dtw | quantity_coverage)) {
      F up[1] = {L::real(__builtin_inff())}, corner = state_.corner;
      for (int s = 0; s < store_.strips; ++s) {
        if (Store::in_strips) rows_.load(n_ - (store_.strips - s) * K, s);
        F d[1][K];
        rows_.column(node, d[0]);
        auto& state = store_.load(s);
        if constexpr (Quantities & quantity_dtw) {
          const F next_corner = state.dtw[K - 1];
          dtw_cells<L, K, 1>(state.dtw, up, corner, d);
          corner = next_corner;
        }
        if constexpr (Quantities & quantity_coverage) {
          WARPATH_UNROLL for (int i = 0; i < K; ++i) {
            state.nearest[i] = L::min(state.nearest[i], d[0][i]);
          }
        }
        store_.store(s, state);
      }
      dtw_ = up[0];
      state_.corner = L::real(__builtin_inff());
    }
    if constexpr (Quantities & quantity_length) state_.length.add(length);
  }

  /// Adds the viewpoint of the last column once more in the lanes of `where`, whose prefixes end.
  /// In the other lanes the next values are of no use, the next viewpoint may be added.
  template <class Node>
  WARPATH_HD void repeat_where(typename L::M where, const Node& node) {
    const Sum<L> length = state_.length;
    store_.change_where(where, [&] { add(node, L::real(0.0f)); });
    // A sum may take another form even by a term of 0.
    state_.length = {L::select(where, state_.length.high, length.high),
                     L::select(where, state_.length.low, length.low)};
  }

  /// Returns the values of the prefix. @pre it has a viewpoint
  WARPATH_HD PrefixValues<L> values(F goal) {
    SweepResult<L> sums{};
    sums.dtw = L::real(0.0f);
    sums.length = state_.length;
    if constexpr (Quantities & quantity_dtw) sums.dtw = dtw_;
    if constexpr (Quantities & quantity_coverage) sums.coverage = coverage();
    return prefix_values<L, Quantities>(sums, inputs_, rules_, goal);
  }

 private:
  // Adds terms up in the reference's order, as the sweep does.
  WARPATH_HD Sum<L> coverage() {
    const F scale = L::real(-1.0f / rules_.threshold);
    Sum<L> sum{L::real(0.0f), L::real(0.0f)};
    for (int s = 0; s < store_.strips; ++s) {
      const auto& state = store_.load(s);
      F term[K];
      WARPATH_UNROLL for (int i = 0; i < K; ++i) {
        term[i] = exp_nonpositive<L>(state.nearest[i] * scale);
      }
      WARPATH_UNROLL for (int i = 0; i < K; ++i) sum.add(term[i]);
    }
    return sum;
  }

  Store& store_;
  Rows& rows_;
  const I n_;
  const Rules& rules_;
  const PrefixInputs<L> inputs_;
  PrefixState<L>& state_;
  F dtw_;
};

}  // namespace warpath::kernels
