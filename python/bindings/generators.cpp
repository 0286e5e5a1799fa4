// R4R and perturbed paths.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "host/files/evaluation/inputs.hpp"
#include "host/files/evaluation/refusals.hpp"
#include "host/files/generators/perturbed_predictions.hpp"
#include "host/program/report/r4r_report.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/paths.hpp"
#include "python/bindings/settings.hpp"
#include "warpath/error.hpp"
#include "warpath/r4r.hpp"

namespace warpath::python {
namespace {

// Returns the annotations as JSON, the report, paths and instructions, and notes.
nb::tuple r4r(const std::shared_ptr<GraphStore>& graphs, const std::string& dataset,
              const InputTexts& texts, double threshold, const std::string& compare,
              std::optional<double> heading_threshold) {
  R4rOptions options;
  options.graph_store = graphs;
  options.dataset = dataset;
  options.texts = texts;
  options.threshold_m = threshold;
  options.compare = make_convention("paper", {{"success", compare}}).success;
  options.heading_threshold = heading_threshold;
  R4r made;
  {
    const nb::gil_scoped_release release;
    made = make_r4r(options);
  }
  return nb::make_tuple(to_str(made.json), to_str(report::r4r_report(made, options, {80, false})),
                        made.r4r.paths, made.r4r.samples, nb::cast(made.notes));
}

// Returns predictions as JSON, and how many are perturbed, broken and left out.
nb::tuple perturbed(const std::shared_ptr<GraphStore>& graphs, const std::string& dataset,
                    const InputTexts& texts, const std::string& perturbation, std::uint64_t seed) {
  EvalFiles files;
  files.graph_store = graphs;
  files.dataset = dataset;
  files.texts = texts;
  generators::PerturbedPredictions made;
  {
    const nb::gil_scoped_release release;
    const Perturbation kind = find_perturbation(perturbation);
    evaluation::Inputs inputs(files);
    evaluation::refuse_test_split(inputs.dataset);
    made = generators::perturbed_predictions(kind, seed, inputs);
  }
  return nb::make_tuple(to_str(made.text), made.perturbed, made.broken, made.without);
}

// Returns the ids of a perturbed path and whether a step of it is no edge; None if there is none.
nb::object perturbed_path(const GraphStore& graphs, const std::string& scan_name, nb::handle path,
                          const std::string& perturbation, std::uint64_t seed, std::uint64_t item) {
  const Scan& scan = graphs.scan(scan_name);
  PathArgument paths(nb::make_tuple(path), "path");
  if (paths.has_points()) throw InputError({"path"}, "has points", "give viewpoints");
  paths.read_ids({{&scan}, {0}});
  const PathView<Node> nodes = paths.pack();
  if (nodes[0].empty()) throw InputError({"path"}, "has no viewpoint", "give at least one");
  const Perturbation kind = find_perturbation(perturbation);
  std::optional<PerturbedPath> made;
  {
    const nb::gil_scoped_release release;
    made = perturb(scan, nodes[0], kind, seed, item);
  }
  if (!made) return nb::none();
  nb::list ids;
  for (const Node n : made->nodes) ids.append(to_str(scan.viewpoint(n)));
  return nb::make_tuple(ids, made->is_broken);
}

}  // namespace

void bind_generators(nb::module_& m) {
  m.def(
      "make_r4r", &r4r, "graphs"_a, "dataset"_a, "texts"_a, "threshold"_a, "compare"_a,
      "heading_threshold"_a.none(),
      nb::sig("def make_r4r(graphs: GraphStore, dataset: str, texts: collections.abc.Mapping[str, "
              "str], threshold: float, compare: str, heading_threshold: float | None) -> "
              "tuple[str, str, int, int, list[str]]"));
  m.def("perturb", &perturbed, "graphs"_a, "dataset"_a, "texts"_a, "perturbation"_a, "seed"_a,
        nb::sig("def perturb(graphs: GraphStore, dataset: str, texts: collections.abc.Mapping[str, "
                "str], perturbation: str, seed: int) -> tuple[str, int, int, int]"));
  m.def("perturb_path", &perturbed_path, "graphs"_a, "scan"_a, "path"_a.none(), "perturbation"_a,
        "seed"_a, "item"_a,
        nb::sig("def perturb_path(graphs: GraphStore, scan: str, path: object, perturbation: str, "
                "seed: int, item: int) -> tuple[list[str], bool] | None"));
}

}  // namespace warpath::python
