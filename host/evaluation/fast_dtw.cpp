#include "host/evaluation/fast_dtw.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace warpath {
namespace {

using Point = std::array<double, 3>;
using Points = std::span<const Point>;
// The columns [first, last) of one row of the window.
using Row = std::pair<std::size_t, std::size_t>;
// Cells (row, column) of a warping, from the first to the last.
using Warping = std::vector<std::pair<std::size_t, std::size_t>>;

struct Warped {
  double cost;
  Warping warping;
};

constexpr double infinity = std::numeric_limits<double>::infinity();

enum class From : std::uint8_t { above, left, diagonal };

// Holds the cells of the window, row after row.
class Cells {
 public:
  // @param window each cell but the first has one above or to the left
  explicit Cells(std::vector<Row> window) : window_(std::move(window)) {
    for (const auto& [first, last] : window_) begin_.push_back(begin_.back() + last - first);
    cost_.resize(begin_.back());
    from_.resize(begin_.back());
  }

  template <class Distance>
  Warped warp(unsigned level, const Distance& distance) {
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

  // Returns the cost of a cell, infinite outside of the window.
  double at(std::size_t i, std::size_t j) const {
    return has(i, j) ? cost_[index(i, j)] : infinity;
  }

  void fill(std::size_t i, std::size_t j, double distance) {
    const double above = (i > 0 ? at(i - 1, j) : infinity) + distance;
    const double left = (j > 0 ? at(i, j - 1) : infinity) + distance;
    const double before = i > 0 && j > 0 ? at(i - 1, j - 1) : i == 0 && j == 0 ? 0.0 : infinity;
    double best = above;
    // Where all are infinite, the warping still stays in the window.
    From from = i > 0 && has(i - 1, j) ? From::above : From::left;
    if (left < best) best = left, from = From::left;
    if (before + distance < best) best = before + distance, from = From::diagonal;
    cost_[index(i, j)] = best;
    from_[index(i, j)] = from;
  }

  Warping path() const {
    Warping warping;
    std::size_t i = window_.size() - 1, j = window_.back().second - 1;
    while (true) {
      warping.emplace_back(i, j);
      if (i == 0 && j == 0) break;
      const From from = from_[index(i, j)];
      if (from != From::left) --i;
      if (from != From::above) --j;
    }
    std::ranges::reverse(warping);
    return warping;
  }

  std::vector<Row> window_;
  std::vector<std::size_t> begin_{0};  // of each row's cells
  std::vector<double> cost_;
  std::vector<From> from_;
};

// Returns the window of the finer level: every cell within the radius of the coarse warping, in
// both directions, becomes four cells. A warping is connected, so each row has one run of columns.
std::vector<Row> expanded(const Warping& warping, std::size_t rows, std::size_t columns,
                          std::size_t radius) {
  const std::size_t coarse_rows = warping.back().first + 1;
  std::vector<Row> reached(coarse_rows, {columns, 0});  // first and last column of the warping
  for (const auto& [i, j] : warping) {
    reached[i] = {std::min(reached[i].first, j), std::max(reached[i].second, j)};
  }
  std::vector<Row> window(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t coarse = i / 2, lowest = coarse - std::min(coarse, radius);
    const std::size_t highest = std::min(coarse + radius, coarse_rows - 1);
    const std::size_t first = reached[lowest].first, last = reached[highest].second;
    window[i] = {2 * (first - std::min(first, radius)), std::min(columns, 2 * (last + radius) + 2)};
  }
  return window;
}

// A template, so that looking a distance up costs no call.
template <class Distance>
Warped fast_dtw(std::size_t x_size, std::size_t y_size, std::size_t radius, unsigned level,
                const Distance& distance) {
  if (std::min(x_size, y_size) < radius + 2) {
    return Cells(std::vector<Row>(x_size, {0, y_size})).warp(level, distance);
  }
  const Warped coarse = fast_dtw(x_size / 2, y_size / 2, radius, level + 1, distance);
  return Cells(expanded(coarse.warping, x_size, y_size, radius)).warp(level, distance);
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

double fast_dtw_cost(std::size_t x_size, std::size_t y_size, unsigned radius,
                     const LevelDistance& distance) {
  return fast_dtw(x_size, y_size, radius, 0, distance).cost;
}

double fast_dtw_cost(Points x, Points y, unsigned radius, const Euclid& euclid) {
  const auto x_levels = levels(x), y_levels = levels(y);
  const auto distance = [&](unsigned level, std::size_t i, std::size_t j) {
    return euclid(x_levels[level][i], y_levels[level][j]);
  };
  return fast_dtw(x.size(), y.size(), radius, 0, distance).cost;
}

double fast_dtw_cost(std::span<const Node> query, std::span<const double* const> rows,
                     unsigned radius) {
  const auto distance = [&](unsigned level, std::size_t i, std::size_t j) {
    return rows[j << level][query[i << level]];
  };
  return fast_dtw(query.size(), rows.size(), radius, 0, distance).cost;
}

}  // namespace warpath
