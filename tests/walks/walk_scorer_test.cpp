#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/checks/pairs.hpp"
#include "host/core/cpu/cpu_kernels.hpp"
#include "host/core/cpu/walks.hpp"
#include "warpath/random_walks.hpp"

namespace warpath::testing {
namespace {

using Range = std::pair<std::uint64_t, std::uint64_t>;  // first walk, number of walks

const StepCounts steps{{0, 1}, {1, 3}, {4, 5}, {7, 2}, {13, 4}};

// Holds references of 1 to 145 viewpoints on a scan of which some viewpoints are isolated. Walks
// start at others.
class ScoredWalks {
 public:
  explicit ScoredWalks(Scan scan) : scan_(std::move(scan)) {
    checks::Random random(5);
    // Long references go in strips.
    std::vector<std::size_t> sizes{37, 55, 72, 73, 145};
    for (std::size_t n = 1; n <= 23; ++n) sizes.push_back(n);
    for (const std::size_t n : sizes) {
      references_.elements.push_back(start(random));
      for (std::size_t i = 1; i < n; ++i) references_.elements.push_back(start(random));
      // No walk reaches some of the references.
      const std::vector<Node> isolated = scan_.isolated();
      if (n % 7 == 0 && !isolated.empty()) references_.elements.back() = isolated.front();
      references_.end_path();
      scan_of_.push_back(0);
    }
  }

  const std::vector<const Scan*>& scans() const { return scans_; }
  RandomWalks walks(WalkSample sample = WalkSample::cycle) const {
    return RandomWalks(scans_, references_, scan_of_, steps, 11, sample);
  }

 private:
  Node start(checks::Random& random) const {
    for (;;) {
      const auto node = static_cast<Node>(random.below(scan_.size()));
      if (!scan_.neighbours(node).empty()) return node;
    }
  }

