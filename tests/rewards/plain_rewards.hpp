#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "warpath/distances.hpp"
#include "warpath/reward_settings.hpp"

// Rewards in double precision, straight from the formulas: a full matrix for every prefix, a few
// lines for every family of presets. Nothing here is shared with the product but shortest paths.

namespace warpath::testing {

inline constexpr double no_value = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinite = std::numeric_limits<double>::infinity();

/// Holds a convention's shortest paths d(q, r), summed outwards from r as everywhere in warpath.
struct PlainTable {
  Distances distances;
  double operator()(Node q, Node r) { return distances.row_to(r)[q]; }
};

/// Holds the values of one prefix.
struct PlainPrefix {
  double ndtw, cls, dtw;
};

template <class Table>
double plain_dtw(Table& d, std::span<const Node> r, std::span<const Node> q) {
  std::vector<std::vector<double>> D(r.size() + 1, std::vector<double>(q.size() + 1, infinite));
  D[0][0] = 0.0;
  for (std::size_t i = 1; i <= r.size(); ++i) {
    for (std::size_t j = 1; j <= q.size(); ++j) {
      D[i][j] = d(q[j - 1], r[i - 1]) + std::min({D[i - 1][j - 1], D[i - 1][j], D[i][j - 1]});
    }
  }
  return D[r.size()][q.size()];
}

template <class Table>
double plain_length(Table& d, std::span<const Node> path) {
  double length = 0.0;
  for (std::size_t i = 1; i < path.size(); ++i) length += d(path[i - 1], path[i]);
  return length;
}

/// Computes nDTW (Ilharco et al. 2019), CLS (Jain et al. 2019) and DTW of a path. There is no nDTW
/// and CLS where a part of the paths cannot be reached.
template <class Table>
PlainPrefix plain_prefix(Table& d, const Convention& c, std::span<const Node> r,
                         std::span<const Node> q) {
  const double n = static_cast<double>(r.size()), length = plain_length(d, q),
               reference = plain_length(d, r), dtw = plain_dtw(d, r, q);
  if (!std::isfinite(dtw) || !std::isfinite(reference)) return {no_value, no_value, dtw};
  const double norm = c.ndtw_norm == NdtwNorm::nodes        ? n
                      : c.ndtw_norm == NdtwNorm::sqrt_nodes ? std::sqrt(n)
                                                            : reference;
  const double ndtw = norm == 0.0 ? (dtw == 0.0) : std::exp(-dtw / (norm * c.threshold));
  double coverage = 0.0;
  for (const Node node : r) {
    double nearest = infinite;
    for (const Node v : q) nearest = std::min(nearest, d(v, node));
    coverage += std::exp(-nearest / c.threshold) / n;
  }
  const double expected = coverage * reference;
  double cls = coverage * expected / (expected + std::abs(expected - length));
  if (reference == 0.0 && length == 0.0) {
    cls = c.cls_zero == ClsZero::ls_one    ? coverage
          : c.cls_zero == ClsZero::cls_one ? 1.0
                                           : no_value;
  } else if (reference == 0.0) {
    cls = 0.0;
  }
  return {ndtw, cls, dtw};
}

/// Holds what rewards are made of: entry t belongs to the first t + 1 viewpoints.
struct PlainRollout {
  std::vector<double> goal{}, ndtw{}, cls{}, dtw{}, step{};  ///< step: d(q_t, q_t+1)
  double repeated_ndtw = no_value,
         repeated_cls = no_value;  ///< of the query with its last viewpoint once more
  double walked = 0.0, reference_length = 0.0;
  bool stopped = true;

