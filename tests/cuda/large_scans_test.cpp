// Tests that pairs on large scans have the bits of one table of the whole scan, whether they are
// scored by compact tables or by one that was made later, on both fast back ends.

#include "host/core/batch/large_scans.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <deque>
#include <functional>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/checks/grid.hpp"
#include "host/core/batch/results.hpp"
#include "host/core/cpu/backend.hpp"
#include "host/core/cuda/backend.hpp"
#include "tests/support/fake_device.hpp"
#include "tests/support/pair_cases.hpp"

namespace warpath::testing {
namespace {

using batch::LargeScanLimits;
using batch::LargeScans;
using batch::PartOnLargeScan;
using ScorePart = std::function<Scores(const PartOnLargeScan&)>;

// No scan is too small for compact tables here.
std::vector<std::uint32_t> all_rows(const PairBatch& batch) {
  std::vector<std::uint32_t> rows(batch.pairs.size());
  std::iota(rows.begin(), rows.end(), 0u);
  return rows;
}

Scores score_in_parts(LargeScans& scans, const PairBatch& batch, const LargeScanLimits& limits,
                      const ScorePart& score_part) {
  Scores scores(batch.pairs.size());
  const auto left_out = scans.for_each_part(
      batch, all_rows(batch), limits, nullptr,
      [&](const auto& part) { batch::copy_rows(score_part(part), part.rows, columns_of(scores)); });
  EXPECT_TRUE(left_out.empty());
  return scores;
}

ScorePart by_cpu(const Convention& convention) {
  return [convention](const PartOnLargeScan& part) {
    Scores scores;
    cpu::score(part.view, part.tables, convention, {}, scores);
    return scores;
  };
}

// Makes pairs of all kinds. Every other scan has ready distances, unless scans are directed.
class LargeScanBatch {
 public:
  LargeScanBatch(std::uint64_t seed, bool directed) : made_(seed, 5, directed) {
    made_.add_every_kind();
    batch_ = made_.batch();
    for (std::size_t s = 0; s < batch_.scans.size() && !directed; s += 2) {
      if (has_no_edges(*batch_.scans[s])) continue;  // hops could not be counted
      batch_.scans[s] = &scans_.emplace_back(with_ready_distances(*batch_.scans[s]));
    }
    batch_.task_success.clear();
    for (std::size_t k = 0; k < batch_.pairs.size(); ++k) {
      batch_.task_success.push_back(k % 4 == 0 ? NAN : 0.5);
    }
  }

  const PairBatch& batch() const { return batch_; }

 private:
  static bool has_no_edges(const Scan& scan) {
    for (Node n = 0; n < scan.size(); ++n) {
      if (!scan.neighbours(n).empty()) return false;
    }
    return true;
  }

  // A scan with edges, so that hops can be counted, too.
  static Scan with_ready_distances(const Scan& scan) {
    Distances distances(scan, Distance::euclid_3d);
    std::vector<std::string> ids;
    std::vector<double> ready;
    std::vector<Edge> edges;
    for (Node a = 0; a < scan.size(); ++a) {
      ids.push_back(scan.viewpoint(a));
      const auto row = distances.row(a);
      ready.insert(ready.end(), row.begin(), row.end());
      for (const Node b : scan.neighbours(a)) {
        if (a < b) edges.push_back({a, b, {}});
      }
    }
    return Scan(scan.id(), ids, {}, edges, ready);
  }

