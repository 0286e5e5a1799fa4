#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "warpath/export.hpp"

namespace warpath {

struct Convention;

/// All metrics, in the order of reports. Q is the query (the agent's path), R the
/// reference, d the length of a shortest path in metres, d_th the threshold.
///
/// The numbers are of one example: a street from a to d, with e beside c. The reference is a b c d,
/// the query a b c e. Formulas are those of the preset `paper`, whose d_th is 3 m; formula() has
/// those of any other convention.
///
///                         e
///                         | 2 m
///     a --2 m-- b --2 m-- c --1 m-- d
///
///     const Edge edges[] = {{0, 1}, {1, 2}, {2, 3}, {2, 4}};
///     const Scan street("street", {"a", "b", "c", "d", "e"},
///                       {{0, 0, 0}, {2, 0, 0}, {4, 0, 0}, {5, 0, 0}, {4, 2, 0}}, edges);
///     PairBatch batch;
///     batch.scans = {&street};
///     batch.references.elements = {0, 1, 2, 3};
///     batch.queries.elements = {0, 1, 2, 4};
///     batch.pairs = {{0, batch.references.end_path(), batch.queries.end_path()}};
///     batch.n_query_raw = {4};
///     const Scores scores = score(batch, Convention{}, Backend::reference);
///     const double spl = scores.at(Metric::SPL, 0);
enum class Metric {
  /// Path length, also TL: Σ d(q_i, q_i+1) = 2 + 2 + 2 = 6 m.
  PL,
  /// Navigation error: d(q_|Q|, r_|R|) = d(e, d) = 2 + 1 = 3 m.
  NE,
  /// Oracle navigation error: min_q d(q, r_|R|) = min(5, 3, 1, 3) = 1 m.
  ONE,
  /// Success rate: 1[NE ≤ d_th] = 1[3 ≤ 3] = 1.
  SR,
  /// Oracle success rate: 1[ONE ≤ d_th] = 1[1 ≤ 3] = 1.
  OSR,
  /// Average deviation: mean_q d(q, R) = (0 + 0 + 0 + 2) / 4 = 0.5 m.
  AD,
  /// Maximum deviation: max_q d(q, R) = max(0, 0, 0, 2) = 2 m.
  MD,
  /// Success weighted by path length: SR · SP / max(PL, SP) = 1 · 5 / max(6, 5) = 0.833333.
  SPL,
  /// Success weighted by edit distance: SR · (1 − ED / max(|R| − 1, |Q| − 1))
  /// = 1 · (1 − 1 / max(3, 3)) = 0.666667.
  SED,
  /// Path coverage: mean_r exp(−d(Q, r) / d_th) = (1 + 1 + 1 + exp(−1 / 3)) / 4 = 0.929133.
  PC,
  /// Length score: EPL / (EPL + |EPL − PL|) = 4.64566 / (4.64566 + |4.64566 − 6|) = 0.774277.
  LS,
  /// Coverage weighted by length score: PC · LS = 0.929133 · 0.774277 = 0.719407.
  CLS,
  /// Dynamic time warping cost: min over warpings Σ d(q_j, r_i)
  /// = d(a, a) + d(b, b) + d(c, c) + d(e, d) = 0 + 0 + 0 + 3 = 3 m.
  DTW,
  /// Normalised DTW: exp(−DTW / (|R| · d_th)) = exp(−3 / (4 · 3)) = 0.778801.
  nDTW,
  /// Success weighted by nDTW: SR · nDTW = 1 · 0.778801 = 0.778801.
  SDTW,
  /// Goal progress: d(r_1, r_|R|) − d(q_|Q|, r_|R|) = d(a, d) − d(e, d) = 5 − 3 = 2 m.
  GP,
  /// Edit distance: Levenshtein(edges of R, edges of Q)
  /// = Levenshtein(ab bc cd, ab bc ce) = 1.
  ED,
  /// Expected path length: PC · PL(R) = 0.929133 · 5 = 4.64566 m.
  EPL,
  /// Shortest path: d(q_1, r_|R|) = d(a, d) = 5 m.
  SP,
  /// Reference length: PL(R) = 2 + 2 + 1 = 5 m.
  PLR,
  /// Moves of the query: |Q| − 1 = 3.
  steps,
  /// Viewpoints of the query: |Q| = 4.
  n_query,
  /// Viewpoints of the query before repeats are collapsed = 4.
  n_query_raw,
  /// Viewpoints of the reference: |R| = 4.
  n_ref,

