// Tests directed scans: edges and distances that differ by direction, ready distances that do, and
// the direction in which metrics measure, by hand.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "host/core/cpu/backend.hpp"
#include "host/core/reference/reference.hpp"
#include "tests/support/pair_cases.hpp"
#include "warpath/distances.hpp"

namespace warpath::testing {
namespace {

using enum Metric;

constexpr double infinity = std::numeric_limits<double>::infinity();

Scan directed(std::vector<std::string> viewpoints, const std::vector<Edge>& edges) {
  return Scan("street", std::move(viewpoints), {}, edges, {}, true);
}

// Three one-way streets of 1 m: a to b, b to c, c to a.
Scan circle() {
  return directed({"a", "b", "c"}, {{0, 1, 1.0}, {1, 2, 1.0}, {2, 0, 1.0}});
}

TEST(DirectedScan, HasEdgesOfOneDirection) {
  const Scan scan = directed({"a", "b", "c", "d"}, {{0, 1, 1.0}, {1, 0, 4.0}, {1, 2, 2.0}});
  EXPECT_TRUE(scan.is_directed());
  EXPECT_EQ(scan.edge_count(), 3u);
  EXPECT_EQ(scan.edge_lengths(Distance::euclid_3d), (std::vector<double>{1, 4, 2}));
  EXPECT_TRUE(scan.adjacent(0, 1) && scan.adjacent(1, 0) && scan.adjacent(1, 2));
  EXPECT_FALSE(scan.adjacent(2, 1));
  EXPECT_TRUE(scan.neighbours(2).empty());
  EXPECT_EQ(scan.isolated(), std::vector<Node>{3}) << "an edge leads to c";
  Distances distances(scan, Distance::euclid_3d);
  EXPECT_EQ(distances.edge(0, 1), 1.0);
  EXPECT_EQ(distances.edge(1, 0), 4.0);
  EXPECT_TRUE(std::isnan(distances.edge(2, 1)));
  EXPECT_EQ(distances.between(0, 2), 3.0);
  EXPECT_EQ(distances.between(2, 0), infinity);
  EXPECT_EQ(distances.path(0, 2), (std::vector<Node>{0, 1, 2}));
  EXPECT_TRUE(distances.path(2, 0).empty());
  EXPECT_EQ(Distances(scan, Distance::hops).between(0, 2), 2.0);
}

// Returns d[a][b] by the algorithm of Floyd and Warshall.
std::vector<std::vector<double>> all_distances(const Scan& scan, const Distances& distances) {
  const std::size_t n = scan.size();
  std::vector<std::vector<double>> d(n, std::vector<double>(n, infinity));
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

// Compares the rows of a random batch's scans with those of Floyd and Warshall. Returns how many
// pairs of nodes have a way in one direction only.
std::size_t compare_with_floyd_warshall(std::uint64_t seed) {
  const RandomBatch made(seed, 6, true);
  std::size_t one_way = 0;
  for (const Scan* scan : made.batch().scans) {
    for (const Distance kind : {Distance::euclid_3d, Distance::hops}) {
      Distances distances(*scan, kind), together(*scan, kind);
      const auto want = all_distances(*scan, distances);
      std::vector<Node> all;
      for (Node n = 0; n < scan->size(); ++n) all.push_back(n);
      together.make_rows_to(all);
      together.make_rows(all);
      for (const Node a : all) {
        EXPECT_TRUE(std::ranges::equal(together.row(a), distances.row(a)));
        EXPECT_TRUE(std::ranges::equal(together.row_to(a), distances.row_to(a)));
        for (const Node b : all) {
          const double from = distances.row(a)[b], to = distances.row_to(b)[a];
          one_way += std::isinf(want[a][b]) != std::isinf(want[b][a]);
          if (want[a][b] == infinity) {
            EXPECT_TRUE(from == infinity && to == infinity);
          } else {
            EXPECT_NEAR(from, want[a][b], 1e-12 * want[a][b]);
            EXPECT_NEAR(to, want[a][b], 1e-12 * want[a][b]);
          }
        }
      }
    }
  }
  return one_way;
}

TEST(DirectedDistances, EqualFloydWarshallFromAndTo) {
  compare_with_floyd_warshall(run_seed() + 1);
  EXPECT_GT(compare_with_floyd_warshall(1), 0u) << "of some seeds all scans are connected";
}

TEST(DirectedDistances, AreOneAndTheSameRowWhereEdgesLeadBothWays) {
  const RandomBatch made(run_seed() + 2, 1);
  Distances distances(*made.batch().scans[0], Distance::euclid_3d);
  EXPECT_EQ(distances.row_to(0).data(), distances.row(0).data());
  EXPECT_EQ(&distances.reversed_graph(), &distances.graph());
}

TEST(ReadyDistances, MayDifferByDirection) {
  const std::vector<double> metres{0, 1, 5, 2, 0, infinity, 3, 4, 0};
  const Scan scan("s", {"a", "b", "c"}, {}, {}, metres);
  EXPECT_TRUE(scan.is_directed());
  EXPECT_TRUE(scan.adjacent(2, 1));
  EXPECT_FALSE(scan.adjacent(1, 2));
  EXPECT_TRUE(scan.isolated().empty());
  Distances distances(scan, Distance::euclid_3d);
  EXPECT_TRUE(std::ranges::equal(distances.row(0), std::vector<double>{0, 1, 5}));
  EXPECT_TRUE(std::ranges::equal(distances.row_to(0), std::vector<double>{0, 2, 3}));
  EXPECT_EQ(distances.edge(2, 1), 4.0);
  EXPECT_TRUE(std::isnan(distances.edge(1, 2)));
  const Scan even("s", {"a", "b"}, {}, {}, std::vector<double>{0, 1, 1 + 1e-9, 0});
  EXPECT_FALSE(even.is_directed()) << "sums from either end differ in their last digits";
}

// Scores a pair by both back ends that run everywhere. They agree on the status.
Scores score(const Scan& scan, const std::vector<Node>& reference, const std::vector<Node>& query) {
  const PairBatch batch = checks::pair_of(scan, reference, query);
  const Scores scores = reference::score(batch, {}), on_cpu = cpu::score(batch, {});
  EXPECT_EQ(on_cpu.status, scores.status);
  for (const Metric m : {PL, NE, ONE, SP, GP, DTW, PC, AD, MD, SPL, nDTW, CLS}) {
    if (scores.status[0] == Status::unreachable) {
      EXPECT_TRUE(std::isnan(on_cpu.at(m, 0)) && std::isnan(scores.at(m, 0))) << info(m).name;
    } else {
      EXPECT_NEAR(on_cpu.at(m, 0), scores.at(m, 0), 1e-6) << info(m).name;
    }
  }
  return scores;
}

// d(b, a) = 2, d(b, b) = 0, d(c, a) = 1, d(c, b) = 2; turned around, they are 1, 0, 2 and 1.
TEST(DirectedScores, MeasureFromTheQueryToTheReference) {
  const Scan scan = circle();
  const Scores scores = score(scan, {0, 1}, {1, 2});
  const auto value = [&](Metric m) { return scores.at(m, 0); };
  EXPECT_EQ(value(DTW), 4.0);  // d(b, a) + d(b, b) + d(c, b); turned around, 2
  EXPECT_EQ(value(NE), 2.0);   // d(c, b)
  EXPECT_EQ(value(ONE), 0.0);  // d(b, b)
  EXPECT_EQ(value(SP), 0.0);   // d(b, b)
  EXPECT_EQ(value(PL), 1.0);   // d(b, c)
  EXPECT_EQ(value(PLR), 1.0);  // d(a, b)
  EXPECT_EQ(value(GP), -1.0);  // d(a, b) - d(c, b)
  EXPECT_EQ(value(AD), 0.5);   // (d(b, b) + d(c, a)) / 2
  EXPECT_EQ(value(MD), 1.0);   // d(c, a)
  EXPECT_NEAR(value(PC), (std::exp(-1.0 / 3.0) + 1.0) / 2.0, 1e-15);  // d(c, a), d(b, b)
}

TEST(DirectedScores, MeasureStepsAlongThePath) {
  const Scan scan = circle();
  EXPECT_EQ(score(scan, {0, 1, 2}, {2, 1, 0}).at(PL, 0), 4.0);
  EXPECT_EQ(score(scan, {2, 1, 0}, {0, 1, 2}).at(PLR, 0), 4.0);
  EXPECT_EQ(score(scan, {0, 2}, {0, 2}).at(SP, 0), 2.0);
}

TEST(DirectedScores, AreUnreachableWhereNoWayLeadsInTheirDirection) {
  const Scan scan = directed({"a", "b"}, {{0, 1, 1.0}});
  EXPECT_EQ(score(scan, {1}, {0}).at(NE, 0), 1.0);
  EXPECT_EQ(score(scan, {0}, {1}).status[0], Status::unreachable);
  EXPECT_EQ(score(scan, {0, 1}, {1, 0}).status[0], Status::unreachable) << "a step leads nowhere";
  EXPECT_EQ(score(scan, {1, 0}, {0, 0}).status[0], Status::unreachable);
  // d(b, a) is infinite, but no warping needs it.
  const Scores same = score(scan, {0, 1}, {0, 1});
  EXPECT_EQ(same.status[0], Status::ok);
  EXPECT_EQ(same.at(DTW, 0), 0.0);
  EXPECT_EQ(same.at(PC, 0), 1.0);
  EXPECT_EQ(same.at(CLS, 0), 1.0);
  EXPECT_EQ(same.at(MD, 0), 0.0);
}

}  // namespace
}  // namespace warpath::testing
