// Tests that the results of the reference back end depend neither on the number of cores nor on how
// distances were found.

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <cmath>
#include <cstring>
#include <random>
#include <thread>

#include "host/core/reference/batch.hpp"
#include "host/core/reference/kept_rows.hpp"
#include "host/files/formats/graph_store_state.hpp"
#include "tests/support/pair_cases.hpp"
#include "tests/support/score_pair.hpp"

namespace warpath::testing {
namespace {

// Makes walks on two grids, one too large for rows of all distances, and with some streets one way:
// repeats, jumps, pairs of one viewpoint, and an unreachable viewpoint.
class ReferenceBatch : public ::testing::Test {
 protected:
  ReferenceBatch() {
    batch_.scans = {&small_.scan, &large_.scan, &broken_, &small_one_way_, &large_one_way_};
    for (std::uint32_t k = 0; k < 300; ++k) {
      const std::uint32_t scan = k / 2 % 25 == 0 ? 2 : k / 2 % 2 + (k / 2 % 6 > 3 ? 3 : 0);
      add_walk(batch_.references, *batch_.scans[scan], 1 + random_.below(12));
      add_walk(batch_.queries, *batch_.scans[scan], 1 + random_.below(15));
      batch_.pairs.push_back({scan, k / 2 * 2, k});  // neighbouring pairs share a reference
      batch_.n_query_raw.push_back(static_cast<std::uint32_t>(batch_.queries.size_of(k)));
      batch_.task_success.push_back(k % 7 == 0 ? std::nan("") : 0.5);
    }
  }

  void add_walk(PathSet& paths, const Scan& scan, std::size_t size) {
    const auto start = static_cast<Node>(random_.below(scan.size()));
    checks::add_path(paths, checks::walk(random_, scan, start, size, {.stay = 0.1, .jump = 0.1}));
  }

  // Scores pair after pair, each with its own rows.
  Scores one_by_one(const Convention& convention) const {
    Scores scores(batch_.pairs.size());
    reference::BatchWriter writer(batch_, convention, scores, nullptr);
    reference::Workspace workspace;
    for (std::uint32_t row = 0; row < batch_.pairs.size(); ++row) {
      Distances distances(*batch_.scans[batch_.pairs[row].scan], convention.distance);
      for (const Node n : writer.query(row)) distances.row(n);
      writer.write(row, reference::measure(distances, writer.reference(row), writer.query(row),
                                           convention, workspace));
    }
    return scores;
  }

  static void expect_same_bits(const Scores& a, const Scores& b) {
    EXPECT_EQ(a.status, b.status);
    EXPECT_EQ(a.zero_rules, b.zero_rules);
    for (const Metric m : MetricSet::of_paths()) {
      ASSERT_EQ(a.column[m].size(), b.column[m].size());
      EXPECT_EQ(
          std::memcmp(a.column[m].data(), b.column[m].data(), a.column[m].size() * sizeof(double)),
          0)
          << "metric " << info(m).name;
    }
  }

  checks::Random random_{11};
  Grid small_{20, 10, 0.7}, large_{50, 40, 0.7};
  Scan small_one_way_ = checks::make_directed(random_, small_.scan);
  Scan large_one_way_ = checks::make_directed(random_, large_.scan);
  Scan broken_ = make_scan(std::vector<std::array<double, 3>>(1100), {{0, 1, {}}, {1, 2, 0.5}});
  PairBatch batch_;
};

TEST_F(ReferenceBatch, HasTheBitsOfPairsScoredOneByOne) {
  Convention edges;
  edges.cls_step = ClsStep::edge;
  edges.edit_unit = EditUnit::viewpoints;
  Convention hops;
  hops.distance = Distance::hops;
  for (const Convention& convention : {Convention(), edges, hops}) {
    expect_same_bits(reference::score(batch_, convention), one_by_one(convention));
  }
}

TEST_F(ReferenceBatch, IsTheSameOnAnyNumberOfThreads) {
  const Scores several = reference::score(batch_, {});
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  expect_same_bits(reference::score(batch_, {}), several);
}

// Makes walks on scans of a store, one of them directed, and on one that is not the store's.
class StoredBatch : public ReferenceBatch {
 protected:
  StoredBatch() {
    const auto add = [&](Scan scan) {
      return store_.state().add({std::make_unique<Scan>(std::move(scan)), {}, ""}).scan.get();
    };
    const Scan other = checks::level_scan(random_, "directed", 80);
    const Scan* const level = add(checks::level_scan(random_, "level", 90));
    stored_.scans = {level, add(checks::make_directed(random_, other)), &small_.scan};
    for (std::uint32_t k = 0; k < 90; ++k) {
      add_walk(stored_.references, *stored_.scans[k % 3], 1 + random_.below(12));
      add_walk(stored_.queries, *stored_.scans[k % 3], 1 + random_.below(15));
      stored_.pairs.push_back({k % 3, k, k});
    }
  }

