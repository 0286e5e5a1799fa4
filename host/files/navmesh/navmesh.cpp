#include "host/files/navmesh/navmesh.hpp"

#ifdef WARPATH_HAS_NAVMESH

#include <recastnavigation/DetourAlloc.h>
#include <recastnavigation/DetourNavMesh.h>
#include <recastnavigation/DetourNavMeshQuery.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>

#include "warpath/error.hpp"

namespace warpath::navmesh {
namespace {

constexpr int max_polygons = 256;  // of a way
constexpr int max_nodes = 2048;    // of a search
constexpr float reach[3] = {2.0f, 4.0f, 2.0f};
constexpr unsigned short walkable = 1, disabled = 4;
constexpr float min_area = 1e-5f;  // of a polygon that a way may end at, in m²

// Returns half the length of (b − a) × (c − b).
float triangle_area(const float* a, const float* b, const float* c) {
  float u[3], v[3];
  for (int k = 0; k < 3; ++k) {
    u[k] = b[k] - a[k];
    v[k] = c[k] - b[k];
  }
  const float x = u[1] * v[2] - u[2] * v[1], y = u[2] * v[0] - u[0] * v[2],
              z = u[0] * v[1] - u[1] * v[0];
  return 0.5f * std::sqrt(x * x + y * y + z * z);
}

// Returns the area of the triangles that a polygon is made of.
float area_of(const dtMeshTile& tile, int p) {
  const dtPoly& polygon = tile.polys[p];
  const dtPolyDetail& detail = tile.detailMeshes[p];
  const auto corner = [&](unsigned char c) {
    return c < polygon.vertCount ? &tile.verts[polygon.verts[c] * 3]
                                 : &tile.detailVerts[(detail.vertBase + c - polygon.vertCount) * 3];
  };
  float area = 0.0f;
  for (unsigned int t = 0; t < detail.triCount; ++t) {
    const unsigned char* corners = &tile.detailTris[(detail.triBase + t) * 4];
    area += triangle_area(corner(corners[0]), corner(corners[1]), corner(corners[2]));
  }
  return area;
}

// The square of a length, in the order of Eigen, which habitat-sim had up to 0.3.2.
float square_in_order_of_eigen(float x, float y, float z) {
  return x * x + (y * y + z * z);
}

bool is_near(float a, float b) {
  constexpr float tolerance = 1e-5f;
  if (a == b) return true;
  const float difference = std::abs(a - b);
  if (a == 0.0f || b == 0.0f || difference < tolerance) return difference < tolerance;
  return difference / (std::abs(a) + std::abs(b)) < tolerance;
}

bool are_equal(const Position& a, const Position& b, Habitat habitat) {
  if (habitat == Habitat::v0_3_4)
    return is_near(a[0], b[0]) && is_near(a[1], b[1]) && is_near(a[2], b[2]);
  return square_in_order_of_eigen(a[0] - b[0], a[1] - b[1], a[2] - b[2]) <=
         1e-5f * 1e-5f *
             std::min(square_in_order_of_eigen(a[0], a[1], a[2]),
                      square_in_order_of_eigen(b[0], b[1], b[2]));
}

float step_length(const float* a, const float* b, Habitat habitat) {
  const float x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  return std::sqrt(habitat == Habitat::v0_3_4 ? x * x + y * y + z * z
                                              : square_in_order_of_eigen(x, y, z));
}

}  // namespace

struct NavMesh::State {
  std::unique_ptr<dtNavMesh, void (*)(dtNavMesh*)> mesh{dtAllocNavMesh(), dtFreeNavMesh};
  std::vector<std::vector<int>> islands;  // by tile and polygon

  int& island(dtPolyRef polygon) {
    return islands[mesh->decodePolyIdTile(polygon)][mesh->decodePolyIdPoly(polygon)];
  }

  template <class Use>
  void each_polygon(Use use) {
    const dtNavMesh& tiles = *mesh;
    for (int t = 0; t < tiles.getMaxTiles(); ++t) {
      const dtMeshTile* tile = tiles.getTile(t);
      if (tile == nullptr || tile->header == nullptr) continue;
      for (int p = 0; p < tile->header->polyCount; ++p) {
        use(*tile, p, tiles.getPolyRefBase(tile) | static_cast<dtPolyRef>(p));
      }
    }
  }

