// Scores batches against references that stay, on the host. Each row of scores is a metric.
#include "python/bindings/reference_scorer.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <optional>
#include <utility>

#include "python/bindings/addresses.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/paths.hpp"
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

// Makes the scorer of references. @pre with the GIL, and not in its constructor
std::shared_ptr<const ReferenceScorer> with_references(StandingReferences references,
                                                       const Convention& convention,
                                                       const std::vector<Metric>& metrics,
                                                       int threads) {
  auto made = std::make_shared<ReferenceScorer>();
  static_cast<StandingReferences&>(*made) = std::move(references);
  made->convention = convention;
  made->metrics = metrics;
  made->threads = threads;
  ScorerOptions options;
  options.backend = Backend::cpu;
  options.metrics = set_of(metrics);
  options.threads = threads;
  options.graphs = made->graphs;
  const nb::gil_scoped_release release;
  made->scorer = std::make_unique<Scorer>(made->scans, convention, options);
  return made;
}

std::shared_ptr<const ReferenceScorer> make_scorer(StandingReferences references,
                                                   const std::string& preset,
                                                   const SettingTexts& settings,
                                                   const std::vector<std::string>& names,
                                                   int threads) {
  const std::vector<Metric> metrics = scored_metrics(names);
  const Convention convention = make_convention(preset, settings);
  if (convention.repeats == Repeats::collapse) {
    throw UsageError(
        "the setting repeats=collapse is for lists and files; leave repeats out of "
        "the tensors instead");
  }
  return with_references(std::move(references), convention, metrics, checked_threads(threads));
}

void make_on_graphs(ReferenceScorerObject* self, std::shared_ptr<const GraphStore> graphs,
                    nb::handle references, nb::handle scans, const std::string& preset,
                    const SettingTexts& settings, const std::vector<std::string>& metrics,
                    int threads) {
  new (self) ReferenceScorerObject{make_scorer(
      read_references(std::move(graphs), references, scans), preset, settings, metrics, threads)};
}

void make_of_points(ReferenceScorerObject* self, const std::string& preset,
                    const SettingTexts& settings, const std::vector<std::string>& metrics,
                    int threads) {
  new (self) ReferenceScorerObject{make_scorer({}, preset, settings, metrics, threads)};
}

void set_references(ReferenceScorerObject& self, nb::handle references, nb::handle scans) {
  const std::shared_ptr<const ReferenceScorer> now = self.now;  // another thread may replace it
  if (now->graphs == nullptr) {
    throw UsageError(
        "references need graphs, and this scorer was made without; give references of "
        "points to score_points");
  }
  self.now = with_references(read_references(now->graphs, references, scans), now->convention,
                             now->metrics, now->threads);
}

// What memory of the host a call is given: warpath/torch has checked its tensors and tells their
// addresses, since an array costs a small call as much as its work.
using Size = std::size_t;
// The address of integers, 0 for none, and the bytes of each, negative for those with signs.
using SignedAt = std::pair<Address, int>;

void check_aligned(Address address, Size bytes) {
  if (address % bytes == 0) return;
  throw InputError({{}}, fmt::format("a tensor is not aligned to its elements of {} bytes", bytes),
                   "give tensor.clone()");
}

std::optional<Array> array_at(const SignedAt& integers, std::initializer_list<Size> shape) {
  const auto& [address, bytes] = integers;
  if (bytes == 0) return std::nullopt;
  check_aligned(address, static_cast<Size>(std::abs(bytes)));
  using nb::dlpack::dtype_code;
  const nb::dlpack::dtype type{
      static_cast<std::uint8_t>(bytes < 0 ? dtype_code::Int : dtype_code::UInt),
      static_cast<std::uint8_t>(8 * std::abs(bytes)), 1};
  return Array(at<const void>(address), shape, {}, {}, type);
}

PathArgument viewpoints_at(const SignedAt& values, const SignedAt& lengths, Size count,
                           Size length) {
  return {*array_at(values, {count, length}), array_at(lengths, {count}), "queries"};
}

PathArgument points_at(Address values, const SignedAt& lengths, Size count, Size length,
                       const char* argument) {
  check_aligned(values, sizeof(float));
  const Array rows(at<const void>(values), {count, length, 3}, {}, {}, nb::dtype<float>());
  return {rows, array_at(lengths, {count}), argument};
}

