#pragma once

#include <cstddef>

#include "kernels/metrics/metric_formulas.hpp"
#include "kernels/rewards/left_out.hpp"
#include "kernels/rewards/prefix_state.hpp"
#include "kernels/rewards/reward_rules.hpp"
#include "kernels/sweep/cell.hpp"

// Scores every prefix of a query in one sweep: after column t, the last row of the DTW matrix is
// the DTW of the first t + 1 viewpoints, and the rows' minima give their path coverage.
//
//                  t = 0  1  2  3          a lane has a pair of its own and takes one or several
//   reference  r0    .    .  .  .          columns at a time: K rows, in strips if there are more
//              r1    .    .  .  .
//              r2   D0   D1 D2 D3   <-  DTW of the prefixes
//
// The state between two columns is small and can be put away, so that a batch of finished rollouts
// (state in registers) and a tracker (state in memory, a column a call) share every line.

namespace warpath::kernels {

/// Keeps the rows of a reference of up to K viewpoints in registers.
template <class L, int K>
struct RegisterRows {
  static constexpr bool in_strips = false;
  static constexpr int strips = 1;
  RowState<L, K> rows;

  WARPATH_HD RowState<L, K>& load(int) { return rows; }
  WARPATH_HD void store(int, const RowState<L, K>&) {}
  WARPATH_HD void clear(const typename L::M& where, const typename L::I& n) {
    RowState<L, K> empty;
    clear_rows<L, K>(n - K, empty);
    WARPATH_UNROLL for (int i = 0; i < K; ++i) {
      rows.dtw[i] = L::select(where, empty.dtw[i], rows.dtw[i]);
      rows.nearest[i] = L::select(where, empty.nearest[i], rows.nearest[i]);
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
WARPATH_HD_LONG PrefixValues<L> prefix_values(const SweepResult<L>& sums, const Inputs& inputs,
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

/// Extends prefixes, one per lane.
/// @tparam Quantities of quantity_dtw, quantity_coverage and quantity_length
/// @tparam Store RegisterRows, or a class that loads, stores and clears the rows of any number of
/// strips
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

  /// Adds C viewpoints and values the prefix that ends with each.
  /// @param length of the steps that lead to them; 0 for a path's first
  /// @param goal distances from them to the goal
  /// @param is_wanted whether nDTW, DTW and CLS are needed; else they are 0
  template <int C, class Node>
  WARPATH_HD void add(const Node (&node)[C], const F (&length)[C], const F (&goal)[C],
                      bool is_wanted, PrefixValues<L> (&values)[C]) {
    const F zero = L::real(0.0f);
    SweepResult<L> sums[C]{};
    WARPATH_UNROLL for (int c = 0; c < C; ++c) {
      values[c] = {goal[c], zero, zero, zero};
      sums[c].dtw = zero;
      sums[c].coverage = {zero, zero};
      if constexpr (Quantities & quantity_length) state_.length.add(length[c]);
      sums[c].length = state_.length;
    }
    if constexpr (Quantities & (quantity_dtw | quantity_coverage))
      add_columns(node, is_wanted, sums);
    if (!is_wanted) return;
    WARPATH_UNROLL for (int c = 0; c < C; ++c) {
      values[c] = prefix_values<L, Quantities>(sums[c], inputs_, rules_, goal[c]);
    }
  }

  /// Adds a viewpoint of a path whose first ones may be left out, and returns the values of the
  /// prefix.
  /// @param t number of the viewpoint in the path @param length of the step that leads to it
  /// @param left_out_length gets that of the steps that do not count, where the viewpoint is the
  /// first that does
  template <class Node>
  WARPATH_HD PrefixValues<L> add_counted(const LeftOut<L>& left_out, const I& t, const Node& node,
                                         F length, F goal, bool is_wanted, F& left_out_length) {
    const auto begins = left_out.ends_before(t);
    if (L::any(begins)) {
      left_out_length = L::select(begins, begin_anew(begins, length), left_out_length);
    }
    PrefixValues<L> values = add(node, length, goal, is_wanted);
    if (is_wanted) left_out.settle(t + 1, values);
    return values;
  }

  /// Adds a viewpoint and returns the values of the prefix.
  template <class Node>
  WARPATH_HD PrefixValues<L> add(const Node& node, F length, F goal, bool is_wanted) {
    const Node nodes[1] = {node};
    const F lengths[1] = {length}, goals[1] = {goal};
    PrefixValues<L> values[1];
    add<1>(nodes, lengths, goals, is_wanted, values);
    return values[0];
  }

  /// Takes all viewpoints back in the lanes of `where`, before the first that counts.
  /// @param length of the step that leads to it; 0 then
  /// @returns the length of the steps to it
  WARPATH_HD F begin_anew(const typename L::M& where, F& length) {
    const F zero = L::real(0.0f);
    store_.clear(where, n_);
    const PrefixState<L> empty = empty_prefix<L>(n_, store_.strips * K);
    Sum<L> whole = state_.length;
    whole.add(length);
    state_.corner = L::select(where, empty.corner, state_.corner);
    state_.length = {L::select(where, zero, state_.length.high),
                     L::select(where, zero, state_.length.low)};
    length = L::select(where, zero, length);
    return whole.high;
  }

 private:
  template <int C, class Node>
  WARPATH_HD void add_columns(const Node (&node)[C], bool is_wanted, SweepResult<L> (&sums)[C]) {
    F up[C], corner = state_.corner;
    WARPATH_UNROLL for (int c = 0; c < C; ++c) up[c] = L::real(__builtin_inff());
    for (int s = 0; s < store_.strips; ++s) {
      if (Store::in_strips) rows_.load(n_ - (store_.strips - s) * K, s);
      F d[C][K];
      WARPATH_UNROLL for (int c = 0; c < C; ++c) rows_.column(node[c], d[c]);
      auto& state = store_.load(s);
      if constexpr (Quantities & quantity_dtw) {
        const F next_corner = state.dtw[K - 1];
        dtw_cells<L, K, C>(state.dtw, up, corner, d);
        corner = next_corner;
      }
      if constexpr (Quantities & quantity_coverage) {
        WARPATH_UNROLL for (int c = 0; c < C; ++c) {
          WARPATH_UNROLL for (int i = 0; i < K; ++i) {
            state.nearest[i] = L::min(state.nearest[i], d[c][i]);
          }
          if (is_wanted) add_coverage(state, sums[c].coverage);
        }
      }
      store_.store(s, state);
    }
    if constexpr (Quantities & quantity_dtw) {
      WARPATH_UNROLL for (int c = 0; c < C; ++c) sums[c].dtw = up[c];
    }
    state_.corner = L::real(__builtin_inff());
  }

  // Adds terms up in the reference's order, as the sweep does.
  WARPATH_HD void add_coverage(const RowState<L, K>& state, Sum<L>& sum) const {
    const F scale = L::real(-1.0f / rules_.threshold);
    F term[K];
    WARPATH_UNROLL for (int i = 0; i < K; ++i) {
      term[i] = exp_nonpositive<L>(state.nearest[i] * scale);
    }
    WARPATH_UNROLL for (int i = 0; i < K; ++i) sum.add(term[i]);
  }

  Store& store_;
  Rows& rows_;
  const I n_;
  const Rules& rules_;
  const PrefixInputs<L> inputs_;
  PrefixState<L>& state_;
};

}  // namespace warpath::kernels