  Scan scan_;
  std::vector<const Scan*> scans_{&scan_};
  PathSet references_;
  std::vector<std::uint32_t> scan_of_;
};

ScoredWalks real_like_world() {
  checks::Random random(2);
  return ScoredWalks(checks::random_scan(random, "house", 60));
}
ScoredWalks adversarial_world() {
  checks::Random random(3);
  return ScoredWalks(checks::adversarial_scan(random, "house", 90));
}

const MetricSet metric_sets[] = {MetricSet::of_paths(),    {Metric::DTW, Metric::nDTW},
                                 {Metric::PC, Metric::AD}, {Metric::NE, Metric::SR},
                                 {Metric::ED, Metric::PL}, {Metric::steps}};

BatchStatistics of_stored(const RandomWalks& walks, const Convention& convention,
                          const MetricSet& metrics, const Range& range,
                          Backend backend = Backend::cpu) {
  const Scorer scorer(walks.scans(), convention, {.backend = backend, .metrics = metrics});
  return scorer.statistics(walks.batch(range.first, range.second));
}

void expect_bits_of_stored(const ScoredWalks& world, const std::string& preset, WalkSample sample,
                           const Range& range) {
  const Convention& convention = find_preset(preset).convention;
  const RandomWalks walks = world.walks(sample);
  const walks::WalkTables tables(walks, convention);
  ASSERT_TRUE(tables.are_usable);
  for (const MetricSet& metrics : metric_sets) {
    const BatchStatistics expected = of_stored(walks, convention, metrics, range);
    EXPECT_EQ(expected.summary.items, range.second);
    for (const cpu::CpuKernels* kernels : cpu::usable_kernels()) {
      for (const int threads : {1, 2}) {
        const cpu::Options options{.metrics = metrics, .threads = threads, .kernels = kernels};
        EXPECT_EQ(cpu::statistics(walks, tables, convention, options, range.first, range.second),
                  expected)
            << preset << ' ' << kernels->name << ' ' << range.first;
      }
    }
  }
}

TEST(WalkScorer, GivesTheBitsOfStoredWalks) {
  const ScoredWalks world = real_like_world();
  for (const char* preset : {"paper", "r2r", "valan", "duet"}) {
    for (const WalkSample sample : {WalkSample::cycle, WalkSample::uniform}) {
      expect_bits_of_stored(world, preset, sample, {0, 5000});
    }
  }
}

TEST(WalkScorer, GivesTheBitsOfStoredWalksWhereViewpointsAreUnreachable) {
  const ScoredWalks world = adversarial_world();
  const RandomWalks walks = world.walks();
  const BatchStatistics all = of_stored(walks, {}, MetricSet::of_paths(), {0, 5000});
  const auto unreachable = all.summary.statuses[static_cast<std::size_t>(Status::unreachable)];
  EXPECT_GT(unreachable, 0u);
  EXPECT_LT(unreachable, 5000u);
  for (const char* preset : {"paper", "r2r"}) {
    expect_bits_of_stored(world, preset, WalkSample::cycle, {0, 5000});
  }
}

TEST(WalkScorer, GivesTheBitsOfStoredWalksForAnyRange) {
  const ScoredWalks world = real_like_world();
  for (const Range& range : {Range{7, 1}, Range{0xffffff00, 1000}, Range{22, 70'000}}) {
    for (const WalkSample sample : {WalkSample::cycle, WalkSample::uniform}) {
      expect_bits_of_stored(world, "paper", sample, range);
    }
  }
}

TEST(WalkScorer, GivesTheBitsOfStoredWalksUnderEveryKindOfSetting) {
  const ScoredWalks world = real_like_world();
  const RandomWalks walks = world.walks();
  for (const auto& [setting, value] : {std::pair<const char*, const char*>{"distance", "hops"},
                                       {"distance", "2d"},
                                       {"ndtw-norm", "sqrt-nodes"},
                                       {"ndtw-norm", "reference-length"},
                                       {"repeats", "collapse"},
                                       {"spl-length", "reference"},
                                       {"cls-zero", "undefined"},
                                       {"edit-norm", "product"}}) {
    Convention convention;
    for (const Setting& s : settings()) {
      if (s.name == setting) s.set(convention, value);
    }
    EXPECT_NE(convention, Convention{}) << setting;
    EXPECT_EQ(WalkScorer(walks, convention, {.backend = Backend::cpu}).statistics(0, 3000),
              of_stored(walks, convention, MetricSet::of_paths(), {0, 3000}))
        << setting << ' ' << value;
  }
}

// Words that have to be drawn again are frequent.
TEST(WalkScorer, GivesTheBitsOfStoredWalksWhoseNumberOfStepsIsDrawnAgain) {
  const ScoredWalks world = real_like_world();
  const RandomWalks plain = world.walks();
  const RandomWalks walks(plain.scans(), plain.references(), plain.scan_of(),
                          {{3, 1u << 30}, {6, 1u << 29}}, 8);
  EXPECT_EQ(WalkScorer(walks, {}, {.backend = Backend::cpu}).statistics(0, 3000),
            of_stored(walks, {}, MetricSet::of_paths(), {0, 3000}));
}

TEST(WalkScorer, TakesAStartWithoutNeighboursIfNoWalkMoves) {
  const std::vector<Edge> edges{{0, 1}};
  const Scan scan("house", {"a", "b", "alone"}, {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, edges);
  const std::vector<const Scan*> scans{&scan};
  PathSet references;
  for (const Node start : {0, 2}) {
    references.elements.push_back(start);
    references.end_path();
  }
  const std::vector<std::uint32_t> scan_of{0, 0};
  const RandomWalks walks(scans, references, scan_of, {{0, 5}, {3, 0}}, 1);
  const BatchStatistics statistics =
      WalkScorer(walks, {}, {.backend = Backend::cpu}).statistics(0, 100);
  EXPECT_EQ(statistics, of_stored(walks, {}, MetricSet::of_paths(), {0, 100}));
  EXPECT_EQ(*statistics.summary.of(Metric::PL).mean(), 0.0);
}

TEST(WalkScorer, MergesParts) {
  const ScoredWalks world = real_like_world();
  const RandomWalks walks = world.walks();
  const WalkScorer scorer(walks, Convention{}, {.backend = Backend::cpu});
  BatchStatistics merged = scorer.statistics(400, 9600);
  merged.merge(scorer.statistics(0, 1));
  merged.merge(scorer.statistics(1, 399));
  EXPECT_EQ(merged, scorer.statistics(0, 10'000));
  EXPECT_EQ(merged.precision, Precision::single_precision);
}

TEST(WalkScorer, StoresWalksForTheReferenceBackEnd) {
  const ScoredWalks world = adversarial_world();
  const RandomWalks walks = world.walks();
  const WalkScorer scorer(walks, Convention{}, {.backend = Backend::reference});
  EXPECT_EQ(scorer.backend().backend, Backend::reference);
  const Range range{3, 2000};
  EXPECT_EQ(scorer.statistics(range.first, range.second),
            of_stored(walks, {}, MetricSet::of_paths(), range, Backend::reference));
}

// Expects a scorer to store walks, and to give the same statistics.
void expect_stored(const RandomWalks& walks, const Convention& convention) {
  EXPECT_FALSE(walks::WalkTables(walks, convention).are_usable);
  const WalkScorer scorer(walks, convention, {.backend = Backend::cpu});
  const Range range{0, 70'000};  // more than are stored at a time
  EXPECT_EQ(scorer.statistics(range.first, range.second),
            of_stored(walks, convention, MetricSet::of_paths(), range));
}

TEST(WalkScorer, StoresWalksWhereClsTakesTheLengthsOfEdges) {
  const ScoredWalks world = real_like_world();
  expect_stored(world.walks(), find_preset("r4r").convention);
}

TEST(WalkScorer, StoresWalksOnDirectedScans) {
  checks::Random random(2);
  const Scan house = checks::random_scan(random, "house", 30);
  std::vector<std::string> names;
  std::vector<Edge> edges;  // those to later viewpoints are longer
  for (Node n = 0; n < house.size(); ++n) {
    names.push_back(house.viewpoint(n));
    for (const Node to : house.neighbours(n)) edges.push_back({n, to, n < to ? 2.5 : 1.25});
  }
  const ScoredWalks world(Scan("house", names, {}, edges, {}, true));
  expect_stored(world.walks(), find_preset("r2r").convention);
}

// Under hops an edge is as long as the shortest path between its ends.
TEST(WalkScorer, MakesWalksWhereClsTakesTheLengthsOfEdgesInHops) {
  const ScoredWalks world = adversarial_world();
  const RandomWalks paths = world.walks();
  PathSet references;
  std::vector<std::uint32_t> scan_of;
  for (std::uint64_t walk = 0; walk < 60; ++walk) {
    paths.append(walk, references.elements);
    references.end_path();
    scan_of.push_back(0);
  }
  const RandomWalks walks(world.scans(), references, scan_of, steps, 7);
  const Range range{0, 5000};
  for (const double threshold : {3.0, 1.0}) {
    Convention hops = find_preset("r4r-hops").convention;
    hops.threshold = threshold;
    const Convention swept = walks::swept_convention(walks, hops);
    EXPECT_EQ(swept.cls_step, ClsStep::shortest);
    EXPECT_TRUE(walks::WalkTables(walks, swept).are_usable);
    const WalkScorer scorer(walks, hops, {.backend = Backend::cpu});
    EXPECT_EQ(scorer.statistics(range.first, range.second),
              of_stored(walks, hops, MetricSet::of_paths(), range));
  }
}

TEST(WalkScorer, StoresWalksWhereHopsOfEdgesAreNotThoseOfTheTables) {
  const ScoredWalks world = adversarial_world();
  Convention hops = find_preset("r4r-hops").convention;
  // Steps of these references are no edges: their lengths are undefined.
  EXPECT_EQ(walks::swept_convention(world.walks(), hops).cls_step, ClsStep::edge);
  expect_stored(world.walks(), hops);
  // A distance of 1 is below this threshold, and the table's has to be, too.
  PathSet start;
  start.elements.push_back(world.walks().references().elements.front());
  start.end_path();
  const std::uint32_t scan = 0;
  const RandomWalks walks(world.scans(), start, {&scan, 1}, steps, 7);
  hops.threshold = 1.0 + 1e-12;
  EXPECT_EQ(walks::swept_convention(walks, hops).cls_step, ClsStep::edge);
  hops.threshold = 2.0;
  EXPECT_EQ(walks::swept_convention(walks, hops).cls_step, ClsStep::shortest);
  const Convention metres = find_preset("r4r").convention;
  EXPECT_EQ(walks::swept_convention(walks, metres).cls_step, ClsStep::edge);
}

TEST(WalkScorer, StoresWalksOfVeryManyNumbersOfSteps) {
  const ScoredWalks world = real_like_world();
  StepCounts many;
  for (std::uint32_t s = 0; s <= kernels::StepTable::max_kinds; ++s) many[s] = 1;
  const RandomWalks walks = world.walks();
  expect_stored(RandomWalks(walks.scans(), walks.references(), walks.scan_of(), many, 4), {});
}

TEST(WalkScorer, StoresWalksOnGraphsWithAHub) {
  // One viewpoint has so many neighbours that a table of all viewpoints' would be too large.
  std::vector<std::string> names;
  std::vector<std::array<double, 3>> positions;
  std::vector<Edge> edges;
  for (Node n = 0; n < 3000; ++n) {
    names.push_back("v" + std::to_string(n));
    positions.push_back({static_cast<double>(n % 60), static_cast<double>(n % 50), 0.0});
    if (n > 0) edges.push_back({0, n});
  }
  const ScoredWalks world(Scan("hub", names, positions, edges));
  expect_stored(world.walks(), {});
}

TEST(WalkScorer, TakesCpuUnlessThereIsADevice) {
  const ScoredWalks world = real_like_world();
  const RandomWalks walks = world.walks();
  const Backend chosen = WalkScorer(walks, Convention{}).backend().backend;
  EXPECT_TRUE(chosen == Backend::cpu || chosen == Backend::cuda);
  Convention beyond;
  beyond.threshold = 1e-13;
  const ResolvedBackend resolved = WalkScorer(walks, beyond).backend();
  EXPECT_EQ(resolved.backend, Backend::reference);
  EXPECT_FALSE(resolved.note.empty());
}

}  // namespace
}  // namespace warpath::testing
