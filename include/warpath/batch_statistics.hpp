#pragma once

#include <array>
#include <cstdint>

#include "warpath/export.hpp"
#include "warpath/histogram.hpp"
#include "warpath/scores.hpp"
#include "warpath/statistics.hpp"

namespace warpath {

/// Accumulates the statistics of every metric over a set of items, and counts their statuses. The
/// bits do not depend on the order. One thread at a time may change an object.
struct WARPATH_EXPORT ItemStatistics {
  std::uint64_t items = 0;
  MetricMap<Statistics> metrics;
  std::array<std::uint64_t, status_count> statuses{};
  std::uint64_t zero_spl = 0, zero_ls = 0, zero_sed = 0;  ///< items that a 0/0 rule decided

  ItemStatistics();
  const Statistics& of(Metric m) const { return metrics[m]; }
  /// Counts a status and 0/0 rules for that many items; the member `items` stays as it is.
  /// @param zero_rules which 0/0 a rule decided, see contains().
  void count(Status status, std::uint8_t zero_rules, std::uint64_t items = 1);
  /// Adds the items of another object. @throws std::overflow_error as Statistics::add
  void merge(const ItemStatistics& other);
  bool operator==(const ItemStatistics&) const = default;
};

/// The arithmetic that values were computed in. `none`: there are no values yet.
enum class Precision : std::uint8_t { none, single_precision, double_precision };

/// Accumulates statistics and histograms of a batch without storing any pair's score. The bits do
/// not depend on the order of the pairs, and are the same from both back ends in single precision.
/// Metrics that were not asked for have no values. One thread at a time may change an object.
struct WARPATH_EXPORT BatchStatistics {
  ItemStatistics summary;
  MetricMap<Histogram> histograms;
  Precision precision = Precision::none;  ///< set by statistics()

  BatchStatistics();
  const Histogram& histogram(Metric m) const { return histograms[m]; }
  /// Adds one value of one metric, without counting an item.
  /// @throws std::overflow_error as Statistics::add
  void add(Metric metric, double value);
  /// Adds all rows: their values, statuses and 0/0 rules.
  /// @throws std::overflow_error as Statistics::add
  void add(const Scores& scores);
  /// Adds the items of another object.
  /// @throws InputError if one was computed in single and the other in double precision;
  ///   std::overflow_error as Statistics::add
  void merge(const BatchStatistics& other);
  bool operator==(const BatchStatistics&) const = default;
};

}  // namespace warpath
