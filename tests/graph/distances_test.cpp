#include "warpath/distances.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <queue>
#include <random>
#include <set>
#include <span>

#include "host/core/graph/many_searches.hpp"
#include "tests/support/score_pair.hpp"

namespace warpath::testing {
namespace {

constexpr double no_path = std::numeric_limits<double>::infinity();

// Joins each of many random points with a few others; some scans have several components.
Scan random_scan(std::mt19937_64& random, std::size_t nodes, std::size_t edges) {
  std::vector<std::array<double, 3>> points(nodes);
  for (auto& p : points) {
    for (double& x : p) x = static_cast<double>(random() % 100000) / 1000.0;
  }
  std::vector<Edge> list;
  std::vector<std::vector<bool>> joined(nodes, std::vector<bool>(nodes, false));
  for (std::size_t e = 0; e < edges; ++e) {
    const auto a = static_cast<Node>(random() % nodes), b = static_cast<Node>(random() % nodes);
    if (a == b || joined[a][b]) continue;
    joined[a][b] = joined[b][a] = true;
    list.push_back({a, b, {}});
  }
  return make_scan(points, list);
}

std::vector<std::vector<double>> floyd_warshall(const Scan& scan, Distances& distances) {
  const std::size_t n = scan.size();
  std::vector<std::vector<double>> d(n, std::vector<double>(n, no_path));
  for (Node a = 0; a < n; ++a) {
    d[a][a] = 0.0;
    for (const Node b : scan.neighbours(a)) d[a][b] = distances.edge(a, b);
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) d[a][b] = std::min(d[a][b], d[a][k] + d[k][b]);
    }
  }
  return d;
}

// Computes a row with Dijkstra's algorithm and a heap.
std::vector<double> plain_row(const graph::WeightedGraph& graph, Node source) {
  std::vector<double> distance(graph.size(), no_path);
  std::priority_queue<std::pair<double, Node>, std::vector<std::pair<double, Node>>, std::greater<>>
      heap;
  distance[source] = 0.0;
  heap.emplace(0.0, source);
  while (!heap.empty()) {
    const auto [d, node] = heap.top();
    heap.pop();
    if (d > distance[node]) continue;
    for (const auto& [length, next] : graph.arcs(node)) {
      if (d + length >= distance[next]) continue;
      distance[next] = d + length;
      heap.emplace(distance[next], next);
    }
  }
  return distance;
}

// Makes a scan with lengths that make many paths equally long or nearly so. Some lengths are 0, and
// a few are far larger than all others.
Scan scan_with_ties(std::mt19937_64& random, std::size_t nodes, std::size_t edges) {
  constexpr double lengths[] = {0.0, 0.1, 0.2, 0.3, 0.7, 1.0, 1.1, 3.0};
  std::vector<Edge> list;
  for (std::size_t e = 0; e < edges; ++e) {
    const auto a = static_cast<Node>(random() % nodes), b = static_cast<Node>(random() % nodes);
    const double length = random() % 100 == 0 ? 1e6 : lengths[random() % std::size(lengths)];
    if (a != b) list.push_back({a, b, length});
  }
  return make_scan(std::vector<std::array<double, 3>>(nodes), list);
}

TEST(Distances, EqualFloydWarshall) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 20; ++round) {
    const Scan scan = random_scan(random, 40, 30 + 5 * round);
    for (const Distance kind : {Distance::euclid_3d, Distance::euclid_2d, Distance::hops}) {
      Distances distances(scan, kind);
      const auto expected = floyd_warshall(scan, distances);
      for (Node a = 0; a < scan.size(); ++a) {
        for (Node b = 0; b < scan.size(); ++b) {
          if (expected[a][b] == no_path)
            EXPECT_EQ(distances.row(a)[b], no_path);
          else
            EXPECT_NEAR(distances.row(a)[b], expected[a][b], 1e-12 * expected[a][b]);
        }
      }
    }
  }
}

TEST(Distances, FindPathsOfTheStatedLength) {
  std::mt19937_64 random(8);
  const Scan scan = random_scan(random, 40, 60);
  Distances distances(scan, Distance::euclid_3d);
  for (Node a = 0; a < scan.size(); ++a) {
    for (Node b = 0; b < scan.size(); ++b) {
      const std::vector<Node> path = distances.path(a, b);
      if (distances.row(a)[b] == no_path) {
        EXPECT_TRUE(path.empty());
        continue;
      }
      ASSERT_EQ(path.front(), a);
      ASSERT_EQ(path.back(), b);
      double length = 0.0;
      for (std::size_t i = 1; i < path.size(); ++i) length += distances.edge(path[i - 1], path[i]);
      EXPECT_EQ(length, distances.row(a)[b]);  // summed in the same order
    }
  }
}

