// Tests FastDTW of positions and viewpoints against plain transcriptions of both builds, and what
// evaluations write with it.

#include "host/files/evaluation/fast_dtw.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "host/checks/pairs.hpp"
#include "host/files/evaluation/warping_scores.hpp"
#include "tests/support/golden.hpp"
#include "warpath/distances.hpp"
#include "warpath/scorer.hpp"

namespace warpath::testing {
namespace {

using Point = std::array<double, 3>;
using Cell = std::pair<int, int>;
using checks::Random;

constexpr double infinity = std::numeric_limits<double>::infinity();

// ---------------------------------------------------------------- the transcriptions

struct Plain {
  double cost;
  std::set<Cell> path;
};

template <class T, class Merge>
std::vector<T> plain_half(const std::vector<T>& path, const Merge& merge) {
  std::vector<T> half;
  for (std::size_t k = 0; k + 1 < path.size(); k += 2) half.push_back(merge(path[k], path[k + 1]));
  return half;
}

// Returns the best warping within a window; of equal ways, the first of above, left and diagonal.
template <class X, class Y, class Dist>
Plain plain_dtw(const std::vector<X>& x, const std::vector<Y>& y, const std::set<Cell>& window,
                const Dist& dist) {
  std::map<Cell, double> cost{{{0, 0}, 0.0}};
  std::map<Cell, Cell> from;
  const auto cost_at = [&](Cell cell) { return cost.contains(cell) ? cost[cell] : infinity; };
  for (const auto& [i, j] : window) {
    const double d = dist(x[i], y[j]);
    double best = infinity;
    for (const Cell& before : {Cell{i, j + 1}, Cell{i + 1, j}, Cell{i, j}}) {
      if (cost_at(before) + d < best) {
        best = cost_at(before) + d;
        from[{i + 1, j + 1}] = before;
      }
    }
    cost[{i + 1, j + 1}] = best;
  }
  Plain found{cost_at({x.size(), y.size()}), {}};
  for (Cell cell(x.size(), y.size()); cell != Cell{0, 0}; cell = from.at(cell)) {
    found.path.insert({cell.first - 1, cell.second - 1});
  }
  return found;
}

template <class T, class Merge, class Dist>
Plain plain_pure(const std::vector<T>& x, const std::vector<T>& y, int radius, const Merge& merge,
                 const Dist& dist) {
  const int n = static_cast<int>(x.size()), m = static_cast<int>(y.size());
  std::set<Cell> window;
  if (n < radius + 2 || m < radius + 2) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < m; ++j) window.insert({i, j});
    }
    return plain_dtw(x, y, window, dist);
  }
  const Plain coarse = plain_pure(plain_half(x, merge), plain_half(y, merge), radius, merge, dist);
  for (const auto& [i, j] : coarse.path) {
    for (int a = 2 * (i - radius); a < 2 * (i + radius) + 2; ++a) {
      for (int b = 2 * (j - radius); b < 2 * (j + radius) + 2; ++b) {
        if (a >= 0 && a < n && b >= 0 && b < m) window.insert({a, b});
      }
    }
  }
  return plain_dtw(x, y, window, dist);
}

// Returns the compiled build's warping within the columns [first, last] of each row: costs are
// compared before the cell's own is added, and the last of up, left and diagonal is the first
// choice. There is no diagonal step into the column behind the last one of the row before.
template <class T, class Dist>
Plain plain_rows(const std::vector<T>& x, const std::vector<T>& y, const std::vector<Cell>& rows,
                 const Dist& dist) {
  std::map<Cell, double> cost;
  std::map<Cell, Cell> from;
  for (int i = 0; i < static_cast<int>(rows.size()); ++i) {
    const auto [first, last] = rows[i];
    for (int j = first; j <= last; ++j) {
      const bool has_up = i > 0 && j <= rows[i - 1].second;
      const double up = has_up ? cost.at({i - 1, j}) : infinity;
      const double left = j > first ? cost.at({i, j - 1}) : infinity;
      double diagonal = i == 0 && j == 0 ? 0.0 : infinity;
      if (has_up && j > rows[i - 1].first) diagonal = cost.at({i - 1, j - 1});
      const bool takes_up = up < left && up < diagonal, takes_left = !takes_up && left < diagonal;
      from[{i, j}] = {takes_left ? i : i - 1, takes_up ? j : j - 1};
      cost[{i, j}] = (takes_up ? up : takes_left ? left : diagonal) + dist(x[i], y[j]);
    }
  }
  Cell cell(x.size() - 1, y.size() - 1);
  Plain found{cost.at(cell), {}};
  for (; cell != Cell{-1, -1}; cell = from.at(cell)) found.path.insert(cell);
  return found;
}

