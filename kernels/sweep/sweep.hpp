#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/sweep/cell.hpp"
#include "kernels/sweep/exp.hpp"
#include "kernels/sweep/layout.hpp"
#include "kernels/sweep/quantities.hpp"
#include "kernels/sweep/sum.hpp"

// One sweep over the cells of a pair (row: viewpoint of the reference, column: viewpoint of the
// query) measures what all metrics need.
//
//   W lanes per pair, K rows per lane, C columns per step.        columns (query) ->
//   In step t the lane of rank k works on columns C*(t-k) …      rank 0  K rows   t=0 t=1 t=2
//   so what it needs from the rank above was made one step       rank 1  K rows       t=1 t=2 t=3
//   earlier and moves by one shift_up. W = 1 is one lane per     rank 2  K rows           t=2 …
//   pair: nothing moves.
//
// No cell needs a mask (layout.hpp has the pictures):
//   * Rows are aligned to the END of the W*K rows. Padding rows come first and lie at +inf from
//     everything (or further than any two points), so the goal is always the last row of the last
//     rank.
//   * Columns outside the query repeat its first or last viewpoint. That changes no minimum, and a
//     column of +inf stays +inf until the single 0 at D(−1, −1) is met. Only the sums over columns,
//     DTW's result and the edit distance look at `live`, once per column.
// References longer than W*K rows are cut into strips. A strip leaves its last row in `Border` for
// the next strip, or in `Chain` for the next group. The result is valid in the last rank of the
// last strip. Sums run in path order in every shape, so all shapes agree bit for bit.
//
// Cost: |R| * |Q| cells on W lanes, plus W − 1 steps to fill the wavefront of each strip.
// Preconditions: |R| >= 1, |Q| >= 1; without strips |R| <= W * K; distances are >= +0 or +inf,
// never NaN, and (unless Rows has `same`) 0 exactly between a viewpoint and itself.

namespace warpath::kernels {

/// Holds what one sweep measures of a pair.
template <class L>
struct SweepResult {
  using F = typename L::F;
  F dtw;
  Sum<L> coverage, deviation, length;
  F max_deviation, goal, nearest, first;
  typename L::I edits;
};

/// Holds the last row of a strip: an entry per column.
struct BorderRow {
  float* dtw;
  float* column;
  std::uint32_t* carry;
};

/// Passes a strip's last row to the next strip of the same group, in two rows of memory that
/// alternate.
template <bool Strips>
struct Border {
  static constexpr bool strips = Strips, chained = false;
  BorderRow in, out;

  template <class L>
  WARPATH_HD void after_strip() {
    if constexpr (Strips) {
      const BorderRow row = in;
      in = out;
      out = row;
      L::sync();  // the next strip reads what the last rank wrote
    }
  }
  template <class L>
  WARPATH_HD bool has_result(int) const {
    return L::rank() == L::W - 1;
  }
};

/// Passes last rows from group to group when two or more groups of a block work on one pair: group
/// g takes strips g, g + groups, … The groups work in turns of W steps, with a barrier of the block
/// before each turn. A strip begins two turns after the one above it, so whatever it reads was
/// written at least one turn before:
///
///   turn              0  1  2  3  4  5  6  7  8  9 …      2 groups, 5 turns to a strip
///   strip 0, group 0  0  1  2  3  4
///   strip 1, group 1        0  1  2  3  4
///   strip 2, group 0                 0  1  2  3  4        as soon as group 0 is free
///   strip 3, group 1                       0  1  2 …
///
/// A row may be overwritten immediately: the writer waits, through the groups in between, for
/// results that the strip below computed from that entry.
template <class L>
struct Chain {
  static constexpr bool strips = true, chained = true;
  BorderRow in, out;        ///< of the group above, and its own
  float *sum_in, *sum_out;  ///< high and low part of a strip's coverage, passed on in the same way
  int group, groups;

