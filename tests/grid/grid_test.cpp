// Grids in memory: cells, neighbours and snapping, by hand and against plain loops.

#include "warpath/grid.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "warpath/distances.hpp"
#include "warpath/error.hpp"
#include "warpath/graph_store.hpp"

namespace warpath::testing {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

// A floor at height 0 from rows of '#' and '.'.
GridData floor_of(const std::vector<std::string>& rows, double resolution = 1.0) {
  GridData data{.rows = rows.size(), .columns = rows.front().size(), .resolution = resolution};
  for (const std::string& row : rows) {
    for (const char c : row) data.heights.push_back(c == '.' ? 0.0 : none);
  }
  return data;
}

double way(const Grid& grid, Connect connect, const Cell& from, const Cell& to) {
  const Scan scan = grid.make_scan("s", connect);
  return Distances(scan, Distance::euclid_3d).between(*grid.find(from), *grid.find(to));
}

std::string message(const GridData& data) {
  try {
    Grid grid(data, "g");
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(Grid, NumbersFreeCellsByLayerRowAndColumn) {
  GridData data{.layers = 2, .rows = 2, .columns = 2, .resolution = 0.5, .origin = {10.0, 20.0}};
  data.heights = {0, none, none, 0.25, none, 3, none, 3};
  const Grid grid(data);
  ASSERT_EQ(grid.size(), 4u);
  EXPECT_EQ(grid.cell(1), (Cell{0, 1, 1}));
  EXPECT_EQ(grid.cell(2), (Cell{1, 0, 1}));
  EXPECT_EQ(grid.find({1, 1, 1}), 3u);
  EXPECT_FALSE(grid.find({1, 1, 0}).has_value());
  EXPECT_FALSE(grid.find({0, 2, 0}).has_value());
  EXPECT_EQ(grid.viewpoint(2), "1,0,1");
  EXPECT_EQ(grid.centre(2), (std::array{10.75, 3.0, 20.25}));
  data.is_z_up = true;
  EXPECT_EQ(Grid(data).centre(2), (std::array{10.75, 20.25, 3.0}));
}

TEST(Grid, ScansHavePositionsWithZUp) {
  GridData data = floor_of({".."});
  EXPECT_EQ(Grid(data).make_scan("s", Connect::four).positions()[1], (std::array{1.5, -0.5, 0.0}));
  data.is_z_up = true;
  EXPECT_EQ(Grid(data).make_scan("s", Connect::four).positions()[1], (std::array{1.5, 0.5, 0.0}));
}

TEST(Grid, WaysGoAroundWallsAndCutNoCorner) {
  const Grid grid(floor_of({"...", ".#.", "..."}));
  EXPECT_EQ(way(grid, Connect::four, {0, 0, 0}, {0, 2, 2}), 4.0);
  EXPECT_EQ(way(grid, Connect::eight, {0, 0, 0}, {0, 2, 2}), 4.0);
  const Grid open(floor_of({"...", "...", "..."}));
  EXPECT_EQ(way(open, Connect::four, {0, 0, 0}, {0, 2, 2}), 4.0);
  EXPECT_DOUBLE_EQ(way(open, Connect::eight, {0, 0, 0}, {0, 2, 2}), 2 * std::numbers::sqrt2);
  const Grid touching(floor_of({".#", "#."}));
  EXPECT_TRUE(std::isinf(way(touching, Connect::eight, {0, 0, 0}, {0, 1, 1})));
}

TEST(Grid, JoinsLayersWithinTheClimb) {
  GridData data{.layers = 2, .rows = 1, .columns = 3, .resolution = 1.0, .climb = 0.5};
  data.heights = {0, none, none, none, 0.5, 1.25};
  EXPECT_DOUBLE_EQ(way(Grid(data), Connect::four, {0, 0, 0}, {1, 0, 1}), std::sqrt(1.25));
  EXPECT_TRUE(std::isinf(way(Grid(data), Connect::four, {1, 0, 1}, {1, 0, 2})));
  data.climb = 0.75;
  EXPECT_DOUBLE_EQ(way(Grid(data), Connect::four, {1, 0, 1}, {1, 0, 2}), 1.25);
}

TEST(Grid, DiagonalsNeedBothCellsBesideWithinTheClimbOfBothEnds) {
  GridData data{.rows = 2, .columns = 2, .resolution = 1.0, .climb = 0.5};
  data.heights = {0, 0.25, 0.25, 0.5};
  EXPECT_DOUBLE_EQ(way(Grid(data), Connect::eight, {0, 0, 0}, {0, 1, 1}), std::sqrt(2.25));
  data.heights[1] = -0.25;  // within the climb of one end only
  EXPECT_DOUBLE_EQ(way(Grid(data), Connect::eight, {0, 0, 0}, {0, 1, 1}),
                   2 * std::sqrt(1.0 + 0.0625));
}

TEST(Grid, EquallyNearCellsGiveTheFirst) {
  const Grid grid(floor_of({"..", ".."}));
  EXPECT_EQ(grid.nearest({1.0, 0.0, 1.0}).cell, 0u);
  EXPECT_EQ(grid.nearest({1.0, 0.0, 1.5}).cell, 2u);
  GridData data{.layers = 2, .rows = 1, .columns = 1, .resolution = 1.0};
  data.heights = {1.0, 0.0};
  EXPECT_EQ(Grid(data).nearest({0.5, 0.5, 0.5}).cell, 0u);
  EXPECT_EQ(Grid(data).nearest({0.5, 0.25, 0.5}).cell, 1u);
  EXPECT_DOUBLE_EQ(Grid(data).nearest({0.5, 5.0, 3.5}).metres, 5.0);
}

// Each pair of cells that are near enough asks for cells between, of which there are none.
TEST(Grid, RefusesLayersThatLieWithinClimbBeforeItTriesThemAll) {
  GridData data{.layers = 64, .rows = 16, .columns = 16, .resolution = 1.0};
  for (std::size_t k = 0; k < data.layers * data.rows * data.columns; ++k) {
    const bool is_odd = (k / data.columns % data.rows + k % data.columns) % 2 == 1;
    data.heights.push_back(is_odd ? 1000.0 : 0.0);
  }
  EXPECT_THROW((void)Grid(data).edges(Connect::eight), InputError);
}

TEST(Grid, FindsTheNearestCellAsALoopOverAllDoes) {
  std::mt19937 random(7);
  const auto number = [&](double min, double max) {
    return std::uniform_real_distribution(min, max)(random);
  };
  for (int round = 0; round < 60; ++round) {
    GridData data{.layers = 1 + random() % 3,
                  .rows = 1 + random() % 12,
                  .columns = 1 + random() % 12,
                  .resolution = number(0.05, 0.5),
                  .origin = {number(-20, 20), number(-20, 20)},
                  .is_z_up = round % 2 == 0};
    for (std::size_t k = 0; k < data.layers * data.rows * data.columns; ++k) {
      data.heights.push_back(random() % 4 == 0 ? std::floor(number(0, 3)) : none);
    }
    data.heights[random() % data.heights.size()] = 1.0;
    const Grid grid(data);
    for (int k = 0; k < 40; ++k) {
      const double away = k % 8 == 0 ? 300.0 : 0.0;
      std::array<double, 3> point{data.origin[0] + number(-3 - away, 8 + away),
                                  number(-3 - away, 8 + away), number(-3 - away, 8 + away)};
      point[data.is_z_up ? 1 : 2] += data.origin[1];
      Grid::Nearest best{0, std::numeric_limits<double>::infinity()};
      for (Node n = 0; n < grid.size(); ++n) {
        const auto centre = grid.centre(n);
        const double metres =
            std::sqrt(std::pow(centre[0] - point[0], 2) + std::pow(centre[1] - point[1], 2) +
                      std::pow(centre[2] - point[2], 2));
        if (metres < best.metres) best = {n, metres};
      }
      const Grid::Nearest found = grid.nearest(point);
      EXPECT_EQ(found.cell, best.cell);
      EXPECT_NEAR(found.metres, best.metres, 1e-12);
    }
  }
}

TEST(Grid, RefusesWhatIsNoGrid) {
  GridData good = floor_of({"..", ".#"});
  const auto with = [&](auto change) {
    GridData data = good;
    change(data);
    return message(data);
  };
  EXPECT_EQ(message(good), "none");
  EXPECT_EQ(with([](GridData& d) { d.resolution = 0.0; }),
            "g: resolution: is 0; give metres from 0.001 to 1000");
  EXPECT_NE(with([](GridData& d) { d.resolution = none; }).find("resolution: is nan"),
            std::string::npos);
  EXPECT_NE(with([](GridData& d) { d.climb = -1.0; }).find("climb: is -1"), std::string::npos);
  EXPECT_NE(with([](GridData& d) { d.origin[1] = 1e8; }).find("origin[1]: is"), std::string::npos);
  EXPECT_NE(with([](GridData& d) { d.rows = 0; }).find("has no cell"), std::string::npos);
  EXPECT_NE(with([](GridData& d) { d.rows = 3; }).find("has 4 numbers for 6 cells"),
            std::string::npos);
  EXPECT_NE(with([](GridData& d) { d.rows = d.columns = 50'000; }).find("more than 2147483648"),
            std::string::npos);
  EXPECT_NE(with([](GridData& d) { d.layers = 257; }).find("has 257 layers"), std::string::npos);
  EXPECT_NE(with([](GridData& d) { d.heights.assign(4, none); }).find("has no free cell"),
            std::string::npos);
  EXPECT_NE(
      with([](GridData& d) { d.heights[2] = 1e9; }).find("cell [0, 1, 0]: height: is 1000000000"),
      std::string::npos);
}

TEST(Grid, RefusesLayersThatLieInEachOther) {
  GridData data{.layers = 200, .rows = 1, .columns = 3, .resolution = 1.0};
  data.heights.assign(600, 0.0);
  EXPECT_THROW((void)Grid(data).edges(Connect::four), InputError);
}

TEST(Grid, IsAScanOfAGraphStore) {
  GraphStore store;
  const Scan& scan = store.add("lab", Grid(floor_of({"..."})), Connect::four);
  EXPECT_EQ(scan.size(), 3u);
  EXPECT_EQ(scan.edge_count(), 2u);
  EXPECT_EQ(scan.viewpoint(2), "0,0,2");
  EXPECT_THROW(store.add("lab", Grid(floor_of({"."}))), InputError);
}

}  // namespace
}  // namespace warpath::testing
