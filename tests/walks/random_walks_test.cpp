#include "warpath/random_walks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kernels/philox.hpp"
#include "tests/support/errors.hpp"
#include "warpath/error.hpp"

namespace warpath::testing {
namespace {

using ::testing::IsSubstring;
using Words = std::array<std::uint32_t, 4>;

// Returns a scan in which viewpoint 0 has as many neighbours as there are others, and each of these
// is joined with the next one.
Scan wheel(std::size_t viewpoints) {
  std::vector<std::string> names;
  std::vector<std::array<double, 3>> positions;
  std::vector<Edge> edges;
  for (std::size_t n = 0; n < viewpoints; ++n) {
    names.push_back("v" + std::to_string(n));
    positions.push_back({static_cast<double>(n), static_cast<double>(n * n % 7), 0.0});
    if (n > 0) edges.push_back({0, static_cast<Node>(n)});
    if (n > 1) edges.push_back({static_cast<Node>(n - 1), static_cast<Node>(n)});
  }
  return Scan("wheel", names, positions, edges);
}

// Holds a scan and references of two viewpoints that begin at the given ones.
struct World {
  Scan scan;
  std::vector<const Scan*> scans{&scan};
  PathSet references;
  std::vector<std::uint32_t> scan_of;

  World(Scan graph, const std::vector<Node>& starts) : scan(std::move(graph)) {
    for (const Node start : starts) {
      references.elements.push_back(start);
      references.elements.push_back(scan.neighbours(start).empty() ? start
                                                                   : scan.neighbours(start)[0]);
      references.end_path();
      scan_of.push_back(0);
    }
  }
  RandomWalks walks(const StepCounts& steps, std::uint64_t seed = 1,
                    WalkSample sample = WalkSample::cycle) const {
    return RandomWalks(scans, references, scan_of, steps, seed, sample);
  }
};

// Transcribes the definition of a walk at the top of kernels/walks/walk.hpp.
class Transcription {
 public:
  Transcription(std::uint64_t seed, std::uint64_t walk) : seed_(seed), walk_(walk) {}

  std::uint32_t choose(std::uint32_t j, std::uint32_t count) const {
    std::uint64_t product = std::uint64_t{words(j / 4, 0)[j % 4]} * count;
    for (std::uint32_t attempt = 1; product % range < range % count; ++attempt) {
      product = std::uint64_t{words(j, attempt)[0]} * count;
    }
    return static_cast<std::uint32_t>(product / range);
  }

 private:
  static constexpr std::uint64_t range = std::uint64_t{1} << 32;

  Words words(std::uint32_t block, std::uint32_t attempt) const {
    return kernels::philox(
        {static_cast<std::uint32_t>(walk_ % range), static_cast<std::uint32_t>(walk_ / range),
         block, attempt},
        {static_cast<std::uint32_t>(seed_ % range), static_cast<std::uint32_t>(seed_ / range)});
  }

  std::uint64_t seed_, walk_;
};

std::vector<Node> walk_of(const RandomWalks& walks, std::uint64_t walk) {
  std::vector<Node> nodes;
  walks.append(walk, nodes);
  return nodes;
}

// Returns Σ (count − expected)² / expected.
double chi_square(const std::vector<std::uint64_t>& counts, const std::vector<double>& expected) {
  double sum = 0.0;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const double off = static_cast<double>(counts[k]) - expected[k];
    sum += off * off / expected[k];
  }
  return sum;
}

TEST(RandomWalks, FollowTheirWrittenDefinition) {
  const World world(wheel(9), {0, 3, 5});
  const StepCounts steps{{2, 3}, {5, 1}, {11, 7}};
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{0x123456789abcdef}}) {
    const RandomWalks walks = world.walks(steps, seed);
    for (const std::uint64_t walk : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2},
                                     std::uint64_t{77}, (std::uint64_t{5} << 32) + 9}) {
      const Transcription words(seed, walk);
      const std::uint32_t choice = words.choose(0, 11);
      const std::uint32_t length = choice < 3 ? 2 : choice < 4 ? 5 : 11;
      std::vector<Node> expected{world.references[walk % 3][0]};
      for (std::uint32_t s = 1; s <= length; ++s) {
        const auto neighbours = world.scan.neighbours(expected.back());
        const auto count = static_cast<std::uint32_t>(neighbours.size());
        expected.push_back(neighbours[words.choose(s, count)]);
      }
      EXPECT_EQ(walk_of(walks, walk), expected) << seed << " " << walk;
      EXPECT_EQ(walks.reference(walk), walk % 3);
    }
  }
}