  WARPATH_HD int first_strip() const { return group; }
  WARPATH_HD int strip_step() const { return groups; }
  template <class>
  WARPATH_HD void after_strip() {}
  /// Returns the turn in which a strip begins. @param strip_turns number of turns of a strip
  WARPATH_HD int first_turn(int strip, int strip_turns) const {
    const int round = strip_turns > 2 * groups ? strip_turns : 2 * groups;
    return strip / groups * round + strip % groups * 2;
  }
  template <class>
  WARPATH_HD bool has_result(int all_strips) const {
    return L::rank() == L::W - 1 && (all_strips - 1) % groups == group;
  }
};

/// Returns the value of the rank above. Rank 0 gets `fill` or, if it is `stored`, the value of the
/// strip before.
template <class L, class B, class R, class T>
WARPATH_HD R from_above(R value, R fill, const T* strip_before, int column, bool stored) {
  if constexpr (B::strips) {
    if (stored) fill = L::border(strip_before, column);
  }
  return L::shift_up(value, fill);
}

template <class L, class B, class R, class T>
WARPATH_HD void hand_down(T* strip_after, int column, typename L::M live, R value) {
  if constexpr (B::strips) L::store_border(strip_after, column, live, value);
}

/// Sweeps one pair with one group of W lanes (see the top of this file).
/// Rows: load(first, strip) picks this lane's K viewpoints of the reference; column(node, d) gives
/// their distances to a viewpoint of the query; between(a, b) is the length of a step of the query.
/// Rows may also have same(node): the bits of the rows that are that viewpoint; without it those at
/// distance 0 are. Rows of lanes with a pair of their own may have known(node): the minimum of the
/// column, and the bits of these rows from bit 32 − K on.
/// Query: node(t, c) is the viewpoint that this lane sees in step t, column c. It is asked for once
/// and in order, but for the first of a strip, which is asked for twice; a Query with before() is
/// asked for that instead of the first time. Viewpoints are of any type that Rows takes.
template <class L, int K, int C, unsigned Quantities, bool Edges, class Rows, class Query,
          class Borders>
class Sweep {
  using F = typename L::F;
  using I = typename L::I;
  using B = typename L::B;
  using M = typename L::M;
  static constexpr int W = L::W;
  // The shape of small batches loads ahead: a scheduler has one warp, which waits for every load.
  static constexpr bool ahead = W > 1 && !Borders::strips;
  // A lane with a pair of its own keeps its rows in the highest bits of a word, so that the last
  // row is the sign. The bits below are padding rows.
  static constexpr int first_bit = W == 1 && !Borders::strips ? 32 - K : 0;
  static constexpr bool dtw = Quantities & quantity_dtw, coverage = Quantities & quantity_coverage,
                        deviation = Quantities & quantity_deviation,
                        goal = Quantities & quantity_goal, length = Quantities & quantity_length,
                        edits = Quantities & quantity_edits;

 public:
  WARPATH_HD Sweep(Rows& rows, Query& query, I n, I m, float minus_inverse_threshold,
                   Borders border)
      : rows_(rows),
        query_(query),
        n_(n),
        m_(m),
        scale_(minus_inverse_threshold),
        border_(border),
        strips_(Borders::strips ? strips_of_rows(L::highest(n), W * K) : 1) {}

  WARPATH_HD SweepResult<L> run() {
    columns_ = L::highest(m_);
    s_.coverage = {L::real(0.0f), L::real(0.0f)};
    if constexpr (Borders::chained) {
      take_turns();
    } else {
      for (int strip = 0; strip < strips_; ++strip) {
        begin_strip(strip);
        take_steps(first_step(strip));
        end_strip();
      }
    }
    return s_;
  }

  /// Tells whether this lane's result is the pair's.
  WARPATH_HD bool has_result() const { return border_.template has_result<L>(strips_); }

 private:
  template <class Node>
  static constexpr bool has_known = (deviation || edits) &&
                                    requires(const Rows& rows, const Node& node) {
    rows.known(node);
  };

