#include "host/checks/scans.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

namespace warpath::checks {
namespace {

using Position = std::array<double, 3>;

std::vector<Position> random_positions(Random& random, std::size_t viewpoints) {
  // Places about two viewpoints per reach in each direction of each floor, as in real buildings.
  const double side = 1.0 + 0.9 * std::sqrt(static_cast<double>(viewpoints));
  std::vector<Position> positions(viewpoints);
  for (Position& p : positions) {
    const double floor = 2.8 * static_cast<double>(random.below(3));
    p = {random.between(0, side), random.between(0, side), floor + random.between(0, 0.3)};
  }
  return positions;
}

double apart(const Position& a, const Position& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

double x_of(const Position& position) {
  return position[0];
}

// Joins the first `joined` viewpoints: each with all earlier ones in reach, or with the nearest
// one. @param from_left positions lie in the order of x, which saves looking at most pairs
std::vector<Edge> join(const std::vector<Position>& positions, std::size_t joined, double reach,
                       bool from_left) {
  std::vector<Edge> edges;
  for (Node n = 1; n < joined; ++n) {
    const auto distance = [&](Node m) { return apart(positions[n], positions[m]); };
    const std::size_t before = edges.size();
    const auto end = positions.begin() + n;
    const auto first = from_left ? std::ranges::lower_bound(positions.begin(), end,
                                                            positions[n][0] - reach, {}, x_of)
                                 : positions.begin();
    for (auto m = static_cast<Node>(first - positions.begin()); m < n; ++m) {
      if (distance(m) <= reach) edges.push_back({m, n, {}});
    }
    if (edges.size() > before) continue;
    Node nearest = 0;
    for (Node m = 1; m < n; ++m) {
      if (distance(m) < distance(nearest)) nearest = m;
    }
    edges.push_back({nearest, n, {}});
  }
  return edges;
}

Scan make_scan(std::string id, std::vector<Position> positions, std::size_t joined, double reach) {
  std::vector<std::string> names;
  for (std::size_t n = 0; n < positions.size(); ++n) names.push_back(id + std::to_string(n));
  const std::vector<Edge> edges = join(positions, joined, reach, false);
  return Scan(std::move(id), std::move(names), std::move(positions), edges);
}

}  // namespace

Scan random_scan(Random& random, std::string id, std::size_t viewpoints) {
  return make_scan(std::move(id), random_positions(random, viewpoints), viewpoints, 3.0);
}

Scan level_scan(Random& random, std::string id, std::size_t viewpoints) {
  constexpr double reach = 3.2;  // metres; viewpoints this close share an edge
  const double side = reach * std::sqrt(std::numbers::pi / 4.0 * static_cast<double>(viewpoints));
  std::vector<std::string> names;
  std::vector<Position> positions;
  for (std::size_t n = 0; n < viewpoints; ++n) {
    names.push_back(fmt::format("{:016x}{:016x}", random.below(~std::uint64_t{0}),
                                random.below(~std::uint64_t{0})));
    const double x = random.between(0.0, side), y = random.between(0.0, side);
    positions.push_back({x, y, random.between(0.0, 0.3)});
  }
  std::ranges::sort(positions, {}, x_of);
  const std::vector<Edge> edges = join(positions, viewpoints, reach, true);
  return Scan(std::move(id), std::move(names), std::move(positions), edges);
}

Scan adversarial_scan(Random& random, std::string id, std::size_t viewpoints, double reach) {
  auto positions = random_positions(random, viewpoints);
  for (std::size_t k = 0; k < viewpoints / 15; ++k) {
    positions[random.below(viewpoints)] = positions[random.below(viewpoints)];
  }
  return make_scan(std::move(id), std::move(positions), viewpoints - viewpoints / 20, reach);
}

Scan make_directed(Random& random, const Scan& scan) {
  std::vector<std::string> names;
  std::vector<Edge> edges;
  const std::vector<double> lengths = scan.edge_lengths(Distance::euclid_3d);
  const auto detour = [&] { return 1.0 + random.unit(); };
  for (Node a = 0; a < scan.size(); ++a) {
    names.push_back(scan.viewpoint(a));
    for (std::size_t k = 0; k < scan.neighbours(a).size(); ++k) {
      const Node b = scan.neighbours(a)[k];
      if (b < a) continue;
      const std::uint64_t ways = random.below(8);  // most lead both ways
      const double length = lengths[scan.first_edge(a) + k];
      if (ways != 0) edges.push_back({a, b, length * detour()});
      if (ways != 1) edges.push_back({b, a, length * detour()});
    }
  }
  std::vector<std::array<double, 3>> positions(scan.positions().begin(), scan.positions().end());
  return Scan(scan.id(), std::move(names), std::move(positions), edges, {}, true);
}

std::vector<Node> walk(Random& random, const Scan& scan, Node start, std::size_t nodes,
                       const WalkKind& kind) {
  std::vector<Node> path{start};
  const auto step = [&] {
    if (random.unit() < kind.stay) return path.back();
    if (kind.jump > 0.0 && random.unit() < kind.jump) {
      return static_cast<Node>(random.below(scan.size()));
    }
    const auto next = scan.neighbours(path.back());
    if (next.empty()) return path.back();
    Node to = next[random.below(next.size())];
    while (!kind.may_turn_back && next.size() > 1 && path.size() > 1 &&
           to == path[path.size() - 2]) {
      to = next[random.below(next.size())];
    }
    return to;
  };
  while (path.size() < nodes) path.push_back(step());
  return path;
}

}  // namespace warpath::checks
