#pragma once

#include "kernels/bodies/reward_rollouts.hpp"
#include "kernels/sweep/layout.hpp"

// Rewards a finished rollout with a group of W lanes, because a small batch has fewer rollouts than
// a device has threads at work at once.
//
//   A lane has K rows of the reference and takes W    step     0    1    2    3    4    5
//   viewpoints of the query in a step, the lane       lane 0  0-3  4-7  8-11
//   below them a step later: what it needs from       lane 1       0-3  4-7  8-11
//   above moves by shuffles. What the last lane       lane 2            0-3  4-7  8-11
//   has finished is valued in the same step, a        lane 3                 0-3  4-7  8-11
//   prefix by each lane.                              values                 0-3  4-7  8-11
//
// As in sweep.hpp, rows are aligned to the end, lanes that have only padding are skipped (the next
// lane begins at step 0), and no cell needs a mask: columns before the query's first viewpoint and
// behind its last repeat that viewpoint. All lanes do for a prefix what Prefix does, in its order,
// so that the bits are the same.

namespace warpath::kernels {

/// Sweeps a rollout and writes its rewards.
/// @tparam L groups of a warp take the same number of steps: highest() is of all of them
/// @tparam K rows of a lane
/// @tparam Quantities of quantity_dtw, quantity_coverage and quantity_length
template <class L, int K, unsigned Quantities, class Writer>
class GroupRollout {
  using F = typename L::F;
  using I = typename L::I;
  using M = typename L::M;
  static constexpr int W = L::W, C = W;
  static constexpr bool coverage = Quantities & quantity_coverage,
                        length = Quantities & quantity_length;

 public:
  /// @param given distances to the goal, by viewpoint; null: they are looked up
  /// @param is_written the results are; else another group has the same rollout
  WARPATH_HD GroupRollout(const RewardTablesView& rewards, const RewardReference& reference,
                          const Integers& path, const float* given, const RolloutInputs<L>& inputs,
                          const RewardRules& rules, const Writer& writer, bool is_written)
      : tables_(rewards.tables),
        path_(path),
        given_(given),
        base_(reference.base),
        pitch_(reference.pitch),
        goals_(reference.goal),
        rollout_(inputs),
        prefix_(inputs.n, inputs.reference_length, rules.metrics),
        rules_(rules),
        writer_(writer),
        is_written_(is_written),
        end_(inputs.m - 1 + (rules.stop_repeats_node && inputs.stopped ? 1 : 0)),
        first_lane_((W * K - inputs.n) / K) {
    const I first = reference_index(L::rank() * K, W * K, inputs.n);
    const std::uint16_t* nodes = rewards.nodes + reference.first;
    WARPATH_UNROLL for (int i = 0; i < K; ++i) {
      row_[i] = first + i < 0 ? I{reference.pad} : I{nodes[first + i < 0 ? 0 : first + i]};
    }
    clear_rows<L, K>(first, rows_);
    corner_ = L::select(first == 0, zero(), L::real(__builtin_inff()));
    WARPATH_UNROLL for (int c = 0; c < C; ++c) {
      up_[c] = L::real(__builtin_inff());
      sum_[c] = {zero(), zero()};
    }
  }

  WARPATH_HD void run() {
    const int steps = L::highest(end_ / C + W - first_lane_);
    int column = C * (first_lane_ - L::rank());       // this lane's first of the step
    int own = C * (first_lane_ - W + 1) + L::rank();  // the one whose prefix it values
    read_numbers(column, own);
    load_distances(own);
    read_numbers(column + C, own + C);
    WARPATH_ROLLED for (int step = 0; step < steps; ++step) {
      add_columns();
      const F goal = goal_, move_length = move_length_;
      load_distances(own + C);
      read_numbers(column + 2 * C, own + 2 * C);
      value_prefix(own, goal, move_length);
      column += C;
      own += C;
    }
    finish();
  }

 private:
  WARPATH_HD static F zero() { return L::real(0.0f); }

  /// Holds the number of a viewpoint in parts: what is done with them would wait for them.
  struct Number {
    std::uint32_t low, high;
    WARPATH_HD I whole() const { return static_cast<I>(low | high << 8); }
  };
  // Returns column t, or the next to it that the query has.
  WARPATH_HD int at(int t) const { return query_index(t, rollout_.m); }
  WARPATH_HD void read(int t, Number& number) const {
    path_.read_small(at(t), number.low, number.high);
  }
  WARPATH_HD void read_numbers(int column, int own) {
    WARPATH_UNROLL for (int c = 0; c < C; ++c) read(column + c, number_[c]);
    read(own, own_number_);
  }

