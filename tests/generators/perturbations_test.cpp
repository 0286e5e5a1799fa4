// Tests perturbations with a checker that knows their rules and nothing of how they are drawn.

#include "warpath/perturbations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "host/checks/pairs.hpp"
#include "host/files/generators/resample_walk.hpp"
#include "tests/support/score_pair.hpp"
#include "warpath/error.hpp"

namespace warpath::testing {
namespace {

using Path = std::vector<Node>;

bool is_walk(const Scan& scan, const Path& path) {
  for (std::size_t i = 1; i < path.size(); ++i) {
    if (!scan.adjacent(path[i - 1], path[i])) return false;
  }
  return true;
}

// Tells whether a walk that begins with the first two viewpoints of a path is admissible.
bool keeps_first_two(const Path& walk, const Path& path) {
  if (walk.size() < 2 || path.size() < 2 || walk[0] != path[0] || walk[1] != path[1]) return false;
  const std::set<Node> of_path(path.begin(), path.end());
  return std::count_if(walk.begin() + 2, walk.end(),
                       [&](Node n) { return of_path.count(n) > 0; }) >= 2;
}

bool is_resampled(const Scan& scan, const Path& walk, const Path& path) {
  const std::set<Node> distinct(walk.begin(), walk.end());
  const bool has_size = walk.size() + 1 >= path.size() && walk.size() <= path.size() + 1;
  const Path back_walk(walk.rbegin(), walk.rend()), back_path(path.rbegin(), path.rend());
  return has_size && walk != path && is_walk(scan, walk) && distinct.size() == walk.size() &&
         (keeps_first_two(walk, path) || keeps_first_two(back_walk, back_path));
}

// Computes the probability of every admissible walk as an attempt, given that it is one: the first
// or last two viewpoints, one of three numbers of steps, each step to any viewpoint not visited.
class AttemptLaw {
 public:
  /// @param max_walks ends the search, so that 1 asks whether there is a walk
  AttemptLaw(const Scan& scan, const Path& path,
             std::size_t max_walks = std::numeric_limits<std::size_t>::max())
      : scan_(scan), path_(path), max_walks_(max_walks) {
    for (const bool is_back : {false, true}) {
      Path begin = path;
      if (is_back) std::ranges::reverse(begin);
      if (path.size() < 2 || begin[0] == begin[1] || !scan.adjacent(begin[0], begin[1])) continue;
      begin.resize(2);
      for (std::size_t size = path.size() - 1; size <= path.size() + 1; ++size) {
        if (size >= 2) go_on(begin, size, is_back, 1.0);
      }
    }
    double total = 0.0;
    for (const auto& [walk, probability] : law) total += probability;
    for (auto& [walk, probability] : law) probability /= total;
  }

  std::map<Path, double> law;

 private:
  void go_on(const Path& walk, std::size_t size, bool is_back, double probability) {
    if (law.size() >= max_walks_) return;
    if (walk.size() == size) {
      Path whole = walk;
      Path from = path_;
      if (is_back) std::ranges::reverse(from);
      if (!keeps_first_two(walk, from)) return;
      if (is_back) std::ranges::reverse(whole);
      if (is_resampled(scan_, whole, path_)) law[whole] += probability;
      return;
    }
    Path choices;
    for (const Node n : scan_.neighbours(walk.back())) {
      if (std::ranges::find(walk, n) == walk.end()) choices.push_back(n);
    }
    for (const Node n : choices) {
      Path longer = walk;
      longer.push_back(n);
      go_on(longer, size, is_back, probability / static_cast<double>(choices.size()));
    }
  }

