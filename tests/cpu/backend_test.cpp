// Tests the whole CPU back end: equal bits however it is run, equal to those of plain loops, and
// the reference's numbers within tolerance.

#include "host/core/cpu/backend.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <limits>
#include <numeric>
#include <optional>

#include "host/checks/compare.hpp"
#include "host/checks/order.hpp"
#include "host/core/batch/distance_tables.hpp"
#include "host/core/cpu/cpu_kernels.hpp"
#include "host/core/reference/reference.hpp"
#include "tests/support/pair_cases.hpp"
#include "tests/support/score_pair.hpp"
#include "warpath/error.hpp"

namespace warpath::testing {
namespace {

using enum Metric;

struct Run {
  std::size_t window;
  int threads;
  bool shuffled;
};
constexpr Run runs[] = {
    {8192, 1, false}, {7, 1, false}, {1, 2, true}, {100, 4, true}, {8192, 2, true}};

void expect_same_bits_however_run(const PairBatch& batch, const Convention& convention,
                                  std::mt19937_64& random) {
  const Scores want = score_plainly(batch, convention);
  checks::Random choices(random());
  for (const cpu::CpuKernels* isa : cpu::usable_kernels()) {
    for (const Run& run : runs) {
      checks::Order order = checks::random_order(choices, batch.pairs.size());
      if (!run.shuffled) std::ranges::sort(order);
      const Scores got = cpu::score(checks::reordered(batch, order), convention,
                                    {.window = run.window, .threads = run.threads, .kernels = isa});
      expect_same_scores(
          checks::in_order(got, order), want,
          convention.preset + " " + isa->name + " window " + std::to_string(run.window));
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(CpuBackend, EqualsThePlainLoopsHoweverItIsRun) {
  const auto all = conventions();
  const std::size_t share = run_pairs() / all.size(), piece = 5000;
  std::mt19937_64 random(run_seed() + 10);
  for (const Convention& convention : all) {
    for (std::size_t done = 0; done < share && !HasFailure(); done += piece) {
      const std::size_t pairs = std::min(piece, share - done);
      RandomBatch made(random());
      made.add_pairs(pairs / 2, 30, 40);
      made.add_pairs(pairs / 4, 20, 30, 50);
      made.add_pairs(pairs / 5, 70, 10);
      made.add_pairs(pairs / 20, 100, 100);
      expect_same_bits_however_run(made.batch(), convention, random);
    }
  }
}

TEST(CpuBackend, EqualsThePlainLoopsOnDirectedScans) {
  std::mt19937_64 random(run_seed() + 15);
  for (const Convention& convention : conventions()) {
    RandomBatch made(random(), 5, true);
    made.add_every_kind();
    expect_same_bits_however_run(made.batch(), convention, random);
    if (HasFailure()) return;
  }
}

// Sets an environment variable during its lifetime.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value, 1);
  }
  ~ScopedVariable() {
    if (before_) {
      setenv(name_, before_->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(CpuBackend, UsesTheInstructionSetThatTheEnvironmentNames) {
  const ScopedVariable named("WARPATH_ISA", "portable");
  EXPECT_STREQ(cpu::chosen_kernels().name, "portable");
}

TEST(CpuBackend, RefusesAnInstructionSetThatThisCpuLacks) {
  const ScopedVariable named("WARPATH_ISA", "mmx");
  EXPECT_THROW(cpu::chosen_kernels(), UsageError);
}

TEST(CpuBackend, ScoresLongPairsTheSameBesideAnyOthers) {
  std::mt19937_64 random(run_seed() + 11);
  for (const Convention& convention : conventions()) {
    RandomBatch made(random());
    made.add_pairs(12, 400, 300);  // window 1: each pair is scored alone by all lanes
    made.add_pairs(12, 5, 300);
    made.add_pairs(12, 300, 5);
    made.add_pairs(12, 70, 70, 6);
    expect_same_bits_however_run(made.batch(), convention, random);
  }
}

// Three short pairs beside a long one: all four are scored alone by all lanes. Sixteen times the
// same long pair: they are scored side by side.
TEST(CpuBackend, ScoresTheSameByBothKindsOfKernel) {
  std::mt19937_64 random(run_seed() + 12);
  for (const Convention& convention : conventions()) {
    RandomBatch made(random(), 1);
    for (int k = 0; k < 100; ++k) {
      made.add_pairs(3, 40, 40);
      made.add_pair(0, made.walk(0, 0, 200), made.walk(0, 0, 200));
    }
    const std::vector<Node> r = made.walk(0, 0, 90), q = made.walk(0, 0, 130);
    for (int k = 0; k < 16; ++k) made.add_pair(0, r, q);
    const Scores want = score_plainly(made.batch(), convention);
    for (const cpu::CpuKernels* isa : cpu::usable_kernels()) {
      for (const std::size_t window : {4, 16}) {
        expect_same_scores(cpu::score(made.batch(), convention, {.window = window, .kernels = isa}),
                           want, convention.preset + " " + isa->name);
      }
    }
  }
}

TEST(CpuBackend, EqualsThePlainLoopsWithTaskSuccess) {
  std::mt19937_64 random(run_seed() + 13);
  RandomBatch made(random());
  made.add_pairs(500, 20, 20);
  PairBatch batch = made.batch();
  for (std::size_t row = 0; row < batch.pairs.size(); ++row) {
    batch.task_success.push_back(row % 5 == 0 ? std::nan("") : 0.25 * static_cast<double>(row % 5));
  }
  expect_same_bits_however_run(batch, {}, random);
  const Scores got = cpu::score(batch, {}), want = reference::score(batch, {});
  EXPECT_EQ(got.status, want.status);
  for (std::size_t row = 0; row < batch.pairs.size(); ++row) {
    EXPECT_EQ(std::isnan(got.at(SDTW, row)), std::isnan(want.at(SDTW, row)));
  }
}

// Paths that are used in two scans have many queries in both.
TEST(CpuBackend, ScoresOneReferenceInTwoScans) {
  std::mt19937_64 random(run_seed() + 14);
  const Grid wide(6, 4, 1.7), narrow(4, 6, 0.9);
  PairBatch batch;
  batch.scans = {&wide.scan, &narrow.scan};
  for (Node n = 0; n < 9; ++n) batch.references.elements.push_back(2 * n);
  batch.references.end_path();
  for (int k = 0; k < 200; ++k) {
    for (int m = 0; m < 12; ++m) {
      batch.queries.elements.push_back(static_cast<Node>(below(random, wide.scan.size())));
    }
    batch.pairs.push_back({static_cast<std::uint32_t>(k % 2), 0, batch.queries.end_path()});
    batch.n_query_raw.push_back(12);
  }
  expect_same_bits_however_run(batch, {}, random);
}

// ---------------------------------------------------------------- against the reference

// Expects values within the bounds of docs/precision.md.
void expect_near_reference(const PairBatch& batch, const Convention& convention,
                           const Scores& got) {
  const Scores want = reference::score(batch, convention);
  const checks::Comparison all = checks::compare(got, want, batch, convention);
  for (const MetricInfo& m : path_metric_table()) {
    EXPECT_LE(all.metric[m.metric].worst, checks::allowed(m.metric))
        << m.name << ", " << convention.preset << ", seed " << run_seed();
  }
  EXPECT_EQ(all.status.count, 0u) << convention.preset << ", seed " << run_seed();
}

TEST(CpuBackend, IsWithinToleranceOfTheReference) {
  std::mt19937_64 random(run_seed() + 20);
  const auto all = conventions();
  const std::size_t share = run_pairs() / 2 / all.size(), piece = 5000;
  for (const Convention& convention : all) {
    for (std::size_t done = 0; done < share && !HasFailure(); done += piece) {
      RandomBatch made(random());
      made.add_pairs(std::min(piece, share - done) * 3 / 4, 12, 20);
      made.add_pairs(std::min(piece, share - done) / 5, 4, 4);
      made.add_pairs(std::min(piece, share - done) / 20, 100, 100);
      expect_near_reference(made.batch(), convention, cpu::score(made.batch(), convention));
    }
  }
}

TEST(CpuBackend, IsWithinToleranceOfTheReferenceOnDirectedScans) {
  std::mt19937_64 random(run_seed() + 25);
  for (const Convention& convention : conventions()) {
    RandomBatch made(random(), 5, true);
    made.add_pairs(1000, 12, 20);
    made.add_pairs(50, 100, 100);
    const Scores got = cpu::score(made.batch(), convention);
    expect_near_reference(made.batch(), convention, got);
    const auto unreachable = std::ranges::count(got.status, Status::unreachable);
    EXPECT_TRUE(unreachable > 20 && unreachable < 1000) << unreachable;
    if (HasFailure()) return;
  }
}

// ---------------------------------------------------------------- thresholds

// Returns neighbours of the threshold in double and in float, on both sides.
std::vector<double> near(double threshold) {
  const auto single = static_cast<float>(threshold);
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> all{threshold, std::nextafter(threshold, 0.0),
                          std::nextafter(threshold, infinity), static_cast<double>(single)};
  for (const float toward : {0.0f, std::numeric_limits<float>::infinity()}) {
    const float neighbour = std::nextafter(single, toward);
    const double middle = (static_cast<double>(single) + neighbour) / 2;
    all.insert(all.end(), {static_cast<double>(neighbour), middle, std::nextafter(middle, 0.0),
                           std::nextafter(middle, infinity),
                           static_cast<double>(std::nextafter(neighbour, toward))});
  }
  return all;
}

void expect_same_decisions(const Scan& scan, const std::vector<Node>& reference,
                           const std::vector<Node>& query, double threshold) {
  const PairBatch batch = checks::pair_of(scan, reference, query);
  for (const Compare compare : {Compare::less, Compare::less_equal}) {
    Convention convention;
    convention.threshold = threshold;
    convention.success = convention.oracle = compare;
    const Scores want = reference::score(batch, convention), got = cpu::score(batch, convention);
    ASSERT_EQ(got.at(SR, 0), want.at(SR, 0)) << want.at(NE, 0) - threshold << " at " << threshold;
    ASSERT_EQ(got.at(OSR, 0), want.at(OSR, 0))
        << want.at(ONE, 0) - threshold << " at " << threshold;
    ASSERT_EQ(got.at(SDTW, 0) > 0.0, want.at(SDTW, 0) > 0.0) << threshold;
  }
}

constexpr double thresholds[] = {3.0, 0.1 + 0.2, 1.4178781489211116, 20.0, 1.0 / 3.0};

TEST(CpuBackend, DecidesAsInDouble) {
  for (const double threshold : thresholds) {
    for (const double length : near(threshold)) {
      // There is a second way to the goal, twice as long: the nearest viewpoint is not the last.
      const Scan scan =
          make_scan({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{Edge{0, 1, length}, Edge{0, 2, length}}});
      expect_same_decisions(scan, {1}, {0}, threshold);
      expect_same_decisions(scan, {1, 0}, {1}, threshold);
      expect_same_decisions(scan, {1}, {2, 0, 2}, threshold);
    }
  }
}

// A sum of edges may differ in its last bit depending on the end it starts from.
TEST(CpuBackend, DecidesAsInDoubleIfSumsDependOnTheirOrder) {
  std::mt19937_64 random(run_seed() + 30);
  const auto metres = [&] { return 0.5 + static_cast<double>(random() >> 11) * 0x1p-53; };
  for (int k = 0; k < 200; ++k) {
    const double a = metres(), b = metres(), c = metres();
    const Scan scan = make_scan({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}},
                                {{Edge{0, 1, a}, Edge{1, 2, b}, Edge{2, 3, c}}});
    for (const double threshold : {a + b + c, c + b + a}) {
      expect_same_decisions(scan, {0, 1, 2, 3}, {0}, threshold);
      expect_same_decisions(scan, {3, 2, 1, 0}, {3}, threshold);
      if (HasFailure()) return;
    }
  }
}

TEST(CpuBackend, TellsWhetherTablesAreSymmetric) {
  const std::vector<Edge> line = {{0, 1}, {1, 2}, {2, 3}};
  const Scan even = make_scan({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}, line);
  const Scan odd = make_scan({{0, 0, 0}, {0.1, 0, 0}, {0.3, 0, 0}, {3, 0, 0}}, line);
  const std::vector<const Scan*> scans = {&even, &odd};
  const batch::DistanceTables tables(scans, {});
  EXPECT_TRUE(tables.is_symmetric(0));
  EXPECT_FALSE(tables.is_symmetric(1));
  EXPECT_NE(tables.distance(1, 0, 3), tables.distance(1, 3, 0));
  EXPECT_FALSE(tables.are_symmetric());
}

TEST(CpuBackend, TellsWhetherScansAreConnected) {
  const Scan whole = make_scan({{0, 0, 0}, {1, 0, 0}}, {{Edge{0, 1}}});
  const Scan parts = make_scan({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{Edge{0, 1}}});
  const Scan empty = make_scan({}, {});
  const auto are_connected = [](const std::vector<const Scan*>& scans) {
    return batch::DistanceTables(scans, {}).are_connected();
  };
  EXPECT_TRUE(are_connected({}));
  EXPECT_TRUE(are_connected({&whole, &empty, &whole}));
  EXPECT_FALSE(are_connected({&whole, &parts}));
  const Scan one_way("s", {"0", "1"}, {}, std::vector<Edge>{{0, 1, 2.0}}, {}, true);
  const Scan there_and_back("s", {"0", "1"}, {}, std::vector<Edge>{{0, 1, 2.0}, {1, 0, 3.0}}, {},
                            true);
  EXPECT_FALSE(are_connected({&one_way}));
  EXPECT_TRUE(are_connected({&there_and_back}));
}

// ---------------------------------------------------------------- lengths and sizes

TEST(CpuBackend, ScoresLengthsUpToAHundredThousandInOneBatch) {
  RandomBatch made(run_seed() + 40, 0);
  const Grid grid(12, 9, 1.37);
  PairBatch batch = made.batch();
  checks::Random random(run_seed() + 41);
  auto walk = [&](PathSet& paths, std::size_t nodes) {
    const auto start = static_cast<Node>(random.below(grid.scan.size()));
    return checks::add_path(paths, checks::walk(random, grid.scan, start, nodes));
  };
  batch.scans.push_back(&grid.scan);
  const std::pair<std::size_t, std::size_t> long_ones[] = {
      {100'000, 3},  {3, 100'000}, {3000, 3000}, {100'000, 70},
      {70, 100'000}, {1, 100'000}, {100'000, 1}};
  auto add = [&](std::size_t n, std::size_t m) {
    const std::uint32_t r = walk(batch.references, n);
    batch.pairs.push_back({0, r, walk(batch.queries, m)});
    batch.n_query_raw.push_back(static_cast<std::uint32_t>(m));
  };
  for (int k = 0; k < 200; ++k) add(1 + random.below(20), 1 + random.below(40));
  for (const auto& [n, m] : long_ones) add(n, m);
  for (int k = 0; k < 200; ++k) add(1 + random.below(20), 1 + random.below(40));

  const Scores want = score_plainly(batch, {});
  for (const cpu::CpuKernels* isa : cpu::usable_kernels()) {
    const auto begin = std::chrono::steady_clock::now();
    const Scores got = cpu::score(batch, {}, {.kernels = isa});
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    std::cout << isa->name << ": " << taken.count() << " s\n";
    expect_same_scores(got, want, isa->name);
    expect_near_reference(batch, {}, got);
  }
}

// ---------------------------------------------------------------- a few metrics

const std::vector<std::vector<Metric>> requests = {{NE},
                                                   {ONE, OSR},
                                                   {SR, GP, SP},
                                                   {DTW},
                                                   {nDTW},
                                                   {nDTW, SDTW},
                                                   {DTW, PC, AD, MD, nDTW},
                                                   {AD},
                                                   {PC},
                                                   {EPL},
                                                   {LS},
                                                   {CLS},
                                                   {ED},
                                                   {SED},
                                                   {PL},
                                                   {SPL},
                                                   {PLR},
                                                   {n_query, n_query_raw, n_ref, steps},
                                                   {SDTW, ED, CLS}};

TEST(CpuBackend, DoesNotDependOnTheOtherMetricsRequested) {
  std::mt19937_64 random(run_seed() + 60);
  for (const Convention& convention : conventions()) {
    RandomBatch made(random());
    made.add_pairs(150, 20, 30);
    made.add_pairs(100, 20, 30, 50);
    made.add_pairs(20, 150, 150);
    const PairBatch& batch = made.batch();
    const Scores all = cpu::score(batch, convention);
    for (const auto& request : requests) {
      MetricSet asked;
      std::string how = convention.preset + ":";
      for (const Metric m : request) {
        asked.insert(m);
        how += " " + std::string(info(m).name);
      }
      const Scores part = cpu::score(batch, convention, {.metrics = asked});
      Scores want = all;
      reference::restrict_to(asked, want);
      expect_same_scores(part, want, how);
      const Scores alone = cpu::score(batch, convention, {.metrics = asked, .window = 1});
      expect_same_scores(alone, want, how + ", window 1");
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace warpath::testing
