#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <numeric>

#include "python/bindings/bindings.hpp"
#include "python/bindings/columns.hpp"
#include "warpath/distances.hpp"
#include "warpath/error.hpp"
#include "warpath/graph_store.hpp"

namespace warpath::python {
namespace {

using Positions = nb::ndarray<const double, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;
using EdgeEnds = nb::ndarray<const std::int64_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using Weights = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

InputError::Where where(const ScanData& scan, const std::string& field) {
  return {"graphs", "scan " + scan.id, field};
}

void add_edges(ScanData& scan, const EdgeEnds& ends, const std::optional<Weights>& weights) {
  if (weights && weights->shape(0) != ends.shape(0)) {
    throw InputError(where(scan, "weights"),
                     fmt::format("has {} values for {} edges", weights->shape(0), ends.shape(0)),
                     "give one for each edge, in metres");
  }
  const auto size = static_cast<std::int64_t>(scan.viewpoints.size());
  for (std::size_t e = 0; e < ends.shape(0); ++e) {
    for (const std::int64_t end : {ends(e, 0), ends(e, 1)}) {
      if (end >= 0 && end < size) continue;
      throw InputError(where(scan, fmt::format("edges[{}]", e)),
                       fmt::format("names viewpoint {} of {}", end, size),
                       "number viewpoints from 0");
    }
    Edge edge{static_cast<Node>(ends(e, 0)), static_cast<Node>(ends(e, 1))};
    if (weights) edge.weight = (*weights)(e);
    if (edge.from != edge.to)
      scan.edges.push_back(edge);  // networkx allows them; they lead nowhere
  }
}

void add(GraphStore& graphs, const std::string& name, std::vector<std::string> viewpoints,
         const std::optional<Positions>& positions, const EdgeEnds& edges,
         const std::optional<Weights>& weights, const std::optional<Matrix>& distances,
         bool is_directed) {
  ScanData scan;
  scan.is_directed = is_directed;
  scan.id = name;
  scan.viewpoints = std::move(viewpoints);
  if (positions) {
    for (std::size_t v = 0; v < positions->shape(0); ++v) {
      scan.positions.push_back({(*positions)(v, 0), (*positions)(v, 1), (*positions)(v, 2)});
    }
    if (scan.positions.size() != scan.viewpoints.size()) {  // none at all would mean "not given"
      throw InputError(where(scan, "positions"),
                       fmt::format("has {} rows for {} viewpoints", scan.positions.size(),
                                   scan.viewpoints.size()),
                       "give x, y, z of each viewpoint, in metres");
    }
  }
  if (distances) {
    const std::size_t size = scan.viewpoints.size();
    if (distances->shape(0) != size || distances->shape(1) != size) {
      throw InputError(where(scan, "distances"),
                       fmt::format("has {} rows and {} columns for {} viewpoints",
                                   distances->shape(0), distances->shape(1), size),
                       "give a row and a column for each viewpoint, in metres");
    }
    scan.distances.assign(distances->data(), distances->data() + distances->size());
  }
  add_edges(scan, edges, weights);
  const nb::gil_scoped_release release;
  graphs.add(std::move(scan));
}

std::vector<std::string> viewpoints(const GraphStore& graphs, const std::string& name) {
  const nb::gil_scoped_release release;
  const Scan& scan = graphs.scan(name);
  std::vector<std::string> ids;
  for (Node n = 0; n < scan.size(); ++n) ids.push_back(scan.viewpoint(n));
  return ids;
}

// Returns d(a, b) of all viewpoints in metres, [viewpoints, viewpoints].
nb::object distances(const GraphStore& graphs, const std::string& name) {
  auto values = std::make_unique<std::vector<double>>();
  std::size_t size = 0;
  {
    const nb::gil_scoped_release release;
    const Scan& scan = graphs.scan(name);
    size = scan.size();
    Distances of_scan(scan, Distance::euclid_3d);
    std::vector<Node> all(size);
    std::iota(all.begin(), all.end(), Node{0});
    of_scan.make_rows(all);  // together, on all cores
    values->reserve(size * size);
    for (Node n = 0; n < size; ++n) {
      const std::span<const double> row = of_scan.row(n);
      values->insert(values->end(), row.begin(), row.end());
    }
  }
  return to_numpy(std::move(values), {size, size});
}

// Returns x, y, z of each viewpoint in metres, [viewpoints, 3]; None if the scan has none.
nb::object positions(const GraphStore& graphs, const std::string& name) {
  auto values = std::make_unique<std::vector<double>>();
  std::size_t size = 0;
  {
    const nb::gil_scoped_release release;
    const Scan& scan = graphs.scan(name);
    size = scan.size();
    if (scan.has_positions()) {
      for (const auto& p : scan.positions()) values->insert(values->end(), p.begin(), p.end());
    }
  }
  if (values->empty()) return nb::none();
  return to_numpy(std::move(values), {size, 3});
}

// Returns the numbers of the viewpoints that each edge joins, the lower one first; those of a
// directed scan from the first to the second.
std::vector<std::pair<Node, Node>> edges(const GraphStore& graphs, const std::string& name) {
  const nb::gil_scoped_release release;
  const Scan& scan = graphs.scan(name);
  std::vector<std::pair<Node, Node>> ends;
  for (Node n = 0; n < scan.size(); ++n) {
    for (const Node other : scan.neighbours(n)) {
      if (n < other || scan.is_directed()) ends.emplace_back(n, other);
    }
  }
  return ends;
}

}  // namespace

void bind_graphs(nb::module_& m) {
  nb::class_<GraphStore>(m, "GraphStore", "Holds navigation graphs by the names of their scans.")
      .def(nb::init<>())
      .def(nb::init<std::string>(), "path"_a)
      .def("add", &add, "name"_a, "viewpoints"_a, "positions"_a.none(), "edges"_a,
           "weights"_a.none(), "distances"_a.none(), "is_directed"_a)
      .def("loaded", &GraphStore::loaded, nb::call_guard<nb::gil_scoped_release>())
      .def("viewpoints", &viewpoints, "scan"_a)
      .def("positions", &positions, "scan"_a,
           nb::sig("def positions(self, scan: str) -> numpy.typing.NDArray[numpy.float64] | None"))
      .def("edges", &edges, "scan"_a)
      .def("distances", &distances, "scan"_a,
           nb::sig("def distances(self, scan: str) -> numpy.typing.NDArray[numpy.float64]"));
}

}  // namespace warpath::python
