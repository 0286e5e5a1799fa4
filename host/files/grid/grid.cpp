#include "warpath/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "warpath/error.hpp"

namespace warpath {
namespace {

constexpr double max_metres = 1e7;

void check_number(double number, double min, double max, const InputError::Where& where) {
  if (number >= min && number <= max) return;  // false for NaN
  throw InputError(where, fmt::format("is {}", number),
                   fmt::format("give metres from {} to {}", min, max));
}

void check_shape(const GridData& data, const std::string& name) {
  const std::uint64_t sizes[]{data.layers, data.rows, data.columns};
  std::uint64_t cells = 1;
  for (const std::uint64_t size : sizes) {
    if (size == 0) throw InputError({name}, "has no cell", "give at least one row and one column");
    if (size > Grid::max_cells / cells) {
      throw InputError({name},
                       fmt::format("has {} x {} x {} cells, more than {}", data.layers, data.rows,
                                   data.columns, Grid::max_cells),
                       "make the cells larger, or cut the grid");
    }
    cells *= size;
  }
  if (data.layers > Grid::max_layers) {
    throw InputError({name, {}, "heights"},
                     fmt::format("has {} layers, {} are the most", data.layers, Grid::max_layers),
                     "the shape is [layers][rows][columns]");
  }
  if (data.heights.size() != cells) {
    throw InputError({name, {}, "heights"},
                     fmt::format("has {} numbers for {} cells", data.heights.size(), cells),
                     "give one for each cell");
  }
}

// Checks that every centre, and the length of every edge, is a finite number.
void check_numbers(const GridData& data, const std::string& name) {
  check_number(data.resolution, 0.001, 1000.0, {name, {}, "resolution"});
  check_number(data.climb, 0.0, max_metres, {name, {}, "climb"});
  const std::size_t counts[]{data.columns, data.rows};
  for (int axis = 0; axis < 2; ++axis) {
    const InputError::Where where{name, {}, fmt::format("origin[{}]", axis)};
    check_number(data.origin[axis], -max_metres, max_metres, where);
    const double end = data.origin[axis] + static_cast<double>(counts[axis]) * data.resolution;
    if (end <= max_metres) continue;
    throw InputError(where, fmt::format("puts the last cell beyond {} m", max_metres),
                     "origin and resolution are metres");
  }
}

}  // namespace

Grid::Grid(const GridData& data, const std::string& name)
    : name_(name),
      rows_(data.rows),
      columns_(data.columns),
      resolution_(data.resolution),
      climb_(data.climb),
      origin_(data.origin),
      is_z_up_(data.is_z_up) {
  check_shape(data, name);
  check_numbers(data, name);
  const std::size_t area = rows_ * columns_;
  first_.assign(area + 1, 0);
  for (std::size_t k = 0; k < data.heights.size(); ++k) {
    const double height = data.heights[k];
    if (std::isnan(height)) continue;
    const auto layer = static_cast<std::uint32_t>(k / area);
    const Cell cell{layer, static_cast<std::uint32_t>(k % area / columns_),
                    static_cast<std::uint32_t>(k % columns_)};
    if (!(std::abs(height) <= max_metres)) {
      throw InputError(
          {name, fmt::format("cell [{}, {}, {}]", cell.layer, cell.row, cell.column), "height"},
          fmt::format("is {}", height), "heights are metres, and NaN where a cell is not free");
    }
    cells_.push_back(cell);
    height_.push_back(height);
    ++first_[k % area + 1];
  }
  if (cells_.empty()) {
    throw InputError({name}, "has no free cell",
                     "cells are free where an image is 128 or more, an array is not 0, or a height "
                     "is not NaN");
  }
  const auto [lowest, highest] = std::ranges::minmax(height_);
  min_height_ = lowest;
  max_height_ = highest;
  for (std::size_t k = 0; k < area; ++k) first_[k + 1] += first_[k];
  by_column_.resize(cells_.size());
  std::vector<std::uint64_t> next(first_.begin(), first_.end() - 1);
  for (Node n = 0; n < cells_.size(); ++n) {
    by_column_[next[cells_[n].row * columns_ + cells_[n].column]++] = n;
  }
}

std::span<const Node> Grid::column(std::size_t row, std::size_t column) const {
  const std::size_t k = row * columns_ + column;
  return {by_column_.data() + first_[k], static_cast<std::size_t>(first_[k + 1] - first_[k])};
}

std::optional<Node> Grid::find(const Cell& cell) const {
  if (cell.row >= rows_ || cell.column >= columns_) return std::nullopt;
  for (const Node n : column(cell.row, cell.column)) {
    if (cells_[n].layer == cell.layer) return n;
  }
  return std::nullopt;
}

std::array<double, 2> Grid::middle(std::size_t row, std::size_t column) const {
  return {origin_[0] + (static_cast<double>(column) + 0.5) * resolution_,
          origin_[1] + (static_cast<double>(row) + 0.5) * resolution_};
}

std::array<double, 3> Grid::centre(Node n) const {
  const auto [x, along_rows] = middle(cells_[n].row, cells_[n].column);
  if (is_z_up_) return {x, along_rows, height_[n]};
  return {x, height_[n], along_rows};
}

std::string Grid::viewpoint(Node n) const {
  return fmt::format("{},{},{}", cells_[n].layer, cells_[n].row, cells_[n].column);
}

// Compares the cells of a row and column with the best so far, whose distance is squared.
void Grid::search_column(std::int64_t row, std::int64_t column_number,
                         const std::array<double, 3>& place, Nearest& best) const {
  const auto r = static_cast<std::size_t>(row), c = static_cast<std::size_t>(column_number);
  const auto nodes = column(r, c);
  if (nodes.empty()) return;
  const auto [x, along_rows] = middle(r, c);
  const double aside = x - place[0], along = along_rows - place[1];
  for (const Node n : nodes) {
    const double up = height_[n] - place[2];
    const double squared = aside * aside + along * along + up * up;
    if (squared < best.metres || (squared == best.metres && n < best.cell)) best = {n, squared};
  }
}

// Returns the square of a bound of the distances from a point to the cells that lie `ring` metres
// or more aside of the cell below it, or of the border's nearest cell.
double Grid::min_distance(const std::array<double, 3>& place, double ring) const {
  const auto outside = [](double at, double low, double high) {
    return std::max({low - at, at - high, 0.0});
  };
  const double x = outside(place[0], origin_[0],
                           origin_[0] + static_cast<double>(columns_) * resolution_),
               z = outside(place[1], origin_[1],
                           origin_[1] + static_cast<double>(rows_) * resolution_),
               up = outside(place[2], min_height_, max_height_);
  return x * x + z * z + up * up + ring * ring + 2.0 * ring * std::min(x, z);
}

// Goes outwards from the point in squares of columns, until none of a square can be nearer.
Grid::Nearest Grid::nearest(const std::array<double, 3>& point) const {
  const std::array<double, 3> place =
      is_z_up_ ? point : std::array<double, 3>{point[0], point[2], point[1]};
  const auto rows = static_cast<std::int64_t>(rows_), columns = static_cast<std::int64_t>(columns_);
  const auto index = [&](double at, double origin, std::int64_t count) {
    const double cell = std::floor((at - origin) / resolution_);
    return static_cast<std::int64_t>(std::clamp(cell, 0.0, static_cast<double>(count - 1)));
  };
  const std::int64_t column0 = index(place[0], origin_[0], columns),
                     row0 = index(place[1], origin_[1], rows);
  constexpr double rounding = 1e-9;
  Nearest best{0, std::numeric_limits<double>::infinity()};
  const std::int64_t max_ring = std::max({row0, rows - 1 - row0, column0, columns - 1 - column0});
  for (std::int64_t ring = 0; ring <= max_ring; ++ring) {
    // A column of this square is at least half a cell less away; one is left for rounding.
    const double least = static_cast<double>(std::max<std::int64_t>(ring - 1, 0)) * resolution_;
    if (min_distance(place, least) > best.metres * (1.0 + rounding)) break;
    const std::int64_t left = std::max<std::int64_t>(column0 - ring, 0),
                       right = std::min(column0 + ring, columns - 1);
    for (const std::int64_t row : {row0 - ring, row0 + ring}) {
      if (row < 0 || row >= rows || (ring == 0 && row != row0)) continue;
      for (std::int64_t c = left; c <= right; ++c) search_column(row, c, place, best);
    }
    const std::int64_t top = std::max<std::int64_t>(row0 - ring + 1, 0),
                       bottom = std::min(row0 + ring - 1, rows - 1);
    for (const std::int64_t c : {column0 - ring, column0 + ring}) {
      if (c < 0 || c >= columns) continue;
      for (std::int64_t row = top; row <= bottom; ++row) search_column(row, c, place, best);
    }
  }
  return {best.cell, std::sqrt(best.metres)};
}

// Tells whether a cell of a row and column can be passed between two heights.
bool Grid::has_between(std::size_t row, std::size_t column_number, double height,
                       double other) const {
  return std::ranges::any_of(column(row, column_number), [&](Node n) {
    return std::abs(height_[n] - height) <= climb_ && std::abs(height_[n] - other) <= climb_;
  });
}

// Adds the edges from a cell to those of an adjacent row and column. Counts the cells whose height
// is near enough.
void Grid::join(Node from, std::int64_t row, std::int64_t column_number, std::vector<Edge>& edges,
                std::size_t& tried) const {
  if (row < 0 || column_number < 0 || static_cast<std::size_t>(row) >= rows_ ||
      static_cast<std::size_t>(column_number) >= columns_) {
    return;
  }
  const Cell& cell = cells_[from];
  const auto r = static_cast<std::size_t>(row), c = static_cast<std::size_t>(column_number);
  const bool is_diagonal = r != cell.row && c != cell.column;
  const double aside = is_diagonal ? std::numbers::sqrt2 * resolution_ : resolution_;
  for (const Node to : column(r, c)) {
    const double up = height_[to] - height_[from];
    if (!(std::abs(up) <= climb_)) continue;
    ++tried;
    if (is_diagonal && !(has_between(cell.row, c, height_[from], height_[to]) &&
                         has_between(r, cell.column, height_[from], height_[to]))) {
      continue;
    }
    edges.push_back({from, to, up == 0.0 ? aside : std::sqrt(aside * aside + up * up)});
  }
}

std::vector<Edge> Grid::edges(Connect connect) const {
  constexpr std::size_t max_edges_of_cell = 32;  // each is of two cells
  std::size_t tried = 0;
  std::vector<Edge> edges;
  for (Node n = 0; n < cells_.size(); ++n) {
    const auto row = static_cast<std::int64_t>(cells_[n].row),
               column_number = static_cast<std::int64_t>(cells_[n].column);
    join(n, row, column_number + 1, edges, tried);
    join(n, row + 1, column_number, edges, tried);
    if (connect == Connect::eight) {
      join(n, row + 1, column_number + 1, edges, tried);
      join(n, row + 1, column_number - 1, edges, tried);
    }
    if (tried > max_edges_of_cell * (cells_.size() + 1)) {
      throw InputError({name_, {}, "heights"},
                       "join each cell to more than 64 others, since layers lie within climb of "
                       "each other",
                       "give a smaller climb, or one layer for each floor");
    }
  }
  return edges;
}

// Joins the cells of a flat floor. Fast marching needs all of them in one plane.
Lattice Grid::lattice() const {
  const auto refuse = [&](const std::string& problem) {
    throw InputError(
        {name_, {}, "heights"}, problem,
        "fast marching is of one flat floor: take --connect 8, or a grid of each floor");
  };
  if (min_height_ != max_height_) {
    refuse(fmt::format("are from {} to {} m", min_height_, max_height_));
  }
  Lattice made{.spacing = resolution_, .neighbours = {}};
  made.neighbours.reserve(size());
  for (const Cell& cell : cells_) {
    const std::size_t r = cell.row, c = cell.column;
    if (column(r, c).size() > 1) refuse(fmt::format("have row {}, column {} in two layers", r, c));
    const auto at = [&](bool exists, std::size_t row, std::size_t column_number) {
      if (!exists) return Lattice::none;
      const auto nodes = column(row, column_number);
      return nodes.empty() ? Lattice::none : nodes.front();
    };
    made.neighbours.push_back({at(r > 0, r - 1, c), at(r + 1 < rows_, r + 1, c),
                               at(c > 0, r, c - 1), at(c + 1 < columns_, r, c + 1)});
  }
  return made;
}

Scan Grid::make_scan(const std::string& id, Connect connect) const {
  std::vector<std::string> names;
  std::vector<std::array<double, 3>> positions;
  names.reserve(size());
  positions.reserve(size());
  for (Node n = 0; n < size(); ++n) {
    names.push_back(viewpoint(n));
    const std::array<double, 3> at = centre(n);
    positions.push_back(is_z_up_ ? at : std::array<double, 3>{at[0], -at[2], at[1]});
  }
  if (connect == Connect::fmm) {
    return Scan::marched(id, std::move(names), std::move(positions), lattice());
  }
  return Scan(id, std::move(names), std::move(positions), edges(connect));
}

}  // namespace warpath