TEST(Distances, FindPathsThroughEdgesOfLengthZero) {
  const Scan scan = make_scan({{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {1, 0, 0}},
                              {{0, 1, {}}, {1, 2, {}}, {0, 2, {}}, {2, 3, {}}});
  Distances distances(scan, Distance::euclid_3d);
  EXPECT_EQ(distances.path(0, 3), (std::vector<Node>{0, 2, 3}));
  EXPECT_EQ(distances.path(3, 3), std::vector<Node>{3});
}

TEST(Distances, GiveTheSameBitsIfTheSearchStopsEarly) {
  const Grid grid(60, 40, 0.7);  // too large for computing a row at every step
  Distances bounded(grid.scan, Distance::euclid_3d), whole(grid.scan, Distance::euclid_3d);
  std::mt19937_64 random(9);
  for (int k = 0; k < 500; ++k) {
    const auto a = static_cast<Node>(random() % grid.scan.size());
    const auto b = static_cast<Node>(random() % grid.scan.size());
    EXPECT_EQ(bounded.between(a, b), whole.row(a)[b]);
  }
  EXPECT_EQ(bounded.bytes(), 0u);
}

TEST(Search, HasTheBitsOfAPlainSearch) {
  std::mt19937_64 random(10);
  graph::Search search;  // one object for graphs of every size, larger ones first and last
  for (const std::size_t nodes : {300, 2, 40, 300}) {
    for (const std::size_t degree : {1, 2, 4}) {
      const Scan scan = scan_with_ties(random, nodes, degree * nodes);
      const graph::WeightedGraph graph(scan, Distance::euclid_3d);
      for (Node source = 0; source < nodes; ++source) {
        const std::vector<double> expected = plain_row(graph, source);
        std::vector<double> all(nodes, no_path);
        search.all(graph, source, all.data());
        EXPECT_EQ(all, expected);
        const std::vector<Node> targets{static_cast<Node>(random() % nodes), source,
                                        static_cast<Node>(random() % nodes)};
        search.to(graph, source, targets);
        for (const Node n : targets) EXPECT_EQ(search[n], expected[n]);
      }
    }
  }
}

// Makes a floor of cells with eight neighbours. Lengths of 0.1 and 0.1 * sqrt(2) differ in their
// last bits, as centres of cells are rounded.
Scan floor_of_cells(int columns, int rows) {
  const auto is_free = [](int x, int y) { return (x * 7 + y * 5) % 11 != 0; };
  std::vector<std::array<double, 3>> points;
  std::vector<Edge> edges;
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; ++x) {
      const auto n = static_cast<Node>(points.size());
      points.push_back({(x + 0.5) * 0.1, (y + 0.5) * 0.1, 0.0});
      if (!is_free(x, y)) continue;
      const auto above = static_cast<Node>(n - columns);
      if (x > 0 && is_free(x - 1, y)) edges.push_back({n, n - 1, {}});
      if (y > 0 && is_free(x, y - 1)) edges.push_back({n, above, {}});
      if (x > 0 && y > 0 && is_free(x - 1, y - 1)) edges.push_back({n, above - 1, {}});
    }
  }
  return make_scan(points, edges);
}

TEST(Search, HasTheBitsOfAPlainSearchOnAGrid) {
  const Scan scan = floor_of_cells(23, 17);
  const graph::WeightedGraph graph(scan, Distance::euclid_3d);
  for (Node n = 0; n < graph.size(); ++n) {
    for (const auto& arc : graph.arcs(n)) EXPECT_LE(graph.bucket_width(), arc.length);
  }
  graph::Search search;
  for (Node source = 0; source < graph.size(); source += 13) {
    std::vector<double> row(graph.size(), no_path);
    search.all(graph, source, row.data());
    EXPECT_EQ(row, plain_row(graph, source));
  }
}

// Searches from these sources together, and expects the bits of plain searches.
void expect_plain_rows(const graph::WeightedGraph& graph, const graph::Orders& orders,
                       const std::vector<Node>& sources) {
  std::vector<std::unique_ptr<double[]>> rows;
  for (std::size_t k = 0; k < sources.size(); ++k) {
    rows.push_back(std::make_unique<double[]>(graph.size()));
  }
  for (const auto turn : graph::ManySearches::usable_turns()) {
    graph::ManySearches(turn).run(graph, orders, sources, rows);
    for (std::size_t k = 0; k < sources.size(); ++k) {
      EXPECT_TRUE(
          std::ranges::equal(plain_row(graph, sources[k]), std::span(rows[k].get(), graph.size())));
    }
  }
}

TEST(ManySearches, HaveTheBitsOfAPlainSearchOnALargeGrid) {
  const Scan scan = floor_of_cells(50, 40);
  for (const Distance distance : {Distance::euclid_3d, Distance::hops}) {
    const graph::WeightedGraph graph(scan, distance);
    ASSERT_TRUE(graph.is_grid() && graph::ManySearches::suit(graph));
    const graph::Orders orders = graph::orders_of_turns(graph);
    ASSERT_EQ(orders.size(), 2u);
    EXPECT_TRUE(std::ranges::is_sorted(orders[0]));
    expect_plain_rows(graph, orders, {0, 1, 7, 777, 778, 1999});
    for (const std::vector<Node>& order : orders) {
      EXPECT_EQ(std::set<Node>(order.begin(), order.end()).size(), scan.size());
      expect_plain_rows(graph, {order}, {0, 1999});
    }
  }
}

