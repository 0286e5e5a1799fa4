#include "host/checks/compare_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/core/definitions/path_convention.hpp"
#include "host/core/reference/reference.hpp"
#include "kernels/views/points.hpp"

namespace warpath::checks {
namespace {

using Point = std::array<double, 3>;
using enum Metric;

double max_distance_from(const Point& from, std::span<const Point> path) {
  double max_distance = 0.0;
  for (const Point& p : path) {
    max_distance =
        std::max(max_distance, std::hypot(p[0] - from[0], p[1] - from[1], p[2] - from[2]));
  }
  return max_distance;
}

// Returns the difference as a multiple of what is allowed.
double difference(double got, double expected, double allowed) {
  if (got == expected || (std::isnan(got) && std::isnan(expected))) return 0.0;
  const double relative = std::abs(got - expected) / allowed;
  return std::isnan(relative) ? infinity : relative;
}

// Counts values and differences over the pairs of a batch.
class Counter {
 public:
  Counter(const PointBatch& batch, const Convention& convention)
      : batch_(batch), convention_(convention) {}

  void add(std::string_view what, std::size_t row, double difference) {
    ++counted_.cases;
    counted_.worst = std::max(counted_.worst, difference);
    if (difference <= 1.0 || counted_.count++ > 0) return;
    const PointPair& pair = batch_.pairs[row];
    counted_.first = fmt::format("{} of {} x {} points, pair {}, {}", what,
                                 batch_.references.size_of(pair.reference),
                                 batch_.queries.size_of(pair.query), row, convention_.preset);
  }

  void add_status(const Scores& got, const Scores& expected, std::size_t row) {
    const bool same = row < got.size() && got.status[row] == expected.status[row] &&
                      got.zero_rules[row] == expected.zero_rules[row];
    add("status", row, same ? 0.0 : infinity);
  }

  Mismatches result() const { return counted_; }

 private:
  const PointBatch& batch_;
  const Convention& convention_;
  Mismatches counted_;
};

}  // namespace

PointRounding::PointRounding(const PointBatch& batch, const Scores& expected, std::size_t row,
                             const Convention& convention)
    : expected_(expected), row_(row), convention_(convention) {
  const auto r = batch.references[batch.pairs[row].reference];
  const auto q = batch.queries[batch.pairs[row].query];
  // The distance from the centre is bounded by the distance from the first point.
  const double reference = max_distance_from(r[0], r), query = max_distance_from(r[0], q);
  distance_ = 0x1p-24 * (2 * reference + query) + kernels::distance_of_coincident_points;
  sizes_ = {.reference = r.size(), .query = q.size(), .query_raw = q.size()};
  points_ = static_cast<double>(r.size() + q.size());
  coverage_ = (distance_ + 0x1p-22 * (reference + query)) / convention.threshold;
}

double PointRounding::of_dtw() const {
  const double scale = convention_.dtw_norm == DtwNorm::cost ? 1.0 : 1.0 / value(PLR);
  return (points_ * 0x1p-24 + 4e-7) * value(DTW) + points_ * distance_ * scale;
}

double PointRounding::of_ndtw(Metric m) const {
  const double norm = reference::ndtw_norm(convention_, sizes_, value(PLR));
  const double cost = points_ * distance_;
  // x exp(−x) <= 0.37 bounds the effect of DTW's own error.
  const double moved =
      norm > 0 ? value(m) * cost / (norm * definitions::ndtw_threshold(convention_)) : 0.0;
  return checks::allowed(m) + moved + 0.37 * points_ * 0x1p-24;
}

double PointRounding::allowed(Metric m) const {
  const double by_metric = checks::allowed(m);
  switch (definitions::traits(m).rounding) {
    case definitions::Rounding::none:
    case definitions::Rounding::fraction:
      return by_metric;
    case definitions::Rounding::length:
      return by_metric * value(m);
    case definitions::Rounding::deviation:
      return by_metric * value(m) + distance_;
    case definitions::Rounding::coverage:
    case definitions::Rounding::expected_length:
      return (by_metric + coverage_) * std::max(value(m), 1.0);
    case definitions::Rounding::length_score:
      return by_metric + 2 * coverage_;
    case definitions::Rounding::warping_cost:
      return of_dtw();
    case definitions::Rounding::warping_score:
      return of_ndtw(m);
    case definitions::Rounding::progress:
      return by_metric * (2 * value(NE) + std::abs(value(GP)) + 1.0);
  }
  return by_metric;
}

Mismatches compare_with_reference(const Scores& got, const Scores& expected,
                                  const PointBatch& batch, const Convention& convention) {
  Counter counter(batch, convention);
  for (std::size_t row = 0; row < batch.pairs.size(); ++row) {
    const PointRounding rounding(batch, expected, row, convention);
    for (const MetricInfo& m : path_metric_table()) {
      counter.add(m.name, row,
                  difference(value(got, m.metric, row), value(expected, m.metric, row),
                             rounding.allowed(m.metric)));
    }
    counter.add_status(got, expected, row);
  }
  return counter.result();
}

Mismatches compare_bits(const Scores& got, const Scores& expected, const PointBatch& batch,
                        const Convention& convention) {
  Counter counter(batch, convention);
  for (std::size_t row = 0; row < batch.pairs.size(); ++row) {
    for (const MetricInfo& m : path_metric_table()) {
      const bool same = same_bits(value(got, m.metric, row), value(expected, m.metric, row));
      counter.add(m.name, row, same ? 0.0 : infinity);
    }
    counter.add_status(got, expected, row);
  }
  return counter.result();
}

}  // namespace warpath::checks
