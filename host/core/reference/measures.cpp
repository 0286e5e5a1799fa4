#include "host/core/reference/measures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "host/core/definitions/path_convention.hpp"
#include "host/core/graph/euclid.hpp"

namespace warpath::reference {
namespace {

using Point = std::array<double, 3>;

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T, class Step>
double path_length(std::span<const T> path, Step step) {
  double length = 0.0;
  for (std::size_t i = 1; i < path.size(); ++i) length += step(path[i - 1], path[i]);
  return length;
}

double sum(std::span<const double> steps) {
  double length = 0.0;
  for (const double step : steps) length += step;
  return length;
}

// Computes the next column of the warping matrix C: row[i] is C(i, j−1) before and C(i, j) after,
// where C(i, j) = d(q_j, r_i) + min(C(i−1, j), C(i, j−1), C(i−1, j−1)).
void warp_column(std::span<const double> distance, bool first, std::span<double> row) {
  double diagonal = first ? 0.0 : infinity;
  double above = infinity;
  for (std::size_t i = 0; i < distance.size(); ++i) {
    const double best = std::min(std::min(row[i], diagonal), above);
    diagonal = row[i];
    row[i] = above = distance[i] + best;
  }
}

Eigen::Map<Eigen::ArrayXd> array(std::vector<double>& values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

// Measures what depends on the distances between the two paths: d(i, j) is d(q_j, r_i).
// @param warps whether DTW is asked for; 0 otherwise
template <class Between>
void measure_between(Between d, std::size_t reference_size, std::size_t query_size,
                     double threshold, bool warps, Workspace& w, Measures& m) {
  const std::size_t goal = reference_size - 1;
  m.shortest = d(goal, 0);
  m.error = d(goal, query_size - 1);
  m.oracle_error = infinity;
  w.distance.resize(reference_size);
  w.nearest.assign(reference_size, infinity);  // d(Q, r)
  w.warped.assign(reference_size, infinity);
  double deviations = 0.0;
  for (std::size_t j = 0; j < query_size; ++j) {
    for (std::size_t i = 0; i < reference_size; ++i) w.distance[i] = d(i, j);
    const double to_reference = array(w.distance).minCoeff();  // d(q_j, R)
    deviations += to_reference;
    m.max_deviation = std::max(m.max_deviation, to_reference);
    m.oracle_error = std::min(m.oracle_error, w.distance[goal]);
    array(w.nearest) = array(w.nearest).min(array(w.distance));
    if (warps) warp_column(w.distance, j == 0, w.warped);
  }
  m.mean_deviation = deviations / static_cast<double>(query_size);
  m.coverage = (-array(w.nearest) / threshold).exp().mean();
  m.warping_cost = warps ? w.warped[goal] : 0.0;
}

// Lists the symbols that ED compares: viewpoints, or directed edges (p_i, p_i+1).
void edit_symbols(std::span<const Node> path, EditUnit unit, std::vector<std::uint64_t>& symbols) {
  if (unit == EditUnit::viewpoints) return symbols.assign(path.begin(), path.end());
  symbols.clear();
  for (std::size_t i = 1; i < path.size(); ++i) {
    symbols.push_back(std::uint64_t{path[i - 1]} << 32 | path[i]);
  }
}

// Returns the Levenshtein distance of two sequences: insertions, deletions and substitutions cost
// 1.
std::uint64_t levenshtein(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                          std::vector<std::uint64_t>& row) {
  row.resize(a.size() + 1);
  for (std::size_t i = 0; i <= a.size(); ++i) row[i] = i;
  for (std::size_t j = 0; j < b.size(); ++j) {
    std::uint64_t diagonal = row[0];
    row[0] = j + 1;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::uint64_t substituted = diagonal + (a[i] != b[j]);
      diagonal = row[i + 1];
      row[i + 1] = std::min({substituted, row[i] + 1, row[i + 1] + 1});
    }
  }
  return row.back();
}

// Returns the distance of optimal string alignment: the swap of two neighbours costs 1, too, and no
// symbol is edited twice.
std::uint64_t optimal_string_alignment(std::span<const std::uint64_t> a,
                                       std::span<const std::uint64_t> b,
                                       std::vector<std::uint64_t>& columns) {
  const std::size_t rows = a.size() + 1;
  columns.resize(3 * rows);
  std::uint64_t *before = columns.data(), *last = before + rows, *now = last + rows;
  std::iota(last, now, std::uint64_t{0});
  for (std::size_t j = 0; j < b.size(); ++j) {
    now[0] = j + 1;
    for (std::size_t i = 0; i < a.size(); ++i) {
      now[i + 1] = std::min({last[i] + (a[i] != b[j]), now[i] + 1, last[i + 1] + 1});
      const bool are_swapped = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
      if (are_swapped) now[i + 1] = std::min(now[i + 1], before[i - 1] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[a.size()];
}

void measure_edits(std::span<const Node> reference, std::span<const Node> query,
                   const Convention& convention, Workspace& w, Measures& m) {
  m.edits = edit_distance(reference, query, convention, w);
  m.reference_symbols = w.reference_symbols.size();
  m.query_symbols = w.query_symbols.size();
}

// Counts viewpoints as the lengths inside CLS, where the convention does.
void count_nodes(std::size_t reference, std::size_t query, const Convention& convention,
                 Measures& m) {
  if (convention.cls_length != ClsLength::nodes) return;
  m.cls_reference_length = static_cast<double>(reference);
  m.cls_query_length = static_cast<double>(query);
}

void steps_of(Distances& distances, std::span<const Node> path, std::vector<double>& steps) {
  steps.clear();
  for (std::size_t k = 1; k < path.size(); ++k) {
    steps.push_back(distances.between(path[k - 1], path[k]));
  }
}

}  // namespace

std::uint64_t edit_distance(std::span<const Node> reference, std::span<const Node> query,
                            const Convention& convention, Workspace& w) {
  edit_symbols(reference, convention.edit_unit, w.reference_symbols);
  edit_symbols(query, convention.edit_unit, w.query_symbols);
  const auto distance = convention.edit == Edit::osa ? optimal_string_alignment : levenshtein;
  return distance(w.reference_symbols, w.query_symbols, w.edits);
}

Measures measure(const PairDistances& distances, const graph::WeightedGraph& graph,
                 std::span<const Node> reference, std::span<const Node> query,
                 const Convention& convention, Workspace& workspace) {
  Measures m;
  m.query_length = m.cls_query_length = sum(distances.query_steps);
  m.reference_length = m.cls_reference_length = sum(distances.reference_steps);
  m.start_to_goal = distances.start_to_goal;
  if (definitions::takes_edge_lengths(convention)) {
    const auto edge = [&](Node a, Node b) { return graph.edge(a, b); };
    m.cls_query_length = path_length(query, edge);
    m.cls_reference_length = path_length(reference, edge);
  }
  count_nodes(reference.size(), query.size(), convention, m);
  const auto between = [&](std::size_t i, std::size_t j) {
    return distances.rows[i][distances.columns[j]];
  };
  measure_between(between, reference.size(), query.size(), convention.threshold, true, workspace,
                  m);
  measure_edits(reference, query, convention, workspace, m);
  return m;
}

Measures measure(Distances& distances, std::span<const Node> reference, std::span<const Node> query,
                 const Convention& convention, Workspace& w) {
  w.rows.clear();
  for (const Node r : reference) w.rows.push_back(distances.row_to(r).data());
  steps_of(distances, reference, w.reference_steps);
  steps_of(distances, query, w.query_steps);
  const double start_to_goal = w.rows.back()[reference.front()];
  return measure({w.rows, query, w.reference_steps, w.query_steps, start_to_goal},
                 distances.graph(), reference, query, convention, w);
}

Measures measure(std::span<const Point> reference, std::span<const Point> query,
                 const Convention& convention, bool warps, Workspace& workspace) {
  const graph::Euclid euclid(convention.distance);
  Measures m;
  m.query_length = m.cls_query_length = path_length(query, euclid);
  m.reference_length = m.cls_reference_length = path_length(reference, euclid);
  m.start_to_goal = euclid(reference.back(), reference.front());
  count_nodes(reference.size(), query.size(), convention, m);
  const auto between = [&](std::size_t i, std::size_t j) { return euclid(reference[i], query[j]); };
  measure_between(between, reference.size(), query.size(), convention.threshold, warps, workspace,
                  m);
  std::vector<Point> sorted(reference.begin(), reference.end());
  sorted.insert(sorted.end(), query.begin(), query.end());
  std::ranges::sort(sorted);
  // Equal points have one number: the place of the first of them.
  const auto numbered = [&](std::span<const Point> path) {
    std::vector<Node> nodes;
    nodes.reserve(path.size());
    for (const Point& p : path) {
      const auto first = std::ranges::lower_bound(sorted, p);
      nodes.push_back(static_cast<Node>(first - sorted.begin()));
    }
    return nodes;
  };
  measure_edits(numbered(reference), numbered(query), convention, workspace, m);
  return m;
}

}  // namespace warpath::reference
