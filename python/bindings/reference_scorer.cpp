// Scores batches against references that stay, on the host. Each row of scores is a metric.
#include "python/bindings/reference_scorer.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "python/bindings/bindings.hpp"
#include "python/bindings/reward_arrays.hpp"
#include "python/bindings/settings.hpp"

namespace warpath::python {
namespace {

// Refuses metrics that device scorers do not write, so that both take the same.
std::vector<Metric> scored_metrics(const std::vector<std::string>& names) {
  const std::vector<Metric> metrics = find_metrics(names);
  const auto count = std::ranges::find_if(metrics, [](Metric m) { return m >= Metric::steps; });
  if (count == metrics.end()) return metrics;
  throw UsageError(fmt::format(
      "the metric {} is a number of viewpoints, which is known from the lengths; leave it out",
      info(*count).name));
}

ReferenceScorer make_scorer(StandingReferences references, const std::string& preset,
                            const SettingTexts& settings, const std::vector<std::string>& metrics,
                            int threads) {
  ReferenceScorer made{std::move(references)};
  made.metrics = scored_metrics(metrics);
  made.convention = make_convention(preset, settings);
  if (made.convention.repeats == Repeats::collapse) {
    throw UsageError(
        "the setting repeats=collapse is for lists and files; leave repeats out of "
        "the tensors instead");
  }
  ScorerOptions options;
  options.backend = Backend::cpu;
  options.metrics = set_of(made.metrics);
  options.threads = checked_threads(threads);
  const nb::gil_scoped_release release;
  made.scorer = std::make_unique<Scorer>(made.scans, made.convention, options);
  return made;
}

void make_on_graphs(ReferenceScorer* self, std::shared_ptr<const GraphStore> graphs,
                    nb::handle references, const std::vector<std::string>& scans,
                    const std::string& preset, const SettingTexts& settings,
                    const std::vector<std::string>& metrics, int threads) {
  new (self) ReferenceScorer(make_scorer(read_references(std::move(graphs), references, scans),
                                         preset, settings, metrics, threads));
}

void make_of_points(ReferenceScorer* self, const std::string& preset, const SettingTexts& settings,
                    const std::vector<std::string>& metrics, int threads) {
  new (self) ReferenceScorer(make_scorer({}, preset, settings, metrics, threads));
}

// Reads rows; without lengths (None) they end before a negative viewpoint or a NaN.
PathArgument rows(nb::handle values, nb::handle lengths, const char* argument) {
  return PathArgument(nb::cast(PaddedPaths{nb::borrow(values), nb::borrow(lengths)}), argument);
}

// Returns the number of each pair's reference.
std::vector<std::uint32_t> read_numbers(const std::optional<Ints>& reference, std::size_t pairs,
                                        std::size_t references) {
  std::vector<std::uint32_t> numbers(pairs);
  const auto take = [&](const auto& number) {
    for (std::size_t p = 0; p < pairs; ++p) {
      if (std::cmp_less(number(p), 0) || std::cmp_greater_equal(number(p), references)) {
        throw InputError({"reference", fmt::format("pair {}", p)},
                         fmt::format("is {} of {} references", number(p), references),
                         "number references from 0");
      }
      numbers[p] = static_cast<std::uint32_t>(number(p));
    }
  };
  if (reference) {
    check_shape(*reference, {pairs}, "reference");
    visit_integers(Array(*reference), "reference", take);
  } else {
    take([](std::size_t p) { return p; });
  }
  return numbers;
}

// Holds what a call was given. Pairs that are left out are another pair once more, so that the
// library counts pairs as the caller does.
struct Call {
  Call(const std::optional<Ints>& reference, const std::optional<Flags>& active,
       const std::optional<Floats>& task_success, std::size_t pairs, std::size_t references)
      : scored(pairs) {
    const std::uint8_t* is_active = memory_of(active, {pairs}, "active");
    numbers = read_numbers(reference, pairs, references);
    if (const float* values = memory_of(task_success, {pairs}, "task_success")) {
      success.assign(values, values + pairs);
    }
    std::uint32_t other = 0;
    while (is_active != nullptr && other < pairs && is_active[other] == 0) ++other;
    is_empty = other == pairs;
    for (std::uint32_t p = 0; p < pairs; ++p) {
      if (is_active != nullptr && is_active[p] == 0) {
        left_out.push_back(p);
      } else {
        other = p;
      }
      scored[p] = other;
    }
  }