// A quarter of all words has to be drawn again: 2^32 mod 3 · 2^29 is 2^30.
TEST(RandomWalks, DrawAgainWhatAWordDoesNotDecide) {
  const World world(wheel(9), {0});
  const RandomWalks walks = world.walks({{1, 1u << 30}, {2, 1u << 29}}, 7);
  for (std::uint64_t k = 0; k < 1000; ++k) {
    const bool is_short = Transcription(7, k).choose(0, 3u << 29) < 1u << 30;
    EXPECT_EQ(walk_of(walks, k).size(), is_short ? 2u : 3u) << k;
  }
}

// A later version must not change these.
TEST(RandomWalks, AreTheSameForEver) {
  const World world(wheel(9), {0, 3, 5});
  const RandomWalks walks = world.walks({{4, 1}, {6, 2}}, 42);
  EXPECT_EQ(walk_of(walks, 0), (std::vector<Node>{0, 4, 0, 3, 0, 2, 0}));
  EXPECT_EQ(walk_of(walks, 1), (std::vector<Node>{3, 0, 5, 4, 0, 8, 0}));
  EXPECT_EQ(walk_of(walks, 1'000'000'000'001), (std::vector<Node>{5, 6, 5, 4, 5}));
}

TEST(RandomWalks, StayOnEdgesAndBeginAtTheirReference) {
  const World world(wheel(30), {0, 1, 2, 29, 4});
  const RandomWalks walks = world.walks({{0, 1}, {3, 1}, {17, 1}});
  for (std::uint64_t k = 0; k < 3000; ++k) {
    const std::vector<Node> nodes = walk_of(walks, k);
    EXPECT_EQ(nodes.front(), world.references[k % 5][0]);
    EXPECT_TRUE(nodes.size() == 1 || nodes.size() == 4 || nodes.size() == 18);
    for (std::size_t s = 1; s < nodes.size(); ++s) {
      EXPECT_TRUE(world.scan.adjacent(nodes[s - 1], nodes[s]));
    }
  }
}

TEST(RandomWalks, ChooseNeighboursUniformly) {
  // One in 10,000 exceeds these, which depend on the degrees of freedom.
  const std::map<std::size_t, double> max_chi_square{{2, 15.1}, {3, 18.4}, {7, 27.9}, {13, 39.1}};
  for (const auto& [neighbours, max] : max_chi_square) {
    const World world(wheel(neighbours + 1), {0});
    const RandomWalks walks = world.walks({{1, 1}}, 9);
    std::vector<std::uint64_t> counts(neighbours);
    constexpr std::uint64_t draws = 100'000;
    for (std::uint64_t k = 0; k < draws; ++k) ++counts[walk_of(walks, k)[1] - 1];
    const double expected = static_cast<double>(draws) / static_cast<double>(neighbours);
    EXPECT_LT(chi_square(counts, std::vector<double>(neighbours, expected)), max) << neighbours;
  }
}

