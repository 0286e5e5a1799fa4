// Tests that tables of distances are made once for a store, with the bits of those made anew.

#include "host/core/batch/kept_tables.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <numeric>
#include <random>
#include <thread>

#include "host/core/batch/large_scans.hpp"
#include "host/files/formats/graph_store_state.hpp"
#include "tests/support/large_scans.hpp"
#include "tests/support/pair_cases.hpp"
#include "tests/support/reward_cases.hpp"
#include "tests/support/score_pair.hpp"

namespace warpath::testing {
namespace {

using batch::DistanceTables;

// Returns a chain of viewpoints at random places, with some more edges.
ScanData random_scan(const std::string& id, std::uint32_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> place(0.0, 9.0);
  ScanData scan{.id = id, .viewpoints = {}};
  for (std::uint32_t v = 0; v < size; ++v) {
    scan.viewpoints.push_back(std::to_string(v));
    scan.positions.push_back({place(random), place(random), place(random)});
    if (v > 0) scan.edges.push_back({v - 1, v});
    if (v > 2 && v % 3 == 0) scan.edges.push_back({v - 3, v});
  }
  return scan;
}

struct Store {
  std::shared_ptr<GraphStore> graphs = std::make_shared<GraphStore>();
  std::vector<const Scan*> scans;

