#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "host/files/grid/grid_folder.hpp"
#include "host/files/grid/grid_scan.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/columns.hpp"
#include "warpath/error.hpp"
#include "warpath/graph_store.hpp"

namespace warpath::python {
namespace {

using Heights = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using GridPoints = nb::ndarray<const double, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;

void make_grid(Grid* grid, const Heights& heights, double resolution, std::array<double, 2> origin,
               bool is_z_up, double climb) {
  GridData data{.layers = heights.shape(0),
                .rows = heights.shape(1),
                .columns = heights.shape(2),
                .resolution = resolution,
                .origin = origin,
                .is_z_up = is_z_up,
                .climb = climb};
  data.heights.assign(heights.data(), heights.data() + heights.size());
  const nb::gil_scoped_release release;
  new (grid) Grid(data);
}

// Returns integers as a NumPy array of that shape, which owns them.
nb::object to_array(std::unique_ptr<std::vector<std::int64_t>> values,
                    std::initializer_list<std::size_t> shape) {
  std::vector<std::int64_t>* const numbers = values.release();
  const nb::capsule owner(
      numbers, [](void* p) noexcept { delete static_cast<std::vector<std::int64_t>*>(p); });
  return nb::ndarray<nb::numpy, std::int64_t>(numbers->data(), shape, owner).cast();
}

// Returns the number of the nearest cell of each point, -1 where it is too far away.
nb::object snap(const Grid& grid, const GridPoints& points, double max_metres) {
  auto cells = std::make_unique<std::vector<std::int64_t>>(points.shape(0));
  {
    const nb::gil_scoped_release release;
    for (std::size_t p = 0; p < cells->size(); ++p) {
      const std::array<double, 3> point{points(p, 0), points(p, 1), points(p, 2)};
      const auto [cell, metres] = grid.nearest(point);
      (*cells)[p] = metres <= max_metres ? std::int64_t{cell} : -1;
    }
  }
  const std::size_t count = cells->size();
  return to_array(std::move(cells), {count});
}

// Returns layer, row and column of each free cell, [cells, 3].
nb::object cells(const Grid& grid) {
  auto places = std::make_unique<std::vector<std::int64_t>>();
  for (Node n = 0; n < grid.size(); ++n) {
    const Cell& cell = grid.cell(n);
    places->insert(places->end(), {cell.layer, cell.row, cell.column});
  }
  return to_array(std::move(places), {grid.size(), 3});
}

// Returns the centre of each free cell in the axes of the grid, [cells, 3].
nb::object centres(const Grid& grid) {
  auto positions = std::make_unique<std::vector<double>>();
  for (Node n = 0; n < grid.size(); ++n) {
    const std::array<double, 3> centre = grid.centre(n);
    positions->insert(positions->end(), centre.begin(), centre.end());
  }
  return to_numpy(std::move(positions), {grid.size(), 3});
}

// Returns the heights [layers, rows, columns] of a file's grid and the other arguments of Grid.
nb::tuple read_grid(const std::string& path, const std::string& scan) {
  grid::GridSource source;
  {
    const nb::gil_scoped_release release;
    source = grid::read_grid_of(path, scan, {});
  }
  const GridData& data = source.data;
  const nb::tuple origin = nb::make_tuple(data.origin[0], data.origin[1]);
  auto heights = std::make_unique<std::vector<double>>(std::move(source.data.heights));
  return nb::make_tuple(to_numpy(std::move(heights), {data.layers, data.rows, data.columns}),
                        data.resolution, origin, data.is_z_up, data.climb);
}

void add_grid(GraphStore& graphs, const std::string& name, const Grid& grid,
              const std::string& connect) {
  const nb::gil_scoped_release release;
  graphs.add(name, grid, grid::find_connect(connect));
}

}  // namespace

void bind_grids(nb::module_& m) {
  nb::class_<Grid>(m, "Grid", "Holds the free cells of a grid.")
      .def("__init__", &make_grid, "heights"_a, "resolution"_a, "origin"_a, "is_z_up"_a, "climb"_a)
      .def_prop_ro("size", &Grid::size)
      .def("snap", &snap, "points"_a, "max_metres"_a,
           nb::sig("def snap(self, points: numpy.typing.NDArray[numpy.float64], max_metres: float) "
                   "-> numpy.typing.NDArray[numpy.int64]"))
      .def("cells", &cells, nb::sig("def cells(self) -> numpy.typing.NDArray[numpy.int64]"))
      .def("centres", &centres,
           nb::sig("def centres(self) -> numpy.typing.NDArray[numpy.float64]"));
  m.def("read_grid", &read_grid, "path"_a, "scan"_a,
        nb::sig("def read_grid(path: str, scan: str) -> "
                "tuple[numpy.typing.NDArray[numpy.float64], float, tuple[float, float], bool, "
                "float]"));
  m.def("add_grid", &add_grid, "graphs"_a, "name"_a, "grid"_a, "connect"_a);
}

}  // namespace warpath::python