  const Scan& scan_;
  const Path path_;
  const std::size_t max_walks_;
};

// Tests that draws have the law: χ² below its 0.999 quantile, approximately by Wilson and Hilferty.
template <class Draw>
void expect_law(const std::map<Path, double>& law, int draws, Draw draw) {
  std::map<Path, int> counts;
  for (int k = 0; k < draws; ++k) ++counts[draw(k)];
  double chi2 = 0.0;
  for (const auto& [walk, count] : counts) ASSERT_TRUE(law.count(walk));
  for (const auto& [walk, probability] : law) {
    const double expected = probability * draws;
    ASSERT_GT(expected, 5.0);
    chi2 += (counts[walk] - expected) * (counts[walk] - expected) / expected;
  }
  const double freedom = static_cast<double>(law.size()) - 1.0;
  const double third = 1.0 - 2.0 / (9.0 * freedom) + 3.09 * std::sqrt(2.0 / (9.0 * freedom));
  EXPECT_LT(chi2, freedom * third * third * third);
}

// Makes a walk that may visit a viewpoint again.
Path random_path(checks::Random& random, const Scan& scan, std::size_t size) {
  return checks::walk(random, scan, static_cast<Node>(random.below(scan.size())), size);
}

// Calls a function with paths of random scans.
template <class Test>
void for_random_paths(int scans, Test test) {
  checks::Random random(5);
  for (int s = 0; s < scans; ++s) {
    const Scan scan = checks::random_scan(random, "s", 3 + random.below(40));
    for (int p = 0; p < 10; ++p) test(scan, random_path(random, scan, 1 + random.below(7)));
  }
}

TEST(RandomWalkPerturbation, KeepsItsRulesAndFindsAWalkWhereThereIsOne) {
  int with = 0, without = 0;
  for_random_paths(40, [&](const Scan& scan, const Path& path) {
    const bool exists = !AttemptLaw(scan, path, 1).law.empty();
    const auto walk = perturb(scan, path, Perturbation::random_walk, 3, with + without);
    ASSERT_EQ(walk.has_value(), exists);
    ++(exists ? with : without);
    if (!walk) return;
    EXPECT_TRUE(is_resampled(scan, walk->nodes, path));
    EXPECT_FALSE(walk->is_broken);
  });
  EXPECT_GT(with, 100);
  EXPECT_GT(without, 100);
}

TEST(RandomWalkPerturbation, HasTheLawOfAttempts) {
  const Grid grid(4, 3);
  const Path path = grid.path({{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2}});
  const AttemptLaw expected(grid.scan, path);
  ASSERT_GT(expected.law.size(), 8u);
  expect_law(expected.law, 20'000, [&](int k) {
    return perturb(grid.scan, path, Perturbation::random_walk, 11, k)->nodes;
  });
}

TEST(RandomWalkPerturbation, HasTheSameLawIfAllWalksAreLookedAt) {
  const Grid grid(4, 3);
  for (const Path& path : {grid.path({{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2}}),
                           grid.path({{0, 0}, {0, 1}, {1, 1}, {1, 0}, {0, 0}, {0, 1}})}) {
    const AttemptLaw expected(grid.scan, path);
    ASSERT_GT(expected.law.size(), 3u);
    expect_law(expected.law, 20'000, [&](int k) {
      generators::ItemWords words(12, k, generators::Draws::random_walk);
      return *generators::WalkResampler(grid.scan, path).choose(words);
    });
  }
}

TEST(RandomWalkPerturbation, IsFoundAmongWalksThatAttemptsHardlyTake) {
  // A path 0 - 1 - 2 - 3 - 4 whose inner viewpoints have 200 dead ends each, and 5 as another way
  // from 2 to 3: one attempt in 200,000 stays on them.
  std::vector<std::array<double, 3>> points(6);
  std::vector<Edge> edges{{0, 1, {}}, {1, 2, {}}, {2, 3, {}}, {3, 4, {}}, {2, 5, {}}, {5, 3, {}}};
  for (Node n = 0; n < 200; ++n) {
    for (const Node from : {Node{1}, Node{2}, Node{3}, Node{5}}) {
      points.push_back({});
      edges.push_back({from, static_cast<Node>(points.size() - 1), {}});
    }
  }
  const Scan scan = make_scan(points, edges);
  const Path path{0, 1, 2, 3, 4};
  const AttemptLaw expected(scan, path);
  ASSERT_FALSE(expected.law.empty());
  for (int item = 0; item < 20; ++item) {
    const auto walk = perturb(scan, path, Perturbation::random_walk, 1, item);
    ASSERT_TRUE(walk);
    EXPECT_TRUE(expected.law.count(walk->nodes));
  }
}

TEST(RandomWalkPerturbation, LooksAtLongWalksWithoutDeepCalls) {
  constexpr Node size = 200'000;
  std::vector<Edge> edges;
  Path path{0};
  for (Node n = 1; n < size; ++n) {
    edges.push_back({n - 1, n, {}});
    path.push_back(n);
  }
  const Scan scan = make_scan(std::vector<std::array<double, 3>>(size), edges);
  generators::ItemWords words(1, 0, generators::Draws::random_walk);
  const auto walk = generators::WalkResampler(scan, path).choose(words);
  ASSERT_TRUE(walk);
  EXPECT_TRUE(is_resampled(scan, *walk, path));
}

// Adds a room of `size` viewpoints, each joined with all others and with `door`.
void add_room(std::vector<Edge>& edges, Node& viewpoints, Node size, Node door) {
  const Node first = viewpoints;
  viewpoints += size;
  for (Node n = first; n < viewpoints; ++n) {
    edges.push_back({door, n, {}});
    for (Node other = first; other < n; ++other) edges.push_back({other, n, {}});
  }
}