  std::shared_ptr<reference::ScanRows> rows(std::size_t scan, Distance distance) {
    return reference::KeptRows::of(store_).get(store_, *stored_.scans[scan], distance);
  }

  GraphStore store_;
  PairBatch stored_;
};

TEST_F(StoredBatch, HasItsRowsMadeOnce) {
  Convention hops;
  hops.distance = Distance::hops;
  for (const Convention& convention : {Convention(), hops}) {
    const Scores want = reference::score(stored_, convention);
    expect_same_bits(reference::score(stored_, convention, nullptr, &store_), want);
    const auto kept = rows(0, convention.distance);
    const std::size_t bytes = kept->read().bytes();
    EXPECT_GT(bytes, 0u);
    expect_same_bits(reference::score(stored_, convention, nullptr, &store_), want);
    EXPECT_EQ(rows(0, convention.distance), kept);
    EXPECT_EQ(kept->read().bytes(), bytes);
  }
  EXPECT_EQ(rows(2, Distance::euclid_3d), nullptr);
}

TEST_F(StoredBatch, IsScoredInSeveralThreads) {
  const Scores want = reference::score(stored_, {});
  std::vector<Scores> got(4);
  std::vector<std::thread> threads;
  for (Scores& scores : got) {
    threads.emplace_back([&] { scores = reference::score(stored_, {}, nullptr, &store_); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Scores& scores : got) expect_same_bits(scores, want);
}

TEST_F(ReferenceBatch, KeepsNoRowsThatMightTakeTooMuchMemory) {
  GraphStore store;
  reference::KeptRows& kept = reference::KeptRows::of(store);
  std::size_t count = 0;  // of scans whose rows take 8 MiB each
  for (int k = 0; k < 40; ++k) {
    Scan scan("scan " + std::to_string(k), std::vector<std::string>(1024), {}, {});
    const Scan& added = *store.state().add({std::make_unique<Scan>(std::move(scan)), {}, ""}).scan;
    count += kept.get(store, added, Distance::hops) != nullptr;
  }
  EXPECT_EQ(count, 32u);
}

TEST_F(ReferenceBatch, IsTheSameInChunksOfOnePair) {
  Scores whole = reference::score(batch_, {}), chunked = whole;
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < batch_.pairs.size(); ++row) {
    if (batch_.pairs[row].scan == 1) rows.push_back(row);
  }
  for (const std::uint32_t row : rows) chunked.at(Metric::PL, row) = -1.0;
  const Convention convention;
  const Distances distances(large_.scan, convention.distance);
  reference::BatchWriter writer(batch_, convention, chunked, nullptr);
  reference::score_by_search(rows, distances, 1, writer);
  expect_same_bits(chunked, whole);
}

TEST_F(ReferenceBatch, ScoresPointsTheSameOnAnyNumberOfThreads) {
  PointBatch points;
  for (std::uint32_t k = 0; k < 100; ++k) {
    for (PointSet* paths : {&points.references, &points.queries}) {
      for (std::size_t n = 1 + random_.below(20); n > 0; --n) {
        const auto x = [&] { return static_cast<double>(random_.below(1000)) / 70.0; };
        paths->elements.push_back({x(), x(), x()});
      }
      paths->end_path();
    }
    points.pairs.push_back({k / 2, k});
  }
  const MetricSet all = MetricSet::of_paths();
  const Scores several = reference::score(points, {}, all);
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  expect_same_bits(reference::score(points, {}, all), several);
}

}  // namespace
}  // namespace warpath::testing