template <class T, class Merge, class Dist>
Plain plain_compiled(const std::vector<T>& x, const std::vector<T>& y, int radius,
                     const Merge& merge, const Dist& dist) {
  const int n = static_cast<int>(x.size()), m = static_cast<int>(y.size());
  if (n < radius + 2 || m < radius + 2) {
    return plain_rows(x, y, std::vector<Cell>(n, {0, m - 1}), dist);
  }
  const auto [cost, path] =
      plain_compiled(plain_half(x, merge), plain_half(y, merge), radius, merge, dist);
  std::map<int, Cell> reached;
  for (const auto& [i, j] : path) reached.insert({i, {j, j}}), reached[i].second = j;
  const auto [last_row, last_column] = *path.rbegin();
  std::vector<Cell> rows;
  for (int i = 0; i < n; ++i) {
    const int row = std::min(i / 2, last_row);  // the rows behind the path repeat its last one
    const int low = std::max(0, reached[std::max(0, row - radius)].first - radius);
    const int high = std::min(last_column, reached[std::min(last_row, row + radius)].second);
    rows.emplace_back(2 * low, std::min(m - 1, 2 * (high + radius) + 1));
  }
  return plain_rows(x, y, rows, dist);
}

template <class T, class Merge, class Dist>
Plain plain_fast_dtw(const std::vector<T>& x, const std::vector<T>& y, int radius, FastDtw build,
                     const Merge& merge, const Dist& dist) {
  return build == FastDtw::pure ? plain_pure(x, y, radius, merge, dist)
                                : plain_compiled(x, y, radius, merge, dist);
}

// ---------------------------------------------------------------- single pairs

constexpr FastDtw both_builds[] = {FastDtw::pure, FastDtw::compiled};

std::vector<Node> random_walk(const Scan& scan, std::size_t size, Random& random) {
  return checks::walk(random, scan, static_cast<Node>(random.below(scan.size())), size);
}

TEST(FastDtw, OfViewpointsEqualsTheTranscription) {
  Random random(15);
  const Scan scan = checks::random_scan(random, "maze", 40);
  Distances distances(scan, Distance::euclid_3d);
  int above_exact = 0, differ = 0;
  for (std::size_t size = 1; size <= 40; ++size) {
    for (const unsigned radius : {1u, 2u, 3u, 7u, 19u, 40u}) {
      const auto query = random_walk(scan, size, random);
      const auto reference = random_walk(scan, 1 + random.below(40), random);
      std::vector<const double*> rows;
      for (const Node node : reference) rows.push_back(distances.row(node).data());
      const auto first = [](Node a, Node) { return a; };
      const auto dist = [&](Node q, Node r) { return distances.row(r)[q]; };
      const double exact = plain_pure(query, reference, 1000, first, dist).cost;
      std::vector<double> costs;
      for (const FastDtw build : both_builds) {
        costs.push_back(evaluation::fast_dtw_cost(query, rows, radius, build));
        EXPECT_EQ(costs.back(), plain_fast_dtw(query, reference, radius, build, first, dist).cost)
            << size << " and " << reference.size() << " viewpoints, radius " << radius;
        EXPECT_GE(costs.back(), exact);
        above_exact += costs.back() > exact;
      }
      differ += costs[0] != costs[1];
    }
  }
  EXPECT_GT(above_exact, 10);  // so that the window matters
  EXPECT_GT(differ, 2);        // and the build
}