  // Looks up what a step needs, whose numbers have come.
  WARPATH_HD void load_distances(int own) {
    WARPATH_UNROLL for (int c = 0; c < C; ++c) {
      const I first = number_[c].whole() * pitch_ + base_;
      WARPATH_UNROLL for (int i = 0; i < K; ++i) {
        d_[c][i] = L::gather(tables_.distance, first + row_[i]);
      }
    }
    const I node = own_number_.whole();
    if constexpr (length) {
      const I before = column_before(node, own_node_);
      const F step = L::gather(tables_.distance, before * pitch_ + base_ + node);
      move_length_ = own > 0 && own < rollout_.m ? step : zero();
      own_node_ = node;
    }
    goal_ = L::load(given_ != nullptr ? given_ + at(own) : tables_.goal + goals_ + node);
  }

  // Adds the step's columns to this lane's rows.
  WARPATH_HD void add_columns() {
    if constexpr (Quantities & quantity_dtw) {
      WARPATH_UNROLL for (int c = 0; c < C; ++c) {
        up_[c] = L::shift_up(up_[c], L::real(__builtin_inff()));
      }
      const F next_corner = up_[C - 1];
      dtw_cells<L, K, C>(rows_.dtw, up_, corner_, d_);
      corner_ = next_corner;
    }
    if constexpr (coverage) add_coverage();
  }

  // Adds terms up in the reference's order: the sums of the lane above go on.
  WARPATH_HD void add_coverage() {
    const F scale = L::real(-1.0f / rules_.metrics.threshold);
    WARPATH_UNROLL for (int c = 0; c < C; ++c) {
      F term[K];
      WARPATH_UNROLL for (int i = 0; i < K; ++i) {
        rows_.nearest[i] = L::min(rows_.nearest[i], d_[c][i]);
        term[i] = exp_nonpositive<L>(rows_.nearest[i] * scale);
      }
      sum_[c] = {L::shift_up(sum_[c].high, zero()), L::shift_up(sum_[c].low, zero())};
      WARPATH_UNROLL for (int i = 0; i < K; ++i) sum_[c].add(term[i]);
    }
  }

  // Values the prefix that ends in column `own`, which the last lane has finished, and rewards the
  // move that leads there.
  WARPATH_HD void value_prefix(int own, F goal, F move_length) {
    const PrefixValues<L> values =
        prefix_values<L, Quantities>(sums(move_length), prefix_, rules_.metrics, goal);
    const PrefixValues<L> before = {
        column_before(values.goal, before_.goal), column_before(values.ndtw, before_.ndtw),
        column_before(values.dtw, before_.dtw), column_before(values.cls, before_.cls)};
    const F move = move_reward<L, Quantities>(before, values, move_length, rules_);
    before_ = values;
    if (own == rollout_.m - 1) {
      last_move_ = move;
      last_.goal = goal;
    }
    if (own == end_) {
      last_.ndtw = values.ndtw;
      last_.cls = values.cls;
    }
    // finish() writes the last move's.
    if (is_written_ && own > 0 && own < rollout_.m - 1) writer_.reward(own - 1, move);
    if (is_written_ && own >= 0 && own < rollout_.m) writer_.prefix(own, values);
  }

  // Returns what the last lane, and all together, have measured of this lane's prefix.
  WARPATH_HD SweepResult<L> sums(F move_length) {
    SweepResult<L> sums{};
    sums.dtw = zero();
    if constexpr (Quantities & quantity_dtw) {
      WARPATH_UNROLL for (int c = 0; c < C; ++c) {
        const F dtw = L::from_last(up_[c]);
        sums.dtw = L::rank() == c ? dtw : sums.dtw;
      }
    }
    if constexpr (coverage) {
      WARPATH_UNROLL for (int c = 0; c < C; ++c) {
        const F high = L::from_last(sum_[c].high);
        sums.coverage.high = L::rank() == c ? high : sums.coverage.high;
      }
    }
    if constexpr (length) {
      WARPATH_UNROLL for (int c = 0; c < C; ++c) {
        length_.add(L::from(move_length, c));
        sums.length.high = L::rank() == c ? length_.high : sums.length.high;
      }
    }
    return sums;
  }

