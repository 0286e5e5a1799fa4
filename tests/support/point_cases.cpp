#include "tests/support/point_cases.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "host/core/batch/distance_tables.hpp"
#include "host/core/batch/request.hpp"
#include "kernels/bodies/point_rows.hpp"
#include "kernels/lanes/scalar_lanes.hpp"
#include "kernels/metrics/flags.hpp"
#include "kernels/metrics/point_formulas.hpp"
#include "tests/support/pair_cases.hpp"

namespace warpath::testing {

using kernels::ScalarLanes;
using Path = std::span<const std::array<double, 3>>;

// ---------------------------------------------------------------- plain loops

namespace {

// Holds single-precision distances between all distinct points of a pair.
struct PointTable {
  std::vector<int> reference, query;  // numbers of the distinct points
  std::vector<float> distance;
  int pitch;

  PointTable(Path r, Path q, bool flat) {
    std::array<double, 3> centre;
    for (int axis = 0; axis < 3; ++axis) {
      const auto [low, high] =
          std::ranges::minmax(r, {}, [axis](const auto& point) { return point[axis]; });
      centre[axis] = (low[axis] + high[axis]) / 2;
    }
    std::map<std::array<double, 3>, int> numbers;
    std::vector<kernels::Point<ScalarLanes>> points;
    const auto number = [&](const std::array<double, 3>& p) {
      const auto [at, is_new] = numbers.emplace(p, static_cast<int>(numbers.size()));
      if (is_new) {
        points.push_back({static_cast<float>(p[0] - centre[0]),
                          static_cast<float>(p[1] - centre[1]),
                          flat ? 0.0f : static_cast<float>(p[2] - centre[2])});
      }
      return at->second;
    };
    for (const auto& p : r) reference.push_back(number(p));
    for (const auto& p : q) query.push_back(number(p));
    pitch = static_cast<int>(points.size());
    for (const auto& a : points) {
      for (const auto& b : points) distance.push_back(kernels::euclid<ScalarLanes>(a, b));
    }
  }
};

double euclid(const std::array<double, 3>& a, const std::array<double, 3>& b, bool flat) {
  const double x = a[0] - b[0], y = a[1] - b[1], z = flat ? 0.0 : a[2] - b[2];
  return std::sqrt(x * x + y * y + z * z);
}

double length(Path path, bool flat) {
  double sum = 0.0;
  for (std::size_t k = 1; k < path.size(); ++k) sum += euclid(path[k - 1], path[k], flat);
  return sum;
}

void write_row(Path r, Path q, float task_success, const Convention& convention,
               const kernels::Rules& rules, Scores& scores, std::size_t row) {
  using namespace kernels;
  using enum Metric;
  const bool flat = convention.distance == Distance::euclid_2d;
  const PointTable table(r, q, flat);
  const Measured m = measure_plainly({table.distance.data(), table.pitch, 0}, table.reference,
                                     table.query, -1.0f / rules.threshold);
  double nearest = std::numeric_limits<double>::infinity();
  for (const auto& p : q) nearest = std::min(nearest, euclid(p, r.back(), flat));
  const auto decided = [&](double d) { return batch::rounded(d, convention.threshold); };
  SweepResult<ScalarLanes> sums{.dtw = m.dtw,
                                .coverage = {m.coverage.high, m.coverage.low},
                                .deviation = {m.deviation.high, m.deviation.low},
                                .length = {static_cast<float>(length(q, flat)), 0.0f},
                                .max_deviation = m.max_deviation,
                                .goal = decided(euclid(q.back(), r.back(), flat)),
                                .nearest = decided(nearest),
                                .first = decided(euclid(q.front(), r.back(), flat)),
                                .edits = m.edits[convention.edit_unit == EditUnit::edges]};
  remove_coincident_distances(sums, static_cast<int>(r.size()), static_cast<int>(q.size()));
  const auto reference_length = static_cast<float>(length(r, flat));
  const PairInputs<ScalarLanes> terms{.n = static_cast<int>(r.size()),
                                      .m = static_cast<int>(q.size()),
                                      .reference_length = reference_length,
                                      .cls_query_length = 0.0f,
                                      .cls_reference_length = 0.0f,
                                      .start_to_goal = decided(euclid(r[0], r.back(), flat)),
                                      .task_success = task_success};
  RowWriter writer{scores, row};
  MetricFormulas<ScalarLanes, quantity_all, RowWriter>(sums, terms, rules, writer).run();
  scores.at(PLR, row) = reference_length;
  scores.at(steps, row) = static_cast<double>(q.size() - 1);
  scores.at(n_query, row) = scores.at(n_query_raw, row) = static_cast<double>(q.size());
  scores.at(n_ref, row) = static_cast<double>(r.size());
}

}  // namespace

Scores score_plainly(const PointBatch& batch, const Convention& convention) {
  const bool given_success = !batch.task_success.empty();
  kernels::Rules rules = batch::make_rules(MetricSet::of_paths(), convention, given_success, true);
  rules.given_lengths = false;
  Scores scores(batch.pairs.size());
  for (std::size_t row = 0; row < batch.pairs.size(); ++row) {
    const float success = given_success ? static_cast<float>(batch.task_success[row]) : NAN;
    write_row(batch.references[batch.pairs[row].reference], batch.queries[batch.pairs[row].query],
              success, convention, rules, scores, row);
  }
  return scores;
}

}  // namespace warpath::testing