  std::vector<std::uint32_t> numbers, scored, left_out;
  std::vector<double> success;
  bool is_empty = false;  ///< nothing is scored
};

// Calls score(columns) and gives the pairs that were left out no values.
template <class Score>
void write(const ReferenceScorer& self, const Call& call, const OutFloats& out, Score&& score) {
  const std::size_t pairs = call.scored.size();
  check_shape(out, {self.metrics.size(), pairs}, "out");
  ScoreColumns<float> columns;
  for (std::size_t k = 0; k < self.metrics.size(); ++k) {
    columns.column[self.metrics[k]] = out.data() + k * pairs;
  }
  const nb::gil_scoped_release release;
  if (!call.is_empty) score(columns);
  for (const std::uint32_t p : call.left_out) {
    for (const Metric m : self.metrics) {
      columns.column[m][p] = std::numeric_limits<float>::quiet_NaN();
    }
  }
}

void score(const ReferenceScorer& self, nb::handle query_rows, nb::handle lengths,
           const std::optional<Ints>& reference, const std::optional<Flags>& active,
           const std::optional<Floats>& task_success, const OutFloats& out) {
  PathArgument queries = rows(query_rows, lengths, "queries");
  const Call call(reference, active, task_success, queries.size(), self.references.size());
  write(self, call, out, [&](const ScoreColumns<float>& columns) {
    PairBatchView batch;
    batch.references = self.references;
    batch.queries = queries.pack();
    batch.task_success = call.success;
    std::vector<Pair> pairs;
    pairs.reserve(call.scored.size());
    for (const std::uint32_t p : call.scored) {
      pairs.push_back({self.scan_of[call.numbers[p]], call.numbers[p], p});
    }
    batch.pairs = pairs;
    self.scorer->score(batch, columns);
  });
}

void score_points(const ReferenceScorer& self, nb::handle query_rows, nb::handle lengths,
                  nb::handle reference_rows, nb::handle reference_lengths,
                  const std::optional<Ints>& reference, const std::optional<Flags>& active,
                  const std::optional<Floats>& task_success, const OutFloats& out) {
  PathArgument queries = rows(query_rows, lengths, "queries");
  PathArgument references = rows(reference_rows, reference_lengths, "references");
  const Call call(reference, active, task_success, queries.size(), references.size());
  write(self, call, out, [&](const ScoreColumns<float>& columns) {
    PointBatchView batch;
    batch.references = references.pack_points();
    batch.queries = queries.pack_points();
    batch.task_success = call.success;
    std::vector<PointPair> pairs;
    pairs.reserve(call.scored.size());
    for (const std::uint32_t p : call.scored) pairs.push_back({call.numbers[p], p});
    batch.pairs = pairs;
    self.scorer->score(batch, columns);
  });
}

}  // namespace

void bind_reference_scorer(nb::module_& m) {
  nb::class_<ReferenceScorer>(m, "ReferenceScorer")
      .def("__init__", &make_on_graphs, "graphs"_a, "references"_a, "scans"_a, "preset"_a,
           "settings"_a, "metrics"_a, "threads"_a)
      .def("__init__", &make_of_points, "preset"_a, "settings"_a, "metrics"_a, "threads"_a)
      .def_prop_ro("count", [](const ReferenceScorer& s) { return s.references.size(); })
      .def_prop_ro("metrics",
                   [](const ReferenceScorer& s) {
                     std::vector<std::string> names;
                     for (const Metric metric : s.metrics) names.emplace_back(info(metric).name);
                     return names;
                   })
      .def("score", &score, "queries"_a, "lengths"_a.none(), "reference"_a.noconvert().none(),
           "active"_a.noconvert().none(), "task_success"_a.noconvert().none(), "out"_a.noconvert(),
           nb::sig("def score(self, queries: object, lengths: object, reference: object, active: "
                   "object, "
                   "task_success: object, out: object) -> None"))
      .def("score_points", &score_points, "queries"_a, "lengths"_a.none(), "references"_a,
           "reference_lengths"_a.none(), "reference"_a.noconvert().none(),
           "active"_a.noconvert().none(), "task_success"_a.noconvert().none(), "out"_a.noconvert(),
           nb::sig("def score_points(self, queries: object, lengths: object, references: object, "
                   "reference_lengths: object, reference: object, "
                   "active: object, task_success: object, out: object) -> None"));
}

}  // namespace warpath::python