TEST(FastDtw, OfPositionsEqualsTheTranscription) {
  Random random(16);
  const graph::Euclid euclid(Distance::euclid_3d);
  const auto draw = [&](std::size_t size) {
    std::vector<Point> path(size);
    for (Point& point : path) {
      for (double& coordinate : point) coordinate = random.between(-3, 3);
    }
    return path;
  };
  const auto mean = [](const Point& a, const Point& b) {
    return Point{(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2};
  };
  for (std::size_t size = 1; size <= 40; ++size) {
    for (const unsigned radius : {1u, 2u, 5u}) {
      const auto x = draw(size), y = draw(1 + random.below(40));
      for (const FastDtw build : both_builds) {
        EXPECT_EQ(evaluation::fast_dtw_cost(x, y, radius, build, euclid),
                  plain_fast_dtw(x, y, radius, build, mean, euclid).cost)
            << size << " and " << y.size() << " positions, radius " << radius;
      }
    }
  }
}

TEST(FastDtw, KeepsToTheWindowWhereDistancesAreInfinite) {
  Random random(17);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const std::size_t n = 1 + random.below(40), m = 1 + random.below(40);
    const double finite = random.unit();
    const auto seed = random.below(1000);
    const auto distance = [&](unsigned level, std::size_t i, std::size_t j) {
      Random cell(seed + 7919 * ((i << level) * 64 + (j << level)));
      return cell.unit() < finite ? 1.0 : infinity;
    };
    const auto radius = static_cast<unsigned>(1 + random.below(3));
    const auto none = [](unsigned, std::size_t, std::size_t) { return infinity; };
    for (const FastDtw build : both_builds) {
      EXPECT_GE(evaluation::fast_dtw(n, m, radius, build, distance).cost,
                static_cast<double>(std::max(n, m)));
      EXPECT_EQ(evaluation::fast_dtw(n, m, 1, build, none).cost, infinity);
    }
  }
}

// ---------------------------------------------------------------- batches

constexpr MetricSet of_warping{Metric::DTW, Metric::nDTW, Metric::SDTW};

std::uint64_t bits(double value) {
  return std::isnan(value) ? 0 : std::bit_cast<std::uint64_t>(value);
}

TEST(WarpingScores, EqualExactDtwBitForBitWhereTheRadiusCoversThePaths) {
  Random random(18);
  for (const bool task_success : {false, true}) {
    const auto made = checks::adversarial_pairs(random, 150, task_success);
    for (const DtwNorm norm : {DtwNorm::cost, DtwNorm::reference_length}) {
      Convention convention;
      convention.dtw_norm = norm;
      const Scores exact = score(made.batch, convention, Backend::reference);
      Scores fast = exact;
      for (const Metric m : of_warping) {
        for (double& value : fast.column[m]) value = std::isnan(value) ? value : -1.0;
      }
      convention.dtw_radius = 100'000;
      evaluation::score_warpings(made.batch, convention, fast);
      EXPECT_EQ(fast.status, exact.status);
      for (const MetricInfo& m : path_metric_table()) {
        for (std::size_t k = 0; k < exact.size(); ++k) {
          EXPECT_EQ(bits(fast.at(m.metric, k)), bits(exact.at(m.metric, k))) << m.name << " " << k;
        }
      }
    }
  }
}