TEST(RandomWalks, TakeAsManyStepsAsTheCountsSay) {
  const World world(wheel(5), {0, 1});
  const StepCounts steps{{1, 10}, {2, 0}, {5, 60}, {9, 30}};
  const RandomWalks walks = world.walks(steps);
  constexpr std::uint64_t draws = 100'000;
  std::vector<std::uint64_t> counts(10);
  for (std::uint64_t k = 0; k < draws; ++k) ++counts[walk_of(walks, k).size() - 1];
  EXPECT_EQ(counts[1] + counts[5] + counts[9], draws);
  // Of 2 degrees of freedom, 1 in 10,000 exceeds 18.4.
  EXPECT_LT(chi_square({counts[1], counts[5], counts[9]}, {10'000, 60'000, 30'000}), 18.4);
}

TEST(RandomWalks, DrawTheirReferenceUniformlyIfAsked) {
  const World world(wheel(8), {0, 1, 2, 3, 4, 5, 6});
  const RandomWalks walks = world.walks({{2, 1}}, 3, WalkSample::uniform);
  std::vector<std::uint64_t> counts(7);
  constexpr std::uint64_t draws = 70'000;
  for (std::uint64_t k = 0; k < draws; ++k) {
    const std::uint32_t reference = walks.reference(k);
    ++counts[reference];
    EXPECT_EQ(walk_of(walks, k).front(), reference);
  }
  // Of 6 degrees of freedom, 1 in 10,000 exceeds 27.9.
  EXPECT_LT(chi_square(counts, std::vector<double>(7, 10'000)), 27.9);
}

TEST(RandomWalks, DifferBySeed) {
  const World world(wheel(20), {0});
  std::set<std::vector<Node>> different;
  for (const std::uint64_t seed : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1} << 32}) {
    different.insert(walk_of(world.walks({{12, 1}}, seed), 0));
  }
  EXPECT_EQ(different.size(), 3u);
}

TEST(RandomWalks, MakeABatchOfTheirWalks) {
  const World world(wheel(6), {0, 4});
  const RandomWalks walks = world.walks({{3, 1}});
  const PairBatch batch = walks.batch(5, 4);
  ASSERT_EQ(batch.pairs.size(), 4u);
  for (std::uint32_t k = 0; k < 4; ++k) {
    EXPECT_EQ(batch.pairs[k].reference, (5 + k) % 2);
    const auto query = batch.queries[batch.pairs[k].query];
    EXPECT_EQ(std::vector<Node>(query.begin(), query.end()), walk_of(walks, 5 + k));
  }
}

TEST(RandomWalks, RefuseWhatGivesNoWalk) {
  const World world(wheel(4), {0, 1});
  EXPECT_PRED_FORMAT2(IsSubstring, "numbers of steps: there is none",
                      error_of_call([&] { world.walks({}); }));
  EXPECT_PRED_FORMAT2(IsSubstring, "there is none", error_of_call([&] { world.walks({{3, 0}}); }));
  EXPECT_PRED_FORMAT2(IsSubstring, "one is 65535", error_of_call([&] {
                        world.walks({{65'535, 1}});
                      }));
  EXPECT_PRED_FORMAT2(IsSubstring, "more than 2147483647", error_of_call([&] {
                        world.walks({{1, 1u << 31}});
                      }));
  EXPECT_PRED_FORMAT2(IsSubstring, "more than", error_of_call([&] {
                        world.walks({{1, ~std::uint64_t{0}}, {2, 5}});
                      }));
  const std::vector<std::uint32_t> one_scan{0};
  EXPECT_PRED_FORMAT2(IsSubstring, "scan_of: has 1 elements for 2 references", error_of_call([&] {
                        RandomWalks(world.scans, world.references, one_scan, {{1, 1}}, 1);
                      }));
  EXPECT_PRED_FORMAT2(IsSubstring, "references: there is none", error_of_call([&] {
                        RandomWalks(world.scans, PathSet{}, {}, {{1, 1}}, 1);
                      }));
  const std::vector<std::uint32_t> far_scan{0, 1};
  EXPECT_PRED_FORMAT2(IsSubstring, "reference 1: scan: is 1 of 1 scans", error_of_call([&] {
                        RandomWalks(world.scans, world.references, far_scan, {{1, 1}}, 1);
                      }));
  PathSet beyond;
  beyond.elements = {0, 9};
  beyond.end_path();
  EXPECT_PRED_FORMAT2(IsSubstring, "has viewpoint 9, but scan wheel has 4 viewpoints",
                      error_of_call([&] {
                        RandomWalks(world.scans, beyond, one_scan, {{1, 1}}, 1);
                      }));
}

TEST(RandomWalks, RefuseAStartWithoutNeighboursUnlessNoWalkMoves) {
  const std::vector<Edge> edges{{0, 1}};
  const World world(Scan("house", {"a", "b", "alone"}, {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, edges),
                    {0, 2});
  EXPECT_PRED_FORMAT2(IsSubstring,
                      "reference 1: begins at alone, which has no neighbour in scan house",
                      error_of_call([&] {
                        world.walks({{0, 1}, {2, 1}});
                      }));
  EXPECT_EQ(walk_of(world.walks({{0, 1}, {2, 0}}), 1), (std::vector<Node>{2}));
}

TEST(RandomWalks, FollowTheEdgesOfADirectedScan) {
  const std::vector<Edge> circle{{0, 1, 1.0}, {1, 2, 1.0}, {2, 0, 1.0}};
  const World world(Scan("circle", {"a", "b", "c"}, {}, circle, {}, true), {1});
  EXPECT_EQ(walk_of(world.walks({{4, 1}}), 0), (std::vector<Node>{1, 2, 0, 1, 2}));
  const std::vector<Edge> dead_end{{0, 1, 1.0}, {1, 2, 1.0}, {1, 0, 1.0}};
  const World other(Scan("lane", {"a", "b", "c"}, {}, dead_end, {}, true), {0});
  EXPECT_PRED_FORMAT2(IsSubstring, "begins in scan lane, where edges lead to c, but none leads on",
                      error_of_call([&] {
                        other.walks({{4, 1}});
                      }));
}

}  // namespace
}  // namespace warpath::testing
