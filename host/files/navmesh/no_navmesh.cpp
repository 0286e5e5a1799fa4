#include "host/files/navmesh/navmesh.hpp"

#ifndef WARPATH_HAS_NAVMESH

#include "warpath/error.hpp"

// What stands in for navigation meshes in a build without Detour.

namespace warpath::navmesh {

struct NavMesh::State {};
struct Search::State {};

NavMesh::NavMesh(const NavMeshFile&) {
  throw UsageError(
      "this build has no navigation meshes: install Detour (Debian: librecast-dev), configure it "
      "with "
      "-DWARPATH_NAVMESH=ON and build again");
}
NavMesh::~NavMesh() = default;
NavMesh::NavMesh(NavMesh&&) noexcept = default;
std::vector<std::array<Position, 2>> NavMesh::outline() const {
  return {};
}

Search::Search(const NavMesh&, Habitat) {}
Search::~Search() = default;
Search::Search(Search&&) noexcept = default;

Snapped Search::snap(const Position& position) const {
  return {position};
}
Geodesic Search::distance(const Snapped&, const Snapped&) const {
  return {};
}
std::vector<Position> Search::path(const Snapped&, const Snapped&) const {
  return {};
}
Geodesic Search::distance_to_nearest(const Snapped&, std::span<const Snapped>) const {
  return {};
}

}  // namespace warpath::navmesh

#endif
