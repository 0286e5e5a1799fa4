#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "warpath/export.hpp"
#include "warpath/graph.hpp"

namespace warpath {

/// Says which cells of a grid are neighbours: those that share a side, or also those that share a
/// corner. A diagonal needs both cells beside it, so no corner is cut. With `fmm` cells that share
/// a side are neighbours, and distances are those of scikit-fmm's fast marching; see Scan.
enum class Connect : std::uint8_t { four, eight, fmm };

/// Describes a grid of free cells. Row r and column c have their centre at origin + (c + 0.5, r +
/// 0.5) · resolution; columns run along x, rows along the other horizontal axis.
struct GridData {
  std::size_t layers = 1, rows = 0, columns = 0;
  std::vector<double> heights{};   ///< [layers][rows][columns], metres; NaN: not free
  double resolution = 0.0;         ///< side of a cell, from 0.001 to 1,000 m
  std::array<double, 2> origin{};  ///< outer corner of the cell (0, 0), metres
  bool is_z_up = false;            ///< z is up as in Matterport3D; false: y, as in Habitat
  double climb = 0.25;             ///< the greatest difference of neighbours' heights, metres
};

/// A cell of a grid by its place.
struct Cell {
  std::uint32_t layer = 0, row = 0, column = 0;
  auto operator<=>(const Cell&) const = default;
};

/// Holds the free cells of a grid, numbered by layer, row and column. A point stands for the cell
/// whose centre is nearest, and a GraphStore takes a grid as a scan whose viewpoints are its cells.
/// Any number of threads may read it.
class WARPATH_EXPORT Grid {
 public:
  /// The most cells of a grid, free or not, and the most layers.
  static constexpr std::uint64_t max_cells = std::uint64_t{1} << 31;
  static constexpr std::size_t max_layers = 256;

  /// @param name of the grid, for errors
  /// @throws InputError if sizes do not fit or exceed their limits, a number is beyond 1e7 m or not
  ///   finite, or no cell is free
  explicit Grid(const GridData& data, const std::string& name = "grid");

  /// Returns the number of free cells.
  std::size_t size() const { return cells_.size(); }
  /// Returns the place of a free cell. @pre n < size()
  const Cell& cell(Node n) const { return cells_[n]; }
  /// Finds a free cell by its place; returns nothing if there is none.
  std::optional<Node> find(const Cell& cell) const;
  /// Returns the centre of a free cell in the axes of the grid, metres. @pre n < size()
  std::array<double, 3> centre(Node n) const;
  /// Returns the id of a free cell as a viewpoint: "layer,row,column". @pre n < size()
  std::string viewpoint(Node n) const;
  bool is_z_up() const { return is_z_up_; }

  /// A free cell and how far from its centre a point is, in metres.
  struct Nearest {
    Node cell;
    double metres;
  };
  /// Finds the free cell whose centre is nearest to a point; of equally near ones the first.
  /// @param point in the axes of the grid, metres. @pre it is finite
  Nearest nearest(const std::array<double, 3>& point) const;

  /// Lists the edges: each is as long as the distance of the two centres. Those of `fmm` are those
  /// of `four`.
  /// @throws InputError if cells have more than 64 neighbours on average, since layers lie within
  ///   `climb` of each other
  std::vector<Edge> edges(Connect connect) const;

  /// Makes the scan of that name. The positions of its viewpoints have z up: (x, −z, y) of a grid
  /// whose y is up.
  /// @throws InputError as edges(); for `fmm`, if cells differ in height or share a row and column
  Scan make_scan(const std::string& id, Connect connect) const;

 private:
  std::span<const Node> column(std::size_t row, std::size_t column) const;
  void search_column(std::int64_t row, std::int64_t column, const std::array<double, 3>& place,
                     Nearest& best) const;
  bool has_between(std::size_t row, std::size_t column, double height, double other) const;
  void join(Node from, std::int64_t row, std::int64_t column, std::vector<Edge>& edges,
            std::size_t& tried) const;
  Lattice lattice() const;
  double min_distance(const std::array<double, 3>& place, double ring) const;
  std::array<double, 2> middle(std::size_t row, std::size_t column) const;

  std::string name_;
  std::size_t rows_, columns_;
  double resolution_, climb_;
  std::array<double, 2> origin_;
  bool is_z_up_;
  std::vector<Cell> cells_;     // the free ones
  std::vector<double> height_;  // by cell
  double min_height_ = 0.0, max_height_ = 0.0;
  std::vector<std::uint64_t> first_;  // by row and column: where its cells begin
  std::vector<Node> by_column_;       // cells of each row and column, from the lowest layer
};

}  // namespace warpath
