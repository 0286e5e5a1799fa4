// Navigation meshes: what passes the checks has to be safe for Detour, which checks nothing.

#include "host/files/navmesh/navmesh.hpp"

#include <cmath>
#include <vector>

#include "host/files/navmesh/tile_check.hpp"
#include "tests/fuzz/checks.hpp"

namespace warpath::fuzz {

void fuzz_navmesh(Bytes input) {
  read_or_refuse([&] {
    const MemoryFile file(text_of(input));
    const navmesh::NavMeshFile mesh_file =
        navmesh::read_navmesh_file(file.path(), io::Reading(max_bytes));
#ifdef WARPATH_HAS_NAVMESH
    const navmesh::NavMesh mesh(mesh_file);
    for (const auto& [from, to] : mesh.outline()) {
      require(navmesh::is_coordinate(from[0]) && navmesh::is_coordinate(to[2]), "an edge nowhere");
    }
    for (const auto habitat : {navmesh::Habitat::v0_1_7, navmesh::Habitat::v0_3_4}) {
      const navmesh::Search search(mesh, habitat);
      std::vector<navmesh::Snapped> points;
      for (const float x : {-1.5f, 1.0f, 5.0f, 21.0f, 1e7f}) {
        for (const float z : {0.5f, 3.9f, 7.0f}) points.push_back(search.snap({x, 0.1f, z}));
      }
      for (const navmesh::Snapped& a : points) {
        for (const navmesh::Snapped& b : points) {
          const float metres = search.distance(a, b).metres;
          require(metres >= 0.0f, "a way has no length");
          require(search.path(a, b).empty() == std::isinf(metres), "a way without corners");
        }
      }
    }
#endif
  });
}

}  // namespace warpath::fuzz