// Draws among all walks of a path whose first two viewpoints lead to no admissible one, while the
// walks that would have to be looked at to see so are more than any limit. There are some that keep
// the last two.
void expect_walk_from_the_end(const Path& path, std::span<const Edge> edges, Node viewpoints) {
  const Scan scan = make_scan(std::vector<std::array<double, 3>>(viewpoints),
                              std::vector<Edge>(edges.begin(), edges.end()));
  generators::ItemWords words(1, 0, generators::Draws::random_walk);
  const auto walk = generators::WalkResampler(scan, path).choose(words);
  ASSERT_TRUE(walk);
  EXPECT_TRUE(is_resampled(scan, *walk, path));
  EXPECT_TRUE(std::equal(path.end() - 2, path.end(), walk->end() - 2));
}

TEST(RandomWalkPerturbation, IsNotSearchedForWhereTooFewViewpointsCanBeShared) {
  // A corridor 0 - 2 - 3 - 4 with 1 beside 0, which is the door of a room of which 5 is on the
  // path: a walk that begins with 0 and 1 shares 5 at most.
  std::vector<Edge> edges{{0, 1, {}}, {0, 2, {}}, {2, 3, {}}, {3, 4, {}}};
  Node viewpoints = 5;
  add_room(edges, viewpoints, 30, 1);
  expect_walk_from_the_end({0, 1, 5, 1, 0, 2, 3, 4}, edges, viewpoints);
}

TEST(RandomWalkPerturbation, IsNotSearchedForWhereWalksCannotGetLongEnough) {
  // The same with a longer corridor, and two viewpoints of a smaller room on the path: a walk that
  // begins with 0 and 1 has 22 viewpoints at most, and would need 34.
  std::vector<Edge> edges{{0, 1, {}}, {0, 2, {}}};
  Path path{0, 1, 31, 32, 1, 0, 2};
  Node viewpoints = 3;
  for (; viewpoints <= 30; ++viewpoints) {
    edges.push_back({viewpoints - 1, viewpoints, {}});
    path.push_back(viewpoints);
  }
  add_room(edges, viewpoints, 20, 1);
  expect_walk_from_the_end(path, edges, viewpoints);
}

TEST(RandomWalkPerturbation, IsNotSearchedForWhereSharedViewpointsLieTooFar) {
  // As the first, with another way from the room to 2, of 12 steps; a walk takes 8.
  std::vector<Edge> edges{{0, 1, {}}, {0, 2, {}}, {2, 3, {}}, {3, 4, {}}};
  Node viewpoints = 5;
  add_room(edges, viewpoints, 30, 1);
  Node last = 5;
  for (int step = 1; step < 12; ++step) {
    edges.push_back({last, viewpoints, {}});
    last = viewpoints++;
  }
  edges.push_back({last, 2, {}});
  expect_walk_from_the_end({0, 1, 5, 1, 0, 2, 3, 4}, edges, viewpoints);
}

TEST(Reversal, WalksBack) {
  const Grid grid(3, 1);
  const auto back = perturb(grid.scan, Path{0, 1, 2}, Perturbation::reversal, 1, 0);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->nodes, (Path{2, 1, 0}));
  EXPECT_FALSE(back->is_broken);
  EXPECT_FALSE(perturb(grid.scan, Path{1}, Perturbation::reversal, 1, 0));
  EXPECT_FALSE(perturb(grid.scan, Path{0, 1, 0}, Perturbation::reversal, 1, 0));
}

TEST(Perturbations, RefuseDirectedScans) {
  const Scan scan("street", {"a", "b"}, {}, std::vector<Edge>{{0, 1, 1.0}}, {}, true);
  EXPECT_THROW(perturb(scan, Path{0, 1}, Perturbation::reversal, 1, 0), InputError);
}

// Returns the position at which two paths of equal size differ; the size if it is not just one.
std::size_t swapped_position(const Path& swapped, const Path& path) {
  std::vector<std::size_t> differing;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (swapped.at(i) != path[i]) differing.push_back(i);
  }
  return differing.size() == 1 ? differing.front() : path.size();
}

// Returns all paths that differ in one viewpoint, not on the path, of which every step, or exactly
// one step beside an inner viewpoint, is an edge.
std::vector<Path> swaps(const Scan& scan, const Path& path, bool is_broken) {
  std::vector<Path> all;
  for (std::size_t i = 0; i < path.size(); ++i) {
    for (Node n = 0; n < scan.size(); ++n) {
      if (std::ranges::find(path, n) != path.end()) continue;
      const int sides = (i > 0) + (i + 1 < path.size());
      const int edges = (i > 0 && scan.adjacent(path[i - 1], n)) +
                        (i + 1 < path.size() && scan.adjacent(n, path[i + 1]));
      Path swapped = path;
      swapped[i] = n;
      if (is_broken ? sides == 2 && edges == 1 : sides > 0 && edges == sides)
        all.push_back(swapped);
    }
  }
  return all;
}

