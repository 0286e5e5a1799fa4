// Reads navigation meshes of both versions, and says of each damaged number that it does not fit.

#include "host/files/navmesh/navmesh_file.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "host/files/navmesh/mesh_folder.hpp"
#include "tests/support/files.hpp"
#include "tests/support/formats.hpp"
#include "tests/support/navmesh.hpp"

namespace warpath::testing {
namespace {

constexpr std::size_t tile = 48, header = 100;  // places in a file of version 1
constexpr std::size_t polygons = tile + header + 16 * 12;
constexpr std::size_t details = polygons + 4 * 32 + 16 * 12, triangles = details + 4 * 12;
constexpr std::size_t tree = triangles + 8 * 4;

template <class T>
std::string with(std::size_t at, T value) {
  std::string text = make_navmesh();
  EXPECT_LE(at + sizeof value, text.size());
  std::memcpy(text.data() + at, &value, sizeof value);
  return text;
}

std::string error_of_text(const std::string& text) {
  const TemporaryFolder folder;
  const std::string file = folder.write("m.navmesh", text);
  return error_of_call([&] { navmesh::read_navmesh_file(file); });
}

TEST(NavMeshFile, IsReadInBothVersionsAndPacked) {
  const TemporaryFolder folder;
  for (const int version : {1, 2}) {
    for (const std::string& text : {make_navmesh(version), gzip(make_navmesh(version))}) {
      const auto file = navmesh::read_navmesh_file(folder.write("m.navmesh", text));
      EXPECT_EQ(file.version, version);
      EXPECT_EQ(file.polygons, 4u);
      EXPECT_EQ(file.agent_height, 1.5f);
      EXPECT_EQ(file.agent_radius, 0.1f);
      ASSERT_EQ(file.tiles.size(), 1u);
      EXPECT_EQ(file.tiles[0].reference, 4u);
    }
  }
}

TEST(NavMeshFile, SaysWhatAForeignFileIs) {
  const struct {
    std::string text, problem;
  } cases[]{{"", "is empty"},
            {"version https://git-lfs.github.com/spec/v1\noid", "is a Git LFS pointer"},
            {"glTF....", "is a glTF scene"},
            {" {\"episodes\": []}", "is JSON"},
            {"TES", "is no navigation mesh"}};
  for (const auto& c : cases) {
    EXPECT_NE(error_of_text(c.text).find(c.problem), std::string::npos) << error_of_text(c.text);
  }
}

TEST(NavMeshFile, EndsTooEarlyWithOneLine) {
  const std::string text = make_navmesh(2);
  for (std::size_t size = 0; size < text.size(); size += size < 200 ? 4 : 30) {
    const std::string error = error_of_text(text.substr(0, size));
    ASSERT_NE(error, "") << size;
    ASSERT_EQ(error.find('\n'), std::string::npos) << error;
  }
}

TEST(NavMeshFile, RefusesNumbersThatDetourWouldTrust) {
  const float nan = __builtin_nanf("");
  const struct {
    std::string text, problem;
  } cases[]{
      {with(4, 3), "version 3; 1 and 2 are known"},
      {with(8, 0), "has no tile"},
      {with(12, nan), "tiles of an impossible place or size"},
      {with(24, 1e-30f), "tiles of an impossible place or size"},
      {with(32, 1 << 30), "up to 1073741824 tiles"},
      {with(36, 1 << 23), "1 tiles of up to 8388608 polygons"},
      {with(36, 3), "tile 0 has 4 polygons, and the file says up to 3"},
      {with(40, 3u), "tile 0 has a reference without an age"},
      {with(44, -1), "a tile of a size below 0"},
      {with(44, 90), "tile 0 is shorter than its header"},
      {with(tile, 1), "none of Detour's version 7"},
      {with(tile + 8, -2147483647 - 1), "an impossible place among others"},
      {with(tile + 24, 5), "connections off the mesh"},
      {with(tile + 28, -1), "less data than its header says"},
      {with(tile + 28, 15), "more data than its header says"},
      {with(tile + 32, 0), "no polygon, no link"},
      {with(tile + 60, nan), "a size that is no length"},
      {with(tile + header, nan), "a vertex that is no position"},
      {with(polygons + 4, std::uint16_t{16}), "polygon, number 0, with an index outside"},
      {with(polygons + 32 + 16, std::uint16_t{5}), "polygon, number 1, with an index outside"},
      {with(polygons + 30, std::uint8_t{7}), "polygon, number 0, with an index outside"},
      {with(polygons + 31, std::uint8_t{64}), "polygon, number 0, with an index outside"},
      {with(details, 1u), "polygon, number 0, with an index outside"},
      {with(details + 12 + 4, 8u), "polygon, number 1, with an index outside"},
      {with(triangles, std::uint8_t{4}), "polygon, number 0, with an index outside"},
      {with(tree + 12, 4), "search tree whose node 0 leads outside"},
      {with(tree + 16 + 12, -4), "search tree whose node 1 leads outside"},
      {with(tree + 12, -2147483647 - 1), "search tree whose node 0 leads outside"},
  };
  for (const auto& c : cases) {
    const std::string error = error_of_text(c.text);
    EXPECT_NE(error.find(c.problem), std::string::npos) << c.problem << ": " << error;
    EXPECT_NE(error.find("m.navmesh"), std::string::npos) << error;
  }
  EXPECT_EQ(error_of_text(with(tree + 12, -4)), "");                 // skips to the end
  EXPECT_EQ(error_of_text(with(details + 9, std::uint8_t{0})), "");  // a polygon without area
  std::string bare = with(triangles + 3, std::uint8_t{0});
  bare[triangles + 7] = 0;
  EXPECT_NE(error_of_text(bare).find("polygon, number 0, whose triangles have no border"),
            std::string::npos);
}

TEST(NavMeshFolder, HasTheLayoutsThatPeopleHave) {
  const TemporaryFolder folder;
  const std::vector<std::string> places{"a.navmesh", "b/b.navmesh", "c.basis.navmesh",
                                        "00861-d/d.basis.navmesh"};
  for (const std::string& place : places) folder.write(place, make_navmesh());
  const std::vector<std::string> scans{"d", "a", "c", "b"};
  const auto found = navmesh::find_meshes(folder.path(), scans);
  ASSERT_EQ(found.size(), scans.size());
  for (std::size_t s = 0; s < scans.size(); ++s) {
    EXPECT_TRUE(found[s].ends_with(places[static_cast<std::size_t>(scans[s][0] - 'a')]))
        << found[s];
  }
  EXPECT_EQ(navmesh::find_meshes(folder.path("a.navmesh"), std::vector<std::string>{"x"}),
            std::vector<std::string>{folder.path("a.navmesh")});
}

TEST(NavMeshFolder, NamesTheScanWithoutAMeshAndWhatItHas) {
  const TemporaryFolder folder;
  for (const char* name : {"a", "b", "c", "d"})
    folder.write(std::string(name) + ".navmesh", make_navmesh());
  const std::vector<std::string> scans{"a", "zz"};
  EXPECT_NE(error_of_call([&] { navmesh::find_meshes(folder.path(), scans); })
                .find("scan zz: there is no zz.navmesh, zz/zz.navmesh, zz.basis.navmesh or "
                      "*-zz/zz.basis.navmesh; it has a.navmesh, "
                      "b.navmesh, c.navmesh and "
                      "1 more"),
            std::string::npos)
      << error_of_call([&] { navmesh::find_meshes(folder.path(), scans); });
  EXPECT_NE(error_of_call([&] {
              navmesh::find_meshes(folder.path("a.navmesh"), scans);
            }).find("is one mesh"),
            std::string::npos);
  EXPECT_NE(
      error_of_call([&] { navmesh::find_meshes(folder.path("none"), scans); }).find("no such file"),
      std::string::npos);
}

}  // namespace
}  // namespace warpath::testing
