// Tests that the cost of a tour is the sum over its episodes: against dynamic time warping over the
// matrix of the whole tour, under IVLN's window.

#include "host/files/evaluation/tour_alignment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace warpath::testing {
namespace {

constexpr double no_tour_cost = std::numeric_limits<double>::infinity();

using TourLine = std::vector<double>;

// The tour as IVLN's code has it: all queries in a row, all references in a row, and a window that
// leaves a column at an episode's end one cell.
double windowed_cost(const std::vector<TourLine>& queries,
                     const std::vector<TourLine>& references) {
  TourLine p, r;
  std::vector<std::pair<std::size_t, std::size_t>> cells;  // that a column is left
  for (std::size_t k = 0; k < queries.size(); ++k) {
    if (k > 0) cells.emplace_back(p.size(), r.size());
    p.insert(p.end(), queries[k].begin(), queries[k].end());
    r.insert(r.end(), references[k].begin(), references[k].end());
    if (k + 1 < queries.size()) cells.emplace_back(p.size() - 1, r.size() - 1);
  }
  const auto is_open = [&](std::size_t i, std::size_t j) {
    return std::ranges::all_of(cells, [&](const auto& c) { return c.second != j || c.first == i; });
  };
  std::vector<TourLine> cost(p.size(), TourLine(r.size(), no_tour_cost));
  for (std::size_t i = 0; i < p.size(); ++i) {
    for (std::size_t j = 0; j < r.size(); ++j) {
      if (!is_open(i, j)) continue;
      double before = i == 0 && j == 0 ? 0.0 : no_tour_cost;
      if (i > 0) before = std::min(before, cost[i - 1][j]);
      if (j > 0) before = std::min(before, cost[i][j - 1]);
      if (i > 0 && j > 0) before = std::min(before, cost[i - 1][j - 1]);
      cost[i][j] = before + std::abs(p[i] - r[j]);
    }
  }
  return cost.back().back();
}

double cost_by_episodes(const std::vector<TourLine>& queries,
                        const std::vector<TourLine>& references) {
  double sum = 0.0;
  for (std::size_t k = 0; k < queries.size(); ++k) {
    const evaluation::HeldEnds held{.first = k > 0, .last = k + 1 < queries.size()};
    const double cost = evaluation::alignment_cost(
        std::span<const double>(queries[k]), std::span<const double>(references[k]), held,
        [](double r) { return [r](double q) { return std::abs(q - r); }; });
    EXPECT_EQ(std::isfinite(cost),
              evaluation::has_alignment(queries[k].size(), references[k].size(), held));
    sum += cost;
  }
  return sum;
}

TEST(TourAlignment, EpisodesAddUpToTheTour) {
  std::mt19937 random(35);
  const auto path = [&] {
    TourLine line(1 + random() % 5);
    for (double& x : line) x = static_cast<double>(random() % 7);
    return line;
  };
  int feasible = 0;
  for (int tour = 0; tour < 4'000; ++tour) {
    std::vector<TourLine> queries(1 + random() % 4), references(queries.size());
    for (TourLine& query : queries) query = path();
    for (TourLine& reference : references) reference = path();
    const double whole = windowed_cost(queries, references);
    EXPECT_EQ(cost_by_episodes(queries, references), whole) << tour;
    feasible += std::isfinite(whole);
  }
  EXPECT_GT(feasible, 1'000);
  EXPECT_LT(feasible, 3'500);
}

TEST(TourAlignment, EndsThatAreNotHeldAreDynamicTimeWarping) {
  const TourLine query{0, 1, 2, 1}, reference{0, 1, 2};
  const auto cost = [&](evaluation::HeldEnds held) {
    return evaluation::alignment_cost(
        std::span<const double>(query), std::span<const double>(reference), held,
        [](double r) { return [r](double q) { return std::abs(q - r); }; });
  };
  EXPECT_EQ(cost({}), 1.0);              // 0 1 2 meet their own, the last 1 meets 2
  EXPECT_EQ(cost({.last = true}), 2.0);  // the query's 2 has to meet 1, too
  EXPECT_EQ(cost({.first = true}), 1.0);
}

}  // namespace
}  // namespace warpath::testing
