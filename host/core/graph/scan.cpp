#include <algorithm>
#include <cmath>
#include <limits>

#include "warpath/error.hpp"
#include "warpath/graph.hpp"

namespace warpath {
namespace {

// Tells whether ready distances differ by direction. Those of one graph may differ in their last
// digits, since they were summed from either end.
bool differ_by_direction(std::span<const double> distances, std::size_t size) {
  constexpr double tolerance = 1e-6;
  for (std::size_t a = 0; a < size && !distances.empty(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const double there = distances[a * size + b], back = distances[b * size + a];
      if (there != back && !(std::abs(there - back) <= tolerance)) return true;
    }
  }
  return false;
}

}  // namespace

Scan::Scan(std::string id, std::vector<std::string> viewpoints,
           std::vector<std::array<double, 3>> positions, std::span<const Edge> edges)
    : Scan(std::move(id), std::move(viewpoints), std::move(positions), edges, {}) {}

Scan::Scan(std::string id, std::vector<std::string> viewpoints,
           std::vector<std::array<double, 3>> positions, std::span<const Edge> edges,
           std::vector<double> distances, bool is_directed)
    : id_(std::move(id)),
      viewpoints_(std::move(viewpoints)),
      positions_(std::move(positions)),
      has_positions_(!positions_.empty()),
      distances_(std::move(distances)) {
  const bool both_ways = !is_directed;
  is_directed_ = is_directed || differ_by_direction(distances_, size());
  positions_.resize(size());
  index_.reserve(size());
  for (Node n = 0; n < size(); ++n) index_.emplace(viewpoints_[n], n);

  first_edge_.assign(size() + 1, 0);
  for (const Edge& e : edges) {
    ++first_edge_[e.from + 1];
    if (both_ways) ++first_edge_[e.to + 1];
  }
  for (Node n = 0; n < size(); ++n) first_edge_[n + 1] += first_edge_[n];

  neighbours_.resize(first_edge_.back());
  given_weight_.resize(first_edge_.back());
  std::vector<std::size_t> next(first_edge_.begin(), first_edge_.end() - 1);
  auto add = [&](Node from, Node to, double weight) {
    neighbours_[next[from]] = to;
    given_weight_[next[from]++] = weight;
  };
  for (const Edge& e : edges) {
    const auto weight = [&](Node from, Node to) {
      if (e.weight) return *e.weight;
      return distances_.empty() ? std::numeric_limits<double>::quiet_NaN()
                                : distances_[from * size() + to];
    };
    add(e.from, e.to, weight(e.from, e.to));
    if (both_ways) add(e.to, e.from, weight(e.to, e.from));
  }
}

Scan Scan::marched(std::string id, std::vector<std::string> viewpoints,
                   std::vector<std::array<double, 3>> positions, Lattice lattice) {
  std::vector<Edge> edges;
  for (Node n = 0; n < lattice.neighbours.size(); ++n) {
    for (const Node next : lattice.neighbours[n]) {
      if (next != Lattice::none) edges.push_back({n, next, lattice.spacing});
    }
  }
  Scan scan(std::move(id), std::move(viewpoints), std::move(positions), edges, {}, true);
  scan.lattice_ = std::move(lattice);
  return scan;
}

std::optional<Node> Scan::find(std::string_view viewpoint) const {
  const auto it = index_.find(viewpoint);
  if (it == index_.end()) return std::nullopt;
  return it->second;
}

std::span<const Node> Scan::neighbours(Node n) const {
  return {neighbours_.data() + first_edge_[n], first_edge_[n + 1] - first_edge_[n]};
}

bool Scan::adjacent(Node a, Node b) const {
  if (has_distances_only()) return a != b && std::isfinite(distances_[a * size() + b]);
  return std::ranges::find(neighbours(a), b) != neighbours(a).end();
}

std::vector<double> Scan::edge_lengths(Distance distance) const {
  std::vector<double> lengths(neighbours_.size(), 1.0);
  if (distance == Distance::hops) {
    if (!has_distances_only()) return lengths;
    throw InputError({{}, "scan " + id_}, "has ready distances but no edges to count as hops",
                     "give its edges, too, or measure in metres: --distance 3d");
  }
  const int dimensions = distance == Distance::euclid_2d ? 2 : 3;
  for (Node n = 0; n < size(); ++n) {
    for (std::size_t e = first_edge_[n]; e < first_edge_[n + 1]; ++e) {
      if (!std::isnan(given_weight_[e])) {
        lengths[e] = given_weight_[e];
        continue;
      }
      if (!has_positions_) {
        throw InputError({{}, "scan " + id_},
                         "the edge from " + viewpoints_[n] + " to " + viewpoints_[neighbours_[e]] +
                             " has no weight, and its viewpoints have no positions",
                         "give every edge a weight in metres, or count edges: --distance hops");
      }
      double squares = 0.0;
      for (int k = 0; k < dimensions; ++k) {
        const double step = positions_[n][k] - positions_[neighbours_[e]][k];
        squares += step * step;
      }
      lengths[e] = std::sqrt(squares);
    }
  }
  return lengths;
}

std::vector<Node> Scan::isolated() const {
  std::vector<std::uint8_t> has_edge(size(), 0);
  for (const Node n : neighbours_) has_edge[n] = 1;
  std::vector<Node> alone;
  for (Node n = 0; n < size(); ++n) {
    bool is_alone = neighbours(n).empty() && has_edge[n] == 0;
    for (Node other = 0; is_alone && has_distances_only() && other < size(); ++other) {
      is_alone = !adjacent(n, other) && !adjacent(other, n);
    }
    if (is_alone) alone.push_back(n);
  }
  return alone;
}

}  // namespace warpath