  // Metrics of tasks. They need more than two paths: goals, objects, directions, or what a
  // simulator says of an episode. Evaluations of files compute them, back ends do not. The street
  // has no such things, so they have no example.

  /// Remote grounding success: 1[the object or direction that the agent names is the target's].
  RGS,
  /// RGS weighted by path length: RGS · SP / max(PL, SP).
  RGSPL,
  /// Success in finding the target, weighted by path length: SR · RGS · SP / max(PL, SP).
  SFPL,
  /// Heading error: |heading of the named direction − that of the target's centre|, in turns.
  HE,
  /// Elevation error: the same for elevations, in turns.
  EE,
  /// Point error: √(HE² + EE²), in turns; only where RGS is 1.
  PE,
  /// Oracle goal progress: d(r_1, goal) − min_q d(q, goal), goal being the nearest one.
  OGP,
  /// Oracle plan error: min_q d(q, the planner's goal).
  OPE,
  /// Oracle plan success rate: 1[OPE < d_th].
  OPSR,
  /// SPL with soft success: max(0, 1 − NE / SP) · SP / max(PL, SP).
  SoftSPL,
  /// SPL with the best stop: the largest SPL of all prefixes of the query.
  OracleSPL,
  /// Moves that ended in a collision.
  collisions,
  /// Collision rate: collisions per move.
  CR,
  /// Key point accuracy: (moves from crossings that both paths have + TC) / (those of the reference
  /// + 1), TC being 1 where the query ends at the goal or a link from it.
  KPA,

  // Metrics of tours (IVLN): an episode has the value of its tour, so that means over episodes are
  // means over tours with the weights of the setting tour_weight. They have no example either.

  /// nDTW of a tour: exp(−Σ_k DTW_k / (d_th · Σ_k |R_k|)), no alignment crossing an episode's end.
  tour_nDTW,
  /// Success rate of a tour: Σ_k w_k · SR_k, w_k ∝ max(L_k, PL_k) / L_k, L_k = d(r_1, r_|R|).
  tour_SR,
  /// SPL of a tour: Σ_k w_k · SPL_k, with the weights of tour_SR.
  tour_SPL,
  /// SDTW of a tour: tour_nDTW · the share of its episodes that succeed.
  tour_SDTW
};
/// The number of metrics that two paths have: PL to n_ref.
inline constexpr int path_metric_count = static_cast<int>(Metric::n_ref) + 1;
/// The number of all metrics, those of tasks among them.
inline constexpr int metric_count = static_cast<int>(Metric::tour_SDTW) + 1;

/// Returns the position of a metric in the order above, for plain arrays of metric_count elements.
constexpr int index_of(Metric metric) {
  return static_cast<int>(metric);
}

/// Tells whether two paths have the metric; the others are metrics of tasks.
constexpr bool is_of_paths(Metric metric) {
  return index_of(metric) < path_metric_count;
}

/// Tells whether it is a metric of tours.
constexpr bool is_of_tours(Metric metric) {
  return metric >= Metric::tour_nDTW && metric <= Metric::tour_SDTW;
}

/// A set of metrics. Iteration follows the order of Metric.
class MetricSet {
 public:
  class Iterator {
   public:
    using difference_type = std::ptrdiff_t;
    using value_type = Metric;

    constexpr Iterator() = default;
    constexpr explicit Iterator(std::uint64_t left) : left_(left) {}
    constexpr Metric operator*() const { return static_cast<Metric>(std::countr_zero(left_)); }
    constexpr Iterator& operator++() {
      left_ &= left_ - 1;
      return *this;
    }
    constexpr Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    constexpr bool operator==(const Iterator&) const = default;

   private:
    std::uint64_t left_ = 0;
  };

