#include "host/files/navmesh/navmesh_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "host/files/navmesh/tile_check.hpp"
#include "warpath/error.hpp"

namespace warpath::navmesh {
namespace {

static_assert(std::endian::native == std::endian::little, "the file is little-endian");

constexpr std::string_view magic = "TESM";
// Those of version 2, floats; 4 bytes of filters follow.
constexpr std::string_view settings[]{"cell_size",
                                      "cell_height",
                                      "agent_height",
                                      "agent_radius",
                                      "agent_max_climb",
                                      "agent_max_slope",
                                      "region_min_size",
                                      "region_merge_size",
                                      "edge_max_len",
                                      "edge_max_error",
                                      "verts_per_poly",
                                      "detail_sample_dist",
                                      "detail_sample_max_error"};
constexpr std::size_t filter_bytes = 4;

// Detour's dtNavMeshParams.
struct Parameters {
  float origin[3];
  float tile_width, tile_height;
  std::int32_t max_tiles, max_polygons;
};
static_assert(sizeof(Parameters) == sizeof NavMeshFile::parameters);

class Reader {
 public:
  Reader(const std::string& path, const io::Reading& reading)
      : text_(io::read_input(path, reading)) {
    file_.name = io::input_name(path);
    file_.hash = io::content_hash(text_);
  }

  NavMeshFile read() {
    if (!std::string_view(text_).starts_with(magic)) refuse_kind();
    at_ = magic.size();
    file_.version = take<std::int32_t>();
    if (file_.version != 1 && file_.version != 2) {
      fail(fmt::format("is a navigation mesh of version {}; 1 and 2 are known", file_.version));
    }
    const auto tiles = take<std::int32_t>();
    const auto parameters = take<Parameters>();
    std::memcpy(file_.parameters.data(), &parameters, sizeof parameters);
    check(parameters);
    if (file_.version == 2) {
      for (const std::string_view setting : settings)
        file_.settings.emplace_back(setting, take<float>());
      skip(filter_bytes);
    }
    for (std::int32_t t = 0; t < tiles && read_tile(parameters); ++t) {
    }
    if (file_.tiles.empty()) fail("has no tile, so nowhere to walk");
    // Detour compares each edge to another tile with the polygons there.
    constexpr std::size_t max_comparisons = 1'000'000'000;
    if (file_.tiles.size() > 1 && outer_edges_ * file_.polygons > max_comparisons) {
      fail(fmt::format("has {} edges between its tiles, too many to join", outer_edges_));
    }
    return std::move(file_);
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw InputError({file_.name}, problem,
                     "copy it again, or save it anew: sim.pathfinder.save_nav_mesh(path)");
  }

  [[noreturn]] void refuse_kind() const {
    const std::string_view text = text_;
    constexpr std::string_view hint = "name a .navmesh file of habitat-sim";
    if (text.starts_with("version https://git-lfs")) {
      throw InputError({file_.name}, "is a Git LFS pointer, not the file", "git lfs pull");
    }
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    const std::string_view kind = text.starts_with("glTF")
                                      ? "is a glTF scene, not its navigation mesh"
                                  : text.empty() ? "is empty"
                                  : first != text.npos && (text[first] == '{' || text[first] == '[')
                                      ? "is JSON, not a navigation mesh"
                                      : "is no navigation mesh";
    throw InputError({file_.name}, std::string(kind), std::string(hint));
  }

  template <class T>
  T take() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    const std::size_t begin = at_;
    skip(sizeof value);
    std::memcpy(&value, text_.data() + begin, sizeof value);
    return value;
  }

  void skip(std::size_t bytes) {
    if (bytes > text_.size() - at_) fail("ends too early");
    at_ += bytes;
  }

  // Detour finds tiles by cells of this size, and keeps room for so many.
  void check(const Parameters& p) const {
    constexpr float min_tile = 0.1f;
    constexpr std::int32_t max_tiles = 1 << 12;
    constexpr int max_bits = 22;  // of tile and polygon; the tile's age needs 10
    const bool is_placed =
        is_coordinate(p.origin[0]) && is_coordinate(p.origin[1]) && is_coordinate(p.origin[2]);
    const bool has_size = p.tile_width >= min_tile && p.tile_height >= min_tile &&
                          is_coordinate(p.tile_width) && is_coordinate(p.tile_height);
    if (!is_placed || !has_size) fail("has tiles of an impossible place or size");
    if (p.max_tiles < 1 || p.max_tiles > max_tiles || p.max_polygons < 1 ||
        bits_for(p.max_tiles) + bits_for(p.max_polygons) > max_bits) {
      fail(fmt::format("says that it has up to {} tiles of up to {} polygons", p.max_tiles,
                       p.max_polygons));
    }
  }

  static int bits_for(std::int32_t count) {
    return std::bit_width(static_cast<std::uint32_t>(count) - 1);
  }

  // Returns false at the end of the list.
  bool read_tile(const Parameters& parameters) {
    const auto reference = take<std::uint32_t>();
    const auto size = take<std::int32_t>();
    if (reference == 0 || size == 0) return false;
    const std::size_t begin = at_;
    if (size < 0) fail("has a tile of a size below 0");
    skip(static_cast<std::size_t>(size));
    Tile tile{reference, {text_.data() + begin, text_.data() + at_}};
    const TileSummary summary = check_tile(tile.data, [&](const std::string& problem) {
      fail(fmt::format("tile {} {}", file_.tiles.size(), problem));
    });
    if (summary.polygons > static_cast<std::size_t>(parameters.max_polygons)) {
      fail(fmt::format("tile {} has {} polygons, and the file says up to {}", file_.tiles.size(),
                       summary.polygons, parameters.max_polygons));
    }
    if (file_.tiles.empty()) {
      file_.agent_height = summary.agent_height;
      file_.agent_radius = summary.agent_radius;
      file_.min = summary.min;
      file_.max = summary.max;
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      file_.min[axis] = std::min(file_.min[axis], summary.min[axis]);
      file_.max[axis] = std::max(file_.max[axis], summary.max[axis]);
    }
    if (reference >> (bits_for(parameters.max_tiles) + bits_for(parameters.max_polygons)) == 0) {
      fail(fmt::format("tile {} has a reference without an age", file_.tiles.size()));
    }
    file_.polygons += summary.polygons;
    outer_edges_ += summary.outer_edges;
    file_.tiles.push_back(std::move(tile));
    return true;
  }

  std::string text_;
  std::size_t at_ = 0, outer_edges_ = 0;
  NavMeshFile file_;
};

}  // namespace

NavMeshFile read_navmesh_file(const std::string& path, const io::Reading& reading) {
  return Reader(path, reading).read();
}

}  // namespace warpath::navmesh
