#include "host/files/generators/networkx_paths.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace warpath::testing {
namespace {

// Makes a grid of 4 x 4 viewpoints, a to p, 1 m apart, in an order that is not the grid's, with
// edges of 2 m and 3 m along its lines: nearly every pair has several shortest paths.
Scan grid_with_long_edges() {
  const std::vector<std::array<double, 3>> positions{
      {0, 3, 0}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}, {3, 1, 0}, {2, 3, 0}, {1, 0, 0}, {1, 1, 0},
      {3, 0, 0}, {2, 0, 0}, {0, 1, 0}, {0, 0, 0}, {3, 3, 0}, {1, 2, 0}, {0, 2, 0}, {2, 2, 0}};
  const std::string long_edges = "af ak al am bn bo cm df eh em fj gi gn im jl lo op";
  std::vector<std::string> names;
  std::vector<Edge> edges;
  for (Node a = 0; a < positions.size(); ++a) {
    names.emplace_back(1, static_cast<char>('a' + a));
    for (Node b = a + 1; b < positions.size(); ++b) {
      const double length =
          std::hypot(positions[a][0] - positions[b][0], positions[a][1] - positions[b][1]);
      const std::string name{static_cast<char>('a' + a), static_cast<char>('a' + b)};
      if (length == 1.0 || long_edges.find(name) != std::string::npos) edges.push_back({a, b, {}});
    }
  }
  return Scan("grid", names, positions, edges);
}

// What nx.all_pairs_dijkstra of networkx 3.6.1 finds, which has not changed since its 2.3.
constexpr const char* networkx_found[]{
    "ame", "ami", "afj", "bol", "cmi", "ema", "fal",  "gim", "ima", "imc",  "iebo", "jla", "kam",
    "lob", "ljf", "lam", "mig", "mak", "mal", "ongi", "aob", "afd", "acng", "akh",  "acn", "aop"};

TEST(NetworkxPaths, ChooseAmongEquallyLongPathsAsNetworkx) {
  const Scan scan = grid_with_long_edges();
  Distances distances(scan, Distance::euclid_3d);
  generators::NetworkxPaths paths(distances);
  std::size_t others = 0;
  for (const std::string want : networkx_found) {
    const auto from = static_cast<Node>(want.front() - 'a');
    const auto to = static_cast<Node>(want.back() - 'a');
    std::vector<Node> path;
    paths.append(from, to, path);
    std::string found;
    for (const Node n : path) found += static_cast<char>('a' + n);
    EXPECT_EQ(found, want);
    others += distances.path(from, to) != path;
  }
  EXPECT_GT(others, 0u) << "any shortest path would do, so this test could not fail";
}

TEST(NetworkxPaths, AppendToWhatIsThere) {
  const Scan scan("s", {"a", "b", "c"}, {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}},
                  std::vector<Edge>{{0, 1, {}}, {1, 2, {}}});
  Distances distances(scan, Distance::euclid_3d);
  generators::NetworkxPaths paths(distances);
  std::vector<Node> path{2};
  paths.append(0, 2, path);
  EXPECT_EQ(path, (std::vector<Node>{2, 0, 1, 2}));
  paths.append(1, 1, path);
  EXPECT_EQ(path, (std::vector<Node>{2, 0, 1, 2, 1}));
}

TEST(NetworkxPaths, CrossEdgesOfLengthZero) {
  // Both ends of the edge b c lie 1 m from a, so each could be before the other.
  const Scan scan("s", {"a", "b", "c", "d"}, {{0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {2, 0, 0}},
                  std::vector<Edge>{{0, 1, {}}, {1, 2, {}}, {2, 3, {}}});
  Distances distances(scan, Distance::euclid_3d);
  std::vector<Node> path;
  generators::NetworkxPaths(distances).append(0, 3, path);
  EXPECT_EQ(path, (std::vector<Node>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace warpath::testing
