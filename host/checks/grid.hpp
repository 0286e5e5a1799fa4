#pragma once

#include <array>
#include <string>
#include <vector>

#include "warpath/graph.hpp"

namespace warpath::checks {

/// Makes a scan from points and index pairs; viewpoints are named "0", "1", …
inline Scan make_scan(const std::vector<std::array<double, 3>>& points,
                      const std::vector<Edge>& edges) {
  std::vector<std::string> names;
  for (std::size_t n = 0; n < points.size(); ++n) names.push_back(std::to_string(n));
  return Scan("scan", names, points, edges);
}

/// Makes a grid of points with unit edges between neighbours: x = 0..columns-1, y = 0..rows-1.
struct Grid {
  int columns, rows;
  Scan scan;

  Grid(int columns_, int rows_, double unit = 1.0)
      : columns(columns_), rows(rows_), scan(make(columns_, rows_, unit)) {}

  Node at(int x, int y) const { return static_cast<Node>(y * columns + x); }
  std::vector<Node> path(const std::vector<std::array<int, 2>>& points) const {
    std::vector<Node> nodes;
    for (const auto& [x, y] : points) nodes.push_back(at(x, y));
    return nodes;
  }

 private:
  static Scan make(int columns, int rows, double unit) {
    std::vector<std::array<double, 3>> points;
    std::vector<Edge> edges;
    for (int y = 0; y < rows; ++y) {
      for (int x = 0; x < columns; ++x) {
        const Node n = static_cast<Node>(y * columns + x);
        points.push_back({unit * x, unit * y, 0.0});
        if (x + 1 < columns) edges.push_back({n, n + 1, {}});
        if (y + 1 < rows) edges.push_back({n, n + static_cast<Node>(columns), {}});
      }
    }
    return make_scan(points, edges);
  }
};

}  // namespace warpath::checks