  RandomBatch made_;
  PairBatch batch_;
  std::deque<Scan> scans_;
};

const LargeScanLimits limits[] = {
    {.used_viewpoints = 1, .whole_entries = 0, .pairs = 3},
    {.used_viewpoints = 25, .whole_entries = 0, .pairs = 1000},
    {.used_viewpoints = 4096, .whole_entries = 0, .pairs = 40},
    {.used_viewpoints = 25, .whole_entries = 1 << 20, .pairs = 200},
};

TEST(LargeScans, HaveTheBitsOfOneTable) {
  std::mt19937_64 random(run_seed() + 1000);
  for (const bool directed : {false, true}) {
    for (const Convention& convention : conventions()) {
      const LargeScanBatch made(random(), directed);
      const Scores want = cpu::score(made.batch(), convention);
      for (const LargeScanLimits& limit : limits) {
        LargeScans scans(convention);
        expect_same_scores(score_in_parts(scans, made.batch(), limit, by_cpu(convention)), want,
                           convention.preset + ", " + std::to_string(limit.used_viewpoints));
        if (HasFailure()) return;
      }
    }
  }
}

// A few pairs, so that searches take most of the time.
TEST(LargeScans, HaveTheBitsOfOneTableOnceTheyHaveIt) {
  std::mt19937_64 random(run_seed() + 1003);
  for (const bool directed : {false, true}) {
    for (const Convention& convention : conventions()) {
      RandomBatch made(random(), 2, directed);
      made.add_pairs(6, 8, 8);
      const Scores want = cpu::score(made.batch(), convention);
      LargeScans scans(convention);
      for (int call = 0; call < 8; ++call) {
        expect_same_scores(score_in_parts(scans, made.batch(), {}, by_cpu(convention)), want,
                           convention.preset + ", call " + std::to_string(call));
        if (HasFailure()) return;
      }
    }
  }
}

TEST(LargeScans, HaveTheBitsOfTheCpuOnADevice) {
  std::mt19937_64 random(run_seed() + 1001);
  for (const bool directed : {false, true}) {
    const LargeScanBatch made(random(), directed);
    for (const ClsStep step : {ClsStep::shortest, ClsStep::edge}) {
      Convention convention;
      convention.cls_step = step;
      const Scores want = cpu::score(made.batch(), convention);
      for (const LargeScanLimits& limit : limits) {
        if (limit.used_viewpoints == 1) continue;  // takes long
        FakeDevice device(random());
        LargeScans scans(convention);
        const auto score_part = [&](const PartOnLargeScan& part) {
          Scores scores;
          cuda::score(device, part.view, part.tables, convention, {}, scores);
          return scores;
        };
        expect_same_scores(score_in_parts(scans, made.batch(), limit, score_part), want, "cuda");
      }
    }
  }
}

TEST(LargeScans, AddUpToTheStatisticsOfOneTable) {
  const LargeScanBatch made(run_seed() + 1002, false);
  const PairBatch& batch = made.batch();
  const batch::DistanceTables tables(batch.scans, {});
  const BatchStatistics want = cpu::statistics(batch, tables, {});
  for (const LargeScanLimits& limit : limits) {
    LargeScans scans({});
    BatchStatistics sums;
    scans.for_each_part(batch, all_rows(batch), limit, nullptr, [&](const auto& part) {
      sums.merge(cpu::statistics(part.view, part.tables, {}));
    });
    EXPECT_EQ(sums, want) << limit.used_viewpoints;
  }
}

// Returns how many searches a call makes, which its watch is told of.
std::size_t searches_of(LargeScans& scans, const PairBatch& batch, const LargeScanLimits& limit) {
  std::atomic<std::size_t> searches = 0;
  const Watch watch = [&](std::uint64_t) { ++searches; };
  scans.for_each_part(batch, all_rows(batch), limit, &watch, [](const auto&) {});
  return searches;
}

TEST(LargeScans, AreSearchedOnlyFromWhatPairsUse) {
  const checks::Grid grid(20, 20);
  // Two references of three viewpoints, one in common. Only the query's last step is beside them.
  PairBatch batch = checks::pair_of(grid.scan, {0, 1, 2}, {0, 1, 2, 3});
  checks::add_path(batch.references, std::vector<Node>{2, 22, 42});
  batch.pairs.push_back({0, 1, 0});
  batch.n_query_raw.push_back(4);
  LargeScans scans({});
  const LargeScanLimits limit{.whole_entries = 0};
  EXPECT_EQ(searches_of(scans, batch, limit), 5u + 1u);
  EXPECT_EQ(searches_of(scans, batch, limit), 5u + 1u);
}

TEST(LargeScans, MakeAWholeTableOnceSearchesHaveCostAsMuch) {
  const checks::Grid grid(5, 3);
  const PairBatch batch = checks::pair_of(grid.scan, {0, 1, 2, 3, 4}, {0, 1, 2});
  LargeScans scans({});
  const LargeScanLimits limit{};
  EXPECT_EQ(searches_of(scans, batch, limit), 5u);
  EXPECT_EQ(searches_of(scans, batch, limit), 5u);
  EXPECT_EQ(searches_of(scans, batch, limit), 15u);
  EXPECT_EQ(searches_of(scans, batch, limit), 0u);
}

TEST(LargeScans, GoOnAfterAWatchHasEndedACall) {
  const checks::Grid grid(5, 3);
  const PairBatch batch = checks::pair_of(grid.scan, {0, 1, 2, 3, 4}, {0, 1, 2});
  LargeScans scans({});
  for (int call = 0; call < 4; ++call) {
    const Watch stop = [](std::uint64_t) { throw std::runtime_error("stop"); };
    EXPECT_THROW(scans.for_each_part(batch, {0}, {}, &stop, [](const auto&) {}),
                 std::runtime_error);
  }
  expect_same_scores(score_in_parts(scans, batch, {}, by_cpu({})), cpu::score(batch, {}), "after");
}

TEST(LargeScans, LeaveOutPairsThatUseTooMuchAlone) {
  const checks::Grid grid(80, 60);
  std::vector<Node> all(grid.scan.size());
  std::iota(all.begin(), all.end(), Node{0});
  PairBatch batch = checks::pair_of(grid.scan, {0, 1}, {0, 1, 2});
  checks::add_path(batch.queries, all);
  batch.pairs.push_back({0, 0, 1});
  batch.n_query_raw.push_back(static_cast<std::uint32_t>(all.size()));
  LargeScans scans({});
  std::vector<std::uint32_t> taken;
  const auto left_out = scans.for_each_part(
      batch, {0, 1}, {.used_viewpoints = 1}, nullptr,
      [&](const auto& part) { taken.insert(taken.end(), part.rows.begin(), part.rows.end()); });
  EXPECT_EQ(taken, std::vector<std::uint32_t>{0});
  EXPECT_EQ(left_out, std::vector<std::uint32_t>{1});
}

}  // namespace
}  // namespace warpath::testing