  std::size_t size() const { return goal.size(); }
  /// Returns the longest of its finite lengths.
  double longest() const {
    double most = 1.0;
    for (const auto* all : {&goal, &dtw, &step}) {
      for (const double x : *all) most = std::isfinite(x) ? std::max(most, x) : most;
    }
    return most;
  }
};

/// @param d distances d(q, r) between numbered viewpoints, as PlainTable has them
/// @param goal distances to the goal by viewpoint of the query
template <class Table>
PlainRollout plain_rollout(Table& d, const Convention& c, std::span<const Node> r,
                           std::span<const Node> q, std::vector<double> goal, bool stopped) {
  PlainRollout p{.goal = std::move(goal),
                 .walked = plain_length(d, q),
                 .reference_length = plain_length(d, r),
                 .stopped = stopped};
  for (std::size_t t = 0; t < q.size(); ++t) {
    const PlainPrefix prefix = plain_prefix(d, c, r, q.first(t + 1));
    p.ndtw.push_back(prefix.ndtw);
    p.cls.push_back(prefix.cls);
    p.dtw.push_back(prefix.dtw);
    if (t + 1 < q.size()) p.step.push_back(d(q[t], q[t + 1]));
  }
  std::vector<Node> repeated(q.begin(), q.end());
  repeated.push_back(q.back());
  const PlainPrefix last = plain_prefix(d, c, r, repeated);
  p.repeated_ndtw = last.ndtw;
  p.repeated_cls = last.cls;
  return p;
}

/// Says how a source rewards: moves, the end, and what a time-out does to them.
struct PlainFamily {
  using P = PlainRollout;
  std::function<double(const P&, std::size_t)> move;
  std::function<double(const P&)> end;
  enum { as_stop, nothing, replaces_move } timeout = as_stop;
  bool metres = false;  ///< unit of rewards; else they are fractions, `factor` of which add up
  double factor = 1.0;
  Convention convention{};
};

inline std::vector<double> plain_rewards(const PlainFamily& family, const PlainRollout& p) {
  std::vector<double> reward;
  for (std::size_t t = 0; t + 1 < p.size(); ++t) reward.push_back(family.move(p, t));
  reward.push_back(p.stopped || family.timeout != PlainFamily::nothing ? family.end(p) : 0.0);
  if (!p.stopped && family.timeout == PlainFamily::replaces_move && p.size() > 1) {
    reward[p.size() - 2] = std::exchange(reward.back(), 0.0);
  }
  return reward;
}

/// Returns how much nearer a move leads; NaN if a distance is no finite number.
inline double nearer(const PlainRollout& p, std::size_t t) {
  const double gain = p.goal[t] - p.goal[t + 1];
  return std::isfinite(gain) ? gain : no_value;
}
inline double sign_of(double gain, double tie) {
  return std::isnan(gain) ? gain : gain > 0.0 ? 1.0 : gain < 0.0 ? -1.0 : tie;
}

/// Returns SPL of a success whose ideal path is so long.
inline double spl(const PlainRollout& p, double ideal) {
  if (!std::isfinite(p.walked)) return no_value;
  const double longer = std::max(ideal, p.walked);
  return longer == 0.0 ? 1.0 : ideal / longer;
}
/// Returns 1 − g / 6; NaN if the distance is infinite.
inline double nearness(const PlainRollout& p) {
  return std::isfinite(p.goal.back()) ? 1.0 - p.goal.back() / 6.0 : no_value;
}

/// Returns the families of rewards that groups of rollouts get.
inline std::map<std::string, PlainFamily> plain_group_families() {
  using P = PlainRollout;
  using F = PlainFamily;
  const auto nothing = [](const P&, std::size_t) { return 0.0; };
  const auto at_goal = [](const P& p) { return p.goal.back() <= 1.5; };
  std::map<std::string, PlainFamily> all;
  all["etp-r1-r2r"] = {
      nothing,
      [=](const P& p) { return nearness(p) + (at_goal(p) ? 1.0 + spl(p, p.goal[0]) : 0.0); },
      F::as_stop, true};
  all["etp-r1-rxr"] = {nothing,
                       [=](const P& p) {
                         const double ndtw = p.ndtw.back();
                         const double more = at_goal(p) ? ndtw + spl(p, p.reference_length) : 0.0;
                         return nearness(p) + ndtw + more;
                       },
                       F::as_stop, true};
  all["activevln"] = {
      nothing,
      [](const P& p) { return p.goal.back() <= 3.0 ? 15.0 * (1.0 - p.goal.back() / 3.0) : 0.0; },
      F::nothing, false, 15.0};
  all["rlinf"] = {nothing, [](const P&) { return 5.0; }, F::nothing};
  const auto budvln = [](auto of_success) {
    return F{[](const P& p, std::size_t t) { return 0.05 * sign_of(nearer(p, t), -1.0); },
             [=](const P& p) {
               const bool succeeds = p.stopped && p.goal.back() < 3.0;
               return nearness(p) - 1.0 + (succeeds ? of_success(p) : 0.0);
             },
             F::replaces_move, true};
  };
  all["budvln"] = budvln([](const P& p) { return 2.0 + spl(p, p.goal[0]); });
  all["budvln-as-run"] = budvln([](const P&) { return 3.0; });
  return all;
}

/// Returns the family of each preset, by name.
inline std::map<std::string, PlainFamily> plain_families() {
  using P = PlainRollout;
  using F = PlainFamily;
  const auto gain = [](const auto& x, std::size_t t) { return x[t + 1] - x[t]; };
  const auto nothing = [](const P&, std::size_t) { return 0.0; };
  const auto closer = [](const P& p, std::size_t t) { return nearer(p, t); };
  const auto reaches = [](const P& p) { return p.goal.back() <= 3.0; };
  const auto near = [](const P& p) { return p.goal.back() < 3.0; };
  const auto there = [](const P& p) { return p.goal.back() == 0.0; };
  std::map<std::string, PlainFamily> all = plain_group_families();

  all["goal"] = {closer, [=](const P& p) { return reaches(p) ? 1.0 : -1.0; }, F::as_stop, true};
  all["goal-cls-paper"] = {closer, [=](const P& p) { return reaches(p); }, F::as_stop, true};
  all["ndtw-gain"] = {[=](const P& p, std::size_t t) { return gain(p.ndtw, t); },
                      [=](const P& p) { return reaches(p) ? 1.0 - p.goal.back() / 3.0 : 0.0; }};
  all["cls"] = {nothing, [=](const P& p) { return reaches(p) + p.cls.back(); }};
  all["cls-gain"] = {[=](const P& p, std::size_t t) { return gain(p.cls, t); },
                     [=](const P& p) { return reaches(p); }};

  all["valan-goal"] = {[](const P& p, std::size_t t) {
                         const double g = nearer(p, t);
                         return std::isnan(g) ? g : std::min(1.0, std::max(-1.0, g));
                       },
                       [=](const P& p) { return there(p) ? 4.0 : -4.0; }, F::replaces_move, true};
  all["valan-dtw"] = {[=](const P& p, std::size_t t) { return -gain(p.dtw, t); },
                      [](const P&) { return 0.0; }, F::nothing, true};

  const auto sign = [](double tie) {
    return [=](const P& p, std::size_t t) { return sign_of(nearer(p, t), tie); };
  };
  all["envdrop"] = {sign(no_value), [=](const P& p) { return near(p) ? 2.0 : -2.0; }, F::nothing};
  all["hamt"] = {[=](const P& p, std::size_t t) {
                   const double g = nearer(p, t), now = p.goal[t];
                   const double miss = now <= 1.0 && g < 0.0 ? 2.0 * (1.0 - now) : 0.0;
                   return sign_of(g, no_value) + gain(p.ndtw, t) - miss;
                 },
                 [=](const P& p) { return near(p) ? 2.0 + 2.0 * p.ndtw.back() : -2.0; }, F::nothing,
                 false, 2.0};
  all["recurrent-vln-bert"] = all["hamt"];
  all["recurrent-vln-bert"].convention.distance = Distance::hops;
  all["hamt-cvdn"] = {sign(0.0), [=](const P& p) { return there(p) ? 2.0 : -2.0; }, F::nothing};
  all["hamt-reverie"] = all["hamt-cvdn"];
  all["dc-vln"] = {[](const P& p, std::size_t t) { return nearer(p, t) > 0.0 ? 1.0 : -1.0; },
                   [=](const P& p) { return near(p) ? 2.0 : -2.0; }};

  const auto babywalk = [](auto move, auto end, bool metres) {
    F family{move, end, F::replaces_move, metres, 2.0};
    family.convention.cls_zero = ClsZero::undefined;
    return family;
  };
  const auto ndtw = [](const P& p) { return p.stopped ? p.repeated_ndtw : p.ndtw.back(); };
  const auto cls = [](const P& p) { return p.stopped ? p.repeated_cls : p.cls.back(); };
  all["babywalk-dis"] =
      babywalk([](const P& p, std::size_t t) { return nearer(p, t) / 10.0; }, near, true);
  all["babywalk-cls"] = babywalk(
      nothing, [=](const P& p) { return near(p) + cls(p); }, false);
  all["babywalk-dtw"] = babywalk(
      nothing, [=](const P& p) { return near(p) + ndtw(p); }, false);
  all["babywalk-mix"] = babywalk(
      nothing, [=](const P& p) { return (near(p) ? ndtw(p) : 0.0) + cls(p); }, false);

  all["vlnce-waypoint"] = {[](const P& p, std::size_t t) {
                             const double g = nearer(p, t);
                             const double slack = std::min(-0.05, -0.05 * p.step[t] / 0.25);
                             return slack + (std::isnan(g) ? -1.0 : g);
                           },
                           [=](const P& p) { return near(p) ? -0.05 + 2.5 : -0.05; }, F::nothing,
                           true};
  return all;
}

}  // namespace warpath::testing