TEST(WarpingScores, AreNeverBetterThanExact) {
  Random random(19);
  const auto made = checks::adversarial_pairs(random, 150, false);
  Convention convention;
  const Scores exact = score(made.batch, convention, Backend::reference);
  Scores fast = exact;
  convention.dtw_radius = 1;
  evaluation::score_warpings(made.batch, convention, fast);
  int worse = 0, unreachable = 0;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    unreachable += fast.status[k] == Status::unreachable;
    if (fast.status[k] == Status::unreachable) continue;
    EXPECT_GE(fast.at(Metric::DTW, k), exact.at(Metric::DTW, k)) << k;
    EXPECT_EQ(fast.at(Metric::SDTW, k), fast.at(Metric::SR, k) * fast.at(Metric::nDTW, k)) << k;
    worse += fast.at(Metric::DTW, k) > exact.at(Metric::DTW, k);
  }
  EXPECT_GT(worse, 5);
  EXPECT_GT(unreachable, 0);
}

// Ready distances may leave exact DTW a way that FastDTW's window does not hold.
// Returns a scan whose ready distances are 1 or infinite, as the numbers fall.
Scan patchy_scan(Random& random, std::size_t n) {
  std::vector<double> ready(n * n, 0.0);
  std::vector<std::string> ids;
  for (std::size_t a = 0; a < n; ++a) {
    ids.push_back(std::to_string(a));
    for (std::size_t b = 0; b < a; ++b) {
      ready[a * n + b] = ready[b * n + a] = random.unit() < 0.6 ? 1.0 : infinity;
    }
  }
  return {"patchy", ids, {}, {}, ready};
}

TEST(WarpingScores, LeaveOutAPairWithoutAFiniteWarping) {
  Random random(20);
  int left_out = 0;
  for (int repeat = 0; repeat < 2000; ++repeat) {
    const Scan scan = patchy_scan(random, 10);
    PairBatch batch;
    batch.scans = {&scan};
    for (PathSet* paths : {&batch.references, &batch.queries}) {
      Node last = 0;
      while (paths->elements.size() < 12) {
        const auto next = static_cast<Node>(random.below(10));
        if (std::isinf(scan.distances()[last * 10 + next])) continue;
        paths->elements.push_back(last = next);
      }
    }
    batch.pairs = {{0, batch.references.end_path(), batch.queries.end_path()}};
    Convention convention;
    const Scores exact = score(batch, convention, Backend::reference);
    Scores fast = exact;
    convention.dtw_radius = 1;
    evaluation::score_warpings(batch, convention, fast);
    if (fast.status[0] != Status::unreachable) {
      EXPECT_FALSE(std::isinf(fast.at(Metric::DTW, 0)));
      continue;
    }
    left_out += exact.status[0] != Status::unreachable;
    for (const MetricInfo& m : path_metric_table()) {
      EXPECT_TRUE(std::isnan(fast.at(m.metric, 0))) << m.name;
    }
  }
  EXPECT_GT(left_out, 0);
}

TEST(WarpingScores, GaussiansAreOfTheNearestOfTheReference) {
  const Edge edges[] = {{0, 1}, {1, 2}, {2, 3}, {2, 4}};
  const Scan street("street", {"a", "b", "c", "d", "e"},
                    {{0, 0, 0}, {2, 0, 0}, {4, 0, 0}, {5, 0, 0}, {4, 2, 0}}, edges);
  const PairBatch batch = checks::pair_of(street, {0, 1, 2, 3}, {0, 1, 2, 4});
  Scores scores = score(batch, Convention{}, Backend::reference);
  Convention convention;
  convention.ndtw = Ndtw::gaussian;
  evaluation::score_warpings(batch, convention, scores);
  EXPECT_EQ(scores.at(Metric::DTW, 0), 3.0);
  const double ndtw = (1 + 1 + 1 + std::exp(-4.0 / 18.0)) / 4;  // e lies 2 m from c
  EXPECT_EQ(scores.at(Metric::nDTW, 0), ndtw);
  EXPECT_EQ(scores.at(Metric::SDTW, 0), ndtw);
  convention.ndtw_threshold = 2.0;
  evaluation::score_warpings(batch, convention, scores);
  EXPECT_EQ(scores.at(Metric::nDTW, 0), (1 + 1 + 1 + std::exp(-4.0 / 8.0)) / 4);
  EXPECT_EQ(formula(Metric::nDTW, convention), "mean_q exp(−d(q, R)² / (2 · 2²))");
}

