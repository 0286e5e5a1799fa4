// Navigation meshes: distances and ways of habitat-sim's PathFinder for arrays of positions.
#include "host/files/navmesh/navmesh.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <vector>

#include "host/files/navmesh/mesh_folder.hpp"
#include "python/bindings/bindings.hpp"

namespace warpath::python {
namespace {

using SinglePoints = nb::ndarray<const float, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;
using Floats = nb::ndarray<nb::numpy, float>;

// Returns floats as an array that owns them; rows of three where `has_axes`.
Floats to_floats(std::vector<float> values, bool has_axes) {
  auto* const owned = new std::vector<float>(std::move(values));
  const nb::capsule owner(owned,
                          [](void* p) noexcept { delete static_cast<std::vector<float>*>(p); });
  if (has_axes) return {owned->data(), {owned->size() / 3, 3}, owner};
  return {owned->data(), {owned->size()}, owner};
}

navmesh::Position point(const SinglePoints& points, std::size_t k) {
  return {points(k, 0), points(k, 1), points(k, 2)};
}

class PythonNavMesh {
 public:
  // @param scan names the file where the path is a folder; "": the path is a file
  PythonNavMesh(const std::string& path, const std::string& habitat, const std::string& scan)
      : PythonNavMesh(navmesh::read_navmesh_file(
                          scan.empty() ? path : navmesh::find_meshes(path, {&scan, 1}).front()),
                      habitat) {}

  // Calls `use` with a search and a position's number, on all cores.
  template <class Use>
  void for_each(std::size_t size, Use use) const {
    const nb::gil_scoped_release release;
    constexpr std::size_t grain = 64;
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, size, grain), [&](const auto& range) {
      const navmesh::Search search(mesh_, habitat_);
      for (std::size_t k = range.begin(); k < range.end(); ++k) use(search, k);
    });
  }

  // Row k of starts to row k of ends.
  Floats distance(const SinglePoints& starts, const SinglePoints& ends) const {
    std::vector<float> metres(starts.shape(0));
    for_each(metres.size(), [&](const navmesh::Search& search, std::size_t k) {
      metres[k] =
          search.distance(search.snap(point(starts, k)), search.snap(point(ends, k))).metres;
    });
    return to_floats(std::move(metres), false);
  }

  Floats distance_to_nearest(const SinglePoints& starts, const SinglePoints& ends) const {
    std::vector<navmesh::Snapped> goals(ends.shape(0));
    const navmesh::Search of_goals(mesh_, habitat_);
    for (std::size_t g = 0; g < goals.size(); ++g) goals[g] = of_goals.snap(point(ends, g));
    std::vector<float> metres(starts.shape(0));
    for_each(metres.size(), [&](const navmesh::Search& search, std::size_t k) {
      metres[k] = search.distance_to_nearest(search.snap(point(starts, k)), goals).metres;
    });
    return to_floats(std::move(metres), false);
  }

  Floats snap(const SinglePoints& points) const {
    std::vector<float> places(3 * points.shape(0));
    for_each(points.shape(0), [&](const navmesh::Search& search, std::size_t k) {
      std::ranges::copy(search.snap(point(points, k)).on_mesh, &places[3 * k]);
    });
    return to_floats(std::move(places), true);
  }

  Floats path(const SinglePoints& ends) const {
    const navmesh::Search search(mesh_, habitat_);
    std::vector<float> corners;
    for (const navmesh::Position& corner :
         search.path(search.snap(point(ends, 0)), search.snap(point(ends, 1)))) {
      corners.insert(corners.end(), corner.begin(), corner.end());
    }
    return to_floats(std::move(corners), true);
  }

  Floats outline() const {
    std::vector<float> ends;
    for (const auto& edge : mesh_.outline()) {
      for (const navmesh::Position& end : edge) ends.insert(ends.end(), end.begin(), end.end());
    }
    return to_floats(std::move(ends), true);
  }

  Floats bounds() const {
    std::vector<float> corners(file_.min.begin(), file_.min.end());
    corners.insert(corners.end(), file_.max.begin(), file_.max.end());
    return to_floats(std::move(corners), true);
  }

  nb::typed<nb::dict, nb::str, float> settings() const {
    nb::typed<nb::dict, nb::str, float> values;
    for (const auto& [name, value] : file_.settings) values[to_str(name)] = value;
    return values;
  }

  nb::str habitat() const { return to_str(navmesh::name(habitat_)); }
  std::size_t polygons() const { return file_.polygons; }
  float agent_height() const { return file_.agent_height; }
  float agent_radius() const { return file_.agent_radius; }

 private:
  PythonNavMesh(navmesh::NavMeshFile file, const std::string& habitat)
      : habitat_(navmesh::find_habitat(habitat)), mesh_(file), file_(std::move(file)) {
    file_.tiles.clear();
  }

  navmesh::Habitat habitat_;
  navmesh::NavMesh mesh_;
  navmesh::NavMeshFile file_;  // without its tiles
};

}  // namespace

void bind_navmesh(nb::module_& m) {
  nb::class_<PythonNavMesh>(m, "NavMesh")
      .def(nb::init<const std::string&, const std::string&, const std::string&>(), "path"_a,
           "habitat"_a, "scan"_a)
      .def("distance", &PythonNavMesh::distance, "starts"_a, "ends"_a)
      .def("distance_to_nearest", &PythonNavMesh::distance_to_nearest, "starts"_a, "ends"_a)
      .def("snap", &PythonNavMesh::snap, "points"_a)
      .def("path", &PythonNavMesh::path, "ends"_a)
      .def("outline", &PythonNavMesh::outline)
      .def("bounds", &PythonNavMesh::bounds)
      .def_prop_ro("settings", &PythonNavMesh::settings)
      .def_prop_ro("habitat", &PythonNavMesh::habitat)
      .def_prop_ro("polygons", &PythonNavMesh::polygons)
      .def_prop_ro("agent_height", &PythonNavMesh::agent_height)
      .def_prop_ro("agent_radius", &PythonNavMesh::agent_radius);
}

}  // namespace warpath::python