  WARPATH_HD void begin_strip(int strip) {
    const F inf = L::real(__builtin_inff()), zero = L::real(0.0f);
    top_ = strip == 0;
    // The index in the reference of this lane's first row, which is padding if that is negative.
    const I first = reference_index(L::rank() * K, (strips_ - strip) * (W * K), n_);
    rows_.load(first, strip);
    edit_.minus = edit_.equal = L::bits(0);
    edit_.plus = L::ones_from(L::integer(first_bit) - first);
    const B last_padding = L::ones_from(L::integer(first_bit - 1) - first) ^ edit_.plus;
    WARPATH_UNROLL for (int i = 0; i < K; ++i) {
      const B bit = L::bits(1u << (first_bit + i));
      row_[i] = L::select((last_padding & bit) == bit, zero, inf);
      row_min_[i] = inf;
    }
    corner_ = L::select(first == 0, zero, inf);
    edit_corner_ = L::bits(0);
    WARPATH_UNROLL for (int c = 0; c < C; ++c) {
      last_[c] = column_last_[c] = inf;
      carry_[c] = L::select(first <= -K, L::bits(edit_top), L::bits(0));
    }
    s_.dtw = inf;
    s_.deviation = s_.length = {zero, zero};
    s_.max_deviation = zero;
    s_.edits = Edges ? n_ - 1 : n_;
  }

  // Returns the first step with work: ranks that have only padding are skipped.
  WARPATH_HD int first_step(int strip) const {
    return W > 1 && strip == 0 ? (W * K * strips_ - L::highest(n_)) / K : 0;
  }

  WARPATH_HD void end_strip() {
    s_.nearest = row_min_[K - 1];
    if constexpr (coverage) add_coverage();
    border_.template after_strip<L>();
  }

  /// Holds what a step reads: its viewpoints of the query, their distances to this lane's rows, and
  /// the lengths of the query's steps to them.
  template <class Node>
  struct Columns {
    Node node[C];
    F d[C][K], between[C];
  };

  // Tells whether this lane's column c of a step is a column of the query.
  WARPATH_HD M is_live(const I& j, int c, int left) const {
    if constexpr (W > 1) return (j >= -c) & (j < m_ - c);
    if constexpr (std::is_same_v<I, int>) return c == 0 || left > c;  // its query alone is swept
    return j < m_ - c;
  }

  // Reads what a step needs of the query's viewpoints in that step.
  template <class Node>
  WARPATH_HD void read(const Node (&node)[C], const Node& before, Columns<Node>& columns) {
    WARPATH_UNROLL for (int c = 0; c < C; ++c) {
      columns.node[c] = node[c];
      rows_.column(node[c], columns.d[c]);
      columns.between[c] = L::real(0.0f);
      if constexpr (length)
        columns.between[c] = rows_.between(c > 0 ? node[c - 1] : before, node[c]);
    }
  }
  template <class Node>
  WARPATH_HD void read_nodes(int t, Node (&node)[C]) {
    WARPATH_UNROLL for (int c = 0; c < C; ++c) node[c] = query_.node(t, c);
  }

  // Returns what comes before a strip's first column: that column.
  WARPATH_HD auto node_before(int t) {
    if constexpr (requires { query_.before(); })
      return query_.before();
    else
      return query_.node(t, 0);
  }

  // Takes the steps of a strip from `t` on. Where few pairs must be quick, loads are ahead of the
  // work by a step, and the ids that they wait for by another one:
  //
  //   step t    ids t + 2   distances t + 1   cells t
  WARPATH_HD void take_steps(int t) {
    using Node = std::decay_t<decltype(query_.node(t, 0))>;
    int left = columns_left(t);
    Node before = node_before(t);
    if constexpr (ahead) {
      Node node[C], next[C];
      Columns<Node> columns;
      read_nodes(t, node);
      read(node, before, columns);
      read_nodes(t + 1, next);
      WARPATH_ROLLED do {
        Columns<Node> later;
        read(next, columns.node[C - 1], later);
        read_nodes(t + 2, next);
        step(t, left, columns);
        columns = later;
        ++t;
        left -= C;
      }
      while (left > 0)
        ;
    } else {
      WARPATH_ROLLED do take_step(t, left, before);
      while (left > 0)
        ;
    }
  }

  // Returns the number of columns from the last rank's first one on.
  WARPATH_HD int columns_left(int t) const { return columns_ - C * (t - W + 1); }

  // @param before the query's viewpoint before the step's first
  template <class Node>
  WARPATH_HD void take_step(int& t, int& left, Node& before) {
    Node node[C];
    Columns<Node> columns;
    read_nodes(t, node);
    read(node, before, columns);
    before = node[C - 1];
    step(t, left, columns);
    ++t;
    left -= C;
  }