  void add_tiles(const NavMeshFile& file);
  void find_islands();
  void spread_island(dtPolyRef from, int number);
  void disable_slivers();
};

void NavMesh::State::add_tiles(const NavMeshFile& file) {
  constexpr std::string_view remedy = "save it anew: sim.pathfinder.save_nav_mesh(path)";
  dtNavMeshParams parameters;
  static_assert(sizeof parameters == sizeof file.parameters);
  std::memcpy(&parameters, file.parameters.data(), sizeof parameters);
  if (mesh == nullptr) throw std::bad_alloc();
  if (dtStatusFailed(mesh->init(&parameters))) {
    throw InputError({file.name}, "has parameters that Detour refuses", std::string(remedy));
  }
  for (const Tile& tile : file.tiles) {
    const auto size = static_cast<int>(tile.data.size());
    auto* const data = static_cast<unsigned char*>(dtAlloc(tile.data.size(), DT_ALLOC_PERM));
    if (data == nullptr) throw std::bad_alloc();
    std::memcpy(data, tile.data.data(), tile.data.size());
    if (dtStatusFailed(mesh->addTile(data, size, DT_TILE_FREE_DATA, tile.reference, nullptr))) {
      dtFree(data);
      throw InputError({file.name}, "has a tile that Detour refuses", std::string(remedy));
    }
  }
}

// Polygons form an island if ways over walkable ones lead from the first to all others.
void NavMesh::State::find_islands() {
  islands.resize(static_cast<std::size_t>(mesh->getMaxTiles()));
  each_polygon([&](const dtMeshTile& tile, int, dtPolyRef polygon) {
    islands[mesh->decodePolyIdTile(polygon)].resize(
        static_cast<std::size_t>(tile.header->polyCount), -1);
  });
  int number = 0;
  each_polygon([&](const dtMeshTile&, int, dtPolyRef polygon) {
    if (island(polygon) < 0) spread_island(polygon, number++);
  });
}

void NavMesh::State::spread_island(dtPolyRef from, int number) {
  std::vector<dtPolyRef> open{from};
  island(from) = number;
  while (!open.empty()) {
    const dtMeshTile* tile = nullptr;
    const dtPoly* polygon = nullptr;
    mesh->getTileAndPolyByRefUnsafe(open.back(), &tile, &polygon);
    open.pop_back();
    for (unsigned int l = polygon->firstLink; l != DT_NULL_LINK; l = tile->links[l].next) {
      const dtPolyRef next = tile->links[l].ref;
      if (next == 0 || island(next) >= 0) continue;
      unsigned short flags = 0;
      mesh->getPolyFlags(next, &flags);
      if ((flags & walkable) == 0) continue;
      island(next) = number;
      open.push_back(next);
    }
  }
}

// habitat-sim does so after it has found the islands: two that only a sliver joins count as one.
void NavMesh::State::disable_slivers() {
  each_polygon([&](const dtMeshTile& tile, int p, dtPolyRef polygon) {
    if (area_of(tile, p) < min_area) mesh->setPolyFlags(polygon, disabled);
  });
}

NavMesh::NavMesh(const NavMeshFile& file) : state_(std::make_unique<State>()) {
  state_->add_tiles(file);
  state_->find_islands();
  state_->disable_slivers();
}
NavMesh::~NavMesh() = default;
NavMesh::NavMesh(NavMesh&&) noexcept = default;

std::vector<std::array<Position, 2>> NavMesh::outline() const {
  std::vector<std::array<Position, 2>> edges;
  state_->each_polygon([&](const dtMeshTile& tile, int p, dtPolyRef) {
    const dtPoly& polygon = tile.polys[p];
    const auto corner = [&](int k) {
      const float* at = &tile.verts[polygon.verts[k % polygon.vertCount] * 3];
      return Position{at[0], at[1], at[2]};
    };
    for (int k = 0; k < polygon.vertCount; ++k) {
      if (polygon.neis[k] == 0) edges.push_back({corner(k), corner(k + 1)});
    }
  });
  return edges;
}

struct Search::State {
  NavMesh::State* mesh;
  Habitat habitat;
  std::unique_ptr<dtNavMeshQuery, void (*)(dtNavMeshQuery*)> query{dtAllocNavMeshQuery(),
                                                                   dtFreeNavMeshQuery};
  dtQueryFilter filter{};

