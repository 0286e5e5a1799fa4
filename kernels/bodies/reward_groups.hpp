#pragma once

#include "kernels/bodies/reward_rollouts.hpp"
#include "kernels/sweep/layout.hpp"

// Rewards a finished rollout with a group of W lanes, because a small batch has fewer rollouts than
// a device has threads at work at once.
//
//   A lane has K rows of the reference and takes W    step     0    1    2    3    4     5
//   viewpoints of the query in a step, the lane       lane 0  0-3  4-7  8-11
//   below them a step later: what it needs from       lane 1       0-3  4-7  8-11
//   above moves by shuffles. What the last lane       lane 2            0-3  4-7  8-11
//   has finished is valued a step later, a            lane 3                 0-3  4-7   8-11
//   prefix by each lane.                              values                      0-3   4-7
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
  /// @param is_live there is a rollout; else the group keeps the others company, with m = 1 and an
  /// empty reference, reads what comes first in each array and writes nothing
  WARPATH_HD GroupRollout(const RewardTablesView& rewards, const RewardReference& reference,
                          const IntegerArray& path, const float* given,
                          const RolloutInputs<L>& inputs, const RewardRules& rules,
                          const Writer& writer, std::uint32_t k, bool is_live)
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
        number_of_(k),
        is_live_(is_live),
        known_bits_(is_live ? 0xffff : 0),
        end_(inputs.m - 1 + (rules.stop_repeats_node && inputs.stopped ? 1 : 0)),
        first_lane_(first_lane_of(inputs.n)) {
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

  /// Takes the steps that the longest of the warp's rollouts needs. The values of a step are
  /// computed in the next: both are long chains of instructions, and a scheduler of a small batch
  /// has nothing else to do.
  ///
  ///   step s    columns s   distances s + 1   numbers s + 2   values s − 1
  WARPATH_HD void run() {
    const int steps = L::highest(is_live_ ? end_ / C + W - first_lane_ : 0);
    if (steps == 0) return;
    int column = C * (first_lane_ - L::rank());       // this lane's first of the step
    int own = C * (first_lane_ - W + 1) + L::rank();  // the one whose prefix it values
    read_numbers(column, own);
    load_distances(own);
    read_numbers(column + C, own + C);
    F goal = zero(), move_length = zero();  // of the step before
    WARPATH_ROLLED for (int step = 0; step < steps; ++step) {
      const Swept swept = {sums(move_length), goal, move_length};
      add_columns();
      goal = goal_;
      move_length = L::select(own > 0 && own < rollout_.m, move_length_, zero());
      load_distances(own + C);
      read_numbers(column + 2 * C, own + 2 * C);
      value_prefix(own - C, swept);
      column += C;
      own += C;
      WARPATH_KEEP(own);  // one number instead of an address for each array
    }
    value_prefix(own - C, {sums(move_length), goal, move_length});
    finish();
  }

 private:
  // Returns the number of lanes that have only padding, but for the last, without a division.
  WARPATH_HD static int first_lane_of(I n) {
    int count = 0;
    WARPATH_UNROLL for (int lanes = 1; lanes < W; ++lanes) count += n <= lanes * K ? 1 : 0;
    return count;
  }
  WARPATH_HD static F zero() { return L::real(0.0f); }

  /// Holds the number of a viewpoint in parts: what is done with them would wait for them.
  struct Number {
    std::uint32_t low, high;
  };
  WARPATH_HD I whole(const Number& number) const {
    return static_cast<I>((number.low | number.high << 8) & known_bits_);
  }
  // Returns column t, or the next to it that the query has.
  WARPATH_HD std::uint32_t at(int t) const {
    const int from_first = t < 0 ? 0 : t, last = rollout_.m - 1;
    return static_cast<std::uint32_t>(from_first < last ? from_first : last);
  }
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
      const I first = whole(number_[c]) * pitch_ + base_;
      WARPATH_UNROLL for (int i = 0; i < K; ++i) {
        d_[c][i] = L::gather(tables_.distance, first + row_[i]);
      }
    }
    const I node = whole(own_number_);
    if constexpr (length) {
      const I before = column_before(node, own_node_);
      move_length_ = L::gather(tables_.distance, before * pitch_ + base_ + node);
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

  /// Holds what has been measured of the prefix that a lane values.
  struct Swept {
    SweepResult<L> sums;
    F goal, move_length;  ///< of its last viewpoint
  };

  // Returns the values of a prefix, if `is_wanted`. Almost all are ordinary, which saves branches.
  WARPATH_HD PrefixValues<L> values_of(const Swept& swept, bool is_wanted) const {
    PrefixValues<L> values =
        prefix_values<L, Quantities>(swept.sums, prefix_, rules_.metrics, swept.goal);
    if (is_wanted && !prefix_.template holds<Quantities>(swept.sums)) {
      const PrefixInputs<L>& inputs = prefix_;
      values = prefix_values<L, Quantities>(swept.sums, inputs, rules_.metrics, swept.goal);
    }
    return values;
  }

  // Values the prefix that ends in column `own`, and rewards the move that leads there.
  WARPATH_HD void value_prefix(int own, const Swept& swept) {
    const F goal_before = column_before(swept.goal, before_.goal);
    const PrefixValues<L> values = values_of(swept, is_live_ && own >= 0);
    const PrefixValues<L> before = {goal_before, column_before(values.ndtw, before_.ndtw),
                                    column_before(values.dtw, before_.dtw),
                                    column_before(values.cls, before_.cls)};
    const F move = move_reward<L, Quantities>(before, values, swept.move_length, rules_);
    before_ = values;
    const bool is_last = own == rollout_.m - 1, is_end = own == end_;
    last_move_ = L::select(is_last, move, last_move_);
    last_.goal = L::select(is_last, values.goal, last_.goal);
    if constexpr (length) walked_ = L::select(is_last, swept.sums.length.high, walked_);
    last_.ndtw = L::select(is_end, values.ndtw, last_.ndtw);
    last_.cls = L::select(is_end, values.cls, last_.cls);
    // finish() writes the last move's.
    if (is_live_ && own > 0 && own < rollout_.m - 1) writer_.reward(own - 1, move);
    writer_.prefix(own, values, is_live_ && own >= 0 && own < rollout_.m);
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

  // Returns what SPL compares. All but the length is looked up again: it is needed but here.
  WARPATH_HD SplLengths<L> spl_lengths(F walked) const {
    if constexpr (length) {
      if (rules_.final_spl != 0.0f && is_live_) {
        return {ideal_length(writer_.view, number_of_, writer_.first), walked};
      }
    }
    return {zero(), zero()};
  }

  // Rewards the last move and the end. The lanes that had their columns know their values.
  WARPATH_HD void finish() {
    const int m = rollout_.m, last = (m - 1) % W, end_lane = end_ % W;
    PrefixValues<L> values{L::from(last_.goal, last), L::from(last_.ndtw, end_lane), zero(),
                           L::from(last_.cls, end_lane)};
    F move = L::from(last_move_, last);
    F walked = zero();  // up to the last viewpoint: behind it, a sum in two floats may still round
    if constexpr (length) walked = L::from(walked_, last);
    F end = end_reward<L, Quantities>(values, rollout_.stopped, spl_lengths(walked), rules_);
    place_end<L>(rules_, m > 1, rollout_.stopped, move, end);
    if (is_live_ && L::rank() == 0) writer_.end(m, move, end);
  }

  const EpisodeTables& tables_;
  const IntegerArray path_;
  const float* const given_;
  const I base_, pitch_, goals_;
  const RolloutInputs<L> rollout_;
  const OrdinaryPrefixInputs<L> prefix_;
  const RewardRules& rules_;
  const Writer& writer_;
  const std::uint32_t number_of_;  // the rollout
  const bool is_live_;
  const std::uint32_t known_bits_;  // of numbers of viewpoints; none without a rollout
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
  F last_move_ = L::real(0.0f), walked_ = L::real(0.0f);
};

/// Computes the rewards of rollout k with a group of lanes, if it is active and k is below the
/// count. One without viewpoints has none.
/// @tparam K rows of the group, at least as many as any reference has viewpoints
/// @pre there is a rollout
template <class L, int K, unsigned Quantities>
WARPATH_HD void reward_rollout_of_group(const RolloutsView& view, std::uint32_t k) {
  static_assert(K % L::W == 0);
  const bool exists = k < view.count;
  if (!exists) k = view.count - 1;
  // These loads do not wait for each other.
  const PathLayout& layout = view.queries.layout;
  IntegerParts reference_of{};
  std::uint32_t active = 1, stopped = 1;
  if (view.active != nullptr) active = view.active[k];
  if (view.stopped != nullptr) stopped = view.stopped[k];
  if (view.reference_of.exist()) reference_of = view.reference_of.read_parts(k);
  const PlaceParts place = layout.read_parts(k);
  const auto r = view.reference_of.exist() ? static_cast<std::uint32_t>(reference_of.whole())
                                           : view.group.reference(k);
  const std::uint32_t m = layout.length(place);
  const std::size_t begin = layout.begin(k, place);
  const bool is_active = exists && active != 0, is_live = is_active && m > 0;
  const std::size_t first = is_live ? begin : 0;
  RewardReference reference{};
  if (is_live) reference = view.rewards.references[r];
  const RolloutInputs<L> inputs{.n = reference.size,
                                .m = is_live ? static_cast<int>(m) : 1,
                                .reference_length = reference.length,
                                .stopped = stopped != 0,
                                .left_out = 0};
  const RewardRules rules = known_rules<Quantities>(view.rewards.rules);
  const RolloutWriter<L, (Quantities & quantity_goal) != 0> writer{view, first};
  const bool is_given = view.distance_to_goal != nullptr && is_live;
  GroupRollout<L, K / L::W, Quantities & reward_all, decltype(writer)>(
      view.rewards, reference, view.queries.nodes.from(first),
      is_given ? view.distance_to_goal + first : nullptr, inputs, rules, writer, k, is_live)
      .run();
  if (is_active && !layout.offsets.exist()) {
    // A rollout without viewpoints has a row, too.
    const decltype(writer) row{view, std::size_t{k} * layout.pitch};
    row.clear(m + L::rank(), layout.max_length, L::W);
  }
}

}  // namespace warpath::kernels