  // Takes this group's strips of a chain. All groups pass the same barrier in each turn, whether
  // they have a strip or not: CUDA asks all threads of a block to wait at one place.
  WARPATH_HD void take_turns() {
    const int strip_turns = ((columns_ + C - 1) / C + 2 * W - 2) / W;
    const int turns = border_.first_turn(strips_ - 1, strip_turns) + strip_turns;
    int strip = border_.first_strip(), t = 0, left = 0;
    auto before = node_before(t);
    WARPATH_ROLLED for (int turn = 0; turn < turns; ++turn) {
      L::block_sync();
      const int turn_of_strip = turn - border_.first_turn(strip, strip_turns);
      if (strip >= strips_ || turn_of_strip < 0) continue;
      if (turn_of_strip == 0) {
        begin_strip(strip);
        t = first_step(strip);
        left = columns_left(t);
        before = node_before(t);
      }
      const int end = (turn_of_strip + 1) * W;
      WARPATH_ROLLED do take_step(t, left, before);
      while (left > 0 && t < end)
        ;
      if (left > 0) continue;
      end_strip();
      strip += border_.strip_step();
    }
  }

  // @param left columns from the last rank's first one on
  template <class Node>
  WARPATH_HD void step(int t, int left, const Columns<Node>& columns) {
    const I j = (L::integer(t) - L::rank()) * C;  // this lane's first column
    const auto& d = columns.d;
    M live[C];       // this lane's column c is a column of the query
    bool stored[C];  // rank 0's column c is one, and the strip before has stored it
    B same[C];
    F minimum[C];  // of a column, if it is known
    WARPATH_UNROLL for (int c = 0; c < C; ++c) {
      live[c] = is_live(j, c, left);
      stored[c] = !top_ && C * t + c < columns_;
      const Node& node = columns.node[c];
      if constexpr (has_known<Node>) {
        const auto known = rows_.known(node);
        minimum[c] = known.minimum;
        same[c] = known.zero_rows;
      } else {
        if constexpr (edits) same[c] = same_rows(node, d[c]);
      }
      // Column 0 comes after itself: a step of 0, which changes nothing.
      if constexpr (length) s_.length.add(live[c], columns.between[c]);
    }
    if constexpr (coverage || goal) {
      WARPATH_UNROLL for (int i = 0; i < K; ++i) row_min_[i] = row_minimum<L>(row_min_[i], d, i);
    }
    if constexpr (goal) {
      s_.goal = d[C - 1][K - 1];
      s_.first = L::select(j == 0, d[0][K - 1], s_.first);
    }
    if constexpr (dtw) dtw_step(t, d, live, stored);
    if constexpr (deviation) {
      if constexpr (!has_known<Node>) column_minima(t, d, stored, minimum);
      deviation_step(t, minimum, live);
    }
    if constexpr (edits) edit_step(t, same, live, stored);
  }

  // Returns the column of the last rank, whose last row is passed down.
  WARPATH_HD static int done(int t, int c) { return C * (t - W + 1) + c; }

  WARPATH_HD void dtw_step(int t, const F (&d)[C][K], const M (&live)[C], const bool (&stored)[C]) {
    WARPATH_UNROLL for (int c = 0; c < C; ++c) {
      last_[c] = from_above<L, Borders>(last_[c], L::real(__builtin_inff()), border_.in.dtw,
                                        C * t + c, stored[c]);
    }
    const F corner_next = last_[C - 1];
    dtw_cells<L, K, C>(row_, last_, corner_, d);
    corner_ = corner_next;
    WARPATH_UNROLL for (int c = 0; c < C; ++c) {
      s_.dtw = L::select(live[c], last_[c], s_.dtw);
      hand_down<L, Borders>(border_.out.dtw, done(t, c), live[c], last_[c]);
    }
  }

  // Makes the minima of columns over this lane's rows and all above.
  WARPATH_HD void column_minima(int t, const F (&d)[C][K], const bool (&stored)[C],
                                F (&minimum)[C]) {
    WARPATH_UNROLL for (int c = 0; c < C; ++c) {
      const F above = from_above<L, Borders>(column_last_[c], L::real(__builtin_inff()),
                                             border_.in.column, C * t + c, stored[c]);
      minimum[c] = column_minimum<L>(above, d[c]);
    }
  }