TEST(ManySearches, HaveTheBitsOfAPlainSearchInAMaze) {
  std::vector<Node> way(300);
  std::iota(way.begin(), way.end(), Node{0});
  const std::vector<Node> order = way;
  std::ranges::shuffle(way, std::mt19937_64(3));
  std::vector<Edge> edges;  // one corridor, whose ends are more than max_turns turns apart
  for (std::size_t i = 1; i < way.size(); ++i) edges.push_back({way[i - 1], way[i], 0.1});
  const Scan scan = make_scan(std::vector<std::array<double, 3>>(way.size()), edges);
  const graph::WeightedGraph graph(scan, Distance::euclid_3d);
  EXPECT_FALSE(graph.is_grid());
  expect_plain_rows(graph, {order}, {way.front(), way[150], way.back()});
}

TEST(ManySearches, HaveTheBitsOfAPlainSearch) {
  constexpr std::size_t most = graph::ManySearches::max_sources;
  std::mt19937_64 random(11);
  graph::ManySearches searches;
  for (const std::size_t nodes : {300, 2, 40, 300}) {
    for (const std::size_t degree : {1, 2, 4}) {
      const Scan scan = scan_with_ties(random, nodes, degree * nodes);
      const graph::WeightedGraph graph(scan, Distance::euclid_3d);
      const graph::Orders orders = graph::orders_of_turns(graph);
      ASSERT_EQ(orders.size(), 1u);
      const std::vector<Node>& order = orders[0];
      EXPECT_EQ(std::set<Node>(order.begin(), order.end()).size(), nodes);
      EXPECT_EQ(order.size(), nodes);
      for (const std::size_t count : {std::size_t{1}, std::size_t{7}, most}) {
        std::vector<Node> sources;
        std::vector<std::unique_ptr<double[]>> rows;
        for (std::size_t k = 0; k < count; ++k) {
          sources.push_back(static_cast<Node>(random() % nodes));
          rows.push_back(std::make_unique<double[]>(nodes));
        }
        searches.run(graph, orders, sources, rows);
        for (std::size_t k = 0; k < count; ++k) {
          EXPECT_TRUE(
              std::ranges::equal(plain_row(graph, sources[k]), std::span(rows[k].get(), nodes)));
        }
      }
    }
  }
}

TEST(Search, AcceptsEdgesAllOfLengthZero) {
  const Scan scan = make_scan({{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {{0, 1, {}}});
  const graph::WeightedGraph graph(scan, Distance::euclid_3d);
  graph::Search search;
  std::vector<double> row(3, no_path);
  search.all(graph, 0, row.data());
  EXPECT_EQ(row, (std::vector<double>{0, 0, no_path}));
}

TEST(Search, EndsOnceItsTargetsAreFound) {
  const Grid grid(200, 200);
  const graph::WeightedGraph graph(grid.scan, Distance::hops);
  graph::Search search;
  const Node near = grid.at(101, 100);
  search.to(graph, grid.at(100, 100), {&near, 1});
  EXPECT_EQ(search[near], 1.0);
  EXPECT_EQ(search[grid.at(110, 100)], no_path);  // not reached by the search
}

TEST(Distances, GiveTheSameRowsOnAllCores) {
  const Grid grid(30, 20, 0.7);
  Distances several(grid.scan, Distance::euclid_3d), single(grid.scan, Distance::euclid_3d);
  std::vector<Node> sources{7, 3, 3, 599, 0, 5, 11, 300};
  single.row(3);
  several.row(7);
  several.make_rows(sources);
  EXPECT_EQ(several.bytes(), 7 * 600 * sizeof(double));
  for (const Node source : sources) {
    EXPECT_TRUE(std::ranges::equal(several.row(source), single.row(source)));
  }
  EXPECT_EQ(several.bytes(), 7 * 600 * sizeof(double));
}

TEST(Distances, RecomputeRowsAfterClear) {
  const Grid grid(5, 5);
  Distances distances(grid.scan, Distance::euclid_3d);
  EXPECT_EQ(distances.row(0)[24], 8.0);
  EXPECT_EQ(distances.bytes(), 25 * sizeof(double));
  distances.clear();
  EXPECT_EQ(distances.bytes(), 0u);
  EXPECT_EQ(distances.row(0)[24], 8.0);
}

TEST(Scan, FindsItsViewpointsAndEdges) {
  const Scan scan = make_scan({{0, 0, 0}, {1, 0, 0}, {5, 5, 5}}, {{0, 1, {}}});
  EXPECT_EQ(scan.find("1"), Node{1});
  EXPECT_FALSE(scan.find("7"));
  EXPECT_TRUE(scan.adjacent(0, 1) && scan.adjacent(1, 0));
  EXPECT_FALSE(scan.adjacent(0, 2));
  EXPECT_EQ(scan.isolated(), std::vector<Node>{2});
  EXPECT_EQ(scan.edge_count(), 1u);
}

}  // namespace
}  // namespace warpath::testing
