#include "host/files/evaluation/fast_dtw.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace warpath::evaluation {
namespace {

using Point = std::array<double, 3>;
using Points = std::span<const Point>;
// The columns [first, last) of one row of the window.
using Row = std::pair<std::size_t, std::size_t>;

constexpr double infinity = std::numeric_limits<double>::infinity();

enum class From : std::uint8_t { above, left, diagonal };

// Holds the cells of the window, row after row.
template <FastDtw build>
class Cells {
 public:
  // @param window each cell but the first has one above or to the left
  explicit Cells(std::vector<Row> window) : window_(std::move(window)) {
    for (const auto& [first, last] : window_) begin_.push_back(begin_.back() + last - first);
    cost_.resize(begin_.back());
    from_.resize(begin_.back());
  }

  template <class Distance>
  FastWarping warp(unsigned level, const Distance& distance) {
    for (std::size_t i = 0; i < window_.size(); ++i) {
      for (std::size_t j = window_[i].first; j < window_[i].second; ++j) {
        fill(i, j, distance(level, i, j));
      }
    }
    return {cost_.back(), path()};
  }

 private:
  std::size_t index(std::size_t i, std::size_t j) const { return begin_[i] + j - window_[i].first; }

  bool has(std::size_t i, std::size_t j) const {
    return j >= window_[i].first && j < window_[i].second;
  }

  bool has_above(std::size_t i, std::size_t j) const { return i > 0 && has(i - 1, j); }

  // The compiled build takes no diagonal step out of the last column of a row.
  bool has_diagonal(std::size_t i, std::size_t j) const {
    return i > 0 && j > 0 && has(i - 1, j - 1) && (build == FastDtw::pure || has(i - 1, j));
  }

  // Fills a cell from those before it, whose costs are infinite outside of the window.
  void fill(std::size_t i, std::size_t j, double distance) {
    const double above = has_above(i, j) ? cost_[index(i - 1, j)] : infinity;
    const double left = j > 0 && has(i, j - 1) ? cost_[index(i, j - 1)] : infinity;
    const double diagonal = has_diagonal(i, j) ? cost_[index(i - 1, j - 1)]
                            : i == 0 && j == 0 ? 0.0
                                               : infinity;
    const std::size_t cell = index(i, j);
    const From from = build == FastDtw::pure
                          ? first_of_least(above + distance, left + distance, diagonal + distance)
                          : last_of_least(above, left, diagonal);
    const double before = from == From::above ? above : from == From::left ? left : diagonal;
    cost_[cell] = before + distance;
    from_[cell] = from;
    // Where all are infinite, the warping still stays in the window.
    const bool is_lost = build == FastDtw::pure ? cost_[cell] == infinity
                                                : from == From::diagonal && !has_diagonal(i, j);
    if (is_lost) from_[cell] = has_above(i, j) ? From::above : From::left;
  }

  // Sums with the cell's own distance may be equal where the costs before it are not.
  static From first_of_least(double above, double left, double diagonal) {
    const double best = left < above ? left : above;
    if (diagonal < best) return From::diagonal;
    return left < above ? From::left : From::above;
  }

  static From last_of_least(double above, double left, double diagonal) {
    if (above < left && above < diagonal) return From::above;
    return left < diagonal ? From::left : From::diagonal;
  }

  std::vector<std::pair<std::size_t, std::size_t>> path() const {
    std::vector<std::pair<std::size_t, std::size_t>> steps;
    std::size_t i = window_.size() - 1, j = window_.back().second - 1;
    while (true) {
      steps.emplace_back(i, j);
      if (i == 0 && j == 0) break;
      const From from = from_[index(i, j)];
      if (from != From::left) --i;
      if (from != From::above) --j;
    }
    std::ranges::reverse(steps);
    return steps;
  }

  std::vector<Row> window_;
  std::vector<std::size_t> begin_{0};  // of each row's cells
  std::vector<double> cost_;
  std::vector<From> from_;
};

// Returns the window of the finer level: every cell within the radius of the coarse warping, in
// both directions, becomes four cells. A warping is connected, so each row has one run of columns.
// An odd last row has no coarse row: there the pure build is within the radius of the row that
// would follow, and the compiled build repeats the last one.
std::vector<Row> expanded(const FastWarping& coarse, std::size_t rows, std::size_t columns,
                          std::size_t radius, FastDtw build) {
  const std::size_t last_row = coarse.steps.back().first;
  std::vector<Row> reached(last_row + 1, {columns, 0});  // first and last column of the warping
  for (const auto& [i, j] : coarse.steps) {
    reached[i] = {std::min(reached[i].first, j), std::max(reached[i].second, j)};
  }
  std::vector<Row> window(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t row = build == FastDtw::pure ? i / 2 : std::min(i / 2, last_row);
    const std::size_t first = reached[row - std::min(row, radius)].first;
    const std::size_t last = reached[std::min(row + radius, last_row)].second;
    window[i] = {2 * (first - std::min(first, radius)), std::min(columns, 2 * (last + radius) + 2)};
  }
  return window;
}

// A template, so that looking a distance up costs no call.
template <FastDtw build, class Distance>
FastWarping warp(std::size_t x_size, std::size_t y_size, std::size_t radius, unsigned level,
                 const Distance& distance) {
  if (std::min(x_size, y_size) < radius + 2) {
    return Cells<build>(std::vector<Row>(x_size, {0, y_size})).warp(level, distance);
  }
  const FastWarping coarse = warp<build>(x_size / 2, y_size / 2, radius, level + 1, distance);
  return Cells<build>(expanded(coarse, x_size, y_size, radius, build)).warp(level, distance);
}

template <class Distance>
FastWarping warp(std::size_t x_size, std::size_t y_size, std::size_t radius, FastDtw build,
                 const Distance& distance) {
  return build == FastDtw::pure ? warp<FastDtw::pure>(x_size, y_size, radius, 0u, distance)
                                : warp<FastDtw::compiled>(x_size, y_size, radius, 0u, distance);
}

std::vector<Point> halved(Points path) {
  std::vector<Point> half(path.size() / 2);
  for (std::size_t k = 0; k < half.size(); ++k) {
    for (int axis = 0; axis < 3; ++axis) {
      half[k][axis] = (path[2 * k][axis] + path[2 * k + 1][axis]) / 2;
    }
  }
  return half;
}

// Returns a path at every level of coarsening.
std::vector<std::vector<Point>> levels(Points path) {
  std::vector<std::vector<Point>> all{{path.begin(), path.end()}};
  while (all.back().size() > 1) all.push_back(halved(all.back()));
  return all;
}

}  // namespace

FastWarping fast_dtw(std::size_t x_size, std::size_t y_size, unsigned radius, FastDtw build,
                     const LevelDistance& distance) {
  return warp(x_size, y_size, radius, build, distance);
}

double fast_dtw_cost(Points x, Points y, unsigned radius, FastDtw build,
                     const graph::Euclid& euclid) {
  const auto x_levels = levels(x), y_levels = levels(y);
  const auto distance = [&](unsigned level, std::size_t i, std::size_t j) {
    return euclid(x_levels[level][i], y_levels[level][j]);
  };
  return warp(x.size(), y.size(), radius, build, distance).cost;
}

double fast_dtw_cost(std::span<const Node> query, std::span<const double* const> rows,
                     unsigned radius, FastDtw build) {
  const auto distance = [&](unsigned level, std::size_t i, std::size_t j) {
    return rows[j << level][query[i << level]];
  };
  return warp(query.size(), rows.size(), radius, build, distance).cost;
}

}  // namespace warpath::evaluation