  WARPATH_HD void deviation_step(int t, const F (&minimum)[C], const M (&live)[C]) {
    WARPATH_UNROLL for (int c = 0; c < C; ++c) {
      column_last_[c] = minimum[c];
      s_.deviation.add(live[c], column_last_[c]);
      const F higher = L::max(s_.max_deviation, column_last_[c]);
      s_.max_deviation = L::select(live[c], higher, s_.max_deviation);
      hand_down<L, Borders>(border_.out.column, done(t, c), live[c], column_last_[c]);
    }
  }

  template <class Node>
  WARPATH_HD B same_rows(const Node& node, const F (&d)[K]) const {
    if constexpr (requires { rows_.same(node); })
      return rows_.same(node) << first_bit;
    else
      return zero_rows<L, first_bit>(d);
  }

  WARPATH_HD void edit_step(int t, const B (&same)[C], const M (&live)[C],
                            const bool (&stored)[C]) {
    const B one = L::bits(1);
    WARPATH_UNROLL for (int c = 0; c < C; ++c) {
      const B incoming = from_above<L, Borders>(carry_[c], L::bits(edit_top), border_.in.carry,
                                                C * t + c, stored[c]);
      B equal = same[c];
      // Before its first column a rank sees that column's viewpoint repeated, which is not an edge.
      if constexpr (W > 1) equal = L::select(live[c], equal, L::bits(0));
      carry_[c] = edit_.step(equal, incoming, edit_corner_);
      edit_corner_ = incoming;
      const I change = L::to_integer(carry_[c] & one) - L::to_integer((carry_[c] >> 1) & one);
      s_.edits = L::select(live[c], s_.edits + change, s_.edits);
      hand_down<L, Borders>(border_.out.carry, done(t, c), live[c], carry_[c]);
    }
  }

  // Adds the coverage up in the reference's order: the sum goes from rank to rank, and each adds
  // its rows.
  //   round r:  rank 0 | rank 1 | rank 2        round 0 makes rank 0's sum right, round 1 rank 1's,
  //   … shift_up:  before->0   0->1     1->2      after W rounds the last rank's
  WARPATH_HD void add_coverage() {
    F term[K];
    WARPATH_UNROLL for (int i = 0; i < K; ++i) {
      term[i] = exp_nonpositive<L>(row_min_[i] * L::real(scale_));
    }
    const Sum<L> above = coverage_above();
    for (int r = 0; r < W; ++r) {
      s_.coverage = {L::shift_up(s_.coverage.high, above.high),
                     L::shift_up(s_.coverage.low, above.low)};
      // A sum of one term is the term.
      constexpr int begin = W == 1 && !Borders::strips ? 1 : 0;
      if constexpr (begin == 1) s_.coverage = {term[0], L::real(0.0f)};
      WARPATH_UNROLL for (int i = begin; i < K; ++i) s_.coverage.add(term[i]);
    }
    if constexpr (Borders::chained) {
      L::store_border(border_.sum_out, 0, true, s_.coverage.high);
      L::store_border(border_.sum_out, 1, true, s_.coverage.low);
    }
  }

  WARPATH_HD Sum<L> coverage_above() const {
    if constexpr (!Borders::chained) {
      return {L::from_last(s_.coverage.high), L::from_last(s_.coverage.low)};
    } else {
      if (top_) return {L::real(0.0f), L::real(0.0f)};
      return {L::border(border_.sum_in, 0), L::border(border_.sum_in, 1)};
    }
  }

  Rows& rows_;
  Query& query_;
  const I n_, m_;
  const float scale_;
  Borders border_;
  const int strips_;
  SweepResult<L> s_;
  int columns_;
  bool top_ = true;
  F row_[K], row_min_[K];
  F corner_;
  F last_[C], column_last_[C];  // values of this lane's last row for the rank below
  B carry_[C];
  B edit_corner_;
  EditColumn<L, first_bit + K, Edges> edit_;
};

}  // namespace warpath::kernels
