// The back end cpu against reference: statuses and decisions equal, values within the bounds that
// docs/precision.md states; and some metrics alone to the last bit as all together. Then the
// positions of the viewpoints are scored as continuous paths.

#include <fmt/format.h>

#include "host/checks/compare.hpp"
#include "host/checks/compare_points.hpp"
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/random_case.hpp"
#include "warpath/scorer.hpp"

namespace warpath::fuzz {
namespace {

// Describes how the scores of one metric, or the statuses, differ pair by pair.
std::string difference(const RandomCase& random_case, const Scores& got, const Scores& expected,
                       std::optional<Metric> metric) {
  std::string text = fmt::format("cpu differs from reference in {}\n",
                                 metric ? info(*metric).name : std::string_view("statuses"));
  for (std::size_t row = 0; row < expected.size(); ++row) {
    if (metric) {
      text += fmt::format("pair {}: {} is not {}\n", row, checks::value(got, *metric, row),
                          expected.at(*metric, row));
    } else {
      text += fmt::format("pair {}: {}, rules {} is not {}, rules {}\n", row,
                          info(got.status[row]).name, got.zero_rules[row],
                          info(expected.status[row]).name, expected.zero_rules[row]);
    }
  }
  return text + random_case.text();
}

void compare_with_reference(const RandomCase& random_case, const Scores& got,
                            const Scores& expected) {
  const checks::Comparison comparison =
      checks::compare(got, expected, random_case.batch, random_case.convention);
  if (comparison.status.count > 0) {
    throw Violation(difference(random_case, got, expected, std::nullopt));
  }
  for (const Metric m : MetricSet::of_paths()) {
    if (comparison.metric[m].worst <= checks::allowed(m)) continue;
    throw Violation(difference(random_case, got, expected, m));
  }
}

void check_viewpoints(const RandomCase& random_case) {
  const auto score_by = [&](Backend backend, const MetricSet& metrics) {
    return Scorer(random_case.batch.scans, random_case.convention,
                  {.backend = backend, .metrics = metrics, .threads = 1})
        .score(random_case.batch);
  };
  const Scores all = score_by(Backend::cpu, MetricSet::of_paths());
  compare_with_reference(random_case, all, score_by(Backend::reference, MetricSet::of_paths()));
  const Scores some = score_by(Backend::cpu, random_case.metrics);
  if (checks::compare_bits(some, all, random_case.metrics).count > 0) {
    throw Violation("some metrics alone differ from all together\n" + random_case.text());
  }
}

// The positions of each pair's viewpoints.
PointBatch points_of(const RandomCase& random_case) {
  const PairBatch& batch = random_case.batch;
  PointBatch points;
  points.task_success = batch.task_success;
  for (const Pair& pair : batch.pairs) {
    const auto add = [&](std::span<const Node> path, PointSet& to) {
      for (const Node n : path) to.elements.push_back(batch.scans[pair.scan]->positions()[n]);
      return to.end_path();
    };
    points.pairs.push_back({.reference = add(batch.references[pair.reference], points.references),
                            .query = add(batch.queries[pair.query], points.queries)});
  }
  return points;
}

void check_points(const RandomCase& random_case) {
  const PointBatch points = points_of(random_case);
  const auto score_by = [&](Backend backend) {
    return Scorer({}, random_case.convention, {.backend = backend, .threads = 1}).score(points);
  };
  const checks::Mismatches comparison = checks::compare_with_reference(
      score_by(Backend::cpu), score_by(Backend::reference), points, random_case.convention);
  if (comparison.count == 0) return;
  throw Violation("points: cpu differs from reference in " + comparison.first + "\n" +
                  random_case.text());
}

}  // namespace

void fuzz_scores(Bytes input) {
  const RandomCase random_case(input);
  check_viewpoints(random_case);
  check_points(random_case);
}

}  // namespace warpath::fuzz