// Returns the number of each pair's reference.
std::vector<std::uint32_t> read_numbers(const std::optional<Array>& reference, std::size_t pairs,
                                        std::size_t references) {
  std::vector<std::uint32_t> numbers(pairs);
  const auto take = [&](const auto& number) {
    for (std::size_t p = 0; p < pairs; ++p) {
      const auto n = number(p);
      if (std::cmp_less(n, 0) || std::cmp_greater_equal(n, references)) {
        throw InputError({"reference", fmt::format("pair {}", p)},
                         fmt::format("is {} of {} references", n, references),
                         "number references from 0");
      }
      numbers[p] = static_cast<std::uint32_t>(n);
    }
  };
  if (reference) {
    visit_integers(*reference, "reference", take);
  } else if (pairs != references && pairs != 0) {
    throw InputError({"reference"},
                     fmt::format("is not given for {} queries of {} references", pairs, references),
                     "give the number of each query's reference, or one query for each reference");
  } else {
    take([](std::size_t p) { return p; });
  }
  return numbers;
}

// Holds what a call was given. Pairs that are left out are another pair once more, so that the
// library counts pairs as the caller does.
struct Call {
  Call(const SignedAt& reference, Address active, Address task_success, std::size_t pairs,
       std::size_t references)
      : numbers(read_numbers(array_at(reference, {pairs}), pairs, references)), scored(pairs) {
    const auto* is_active = at<const std::uint8_t>(active);
    check_aligned(task_success, sizeof(float));
    if (const auto* values = at<const float>(task_success)) success.assign(values, values + pairs);
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
void write(const ReferenceScorer& self, const Call& call, Address out, Score&& score) {
  const std::size_t pairs = call.scored.size();
  ScoreColumns<float> columns;
  for (std::size_t k = 0; k < self.metrics.size(); ++k) {
    columns.column[self.metrics[k]] = at<float>(out) + k * pairs;
  }
  const nb::gil_scoped_release release;
  if (!call.is_empty) score(columns);
  for (const std::uint32_t p : call.left_out) {
    for (const Metric m : self.metrics) {
      columns.column[m][p] = std::numeric_limits<float>::quiet_NaN();
    }
  }
}

void score(const ReferenceScorerObject& object, Size count, Size length, const SignedAt& query_rows,
           const SignedAt& lengths, const SignedAt& reference, Address active, Address task_success,
           Address out) {
  const std::shared_ptr<const ReferenceScorer> now = object.now;
  const ReferenceScorer& self = *now;
  PathArgument queries = viewpoints_at(query_rows, lengths, count, length);
  const Call call(reference, active, task_success, count, self.references.size());
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

void score_points(const ReferenceScorerObject& object, Size count, Size length, Address query_rows,
                  const SignedAt& lengths, Size reference_count, Size reference_length,
                  Address reference_rows, const SignedAt& reference_lengths,
                  const SignedAt& reference, Address active, Address task_success, Address out) {
  const std::shared_ptr<const ReferenceScorer> now = object.now;
  const ReferenceScorer& self = *now;
  PathArgument queries = points_at(query_rows, lengths, count, length, "queries");
  PathArgument references =
      points_at(reference_rows, reference_lengths, reference_count, reference_length, "references");
  const Call call(reference, active, task_success, count, reference_count);
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
  nb::class_<ReferenceScorerObject>(m, "ReferenceScorer")
      .def("__init__", &make_on_graphs, "graphs"_a, "references"_a, "scans"_a, "preset"_a,
           "settings"_a, "metrics"_a, "threads"_a)
      .def("__init__", &make_of_points, "preset"_a, "settings"_a, "metrics"_a, "threads"_a)
      .def_prop_ro("count", [](const ReferenceScorerObject& s) { return s.now->references.size(); })
      .def("set_references", &set_references, "references"_a, "scans"_a)
      .def_prop_ro("metrics",
                   [](const ReferenceScorerObject& s) {
                     std::vector<std::string> names;
                     for (const Metric metric : s.now->metrics)
                       names.emplace_back(info(metric).name);
                     return names;
                   })
      .def("score", &score, "count"_a, "length"_a, "queries"_a, "lengths"_a, "reference"_a,
           "active"_a, "task_success"_a, "out"_a)
      .def("score_points", &score_points, "count"_a, "length"_a, "queries"_a, "lengths"_a,
           "references"_a, "reference_length"_a, "reference_points"_a, "reference_lengths"_a,
           "reference"_a, "active"_a, "task_success"_a, "out"_a);
}

}  // namespace warpath::python
