// Metrics that are functions in Python: what they get of an item, and what becomes of their values.
#include "python/bindings/own_metrics.hpp"

#include <fmt/format.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "host/files/evaluation/own_metrics.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/columns.hpp"
#include "warpath/error.hpp"

namespace warpath::python {
namespace {

// The paths of the item that is being scored. A function may keep it, but not use it later.
class PythonItemPaths {
 public:
  explicit PythonItemPaths(const ItemPaths& paths) : paths_(&paths) {}

  void end() { paths_ = nullptr; }

  const ItemPaths& paths() const {
    if (paths_ == nullptr)
      throw UsageError("distances are of the item that is being scored, and its call has ended");
    return *paths_;
  }

  bool has_positions() const { return paths().scan == nullptr; }

  nb::list viewpoints(bool is_reference) const {
    nb::list ids;
    for (const Node node : is_reference ? paths().reference : paths().query)
      ids.append(to_str(paths().scan->viewpoint(node)));
    return ids;
  }

  nb::object positions(bool is_reference) const {
    const auto& path = is_reference ? paths().reference_positions : paths().query_positions;
    auto values = std::make_unique<std::vector<double>>();
    for (const auto& point : path) values->insert(values->end(), point.begin(), point.end());
    return to_numpy(std::move(values), {path.size(), 3});
  }

  nb::object between_viewpoints(const std::vector<std::string>& from,
                                const std::vector<std::string>& to) const {
    if (has_positions()) throw UsageError("the item's paths are of positions, not of viewpoints");
    return between(nodes_of(from, "sources"), nodes_of(to, "targets"));
  }

  // Positions go by their numbers: those of the reference, then those of the query.
  nb::object between_positions(const std::vector<std::uint32_t>& from,
                               const std::vector<std::uint32_t>& to) const {
    const std::size_t known = paths().reference_positions.size() + paths().query_positions.size();
    for (const auto* numbers : {&from, &to}) {
      for (const std::uint32_t number : *numbers) {
        if (number >= known) throw UsageError("there is no such position");
      }
    }
    return between(from, to);
  }

 private:
  std::vector<Node> nodes_of(const std::vector<std::string>& ids, const char* argument) const {
    const Scan& scan = *paths().scan;
    std::vector<Node> nodes;
    for (const std::string& id : ids) {
      const auto node = scan.find(id);
      if (!node)
        throw InputError({argument, id}, fmt::format("is no viewpoint of scan {}", scan.id()),
                         "give viewpoints of the item's scan");
      nodes.push_back(*node);
    }
    return nodes;
  }

  nb::object between(const std::vector<std::uint32_t>& from,
                     const std::vector<std::uint32_t>& to) const {
    auto values = std::make_unique<std::vector<double>>();
    values->reserve(from.size() * to.size());
    for (const std::uint32_t a : from) {
      for (const std::uint32_t b : to) values->push_back(paths().distance(a, b));
    }
    return to_numpy(std::move(values), {from.size(), to.size()});
  }

  const ItemPaths* paths_;
};

void take_values(const nb::list& found, std::span<OwnValue> values) {
  if (found.size() != values.size()) throw UsageError("there is not a value for each own metric");
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] = {nb::cast<double>(found[k]), PyBool_Check(found[k].ptr()) != 0};
}

}  // namespace

OwnMetrics own_metrics_of(const std::vector<OwnMetricRow>& rows, nb::handle compute) {
  OwnMetrics own;
  for (const auto& [name, unit, better] : rows)
    own.metrics.push_back({name, static_cast<Unit>(unit), static_cast<Better>(better)});
  if (rows.empty()) return own;
  own.compute = [compute](const ItemPaths& paths, std::span<OwnValue> values) {
    const nb::gil_scoped_acquire gil;
    const auto shown = std::make_shared<PythonItemPaths>(paths);
    // Whoever keeps the object finds that the call has ended.
    const std::shared_ptr<void> at_end(nullptr, [&](void*) { shown->end(); });
    take_values(nb::cast<nb::list>(compute(nb::cast(shown))), values);
  };
  return own;
}

void bind_own_metrics(nb::module_& m) {
  m.def(
      "check_own_metrics",
      [](const std::vector<OwnMetricRow>& own) {
        evaluation::check_own_metrics(own_metrics_of(own, nb::none()));
      },
      "own"_a);
  nb::class_<PythonItemPaths>(m, "ItemPaths")
      .def_prop_ro("file", [](const PythonItemPaths& item) { return to_str(item.paths().file); })
      .def_prop_ro("instr_id",
                   [](const PythonItemPaths& item) { return to_str(item.paths().row.instr_id); })
      .def_prop_ro("has_positions", &PythonItemPaths::has_positions)
      .def("viewpoints", &PythonItemPaths::viewpoints, "is_reference"_a,
           nb::sig("def viewpoints(self, is_reference: bool) -> list[str]"))
      .def("positions", &PythonItemPaths::positions, "is_reference"_a,
           nb::sig("def positions(self, is_reference: bool) -> typing.Any"))
      .def("between_viewpoints", &PythonItemPaths::between_viewpoints, "sources"_a, "targets"_a,
           nb::sig("def between_viewpoints(self, sources: collections.abc.Sequence[str], targets: "
                   "collections.abc.Sequence[str]) -> typing.Any"))
      .def("between_positions", &PythonItemPaths::between_positions, "sources"_a, "targets"_a,
           nb::sig("def between_positions(self, sources: collections.abc.Sequence[int], targets: "
                   "collections.abc.Sequence[int]) -> typing.Any"));
}

}  // namespace warpath::python
