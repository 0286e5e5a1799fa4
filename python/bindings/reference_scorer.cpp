// Scores batches against references that stay, on the host or a GPU. Each row of scores is a
// metric.
#include "warpath/reference_scorer.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <utility>

#include "python/bindings/bindings.hpp"
#include "python/bindings/poll.hpp"
#include "python/bindings/references.hpp"
#include "python/bindings/settings.hpp"
#include "python/bindings/views.hpp"

namespace warpath::python {
namespace {

/// Holds a ReferenceScorer with what it was made of.
struct ReferenceScorerObject : StandingReferences {
  Convention convention{};
  std::vector<Metric> metrics{};  ///< in the order of the rows of scores
  std::unique_ptr<ReferenceScorer> scorer{};
};

// Refuses metrics that are not scored.
std::vector<Metric> scored_metrics(const std::vector<std::string>& names) {
  const std::vector<Metric> metrics = find_metrics(names);
  const auto count = std::ranges::find_if(metrics, [](Metric m) { return m >= Metric::steps; });
  if (count == metrics.end()) return metrics;
  throw UsageError(fmt::format(
      "the metric {} is a number of viewpoints, which is known from the lengths; leave it out",
      info(*count).name));
}

// Makes the scorer of what an object has.
void make_in_place(ReferenceScorerObject& object, const StandingReferences& of, Place where) {
  ReferenceScorerOptions options;
  options.metrics = set_of(object.metrics);
  options.place = where;
  options.graphs = of.graphs;
  const nb::gil_scoped_release release;
  object.scorer = std::make_unique<ReferenceScorer>(of.scans, of.references, of.scan_of,
                                                    object.convention, options);
}

void make_scorer(ReferenceScorerObject* self, StandingReferences references,
                 const std::string& preset, const SettingTexts& settings,
                 const std::vector<std::string>& names, int threads) {
  ReferenceScorerObject object{std::move(references)};
  object.metrics = scored_metrics(names);
  object.convention = make_convention(preset, settings);
  if (object.convention.repeats == Repeats::collapse) {
    throw UsageError(
        "the setting repeats=collapse is for lists and files; leave repeats out of "
        "the tensors instead");
  }
  make_in_place(object, object, Place::host(checked_threads(threads)));
  new (self) ReferenceScorerObject(std::move(object));
}

void make_scorer_on_graphs(ReferenceScorerObject* self, std::shared_ptr<const GraphStore> graphs,
                           nb::handle references, nb::handle scans, const std::string& preset,
                           const SettingTexts& settings, const std::vector<std::string>& metrics,
                           int threads) {
  make_scorer(self, read_references(std::move(graphs), references, scans), preset, settings,
              metrics, threads);
}

void make_scorer_of_points(ReferenceScorerObject* self, const std::string& preset,
                           const SettingTexts& settings, const std::vector<std::string>& metrics,
                           int threads) {
  make_scorer(self, {}, preset, settings, metrics, threads);
}

// Makes the same scorer on the GPU that is current.
ReferenceScorerObject scorer_on_gpu(const ReferenceScorerObject& host) {
  ReferenceScorerObject object;
  object.convention = host.convention;
  object.metrics = host.metrics;
  make_in_place(object, host, Place::gpu());
  return object;
}

void set_scorer_references(ReferenceScorerObject& self, nb::handle references, nb::handle scans) {
  if (self.graphs == nullptr) {
    throw UsageError(
        "references need graphs, and this scorer was made without; give references of "
        "points to score_points");
  }
  StandingReferences read = read_references(self.graphs, references, scans);
  {
    const nb::gil_scoped_release release;
    self.scorer->set_references(read.scans, read.references, read.scan_of);
  }
  static_cast<StandingReferences&>(self) = std::move(read);
}

// Writes the scores of each metric to a row of `out`.
void score_batch(const ReferenceScorerObject& self, nb::handle tuple, Address out,
                 nb::handle call_tuple) {
  const BatchAt batch_at(tuple);
  warpath::Call call = read_call(call_tuple);
  ScoreArrays scores;
  for (std::size_t k = 0; k < self.metrics.size(); ++k) {
    scores.column[self.metrics[k]] = at<float>(out) + k * batch_at.batch.count;
  }
  if (self.scorer->place().is_gpu) {
    const nb::gil_scoped_release release;
    return self.scorer->score(batch_at.batch, scores, call);
  }
  Poll(nb::none()).run([&](const Watch& watch) {
    call.watch = watch;
    self.scorer->score(batch_at.batch, scores, call);
  });
}

std::vector<std::string> names_of(const std::vector<Metric>& metrics) {
  std::vector<std::string> names;
  for (const Metric metric : metrics) names.emplace_back(info(metric).name);
  return names;
}

}  // namespace

void bind_reference_scorer(nb::module_& m) {
  using Object = ReferenceScorerObject;
  nb::class_<Object>(m, "ReferenceScorer")
      .def("__init__", &make_scorer_on_graphs, "graphs"_a, "references"_a, "scans"_a, "preset"_a,
           "settings"_a, "metrics"_a, "threads"_a)
      .def("__init__", &make_scorer_of_points, "preset"_a, "settings"_a, "metrics"_a, "threads"_a)
      .def_prop_ro("count", [](const Object& s) { return s.references.size(); })
      .def_prop_ro("metrics", [](const Object& s) { return names_of(s.metrics); })
      .def("on_gpu", &scorer_on_gpu)
      .def("set_references", &set_scorer_references, "references"_a, "scans"_a)
      .def(
          "workspace_bytes",
          [](const Object& s, nb::handle room) {
            return s.scorer->workspace_bytes(read_room(room));
          },
          "room"_a)
      .def(
          "warm_up",
          [](const Object& s, nb::handle room, nb::handle call_tuple) {
            const Batch batch = read_room(room);
            const warpath::Call call = read_call(call_tuple);
            const nb::gil_scoped_release release;
            s.scorer->warm_up(batch, call);
          },
          "room"_a, "call"_a)
      .def("score", &score_batch, "batch"_a, "out"_a, "call"_a);
}

}  // namespace warpath::python
