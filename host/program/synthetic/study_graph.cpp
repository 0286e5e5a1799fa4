#include "host/program/synthetic/study_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "warpath/distances.hpp"
#include "warpath/error.hpp"

namespace warpath::synthetic {
namespace {

using Position = std::array<double, 3>;

// Options whose graphs are ever connected need far fewer draws.
constexpr int max_draws = 1000;
constexpr double threshold_per_edge = 1.33;

std::vector<Position> draw_positions(const Options& options, checks::Random& random) {
  std::vector<Position> positions;
  for (int i = 0; i < options.side; ++i) {
    for (int j = 0; j < options.side; ++j) {
      const double x = random.between(i - options.zeta, i + options.zeta);
      const double y = random.between(j - options.zeta, j + options.zeta);
      positions.push_back({x, y, 0.0});
    }
  }
  return positions;
}

std::vector<Edge> edges_within(double reach, const std::vector<Position>& positions) {
  std::vector<Edge> edges;
  for (Node a = 0; a < positions.size(); ++a) {
    for (Node b = a + 1; b < positions.size(); ++b) {
      const double dx = positions[a][0] - positions[b][0];
      const double dy = positions[a][1] - positions[b][1];
      if (std::sqrt(dx * dx + dy * dy) <= reach) edges.push_back({a, b, {}});
    }
  }
  return edges;
}

std::vector<std::string> names(int side) {
  std::vector<std::string> names;
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) names.push_back(fmt::format("n{:02}_{:02}", i, j));
  }
  return names;
}

bool connected(const Scan& scan) {
  Distances hops(scan, Distance::hops);
  return std::ranges::all_of(hops.row(0), [](double d) { return std::isfinite(d); });
}

}  // namespace

Scan draw_scan(const Options& options, checks::Random& random) {
  for (int draw = 0; draw < max_draws; ++draw) {
    std::vector<Position> positions = draw_positions(options, random);
    const std::vector<Edge> edges = edges_within(options.reach, positions);
    Scan scan("study", names(options.side), std::move(positions), edges);
    if (connected(scan)) return scan;
  }
  throw UsageError(
      fmt::format("no connected graph of {0} x {0} nodes in {1} draws; choose a longer "
                  "reach than {2} m",
                  options.side, max_draws, options.reach));
}

double threshold_of(const Scan& scan) {
  const std::vector<double> lengths = scan.edge_lengths(Distance::euclid_3d);
  const double sum = std::accumulate(lengths.begin(), lengths.end(), 0.0);
  return threshold_per_edge * (sum / static_cast<double>(lengths.size()));
}

}  // namespace warpath::synthetic
