#include "host/checks/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "host/core/definitions/metric_traits.hpp"

namespace warpath::checks {
namespace {

constexpr double fraction_allowed = 1e-6, length_allowed = 4e-7;

// Holds the quantities of one pair that a metric may be divided by.
struct Row {
  const Scores& expected;
  std::size_t row;
  double nodes;  ///< |R| + |Q|
  const Convention& convention;

  double at(Metric m) const { return expected.at(m, row); }
};

// DTW's own bound grows with the lengths, and x exp(−x) <= 0.37 carries it over to exp(−DTW).
double growth(const Row& r) {
  return std::max(1.0, 0.37 * r.nodes * 0x1p-24 / fraction_allowed);
}

// Returns what the difference of a metric is divided by.
double scale(Metric m, const Row& r) {
  using enum Metric;
  switch (definitions::traits(m).rounding) {
    case definitions::Rounding::length:
    case definitions::Rounding::deviation:
      return r.at(m);
    case definitions::Rounding::expected_length:
      // The length that PC is multiplied by: PL(R), or that of the edges.
      return r.at(PC) > 0.0 ? r.at(EPL) / r.at(PC) : r.at(PLR);
    case definitions::Rounding::warping_cost:
      return r.at(m) *
             (r.nodes * 0x1p-24 + (r.convention.dtw_norm == DtwNorm::cost ? 0.0 : length_allowed));
    case definitions::Rounding::warping_score:
      return growth(r);
    case definitions::Rounding::progress:
      return 2 * r.at(NE) + r.at(GP) + 1.0;  // of d(r_1, r_|R|), which is GP + NE, and of NE
    case definitions::Rounding::none:
    case definitions::Rounding::fraction:
    case definitions::Rounding::coverage:
    case definitions::Rounding::length_score:
      return 1.0;
  }
  return 1.0;
}

double difference(Metric m, double got, const Row& r) {
  const double expected = r.at(m);
  if (std::isnan(got) && std::isnan(expected)) return 0.0;
  if (got == expected) return 0.0;
  const double relative = std::abs(got - expected) / scale(m, r);
  return std::isnan(relative) ? infinity : relative;
}

}  // namespace

void Difference::add(double difference) {
  ++cases;
  worst = std::max(worst, difference);
}

void Difference::add(const Difference& other) {
  cases += other.cases;
  worst = std::max(worst, other.worst);
}

void Mismatches::add(bool same, const std::string& what) {
  ++cases;
  if (!same && count++ == 0) first = what;
}

void Mismatches::add(const Mismatches& other) {
  if (count == 0) first = other.first;
  cases += other.cases;
  count += other.count;
  worst = std::max(worst, other.worst);
}

void Comparison::add(const Comparison& other) {
  for (const Metric m : MetricSet::of_paths()) metric[m].add(other.metric[m]);
  status.add(other.status);
}

double allowed(Metric m) {
  switch (definitions::traits(m).rounding) {
    case definitions::Rounding::none:
      return 0.0;
    case definitions::Rounding::length:
    case definitions::Rounding::deviation:
      return length_allowed;
    case definitions::Rounding::warping_cost:
      return 1.0;
    case definitions::Rounding::progress:
      return 3e-7;
    case definitions::Rounding::fraction:
    case definitions::Rounding::coverage:
    case definitions::Rounding::length_score:
    case definitions::Rounding::expected_length:
    case definitions::Rounding::warping_score:
      return fraction_allowed;
  }
  return 0.0;
}

bool same_bits(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

double value(const Scores& scores, Metric m, std::size_t row) {
  const std::vector<double>& column = scores.column[m];
  return row < column.size() ? column[row] : std::numeric_limits<double>::quiet_NaN();
}

Comparison compare(const Scores& got, const Scores& expected, const PairBatch& batch,
                   const Convention& convention) {
  Comparison result;
  for (std::size_t row = 0; row < batch.pairs.size(); ++row) {
    const Pair& pair = batch.pairs[row];
    const auto nodes = static_cast<double>(batch.references[pair.reference].size() +
                                           batch.queries[pair.query].size());
    const Row r{expected, row, nodes, convention};
    for (const Metric m : MetricSet::of_paths()) {
      result.metric[m].add(difference(m, value(got, m, row), r));
    }
  }
  result.status = compare_statuses(got, expected);
  return result;
}

Mismatches compare_bits(const std::vector<float>& got, const std::vector<float>& expected,
                        const std::string& what) {
  Mismatches result;
  result.add(got.size() == expected.size(), what + ": another number of values");
  for (std::size_t k = 0; k < std::min(got.size(), expected.size()); ++k) {
    if (same_bits(got[k], expected[k]))
      result.add(true);
    else
      result.add(false, fmt::format("{}: {} is not {}, entry {}", what, got[k], expected[k], k));
  }
  return result;
}

Mismatches compare_bits(const Scores& got, const Scores& expected, const MetricSet& metrics) {
  Mismatches result;
  for (const Metric m : metrics) {
    for (std::size_t row = 0; row < expected.size(); ++row) {
      result.add(same_bits(value(got, m, row), value(expected, m, row)));
    }
  }
  return result;
}

Mismatches compare_statuses(const Scores& got, const Scores& expected) {
  Mismatches result;
  for (std::size_t row = 0; row < expected.size(); ++row) {
    result.add(row < got.size() && got.status[row] == expected.status[row] &&
               got.zero_rules[row] == expected.zero_rules[row]);
  }
  return result;
}

Mismatches compare_values_and_statuses(const Scores& got, const Scores& expected,
                                       const MetricSet& metrics) {
  Mismatches result = compare_bits(got, expected, metrics);
  result.add(compare_statuses(got, expected));
  return result;
}

Mismatches compare_statistics(const BatchStatistics& got, const BatchStatistics& expected) {
  Mismatches result;
  for (const Metric m : MetricSet::of_paths()) {
    result.add(got.summary.metrics[m] == expected.summary.metrics[m]);
    result.add(got.histograms[m] == expected.histograms[m]);
  }
  result.add(got == expected);
  return result;
}

}  // namespace warpath::checks
