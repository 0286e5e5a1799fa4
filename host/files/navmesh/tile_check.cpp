#include "host/files/navmesh/tile_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace warpath::navmesh {
namespace {

// The parts of a tile, as Detour lays them out: a header and arrays without gaps.
struct Header {
  std::int32_t magic, version, x, y, layer;
  std::uint32_t user;
  std::int32_t polygons, vertices, links, detail_meshes, detail_vertices, detail_triangles,
      tree_nodes, connections, first_connection;
  float height, radius, climb, min[3], max[3], tree_factor;
};
static_assert(sizeof(Header) == 100);

struct Point {
  float x, y, z;
};
struct Polygon {
  std::uint32_t first_link;
  std::uint16_t vertices[6], neighbours[6], flags;
  std::uint8_t size, area_and_type;
};
static_assert(sizeof(Polygon) == 32);
struct Link {
  std::uint32_t unused[3];  // Detour makes them anew
};
struct DetailMesh {
  std::uint32_t first_vertex, first_triangle;
  std::uint8_t vertices, triangles, unused[2];
};
static_assert(sizeof(DetailMesh) == 12);
struct Triangle {
  std::uint8_t corners[3], edges;
};
struct TreeNode {
  std::uint16_t min[3], max[3];
  std::int32_t index;  // of a polygon, or minus the nodes to skip
};
static_assert(sizeof(TreeNode) == 16);

constexpr std::int32_t tile_magic = 'D' << 24 | 'N' << 16 | 'A' << 8 | 'V', tile_version = 7;
constexpr std::uint16_t other_tile = 0x8000;     // a neighbour in another tile
constexpr std::uint8_t border_edges = 0b010101;  // bits of a triangle's three edges

class TileCheck {
 public:
  TileCheck(std::span<const char> data, const std::function<void(const std::string&)>& fail)
      : data_(data), fail_(fail) {}

  TileSummary run() {
    if (data_.size() < sizeof header_) fail_("is shorter than its header");
    std::memcpy(&header_, data_.data(), sizeof header_);
    check_header();
    read_arrays();
    for (const Point& point : vertices_) check(point);
    for (const Point& point : detail_vertices_) check(point);
    for (std::size_t p = 0; p < polygons_.size(); ++p) check_polygon(p);
    for (std::size_t n = 0; n < tree_.size(); ++n) check_node(n);
    return {.polygons = polygons_.size(),
            .outer_edges = outer_edges_,
            .agent_height = header_.height,
            .agent_radius = header_.radius,
            .min = {header_.min[0], header_.min[1], header_.min[2]},
            .max = {header_.max[0], header_.max[1], header_.max[2]}};
  }

 private:
  void check_header() {
    if (header_.magic != tile_magic || header_.version != tile_version) {
      fail_(fmt::format("is none of Detour's version {}", tile_version));
    }
    for (const float metres :
         {header_.height, header_.radius, header_.climb, header_.min[0], header_.min[1],
          header_.min[2], header_.max[0], header_.max[1], header_.max[2], header_.tree_factor}) {
      if (!is_coordinate(metres)) fail_("has a size that is no length in metres");
    }
    for (int axis = 0; axis < 3; ++axis) {
      // Detour keeps places in the search tree as whole numbers of 16 bits.
      constexpr float max_entry = 65535.0f;
      const float length = header_.max[axis] - header_.min[axis];
      if (!(length >= 0.0f && length * header_.tree_factor <= max_entry))
        fail_("has a box that its search tree cannot have");
    }
    constexpr std::int32_t max_place = 1 << 20;  // of a tile among others, in tiles
    for (const std::int32_t place : {header_.x, header_.y, header_.layer}) {
      if (place < -max_place || place > max_place) fail_("has an impossible place among others");
    }
    if (header_.connections != 0 || header_.first_connection != header_.polygons) {
      fail_("has connections off the mesh, which habitat-sim does not make");
    }
    if (header_.polygons < 1 || header_.links < 1 || header_.detail_meshes != header_.polygons) {
      fail_("has no polygon, no link or no detail of a polygon");
    }
  }

  template <class T>
  std::vector<T> take(std::int32_t count, std::size_t& at) const {
    const std::size_t left = (data_.size() - at) / sizeof(T);
    if (count < 0 || static_cast<std::size_t>(count) > left)
      fail_("has less data than its header says");
    std::vector<T> values(static_cast<std::size_t>(count));
    if (count > 0) std::memcpy(values.data(), data_.data() + at, count * sizeof(T));
    at += static_cast<std::size_t>(count) * sizeof(T);
    return values;
  }

