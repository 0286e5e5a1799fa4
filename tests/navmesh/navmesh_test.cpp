// Measures ways over navigation meshes: by hand on a small one, and as bits against habitat-sim's.

#include "host/files/navmesh/navmesh.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <map>
#include <span>
#include <sstream>

#include "host/files/io/input_file.hpp"
#include "tests/support/files.hpp"
#include "tests/support/navmesh.hpp"
#include "warpath/error.hpp"

namespace warpath::testing {
namespace {

using navmesh::Habitat, navmesh::NavMesh, navmesh::NoWay, navmesh::Position, navmesh::Search;

#ifdef WARPATH_HAS_NAVMESH

class SmallMesh : public ::testing::TestWithParam<Habitat> {
 protected:
  static NavMesh mesh() {
    const TemporaryFolder folder;
    return NavMesh(navmesh::read_navmesh_file(folder.write("m.navmesh", make_navmesh())));
  }
  navmesh::Geodesic distance(const Position& a, const Position& b) const {
    return search_.distance(search_.snap(a), search_.snap(b));
  }

  NavMesh mesh_ = mesh();
  Search search_{mesh_, GetParam()};
};

TEST_P(SmallMesh, WaysGoAroundTheCorner) {
  EXPECT_FLOAT_EQ(distance({1, 0, 3}, {5, 0, 7}).metres, 2 * std::sqrt(10.0f));
  EXPECT_FLOAT_EQ(distance({1, 0, 1}, {7, 0, 1}).metres, 6.0f);
  EXPECT_EQ(distance({1, 0, 1}, {1, 0, 1}).metres, 0.0f);
}

TEST_P(SmallMesh, PositionsKeepTheirHeights) {
  EXPECT_FLOAT_EQ(distance({1, 0, 1}, {4, 0.5f, 1}).metres, std::sqrt(9.25f));
}

TEST_P(SmallMesh, SaysWhyThereIsNoWay) {
  EXPECT_EQ(distance({1, 0, 1}, {21, 0, 1}).why, NoWay::another_island);
  EXPECT_EQ(distance({1, 0, 1}, {12, 0, 1}).why, NoWay::off_the_mesh);
  EXPECT_EQ(distance({1, 4.5f, 1}, {2, 0, 1}).why, NoWay::off_the_mesh);
  EXPECT_EQ(distance({1, 3.9f, 1}, {2, 0, 1}).why, NoWay::none);
  EXPECT_TRUE(std::isinf(distance({1, 0, 1}, {21, 0, 1}).metres));
}

TEST_P(SmallMesh, SnapsToTheNearestPoint) {
  const auto snapped = search_.snap({-1.5f, 0, 2});
  EXPECT_EQ(snapped.on_mesh, (Position{0, 0, 2}));
  EXPECT_EQ(snapped.island, 0);
  EXPECT_EQ(search_.snap({21, 0, 1}).island, 1);
  EXPECT_EQ(search_.snap({-2.5f, 0, 2}).polygon, 0u);
}

INSTANTIATE_TEST_SUITE_P(Rules, SmallMesh, ::testing::Values(Habitat::v0_1_7, Habitat::v0_3_4),
                         [](const auto& rules) {
                           return rules.param == Habitat::v0_1_7 ? "Old" : "New";
                         });

TEST(NavMesh, PointsThatAreNearlyOneAreEqualByTheRulesOfTheVersion) {
  const TemporaryFolder folder;
  const NavMesh mesh(navmesh::read_navmesh_file(folder.write("m.navmesh", make_navmesh())));
  const Search old_rules(mesh, Habitat::v0_1_7), new_rules(mesh, Habitat::v0_3_4);
  // Relative to the distance from the origin, and to each coordinate.
  const auto a = old_rules.snap({7.5f, 0, 0.1f}), b = old_rules.snap({7.5f, 0, 0.10007f});
  EXPECT_EQ(old_rules.distance(a, b).metres, 0.0f);
  EXPECT_GT(new_rules.distance(a, b).metres, 0.0f);
}

TEST(NavMesh, QueriesEqualHabitatsToTheLastBit) {
  const std::string folder = data_folder() + "/obstacles";
  if (data_folder().empty()) GTEST_SKIP() << "no real data: set WARPATH_DATA";
  std::map<std::string, NavMesh> meshes;
  std::size_t rows = 0;
  for (CsvRow& row : read_csv(folder + "/navmesh_queries.csv.gz")) {
    const auto number = [&](const std::string& column) {
      return std::strtof(row.at(column).c_str(), nullptr);
    };
    const auto bits = [](float value) {
      return std::isnan(value) ? ~0u : std::bit_cast<std::uint32_t>(value);
    };
    const std::string& name = row.at("mesh");
    if (!meshes.contains(name)) {
      meshes.emplace(name, navmesh::read_navmesh_file(folder + "/navmesh/" + name + ".navmesh"));
    }
    const Search old_rules(meshes.at(name), Habitat::v0_1_7),
        new_rules(meshes.at(name), Habitat::v0_3_4);
    const auto start = new_rules.snap({number("x0"), number("y0"), number("z0")});
    const auto end = new_rules.snap({number("x1"), number("y1"), number("z1")});
    ASSERT_EQ(bits(new_rules.distance(start, end).metres), bits(number("distance")))
        << name << ' ' << rows;
    ASSERT_EQ(bits(old_rules.distance(start, end).metres), bits(number("distance_v017")))
        << name << ' ' << rows;
    ASSERT_EQ(new_rules.path(start, end).size(), std::stoul(row.at("points")))
        << name << ' ' << rows;
    const std::string axes[]{"snap_x0", "snap_y0", "snap_z0"};
    for (int k = 0; k < 3; ++k)
      ASSERT_EQ(bits(start.on_mesh[k]), bits(number(axes[k]))) << name << ' ' << rows;
    ASSERT_EQ(start.island, row.at("island0").empty() ? -1 : std::stoi(row.at("island0")));
    ++rows;
  }
  EXPECT_EQ(rows, 8100u);
}

TEST(NavMesh, TheNearestOfSeveralEndsEqualsHabitats) {
  const std::string folder = data_folder() + "/obstacles";
  if (data_folder().empty()) GTEST_SKIP() << "no real data: set WARPATH_DATA";
  std::string text = io::read_input(folder + "/navmesh_multi.csv.gz");
  std::ranges::replace_if(
      text, [](char c) { return c == ',' || c == '[' || c == ']' || c == '"'; }, ' ');
  std::istringstream lines(text);
  std::string line, name;
  std::getline(lines, line);
  std::size_t rows = 0;
  for (; std::getline(lines, line); ++rows) {
    std::istringstream words(line);
    std::string skipped, value;
    words >> name >> skipped >> skipped;
    const NavMesh mesh(navmesh::read_navmesh_file(folder + "/navmesh/" + name + ".navmesh"));
    const Search search(mesh, Habitat::v0_3_4);
    std::array<navmesh::Snapped, 5> points;  // four ends and the start
    for (navmesh::Snapped& point : points) {
      Position position;
      for (float& axis : position) words >> axis;
      point = search.snap(position);
    }
    words >> value;  // that of the object which habitat-lab keeps along the walk
    EXPECT_EQ(search.distance_to_nearest(points[4], std::span(points).first(4)).metres,
              std::strtof(value.c_str(), nullptr))
        << name << ' ' << rows;
  }
  EXPECT_EQ(rows, 144u);
}

#else

TEST(NavMesh, SaysWhatABuildWithoutDetourLacks) {
  const TemporaryFolder folder;
  const auto file = navmesh::read_navmesh_file(folder.write("m.navmesh", make_navmesh()));
  EXPECT_THROW(NavMesh{file}, UsageError);
}

#endif

TEST(Habitat, IsFoundByItsVersion) {
  EXPECT_EQ(navmesh::find_habitat("0.1.7"), Habitat::v0_1_7);
  EXPECT_EQ(navmesh::name(Habitat::v0_3_4), "0.3.4");
  EXPECT_THROW(navmesh::find_habitat("0.2"), UsageError);
}

}  // namespace
}  // namespace warpath::testing
