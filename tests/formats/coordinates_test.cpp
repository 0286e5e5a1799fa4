// Tests files of positions, which take the place of those of the graphs.

#include "host/files/formats/coordinates.hpp"

#include <gtest/gtest.h>

#include "tests/support/files.hpp"
#include "tests/support/formats.hpp"
#include "warpath/distances.hpp"

namespace warpath::testing {
namespace {

// A street a – b – c, with d beside it that no edge leads to.
Scan street() {
  const std::vector<Edge> edges{{0, 1, {}}, {1, 2, {}}};
  return {"s", {"a", "b", "c", "d"}, {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {9, 9, 9}}, edges};
}

double length_in(const std::string& file) {
  const auto moved = formats::Coordinates(file).move(street());
  EXPECT_EQ(moved->edge_count(), 2u);
  EXPECT_EQ(moved->id(), "s");
  return Distances(*moved, Distance::euclid_3d).between(0, 2);
}

std::string error_in(const std::string& name, const std::string& text) {
  const TemporaryFolder folder;
  const std::string file = folder.write(name, text);
  return error_of_call([&] { formats::Coordinates(file).move(street()); });
}

constexpr const char* table = "s,a,0,0,0\ns,b,0,3,0\ns,c,4,3,0\n";
constexpr const char* house =
    "ASCII 1.\nH  -  -  3 0\nP  a  0 0  0  0 0 0  0 0 0 0 0\nP  b  1 0  0  0 3 0  0 0 0 0 0\n"
    "P  c  2 0  0  4 3 0  0 0 0 0 0\nC 0 1 pillow, large\n";

TEST(Coordinates, AreReadInEveryForm) {
  const TemporaryFolder folder;
  const std::string header = "scan,viewpoint,x,y,z\n";
  const std::string as_json =
      R"({"s":{"a":[0,0,0],"b":[0,3,0],"c":[4,3,0],"unused":[1,1,1]},"t":{}})";
  for (const std::string& file :
       {folder.write("plain.csv", table), folder.write("named.csv", header + table),
        folder.write("spaces.txt", "s a 0 0 0\r\n\ns b 0 3.0 0\r\ns c 4e0 3 0"),
        folder.write("c.json", as_json), folder.write("c.json.gz", gzip(as_json)),
        folder.write("s.house", house), folder.write("packed/s.house.gz", gzip(house))}) {
    EXPECT_EQ(length_in(file), 7.0) << file;
  }
}

TEST(Coordinates, AreReadFromAFolderOfHouseFiles) {
  const TemporaryFolder folder;
  folder.write("flat/s.house", house);
  folder.write("download/s/house_segmentations/s.house", house);
  EXPECT_EQ(length_in(folder.path("flat")), 7.0);
  EXPECT_EQ(length_in(folder.path("download")), 7.0);
  folder.write("other/t.house", house);
  const std::string error = error_of_call([&] { length_in(folder.path("other")); });
  EXPECT_NE(error.find("scan s: has no coordinates; put s.house into the folder"),
            std::string::npos)
      << error;
}

TEST(Coordinates, AreNotAskedForOfAViewpointWithoutEdges) {
  const TemporaryFolder folder;
  const auto moved = formats::Coordinates(folder.write("c.csv", table)).move(street());
  EXPECT_EQ(moved->positions()[3], (std::array<double, 3>{9, 9, 9}));
}

TEST(Coordinates, DifferInTheirHashes) {
  const TemporaryFolder folder;
  formats::Coordinates one(folder.write("a.csv", table));
  formats::Coordinates same(folder.write("b.csv", table));
  formats::Coordinates other(folder.write("c.csv", std::string(table) + "s,d,1,1,1\n"));
  EXPECT_EQ(one.hash_of("s"), same.hash_of("s"));
  EXPECT_NE(one.hash_of("s"), other.hash_of("s"));
}

TEST(Coordinates, ThatCannotBeUsedAreNamed) {
  struct Case {
    std::string name, text, place, problem;
  };
  const std::vector<Case> cases{
      {"c.csv", "s,a,0,0,0\ns,c,4,3,0\n", "scan s: b", "the viewpoint has no position"},
      {"c.csv", "t,a,0,0,0\n", "scan s", "has no coordinates"},
      {"c.csv", "", "c.csv", "has no coordinates"},
      {"c.csv", "scan,viewpoint,x,y,z\n", "c.csv", "has no coordinates"},
      {"c.csv", "s,a,0,0\n", "line 1", "is no scan, viewpoint, x, y, z"},
      {"c.csv", "s,,0,0,0\n", "line 1", "is no scan, viewpoint, x, y, z"},
      {"c.csv", "s,a,0,0,0\ns,b,1,nan,0\n", "line 2", "'nan' is no finite number"},
      {"c.csv", "s,a,0,0,0\ns,b,x,0,0\n", "line 2", "'x' is no finite number"},
      {"c.csv", "s,a,0,0,0\ns,a,0,0,0\n", "line 2", "the viewpoint a is there twice"},
      {"c.csv", "s,a,1e9,0,0\n", "line 1", "which is beyond"},
      {"c.json", R"({"s":{"a":[0,0]}})", "s: a", "should have 3 numbers, has 2"},
      {"c.json", R"({"s":{"a":[0,"0",0]}})", "s: a", "number"},
      {"c.json", R"({"s":{"a":{"x":0}}})", "s: a", "list"},
      {"c.json", R"({"s":[1]})", "s", "object"},
      {"c.json", R"({"s":{"a":[NaN,0,0]}})", "s: a", "number"},
      {"c.json", R"({"s":{"a":[0,0,0],"a":[0,0,0]}})", "s: a", "the viewpoint a is there twice"},
      {"c.json", R"({"s":{"a":[0,0,0)", "c.json", "JSON"},
      {"c.json", "{}", "c.json", "has no coordinates"},
      {"s.house", "ASCII 1.\nH - -\n", "s.house", "has no panoramas"},
      {"s.house", "ASCII 1.\nP a 0 0 0 1 2\n", "line 2", "is no panorama"},
      {"s.house", "ASCII 1.\nP a 0 0 0 1 2 z 0\n", "line 2", "'z' is no finite number"},
      {"c.csv", "version https://git-lfs.github.com/spec/v1\n", "c.csv", "LFS"},
  };
  for (const Case& c : cases) {
    const std::string error = error_in(c.name, c.text);
    EXPECT_NE(error.find(c.place), std::string::npos) << c.text << "\n" << error;
    EXPECT_NE(error.find(c.problem), std::string::npos) << c.text << "\n" << error;
  }
  EXPECT_NE(
      error_of_call([] { formats::Coordinates("no_such_file.csv"); }).find("no_such_file.csv"),
      std::string::npos);
}

TEST(Coordinates, AreRefusedWhereTheGraphGivesLengths) {
  const TemporaryFolder folder;
  const std::string file = folder.write("c.csv", table);
  const std::vector<Edge> weighed{{0, 1, 2.5}, {1, 2, {}}};
  const Scan weights("s", {"a", "b", "c"}, {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, weighed);
  EXPECT_NE(
      error_of_call([&] { formats::Coordinates(file).move(weights); }).find("the edge from a to b"),
      std::string::npos);
  const Scan ready("s", {"a", "b"}, {}, {}, {0.0, 1.0, 1.0, 0.0});
  EXPECT_NE(error_of_call([&] { formats::Coordinates(file).move(ready); }).find("ready distances"),
            std::string::npos);
}

}  // namespace
}  // namespace warpath::testing