  // Gives each lane the value of the column before its own.
  //   rank                0               1  2  …  W − 1
  //   value, of step s    a               b  c  …  z
  //   result              z of step s−1   a  b  …
  template <class T>
  WARPATH_HD static T column_before(T value, T of_step_before) {
    return L::from(L::rank() == W - 1 ? of_step_before : value, (L::rank() + W - 1) % W);
  }

  // Rewards the last move and the end. The lanes that had their columns know their values.
  WARPATH_HD void finish() {
    const int m = rollout_.m, last = (m - 1) % W, end_lane = end_ % W;
    PrefixValues<L> values{L::from(last_.goal, last), L::from(last_.ndtw, end_lane), zero(),
                           L::from(last_.cls, end_lane)};
    F move = L::from(last_move_, last);
    F end = end_reward<L, Quantities>(values, rollout_.stopped, rules_);
    if (m > 1) place_end<L>(rules_, true, rollout_.stopped, move, end);
    if (!is_written_ || L::rank() != 0) return;
    if (m > 1) writer_.reward(m - 2, move);
    writer_.reward(m - 1, end);
  }

  const EpisodeTables& tables_;
  const Integers path_;
  const float* const given_;
  const I base_, pitch_, goals_;
  const RolloutInputs<L> rollout_;
  const PrefixInputs<L> prefix_;
  const RewardRules& rules_;
  const Writer& writer_;
  const bool is_written_;
  const int end_;         // the column that says what the end is worth: the last one, or it again
  const int first_lane_;  // the first with a viewpoint of the reference
  I row_[K];

  Number number_[C], own_number_;  // of the next step's columns
  I own_node_ = 0;
  F d_[C][K], goal_, move_length_ = L::real(0.0f);  // of the step

  RowState<L, K> rows_;
  F corner_, up_[C];  // D of the lane above in the column before; of this lane's last row
  Sum<L> sum_[C];     // coverage of the rows so far
  Sum<L> length_{L::real(0.0f), L::real(0.0f)};
  PrefixValues<L> before_{L::real(0.0f), L::real(0.0f), L::real(0.0f), L::real(0.0f)};
  PrefixValues<L> last_ = before_;
  F last_move_ = L::real(0.0f);
};

/// Computes the rewards of rollout k with a group of lanes, if it is active and k is below the
/// count. One without viewpoints has none.
/// @tparam K rows of the group, at least as many as any reference has viewpoints
template <class L, int K, unsigned Quantities>
WARPATH_HD void reward_rollout_of_group(const RolloutsView& view, std::uint32_t k) {
  static_assert(K % L::W == 0);
  const bool is_one = k < view.count && (view.active == nullptr || view.active[k] != 0);
  const std::uint32_t m = is_one ? view.queries.length(k) : 0;
  // A group without work does that of another one, so that all of a warp keep together.
  const auto some = static_cast<std::uint32_t>(L::highest(m > 0 ? static_cast<int>(k) + 1 : 0));
  using Writer = RolloutWriter<L, (Quantities & quantity_goal) != 0>;
  if (some > 0) {
    const std::uint32_t of = m > 0 ? k : some - 1;
    const std::uint32_t r = view.reference_of.exist() ? view.reference_of.by_parts(of) : of;
    const bool stopped = view.stopped == nullptr || view.stopped[of] != 0;
    const std::size_t first = view.queries.layout.begin(of);
    const RewardReference reference = view.rewards.references[r];
    const RolloutInputs<L> inputs{.n = reference.size,
                                  .m = static_cast<int>(view.queries.length(of)),
                                  .reference_length = reference.length,
                                  .stopped = stopped};
    const RewardRules rules = known_rules<Quantities>(view.rewards.rules);
    const Writer writer{view, first};
    const float* given =
        view.distance_to_goal == nullptr ? nullptr : view.distance_to_goal + first;
    GroupRollout<L, K / L::W, Quantities & reward_all, Writer>(
        view.rewards, reference, view.queries.nodes.from(first), given, inputs, rules, writer,
        m > 0)
        .run();
  }
  if (is_one && !view.queries.layout.offsets.exist()) {
    const Writer writer{view, view.queries.layout.begin(k)};
    writer.clear(m + L::rank(), view.queries.layout.max_length, L::W);
  }
}

}  // namespace warpath::kernels
