// Tests random continuous paths: the CPU back end has the bits of plain loops however it is run,
// and the reference's numbers within tolerance.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "host/checks/compare_points.hpp"
#include "host/checks/order.hpp"
#include "host/core/cpu/cpu_kernels.hpp"
#include "host/core/cpu/points.hpp"
#include "host/core/reference/reference.hpp"
#include "tests/support/pair_cases.hpp"
#include "tests/support/point_cases.hpp"

namespace warpath::testing {
namespace {

using enum Metric;

void expect_same_bits_however_run(const PointBatch& batch, const Convention& convention) {
  checks::Random random(run_seed() + 70);
  const Scores want = score_plainly(batch, convention);
  for (const cpu::CpuKernels* isa : cpu::usable_kernels()) {
    for (const int threads : {1, 2, 3}) {
      const checks::Order order = checks::random_order(random, batch.pairs.size());
      const Scores got = cpu::score(checks::reordered(batch, order), convention,
                                    {.threads = threads, .kernels = isa});
      expect_same_scores(checks::in_order(got, order), want,
                         convention.preset + " on " + isa->name);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(PointBits, EqualThePlainLoopsHoweverScored) {
  for (const Convention& convention : conventions()) {
    RandomPoints made(run_seed() + 71);
    made.add_pairs(40, 300, 300);
    made.add_pairs(40, 12, 100);
    made.add_pairs(40, 100, 12);
    expect_same_bits_however_run(made.batch(), convention);
    if (HasFatalFailure()) return;
  }
}

// Covers the strips of every shape: empty ranks, one row too many, one too few.
TEST(PointBits, EqualThePlainLoopsForLengthsAroundTheStrips) {
  RandomPoints made(run_seed() + 72);
  for (const std::size_t n : {1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129}) {
    for (const std::size_t m : {1, 2, 3, 16, 17, 40}) made.add_pair(n, m);
  }
  expect_same_bits_however_run(made.batch(), {});
}

TEST(PointBits, EqualThePlainLoopsForLongPairs) {
  RandomPoints made(run_seed() + 73);
  made.add_pair(2000, 1999);
  made.add_pair(1, 2000);
  made.add_pair(2000, 1);
  made.add_pairs(3, 2000, 2000);
  expect_same_bits_however_run(made.batch(), {});
}

TEST(PointBits, EqualThePlainLoopsWithTaskSuccess) {
  RandomPoints made(run_seed() + 74);
  made.add_pairs(60, 40, 40);
  PointBatch& batch = made.batch();
  for (std::size_t row = 0; row < batch.pairs.size(); ++row) {
    batch.task_success.push_back(row % 5 == 0 ? std::nan("") : 0.25 * static_cast<double>(row % 5));
  }
  expect_same_bits_however_run(batch, {});
  EXPECT_EQ(cpu::score(batch, {}).status,
            reference::score(batch, {}, MetricSet::of_paths()).status);
}

// ---------------------------------------------------------------- against the reference

TEST(PointBits, AreWithinToleranceOfTheReference) {
  for (const Convention& convention : conventions()) {
    RandomPoints made(run_seed() + 80);
    made.add_pairs(40, 100, 100);
    made.add_pairs(20, 8, 8);
    made.add_pairs(2, 500, 500);
    const PointBatch& batch = made.batch();
    const Scores got = cpu::score(batch, convention);
    const Scores want = reference::score(batch, convention, MetricSet::of_paths());
    for (std::size_t row = 0; row < batch.pairs.size(); ++row) {
      const std::string where = convention.preset + ", row " + std::to_string(row) + ", seed " +
                                std::to_string(run_seed());
      const checks::PointRounding rounding(batch, want, row, convention);
      for (const MetricInfo& info : path_metric_table()) {
        const double a = got.at(info.metric, row), b = want.at(info.metric, row);
        ASSERT_EQ(std::isnan(a), std::isnan(b)) << info.name << ", " << where;
        if (std::isnan(b)) continue;
        ASSERT_LE(std::abs(a - b), rounding.allowed(info.metric))
            << info.name << ": " << a << ", " << b << ", " << where;
      }
      ASSERT_EQ(got.status[row], want.status[row]) << where;
      ASSERT_EQ(got.zero_rules[row], want.zero_rules[row]) << where;
    }
  }
}

// ---------------------------------------------------------------- a few metrics

// Both back ends must also report the same statuses.
TEST(PointBits, DoNotDependOnTheOtherMetricsRequested) {
  const std::vector<std::vector<Metric>> requests = {
      {NE},        {ONE, OSR}, {DTW},  {nDTW}, {SDTW}, {DTW, PC, AD, MD, nDTW},
      {PC},        {AD},       {CLS},  {LS},   {EPL},  {ED},
      {SED},       {PL},       {SPL},  {GP},   {SP},   {PLR},
      {SDTW, CLS}, {n_query},  {n_ref}};
  for (const Convention& convention : conventions()) {
    RandomPoints made(run_seed() + 81);
    made.add_pairs(30, 60, 60);
    made.add_pairs(10, 2, 2);
    const PointBatch& batch = made.batch();
    const Scores all = cpu::score(batch, convention);
    for (const auto& request : requests) {
      MetricSet asked;
      for (const Metric m : request) asked.insert(m);
      const Scores part = cpu::score(batch, convention, {.metrics = asked});
      const Scores exact = reference::score(batch, convention, asked);
      Scores want = all;
      for (const Metric m : MetricSet::of_paths()) {
        if (!asked[m]) want.column[m] = {};
        ASSERT_EQ(part.column[m].size(), exact.column[m].size());
      }
      want.status = exact.status;
      want.zero_rules = exact.zero_rules;
      expect_same_scores(part, want, convention.preset + " " + std::string(info(request[0]).name));
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace warpath::testing