// ---------------------------------------------------------------- commands

Arguments small_episodes(const Arguments& more) {
  return with({"--graphs", source("tests/golden/connectivity"), "--dataset",
               source("tests/golden/dataset.json"), source("tests/golden/predictions.json"),
               "--missing", "skip"},
              more);
}

TEST(FastDtwCommands, EvalComputesItOfViewpoints) {
  const TemporaryFolder folder;
  const auto exact = eval_rows(folder, small_episodes({"--backend", "reference"}));
  const auto covered =
      eval_rows(folder, small_episodes({"--backend", "reference", "--dtw", "fast:1000"}));
  EXPECT_EQ(covered, exact);
  const auto fast =
      eval_rows(folder, small_episodes({"--backend", "reference", "--dtw", "fast:1"}));
  ASSERT_EQ(fast.size(), exact.size());
  int differ = 0;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    for (const auto& [column, value] : exact[k]) {
      const auto metric = find_metric(column);
      if (metric && of_warping.contains(*metric)) {
        differ += column == "DTW" && value != fast[k].at(column);
      } else {
        EXPECT_EQ(fast[k].at(column), value) << column;
      }
    }
  }
  EXPECT_GT(differ, 0);
}

TEST(FastDtwCommands, ExplainShowsBothBuildsOfViewpointsWhereTheyDiffer) {
  const TemporaryFolder folder;
  const auto pure =
      eval_rows(folder, small_episodes({"--backend", "reference", "--dtw", "fast:1"}));
  const auto compiled =
      eval_rows(folder, small_episodes({"--backend", "reference", "--dtw", "fast-compiled:1"}));
  ASSERT_EQ(pure.size(), compiled.size());
  int differ = 0;
  for (std::size_t k = 0; k < pure.size(); ++k) {
    const std::string item = pure[k].at("instr_id"), cost = compiled[k].at("DTW");
    if (cost.empty() || (pure[k].at("DTW") == cost && k % 8 > 0)) continue;
    Arguments arguments{"explain", "--item", item};
    const Arguments more = small_episodes({"--dtw", "fast-compiled:1"});
    arguments.insert(arguments.end(), more.begin(), more.end() - 4);
    arguments.insert(arguments.end(), more.end() - 2, more.end());
    const CliResult result = run(arguments);
    EXPECT_EQ(result.code, 0) << result.err;
    const std::string line = "FastDTW of radius 1: " + pure[k].at("DTW") + " by the pure build, " +
                             cost + " by the compiled; exact ";
    EXPECT_EQ(result.out.find(line) != std::string::npos, pure[k].at("DTW") != cost) << result.out;
    EXPECT_NE(result.out.find("warping, radius 1, compiled build"), std::string::npos);
    differ += pure[k].at("DTW") != cost;
  }
  EXPECT_GT(differ, 0);
}

TEST(FastDtwCommands, ReportsSayHowItIsComputed) {
  for (const auto& [value, build] : {std::pair{"fast:2", "as the pure Python of fastdtw 0.3.4"},
                                     {"fast-compiled:2", "as the compiled build of fastdtw"}}) {
    Arguments arguments{"eval"};
    for (const std::string& word :
         small_episodes({"--invalid", "skip", "--dtw", value, "--by", "scan"})) {
      arguments.push_back(word);
    }
    const CliResult report = run(arguments);
    EXPECT_EQ(report.code, 0) << report.err;
    EXPECT_NE(report.out.find("preset paper with"), std::string::npos);
    EXPECT_NE(report.out.find("DTW, nDTW and SDTW by FastDTW of radius 2, not exact"),
              std::string::npos)
        << report.out;
    EXPECT_NE(report.out.find(build), std::string::npos) << report.out;
  }
}

}  // namespace
}  // namespace warpath::testing
