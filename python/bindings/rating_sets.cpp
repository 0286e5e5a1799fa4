// Sets of paths for people to rank.
#include "host/program/synthetic/rating_sets.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/bindings.hpp"

namespace warpath::python {
namespace {

using synthetic::Path;
using synthetic::RatingStudy;

nb::list ids(const Scan& scan, const Path& path) {
  nb::list names;
  for (const Node n : path) names.append(to_str(scan.viewpoint(n)));
  return names;
}

nb::tuple graph(const Scan& scan) {
  nb::list positions, edges;
  for (Node n = 0; n < scan.size(); ++n) {
    const auto& [x, y, z] = scan.positions()[n];
    positions.append(nb::make_tuple(to_str(scan.viewpoint(n)), x, y, z));
    for (const Node other : scan.neighbours(n)) {
      if (n < other) {
        edges.append(nb::make_tuple(to_str(scan.viewpoint(n)), to_str(scan.viewpoint(other))));
      }
    }
  }
  return nb::make_tuple(to_str(scan.id()), positions, edges);
}

nb::tuple described(const RatingStudy& study) {
  nb::list scenarios;
  for (const auto& sets : study.scenarios) {
    nb::list made;
    for (const synthetic::RatingSet& set : sets) {
      nb::list queries;
      for (const Path& query : set.queries) queries.append(ids(study.scan, query));
      made.append(nb::make_tuple(ids(study.scan, set.reference), queries));
    }
    scenarios.append(made);
  }
  return nb::make_tuple(graph(study.scan), study.threshold_m, scenarios);
}

// Returns the graph (scan, viewpoints with positions, edges), the threshold, and for each scenario
// its sets (reference, queries).
nb::tuple rating_sets(std::uint64_t seed, int queries, bool shares_start,
                      const std::vector<std::pair<int, bool>>& scenarios) {
  synthetic::RatingOptions options{seed, queries, shares_start, {}};
  for (const auto& [sets, only_successes] : scenarios) {
    options.scenarios.push_back({sets, only_successes});
  }
  return described(synthetic::make_rating_sets(options, [] {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }));
}

}  // namespace

void bind_rating_sets(nb::module_& m) {
  m.def("rating_sets", &rating_sets, "seed"_a, "queries"_a, "shares_start"_a, "scenarios"_a,
        nb::sig("def rating_sets(seed: int, queries: int, shares_start: bool, scenarios: "
                "collections.abc.Sequence[tuple[int, bool]]) -> tuple[tuple[str, list[tuple[str, "
                "float, float, float]], list[tuple[str, str]]], float, "
                "list[list[tuple[list[str], list[list[str]]]]]]"));
}

}  // namespace warpath::python