  void read_arrays() {
    std::size_t at = sizeof header_;
    vertices_ = take<Point>(header_.vertices, at);
    polygons_ = take<Polygon>(header_.polygons, at);
    take<Link>(header_.links, at);
    detail_meshes_ = take<DetailMesh>(header_.detail_meshes, at);
    detail_vertices_ = take<Point>(header_.detail_vertices, at);
    triangles_ = take<Triangle>(header_.detail_triangles, at);
    tree_ = take<TreeNode>(header_.tree_nodes, at);
    if (at != data_.size()) fail_("has more data than its header says");
  }

  void check(const Point& point) const {
    if (!is_coordinate(point.x) || !is_coordinate(point.y) || !is_coordinate(point.z)) {
      fail_("has a vertex that is no position in metres");
    }
  }

  void check_polygon(std::size_t p) {
    if (!has_sound_edges(polygons_[p]) || !has_sound_detail(p)) {
      fail_(fmt::format("has a polygon, number {}, with an index outside of the tile", p));
    }
    // One without triangles has no area, so nothing searches it.
    if (detail_meshes_[p].triangles > 0 && !has_border(detail_meshes_[p])) {
      fail_(fmt::format("has a polygon, number {}, whose triangles have no border", p));
    }
  }

  bool has_sound_edges(const Polygon& polygon) {
    const bool is_ground = polygon.area_and_type >> 6 == 0;
    if (!is_ground || polygon.size < 3 || polygon.size > 6) return false;
    for (std::size_t k = 0; k < polygon.size; ++k) {
      const std::uint16_t neighbour = polygon.neighbours[k];
      const bool is_in_tile = (neighbour & other_tile) == 0;
      if (polygon.vertices[k] >= vertices_.size()) return false;
      if (is_in_tile && neighbour > polygons_.size()) return false;
      // Detour knows four sides of a tile, as even numbers.
      if (!is_in_tile && (neighbour & 0xff & ~6) != 0) return false;
      if (!is_in_tile) ++outer_edges_;
    }
    return true;
  }

  bool has_sound_detail(std::size_t p) const {
    const DetailMesh& detail = detail_meshes_[p];
    if (!fits(detail.first_vertex, detail.vertices, detail_vertices_.size()) ||
        !fits(detail.first_triangle, detail.triangles, triangles_.size())) {
      return false;
    }
    const int corners = polygons_[p].size + detail.vertices;
    return std::ranges::all_of(triangles_of(detail), [&](const Triangle& triangle) {
      return std::ranges::all_of(triangle.corners, [&](int corner) { return corner < corners; });
    });
  }

  // Detour looks for the nearest edge of the border, and relies on that there is one.
  bool has_border(const DetailMesh& detail) const {
    return std::ranges::any_of(triangles_of(detail), [](const Triangle& triangle) {
      return (triangle.edges & border_edges) != 0;
    });
  }

  std::span<const Triangle> triangles_of(const DetailMesh& detail) const {
    return std::span(triangles_).subspan(detail.first_triangle, detail.triangles);
  }

  static bool fits(std::uint64_t first, std::uint64_t count, std::uint64_t size) {
    return first + count <= size;
  }

  // The search goes to the next node or skips some, so it ends.
  void check_node(std::size_t n) const {
    const std::int64_t index = tree_[n].index;
    const bool is_sound = index >= 0 ? index < static_cast<std::int64_t>(polygons_.size())
                                     : static_cast<std::int64_t>(n) - index <=
                                           static_cast<std::int64_t>(tree_.size());
    if (!is_sound) fail_(fmt::format("has a search tree whose node {} leads outside", n));
  }

  std::span<const char> data_;
  const std::function<void(const std::string&)>& fail_;
  Header header_{};
  std::size_t outer_edges_ = 0;
  std::vector<Point> vertices_, detail_vertices_;
  std::vector<Polygon> polygons_;
  std::vector<DetailMesh> detail_meshes_;
  std::vector<Triangle> triangles_;
  std::vector<TreeNode> tree_;
};

}  // namespace

TileSummary check_tile(std::span<const char> data,
                       const std::function<void(const std::string&)>& fail) {
  return TileCheck(data, fail).run();
}

}  // namespace warpath::navmesh