  /// Makes an empty set.
  constexpr MetricSet() = default;
  constexpr MetricSet(std::initializer_list<Metric> metrics)
      : MetricSet(std::span(metrics.begin(), metrics.end())) {}
  constexpr explicit MetricSet(std::span<const Metric> metrics) {
    for (const Metric m : metrics) insert(m);
  }
  /// Returns the set of the metrics that two paths have.
  static constexpr MetricSet of_paths() { return first(path_metric_count); }
  /// Returns the set of all metrics, those of tasks among them.
  static constexpr MetricSet all() { return first(metric_count); }

  constexpr bool contains(Metric metric) const { return (bits_ >> index_of(metric) & 1u) != 0; }
  constexpr bool operator[](Metric metric) const { return contains(metric); }
  constexpr bool contains_any(MetricSet metrics) const { return (bits_ & metrics.bits_) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr int size() const { return std::popcount(bits_); }
  constexpr MetricSet& insert(Metric metric) {
    bits_ |= std::uint64_t{1} << index_of(metric);
    return *this;
  }
  constexpr MetricSet& erase(Metric metric) {
    bits_ &= ~(std::uint64_t{1} << index_of(metric));
    return *this;
  }
  /// Returns the set as bits: bit index_of(m) stands for metric m.
  constexpr std::uint64_t bits() const { return bits_; }

  constexpr Iterator begin() const { return Iterator(bits_); }
  constexpr Iterator end() const { return Iterator(); }

  constexpr bool operator==(const MetricSet&) const = default;
  friend constexpr MetricSet operator|(MetricSet a, MetricSet b) {
    a.bits_ |= b.bits_;
    return a;
  }
  friend constexpr MetricSet operator&(MetricSet a, MetricSet b) {
    a.bits_ &= b.bits_;
    return a;
  }

 private:
  static constexpr MetricSet first(int count) {
    MetricSet set;
    set.bits_ = (std::uint64_t{1} << count) - 1;
    return set;
  }

  static_assert(metric_count < 64);
  std::uint64_t bits_ = 0;
};

/// One value for every metric, in the order of Metric.
template <class T>
class MetricMap {
 public:
  constexpr T& operator[](Metric metric) { return values_[index_of(metric)]; }
  constexpr const T& operator[](Metric metric) const { return values_[index_of(metric)]; }
  constexpr auto begin() { return values_.begin(); }
  constexpr auto end() { return values_.end(); }
  constexpr auto begin() const { return values_.begin(); }
  constexpr auto end() const { return values_.end(); }

  bool operator==(const MetricMap&) const = default;

 private:
  std::array<T, metric_count> values_;
};

/// The unit of a value: a fraction lies in [0, 1]; a length is in metres (in edges where the
/// convention counts hops); a count is a whole number; an angle is in turns (2π).
enum class Unit { fraction, length, count, angle };
/// The direction in which values are better.
enum class Better { higher, lower, neither };

/// Describes a metric to its users.
struct MetricInfo {
  Metric metric;
  std::string_view name;  ///< as papers spell it
  std::string_view title;
  Unit unit;
  Better better;
  std::string_view source;  ///< paper and equation, or the evaluator whose number it equals
  bool headline;            ///< printed by default
};

/// Returns the one table of metrics, in the order of Metric. Command line, reports, documentation
/// and tests read it.
WARPATH_EXPORT std::span<const MetricInfo> metric_table();

/// Returns the part of that table that holds the metrics of two paths.
inline std::span<const MetricInfo> path_metric_table() {
  return metric_table().first(path_metric_count);
}

/// Returns a metric's row of that table.
inline const MetricInfo& info(Metric metric) {
  return metric_table()[static_cast<std::size_t>(metric)];
}

/// Returns a metric's formula under a convention, empty if its title says everything. Other metrics
/// appear in it by their names.
WARPATH_EXPORT std::string formula(Metric metric, const Convention& convention);

/// Finds a metric by its name, letter case aside; TL is another name of PL, TC (task completion) of
/// SR, and SPD (shortest-path distance) of NE.
WARPATH_EXPORT std::optional<Metric> find_metric(std::string_view name);

}  // namespace warpath
