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

double RandomPoints::metres(double range) {
  return range * (static_cast<double>(random_() >> 11) * 0x1p-52 - 1.0);
}

PointWalk RandomPoints::walk(std::array<double, 3> start, std::size_t points) {
  PointWalk path{start};
  double heading = metres(3.14);
  while (path.size() < points) {
    auto next = path.back();
    switch (below(random_, 8)) {
      case 0:
        break;  // stands still
      case 1:
        next = path[below(random_, path.size())];  // returns to an earlier point
        break;
      default:
        heading += metres(0.5);
        next[0] += 0.25 * std::cos(heading);
        next[1] += metres(0.05);
        next[2] += 0.25 * std::sin(heading);
    }
    path.push_back(next);
  }
  return path;
}

PointWalk RandomPoints::query_of(const PointWalk& reference, std::size_t points) {
  PointWalk query = walk(reference[0], points);
  const std::size_t same = below(random_, std::min(points, reference.size()) + 1);
  std::copy_n(reference.begin(), same, query.begin());
  for (auto& point : query) {
    if (below(random_, 6) == 0) point[below(random_, 3)] += metres(1e-9);
    if (below(random_, 9) == 0) point = reference[below(random_, reference.size())];
  }
  return query;
}

void RandomPoints::add_pair(std::size_t n, std::size_t m) {
  // Far from the origin, plain single precision is not enough.
  const double far = below(random_, 2) == 0 ? 10.0 : 1e6;
  const PointWalk reference = walk({metres(far), metres(3.0), metres(far)}, n);
  add(batch_.references, reference);
  add(batch_.queries, query_of(reference, m));
  const auto last = static_cast<std::uint32_t>(batch_.references.size() - 1);
  batch_.pairs.push_back({last, static_cast<std::uint32_t>(batch_.queries.size() - 1)});
}

void RandomPoints::add_pairs(std::size_t count, std::size_t max_reference, std::size_t max_query) {
  const auto length = [&](std::size_t longest) {
    return below(random_, 10) == 0 ? 1 : 1 + below(random_, longest);
  };
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t n = length(max_reference), m = length(max_query);
    if (k % 5 != 4) {
      add_pair(n, m);
      continue;
    }
    const std::uint32_t shared = batch_.pairs.back().reference;
    const auto path = batch_.references[shared];
    add(batch_.queries, query_of({path.begin(), path.end()}, m));
    batch_.pairs.push_back({shared, static_cast<std::uint32_t>(batch_.queries.size() - 1)});
  }
}

void add(PointSet& paths, const PointWalk& path) {
  paths.elements.insert(paths.elements.end(), path.begin(), path.end());
  paths.end_path();
}

PointBatch pair_of(const PointWalk& reference, const PointWalk& query) {
  PointBatch batch;
  add(batch.references, reference);
  add(batch.queries, query);
  batch.pairs.push_back({0, 0});
  return batch;
}

PointBatch reordered(const PointBatch& batch, const std::vector<std::uint32_t>& order) {
  PointBatch other{batch.references, batch.queries, {}, {}};
  for (const std::uint32_t row : order) {
    other.pairs.push_back(batch.pairs[row]);
    if (!batch.task_success.empty()) other.task_success.push_back(batch.task_success[row]);
  }
  return other;
}

void move_apart(PointBatch& batch) {
  for (auto& point : batch.queries.elements) point[1] += 100 * std::numbers::pi * 1e-6;
}

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

struct PointRowWriter {
  Scores& scores;
  std::size_t row;

  void set(Metric m, float value) const { scores.at(m, row) = value; }
  void clear(bool is_unreachable, std::uint32_t metrics) const {
    for (const Metric m : MetricSet::of_paths()) {
      if (is_unreachable && metrics >> index_of(m) & 1) scores.at(m, row) = std::nanf("");
    }
  }
  void flags(std::uint32_t bits) const {
    scores.zero_rules[row] = kernels::zero_rules_of(bits);
    scores.status[row] = definitions::status_of(bits);
  }
};

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
  PointRowWriter writer{scores, row};
  MetricFormulas<ScalarLanes, quantity_all, PointRowWriter>(sums, terms, rules, writer).run();
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