  Store() {
    for (std::uint32_t s = 0; s < 5; ++s) {
      scans.push_back(&graphs->add(random_scan("scan" + std::to_string(s), 9 + 7 * s, s)));
    }
  }
};

void expect_equal(const DistanceTables& got, const DistanceTables& want,
                  const std::vector<const Scan*>& scans) {
  ASSERT_EQ(got.size(), scans.size());
  EXPECT_EQ(got.are_connected(), want.are_connected());
  for (std::uint32_t s = 0; s < scans.size(); ++s) {
    EXPECT_EQ(got.is_symmetric(s), want.is_symmetric(s));
    ASSERT_EQ(got[s].pad, want[s].pad);
    for (Node a = 0; a < scans[s]->size(); ++a) {
      for (Node b = 0; b <= scans[s]->size(); ++b) {  // with the column of padding
        ASSERT_EQ(got.distance(s, a, b), want.distance(s, a, b)) << s << " " << a << " " << b;
      }
    }
  }
}

TEST(KeptTables, HaveTheBitsOfTablesMadeAnewInAnyOrderOfScans) {
  const Store store;
  const auto& all = store.scans;
  for (const auto& scans : std::vector<std::vector<const Scan*>>{
           {all[3]}, {all[1], all[3]}, {all[4], all[3], all[0], all[3]}, {}, all}) {
    expect_equal(DistanceTables(scans, {}, store.graphs.get()), DistanceTables(scans, {}), scans);
  }
}

TEST(KeptTables, AreMadeOnceForEachDistanceAndThreshold) {
  const Store store;
  const auto of = [&](const std::vector<const Scan*>& scans, const Convention& convention) {
    return DistanceTables(scans, convention, store.graphs.get());
  };
  Convention hops, near_threshold, other_rules;
  hops.distance = Distance::hops;
  near_threshold.threshold = 1.25;
  other_rules.ndtw_norm = NdtwNorm::sqrt_nodes;
  const DistanceTables whole = of(store.scans, {});
  EXPECT_EQ(of({store.scans[2]}, {}).distance(), whole.distance());
  EXPECT_EQ(of({store.scans[2]}, other_rules).distance(), whole.distance());
  EXPECT_NE(of({store.scans[2]}, hops).distance(), whole.distance());
  for (const Convention& convention : {hops, near_threshold}) {
    expect_equal(of(store.scans, convention), DistanceTables(store.scans, convention), store.scans);
  }
  EXPECT_EQ(of({store.scans[0]}, {}).distance(), whole.distance());
}

TEST(KeptTables, TellOfTheScansThatAreAskedForOnly) {
  Store store;
  ScanData parts = random_scan("parts", 12, 3);
  parts.edges.pop_back();
  parts.edges.erase(parts.edges.begin());
  store.scans.push_back(&store.graphs->add(std::move(parts)));
  EXPECT_FALSE(DistanceTables(store.scans, {}, store.graphs.get()).are_connected());
  store.scans.pop_back();
  EXPECT_TRUE(DistanceTables(store.scans, {}, store.graphs.get()).are_connected());
}

TEST(KeptTables, AreNotThoseOfScansFromElsewhere) {
  const Store store;
  const Grid grid(4, 3);
  const std::vector<const Scan*> mixed = {store.scans[0], &grid.scan};
  const DistanceTables first(mixed, {}, store.graphs.get());
  expect_equal(first, DistanceTables(mixed, {}), mixed);
  EXPECT_NE(DistanceTables(mixed, {}, store.graphs.get()).distance(), first.distance());
}

TEST(KeptTables, StayForWhoHasThemWhenOtherThresholdsCome) {
  const Store store;
  const DistanceTables first(store.scans, {}, store.graphs.get());
  for (int k = 1; k <= 20; ++k) {
    Convention convention;
    convention.threshold = 0.5 * k;
    expect_equal(DistanceTables(store.scans, convention, store.graphs.get()),
                 DistanceTables(store.scans, convention), store.scans);
  }
  expect_equal(first, DistanceTables(store.scans, {}), store.scans);
}

TEST(KeptTables, LiveAsLongAsTheStore) {
  Store store;
  const DistanceTables tables(store.scans, {}, store.graphs.get());
  const std::weak_ptr<batch::KeptTables> kept = store.graphs->state().tables;
  EXPECT_FALSE(kept.expired());
  store.graphs = nullptr;
  EXPECT_TRUE(kept.expired());
}

TEST(KeptTables, AreNotKeptOfAScanThatCannotBeMeasured) {
  Store store;
  ScanData no_lengths{.id = "no lengths", .viewpoints = {"a", "b"}, .edges = {{0, 1}}};
  std::vector<const Scan*> wrong = {store.scans[0], &store.graphs->add(std::move(no_lengths))};
  for (int again = 0; again < 2; ++again) {
    EXPECT_NE(error_of_call([&] { DistanceTables(wrong, {}, store.graphs.get()); }), "");
    expect_equal(DistanceTables(store.scans, {}, store.graphs.get()),
                 DistanceTables(store.scans, {}), store.scans);
  }
}

TEST(KeptTables, AreTakenBySeveralThreadsAtOnce) {
  const Store store;
  std::vector<std::thread> threads;
  std::vector<DistanceTables> got(4);
  for (std::size_t k = 0; k < got.size(); ++k) {
    threads.emplace_back([&, k] {
      for (std::size_t s = 0; s < store.scans.size(); ++s) {
        const std::vector<const Scan*> one = {store.scans[(s + k) % store.scans.size()]};
        got[k] = DistanceTables(one, {}, store.graphs.get());
      }
      got[k] = DistanceTables(store.scans, {}, store.graphs.get());
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const DistanceTables& tables : got) {
    EXPECT_EQ(tables.distance(), got[0].distance());
    expect_equal(tables, DistanceTables(store.scans, {}), store.scans);
  }
}

// ---------------------------------------------------------------- large scans

using batch::LargeTables;

DistanceTables kept_of(const EqualScans& scans, const std::vector<const Scan*>& some,
                       const Convention& convention = {}) {
  return DistanceTables(some, convention, scans.graphs.get(), LargeTables::all);
}

// Expects the entries that `large` has in common with `small`, in the same tables.
void expect_equal_corner(const DistanceTables& tables, std::uint32_t large, std::uint32_t small,
                         const EqualScans& scans) {
  ASSERT_TRUE(tables.has_all());
  for (Node a = 0; a < scans.small->size(); ++a) {
    const Node a_there = EqualScans::in_large(a);
    for (Node b = 0; b < scans.small->size(); ++b) {
      ASSERT_EQ(tables.distance(large, a_there, EqualScans::in_large(b)),
                tables.distance(small, a, b))
          << a << " " << b;
    }
    const auto end = static_cast<Node>(scans.large->size());
    ASSERT_EQ(tables.distance(large, a_there, end), std::numeric_limits<float>::infinity());
  }
}

bool has_equal_halves(const DistanceTables& tables, std::uint32_t scan) {
  for (Node a = 0; a < static_cast<Node>(tables[scan].pad); ++a) {
    for (Node b = 0; b < a; ++b) {
      if (tables.distance(scan, a, b) != tables.distance(scan, b, a)) return false;
    }
  }
  return true;
}

TEST(LargeTables, HaveTheEntriesOfAnEqualSmallScan) {
  for (const bool directed : {false, true}) {
    const EqualScans scans(21, directed);
    const std::vector<const Scan*> both{scans.small, scans.large};
    const DistanceTables tables(both, {}, LargeTables::all);
    expect_equal_corner(tables, 1, 0, scans);
    EXPECT_TRUE(tables.are_connected());
    EXPECT_EQ(tables.has_directed(), directed);
    EXPECT_EQ(tables.is_symmetric(1), !directed && has_equal_halves(tables, 1));
    EXPECT_FALSE(DistanceTables(both, {}).has(1));
  }
}

TEST(LargeTables, AreMadeOnceForAStore) {
  const EqualScans scans(22);
  const std::vector<const Scan*> large{scans.large}, both{scans.large, scans.small};
  const DistanceTables alone = kept_of(scans, large);
  EXPECT_EQ(kept_of(scans, large).distance(), alone.distance());
  const DistanceTables first = kept_of(scans, both);
  EXPECT_EQ(kept_of(scans, both).distance(), first.distance());
  EXPECT_EQ(kept_of(scans, large).distance(), first.distance());
  EXPECT_EQ(first[0].base, kept_of(scans, large)[0].base);
  expect_equal_corner(first, 0, 1, scans);
  EXPECT_EQ(alone.distance(0, 17, 4000), first.distance(0, 17, 4000));
  // Tables of small scans alone are apart, so that they are not uploaded or copied with large ones.
  EXPECT_LT(DistanceTables(std::vector{scans.small}, {}, scans.graphs.get()).entries(), 300'000u);
}

std::size_t searches_on(const EqualScans& scans, batch::LargeScans& of_scans) {
  std::size_t searches = 0;
  const Watch watch = [&](std::uint64_t) { ++std::atomic_ref(searches); };
  const PairBatch batch = checks::pair_of(*scans.large, {0, 1, 2}, {0, 1});
  of_scans.for_each_part(batch, {0}, {}, &watch, [](const auto&) {});
  return searches;
}

TEST(LargeTables, ServeTheScorersOfAStore) {
  const EqualScans scans(23);
  batch::LargeScans before({}, scans.graphs.get()), other({}, scans.graphs.get());
  EXPECT_EQ(searches_on(scans, before), 3u);
  const std::vector<const Scan*> large{scans.large};
  const DistanceTables kept = kept_of(scans, large);
  EXPECT_EQ(searches_on(scans, before), 0u);
  EXPECT_EQ(searches_on(scans, other), 0u);
  Convention strict;
  strict.threshold = 1.0;
  batch::LargeScans of_other_threshold(strict, scans.graphs.get()), of_no_store({});
  EXPECT_EQ(searches_on(scans, of_other_threshold), 3u);
  EXPECT_EQ(searches_on(scans, of_no_store), 3u);
}

TEST(LargeTables, ThatAScorerMadeAreTheStores) {
  const EqualScans scans(24);
  std::vector<Node> all(scans.large->size());
  std::iota(all.begin(), all.end(), Node{0});
  const std::vector<Node> most(all.begin(), all.begin() + 3500);
  const PairBatch batch = checks::pair_of(*scans.large, most, {0, 1});
  batch::LargeScans of_scans({}, scans.graphs.get());
  const float* made = nullptr;
  const auto take = [&](const auto& part) { made = part.tables.distance(); };
  of_scans.for_each_part(batch, {0}, {}, nullptr, take);
  const std::vector<const Scan*> large{scans.large};
  EXPECT_EQ(kept_of(scans, large).distance(), made);
}

}  // namespace
}  // namespace warpath::testing
