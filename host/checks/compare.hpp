#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "warpath/batch_statistics.hpp"
#include "warpath/convention.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"

namespace warpath::checks {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// Keeps the largest of a number of differences.
struct Difference {
  std::size_t cases = 0;
  double worst = 0.0;

  void add(double difference);
  void add(const Difference& other);
};

/// Counts values that differ from what is expected.
struct Mismatches {
  std::size_t cases = 0, count = 0;
  std::string first{};  ///< what differs first, where it is known
  double worst = 0.0;   ///< the largest difference as a multiple of what is allowed, likewise

  void add(bool same, const std::string& what = {});
  void add(const Mismatches& other);
};

/// Says how far the scores of one back end are from another's. Differences are absolute for
/// fractions and relative for lengths; GP's is relative to NE + d(r_1, r_|R|) + 1 m, EPL's to
/// the reference's length as EPL takes it, and DTW's is relative, in units of (|R|+|Q|)·2^-24. A
/// difference is infinite if only one of the two has a value.
struct Comparison {
  MetricMap<Difference> metric;
  Mismatches status;  ///< statuses and zero rules

  void add(const Comparison& other);
};

/// Returns the largest difference that single precision may cause in a metric, in the units of
/// Comparison.
double allowed(Metric m);

/// Tells whether two values have the same bits; NaNs count as the same.
bool same_bits(float a, float b);
bool same_bits(double a, double b);

/// Returns a value of a column; NaN if the column is absent.
double value(const Scores& scores, Metric m, std::size_t row);

/// Compares all metrics, statuses and zero rules of a batch.
Comparison compare(const Scores& got, const Scores& expected, const PairBatch& batch,
                   const Convention& convention);

/// Counts the values that differ in their bits; NaNs count as the same.
Mismatches compare_bits(const std::vector<float>& got, const std::vector<float>& expected,
                        const std::string& what);

/// Counts the values of these metrics that differ in their bits; NaNs count as the same.
Mismatches compare_bits(const Scores& got, const Scores& expected, const MetricSet& metrics);

/// Counts the pairs that differ in status or zero rules.
Mismatches compare_statuses(const Scores& got, const Scores& expected);

/// Counts both.
Mismatches compare_values_and_statuses(const Scores& got, const Scores& expected,
                                       const MetricSet& metrics);

/// Counts the metrics whose statistics or histograms differ, and statistics that differ elsewhere.
Mismatches compare_statistics(const BatchStatistics& got, const BatchStatistics& expected);

}  // namespace warpath::checks