  NoWay find_way(const Snapped& start, const Snapped& end, Position* corners, int& count) const;
};

Search::Search(const NavMesh& mesh, Habitat habitat)
    : state_(new State{mesh.state_.get(), habitat}) {
  State& s = *state_;
  s.filter.setIncludeFlags(walkable);
  s.filter.setExcludeFlags(0);
  if (s.query == nullptr || dtStatusFailed(s.query->init(s.mesh->mesh.get(), max_nodes)))
    throw std::bad_alloc();
}
Search::~Search() = default;
Search::Search(Search&&) noexcept = default;

Snapped Search::snap(const Position& position) const {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  Snapped snapped{position, {nan, nan, nan}};
  dtPolyRef polygon = 0;
  const dtStatus status = state_->query->findNearestPoly(position.data(), reach, &state_->filter,
                                                         &polygon, snapped.on_mesh.data());
  if (status != DT_SUCCESS || std::isnan(snapped.on_mesh[0]) || polygon == 0) return snapped;
  snapped.polygon = polygon;
  snapped.island = state_->mesh->island(polygon);
  return snapped;
}

// Fills `corners`, room for max_polygons of them, with a way between positions that are not equal.
// Says why there is none.
NoWay Search::State::find_way(const Snapped& start, const Snapped& end, Position* corners,
                              int& count) const {
  if (start.polygon == 0 || end.polygon == 0) return NoWay::off_the_mesh;
  if (start.island != end.island) return NoWay::another_island;
  dtPolyRef polygons[max_polygons];
  int size = 0;
  const dtStatus found =
      query->findPath(start.polygon, end.polygon, start.on_mesh.data(), end.on_mesh.data(), &filter,
                      polygons, &size, max_polygons);
  if (found != DT_SUCCESS || size == 0) {
    return dtStatusDetail(found, DT_BUFFER_TOO_SMALL) ? NoWay::too_long : NoWay::out_of_nodes;
  }
  // The way over these polygons joins the positions as they were given, not those on the mesh.
  const dtStatus way =
      query->findStraightPath(start.given.data(), end.given.data(), polygons, size, corners->data(),
                              nullptr, nullptr, &count, max_polygons);
  return way != DT_SUCCESS || count == 0 ? NoWay::too_long : NoWay::none;
}

Geodesic Search::distance(const Snapped& start, const Snapped& end) const {
  if (are_equal(start.on_mesh, end.on_mesh, state_->habitat)) return {};
  Position corners[max_polygons];
  int count = 0;
  const NoWay why = state_->find_way(start, end, corners, count);
  if (why != NoWay::none) return {std::numeric_limits<float>::infinity(), why};
  float metres = 0.0f;
  for (int k = 1; k < count; ++k)
    metres += step_length(corners[k - 1].data(), corners[k].data(), state_->habitat);
  return {metres, NoWay::none};
}

std::vector<Position> Search::path(const Snapped& start, const Snapped& end) const {
  if (are_equal(start.on_mesh, end.on_mesh, state_->habitat)) return {start.given, end.given};
  Position corners[max_polygons];
  int count = 0;
  if (state_->find_way(start, end, corners, count) != NoWay::none) return {};
  return {corners, corners + count};
}

Geodesic Search::distance_to_nearest(const Snapped& start, std::span<const Snapped> ends) const {
  Geodesic least{std::numeric_limits<float>::infinity(), NoWay::off_the_mesh};
  for (const Snapped& end : ends) {
    const Geodesic way = distance(start, end);
    if (end.polygon == 0 && state_->habitat == Habitat::v0_1_7) return way;
    if (way.metres < least.metres || (least.why == NoWay::off_the_mesh && end.polygon != 0))
      least = way;
  }
  return least;
}

}  // namespace warpath::navmesh

#endif
