#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "host/euclid.hpp"
#include "host/reference/reference.hpp"

namespace warpath::reference {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T, class Step>
double path_length(std::span<const T> path, Step step) {
  double length = 0.0;
  for (std::size_t i = 1; i < path.size(); ++i) length += step(path[i - 1], path[i]);
  return length;
}

// One more column of the warping matrix C: row[i] is C(i, j−1) before and C(i, j) after, where
// C(i, j) = d(r_i, q_j) + min(C(i−1, j), C(i, j−1), C(i−1, j−1)).
void warp_column(const Eigen::ArrayXd& distance, bool first, Eigen::ArrayXd& row) {
  double diagonal = first ? 0.0 : infinity;
  double above = infinity;
  for (Eigen::Index i = 0; i < distance.size(); ++i) {
    const double best = std::min({above, row[i], diagonal});
    diagonal = row[i];
    row[i] = above = distance[i] + best;
  }
}

// Where the distances of one pair come from: between(a, b) is the length of a step, row(r)[q] is
// d(r, q). Distances is one such source, this the other.

using Point = std::array<double, 3>;

struct PointSource {
  struct Row {
    Point from;
    Euclid euclid;
    double operator[](const Point& to) const { return euclid(from, to); }
  };
  Euclid euclid;

  double between(const Point& a, const Point& b) const { return euclid(a, b); }
  Row row(const Point& r) const { return {r, euclid}; }
};

// All but the edits.
template <class Source, class T>
Measures measure_lengths(Source& source, std::span<const T> reference,
                         std::span<const T> query, double threshold) {
  Measures m;
  const auto step = [&](const T& a, const T& b) { return source.between(a, b); };
  m.query_length = m.cls_query_length = path_length(query, step);
  m.reference_length = m.cls_reference_length = path_length(reference, step);

  std::vector<decltype(source.row(reference[0]))> rows;
  for (const T& r : reference) rows.push_back(source.row(r));
  const auto goal = rows.back();
  m.shortest = goal[query.front()];
  m.start_to_goal = goal[reference.front()];
  m.error = goal[query.back()];

  const auto nodes = static_cast<Eigen::Index>(reference.size());
  Eigen::ArrayXd distance(nodes);
  Eigen::ArrayXd to_query = Eigen::ArrayXd::Constant(nodes, infinity);  // d(r, Q)
  Eigen::ArrayXd warped = Eigen::ArrayXd::Constant(nodes, infinity);
  double deviations = 0.0;
  m.oracle_error = infinity;
  for (std::size_t j = 0; j < query.size(); ++j) {
    for (Eigen::Index i = 0; i < nodes; ++i) distance[i] = rows[i][query[j]];
    const double to_reference = distance.minCoeff();  // d(q_j, R)
    deviations += to_reference;
    m.max_deviation = std::max(m.max_deviation, to_reference);
    m.oracle_error = std::min(m.oracle_error, distance[nodes - 1]);
    to_query = to_query.min(distance);
    warp_column(distance, j == 0, warped);
  }
  m.mean_deviation = deviations / static_cast<double>(query.size());
  m.coverage = (-to_query / threshold).exp().mean();
  m.warping_cost = warped[nodes - 1];
  return m;
}

void count_edits(Measures& m, std::span<const Node> reference, std::span<const Node> query,
                 EditUnit unit) {
  const auto reference_symbols = edit_symbols(reference, unit);
  const auto query_symbols = edit_symbols(query, unit);
  m.edits = levenshtein(reference_symbols, query_symbols);
  m.reference_symbols = reference_symbols.size();
  m.query_symbols = query_symbols.size();
}

}  // namespace

Measures measure(Distances& distances, std::span<const Node> reference, std::span<const Node> query,
                 const Convention& convention) {
  Measures m = measure_lengths(distances, reference, query, convention.threshold);
  if (convention.cls_step == ClsStep::edge) {
    const auto edge = [&](Node a, Node b) { return distances.edge(a, b); };
    m.cls_query_length = path_length(query, edge);
    m.cls_reference_length = path_length(reference, edge);
  }
  count_edits(m, reference, query, convention.edit_unit);
  return m;
}

Measures measure(std::span<const Point> reference, std::span<const Point> query,
                 const Convention& convention) {
  PointSource source{Euclid(convention.distance)};
  Measures m = measure_lengths(source, reference, query, convention.threshold);
  std::map<Point, Node> numbers;  // of identical points
  const auto numbered = [&](std::span<const Point> path) {
    std::vector<Node> nodes;
    for (const Point& p : path) {
      nodes.push_back(numbers.emplace(p, static_cast<Node>(numbers.size())).first->second);
    }
    return nodes;
  };
  count_edits(m, numbered(reference), numbered(query), convention.edit_unit);
  return m;
}

std::vector<std::uint64_t> edit_symbols(std::span<const Node> path, EditUnit unit) {
  if (unit == EditUnit::viewpoints) return {path.begin(), path.end()};
  std::vector<std::uint64_t> edges;
  for (std::size_t i = 1; i < path.size(); ++i) {
    edges.push_back(std::uint64_t{path[i - 1]} << 32 | path[i]);
  }
  return edges;
}

std::uint64_t levenshtein(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  std::vector<std::uint64_t> row(a.size() + 1);
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

}  // namespace warpath::reference
