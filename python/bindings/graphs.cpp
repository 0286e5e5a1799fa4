#include "python/bindings/graphs.hpp"

#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <set>

#include "python/bindings/bindings.hpp"
#include "python/bindings/columns.hpp"
#include "warpath/distances.hpp"
#include "warpath/error.hpp"

namespace warpath::python {

void GraphSource::add(std::unique_ptr<Scan> scan) {
  const std::lock_guard lock(mutex_);
  const std::string name = scan->id();
  if (!added_.emplace(name, std::move(scan)).second) {
    throw InputError({"graphs", "scan " + name}, "is given twice", "give each scan once");
  }
}

const Scan& GraphSource::scan(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (files_) return files_->scan(name);
  const auto found = added_.find(name);
  if (found != added_.end()) return *found->second;
  throw InputError({"graphs", "scan " + name}, "is not among the scans",
                   fmt::format("give its graph, too; there are {} scans", added_.size()));
}

std::vector<std::string> GraphSource::names() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, scan] : added_) names.push_back(name);
  return names;
}

namespace {

using Positions = nb::ndarray<const double, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;
using EdgeEnds = nb::ndarray<const std::int64_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using Weights = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Collects the arrays of one scan and checks what Scan requires of its caller.
class ScanArrays {
 public:
  ScanArrays(const std::string& name, const std::vector<std::string>& viewpoints)
      : where_{"graphs", "scan " + name}, viewpoints_(viewpoints) {
    if (viewpoints.empty()) throw InputError(where_, "has no viewpoint", "give at least one");
    const std::set<std::string_view> distinct(viewpoints.begin(), viewpoints.end());
    if (distinct.size() != viewpoints.size()) {
      throw InputError(at("viewpoints"), "has an id twice", "give each viewpoint once");
    }
  }

  std::vector<std::array<double, 3>> positions(const std::optional<Positions>& array) const {
    std::vector<std::array<double, 3>> positions;
    if (!array) return positions;
    if (array->shape(0) != viewpoints_.size()) {
      throw InputError(
          at("positions"),
          fmt::format("has {} rows for {} viewpoints", array->shape(0), viewpoints_.size()),
          "give x, y, z of each viewpoint, in metres");
    }
    for (std::size_t v = 0; v < array->shape(0); ++v) {
      positions.push_back({(*array)(v, 0), (*array)(v, 1), (*array)(v, 2)});
      for (const double x : positions.back()) {
        if (!std::isfinite(x)) {
          throw InputError(at(fmt::format("positions[{}]", v)), "is NaN or infinite",
                           "give x, y, z in metres");
        }
      }
    }
    return positions;
  }

  std::vector<Edge> edges(const EdgeEnds& ends, const std::optional<Weights>& weights) const {
    if (weights && weights->shape(0) != ends.shape(0)) {
      throw InputError(at("weights"),
                       fmt::format("has {} values for {} edges", weights->shape(0), ends.shape(0)),
                       "give one for each edge, in metres");
    }
    std::vector<Edge> edges;
    std::set<std::pair<Node, Node>> seen;
    for (std::size_t e = 0; e < ends.shape(0); ++e) {
      Edge edge{end(ends(e, 0), e), end(ends(e, 1), e)};
      if (edge.from == edge.to) continue;  // networkx allows them; no metric depends on them
      if (weights) edge.weight = weight((*weights)(e), e);
      if (seen.insert(std::minmax(edge.from, edge.to)).second) edges.push_back(edge);
    }
    return edges;
  }

 private:
  InputError::Where at(const std::string& field) const {
    InputError::Where where = where_;
    where.field = field;
    return where;
  }

  Node end(std::int64_t viewpoint, std::size_t e) const {
    if (viewpoint >= 0 && static_cast<std::size_t>(viewpoint) < viewpoints_.size()) {
      return static_cast<Node>(viewpoint);
    }
    throw InputError(at(fmt::format("edges[{}]", e)),
                     fmt::format("names viewpoint {} of {}", viewpoint, viewpoints_.size()),
                     "number viewpoints from 0");
  }

  double weight(double value, std::size_t e) const {
    if (std::isfinite(value) && value >= 0.0) return value;
    throw InputError(at(fmt::format("weights[{}]", e)), fmt::format("is {}", value),
                     "give a finite length of at least 0, in metres");
  }

  InputError::Where where_;
  const std::vector<std::string>& viewpoints_;
};

void add_arrays(GraphSource& graphs, const std::string& name,
                const std::vector<std::string>& viewpoints,
                const std::optional<Positions>& positions, const EdgeEnds& edges,
                const std::optional<Weights>& weights) {
  const ScanArrays arrays(name, viewpoints);
  graphs.add(std::make_unique<Scan>(name, viewpoints, arrays.positions(positions),
                                    arrays.edges(edges, weights)));
}

std::vector<std::string> viewpoints(GraphSource& graphs, const std::string& name) {
  const nb::gil_scoped_release release;
  const Scan& scan = graphs.scan(name);
  std::vector<std::string> ids;
  for (Node n = 0; n < scan.size(); ++n) ids.push_back(scan.viewpoint(n));
  return ids;
}

// Returns d(a, b) of all viewpoints in metres, [viewpoints, viewpoints].
nb::object distances(GraphSource& graphs, const std::string& name) {
  auto values = std::make_unique<std::vector<double>>();
  std::size_t size = 0;
  {
    const nb::gil_scoped_release release;
    const Scan& scan = graphs.scan(name);
    size = scan.size();
    Distances of_scan(scan, Distance::euclid_3d);
    values->reserve(size * size);
    for (Node n = 0; n < size; ++n) {
      const std::span<const double> row = of_scan.row(n);
      values->insert(values->end(), row.begin(), row.end());
    }
  }
  return to_numpy(std::move(values), {size, size});
}

}  // namespace

void bind_graphs(nb::module_& m) {
  nb::class_<GraphSource>(m, "GraphSource", "Holds navigation graphs by the names of their scans.")
      .def(nb::init<>())
      .def(nb::init<std::string>(), "path"_a)
      .def("add_arrays", &add_arrays, "name"_a, "viewpoints"_a, "positions"_a.none(), "edges"_a,
           "weights"_a.none())
      .def("names", &GraphSource::names)
      .def("viewpoints", &viewpoints, "scan"_a)
      .def("distances", &distances, "scan"_a,
           nb::sig("def distances(self, scan: str) -> numpy.typing.NDArray[numpy.float64]"));
}

}  // namespace warpath::python