TEST(ViewpointSwap, KeepsItsRules) {
  int whole = 0, broken = 0, without = 0;
  for_random_paths(150, [&](const Scan& scan, const Path& path) {
    const auto swap = perturb(scan, path, Perturbation::viewpoint_swap, 9, whole + broken);
    const std::vector<Path> wholes = swaps(scan, path, false), brokens = swaps(scan, path, true);
    ASSERT_EQ(swap.has_value(), !wholes.empty() || !brokens.empty());
    if (!swap) return void(++without);
    EXPECT_EQ(swap->is_broken, wholes.empty());
    const std::vector<Path>& allowed = wholes.empty() ? brokens : wholes;
    EXPECT_NE(std::ranges::find(allowed, swap->nodes), allowed.end());
    ++(swap->is_broken ? broken : whole);
  });
  EXPECT_GT(whole, 100);
  EXPECT_GT(broken, 10);
  EXPECT_GT(without, 10);
}

TEST(ViewpointSwap, DrawsPositionsEvenlyThenReplacements) {
  // 0 - 1 - 2, where 3 is another way from 0 to 2, and 4, 5, 6 are further neighbours of 1.
  const Scan scan = make_scan(
      std::vector<std::array<double, 3>>(7),
      {{0, 1, {}}, {1, 2, {}}, {0, 3, {}}, {3, 2, {}}, {1, 4, {}}, {1, 5, {}}, {1, 6, {}}});
  const Path path{0, 1, 2};
  std::map<Path, double> law{{{0, 3, 2}, 1.0 / 3.0}};
  for (const Node n : {Node{4}, Node{5}, Node{6}}) {
    law[{n, 1, 2}] = law[{0, 1, n}] = 1.0 / 9.0;
  }
  expect_law(law, 9'000,
             [&](int k) { return perturb(scan, path, Perturbation::viewpoint_swap, 2, k)->nodes; });
}

TEST(ViewpointSwap, BreaksAStepOnlyWhereItMust) {
  // A corridor 0 - 1 - 2 - 3 with 4 beside 0: the ends have no other neighbour than the path's.
  const Scan scan = make_scan(std::vector<std::array<double, 3>>(5),
                              {{0, 1, {}}, {1, 2, {}}, {2, 3, {}}, {0, 4, {}}});
  const auto swap = perturb(scan, Path{0, 1, 2, 3}, Perturbation::viewpoint_swap, 1, 0);
  ASSERT_TRUE(swap);
  EXPECT_TRUE(swap->is_broken);
  EXPECT_EQ(swap->nodes, (Path{0, 4, 2, 3}));
  EXPECT_EQ(swapped_position(swap->nodes, {0, 1, 2, 3}), 1u);
}

TEST(Perturbations, AreNotFoundOnACorridorThatHoldsNothingElse) {
  const Grid corridor(4, 1);
  const Path path{0, 1, 2, 3};
  EXPECT_FALSE(perturb(corridor.scan, path, Perturbation::random_walk, 1, 0));
  EXPECT_FALSE(perturb(corridor.scan, path, Perturbation::viewpoint_swap, 1, 0));
  for (const Perturbation kind : {Perturbation::random_walk, Perturbation::viewpoint_swap}) {
    EXPECT_FALSE(perturb(Grid(1, 1).scan, Path{0}, kind, 1, 0));
    EXPECT_FALSE(perturb(Grid(1, 1).scan, Path{0, 0}, kind, 1, 0));
  }
}

TEST(Perturbations, DependOnSeedAndItem) {
  const Grid grid(6, 6);
  const Path path = grid.path({{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2}, {3, 2}});
  for (const Perturbation kind : {Perturbation::random_walk, Perturbation::viewpoint_swap}) {
    std::set<Path> by_item, by_seed;
    for (std::uint64_t k = 0; k < 20; ++k) {
      by_item.insert(perturb(grid.scan, path, kind, 1, k)->nodes);
      by_seed.insert(perturb(grid.scan, path, kind, k, 1)->nodes);
      EXPECT_EQ(perturb(grid.scan, path, kind, k, 1)->nodes,
                perturb(grid.scan, path, kind, k, 1)->nodes);
    }
    EXPECT_GE(by_item.size(), 4u);
    EXPECT_GE(by_seed.size(), 4u);
  }
}

}  // namespace
}  // namespace warpath::testing
