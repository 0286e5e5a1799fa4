#pragma once

#include <array>
#include <cstdint>

#include "warpath/export.hpp"
#include "warpath/histogram.hpp"
#include "warpath/scores.hpp"
#include "warpath/statistics.hpp"

namespace warpath {

/// Means of a set of items.
struct WARPATH_EXPORT ItemStatistics {
  std::uint64_t items = 0;
  MetricMap<Statistics> metrics;
  std::array<std::uint64_t, status_count> statuses{};
  std::uint64_t zero_spl = 0, zero_ls = 0, zero_sed = 0;  ///< items that a 0/0 rule decided

  ItemStatistics();
  const Statistics& of(Metric m) const { return metrics[m]; }
  /// Items of that status, which the bits of ZeroRule say a rule decided.
  void count(Status status, std::uint8_t zero_rules, std::uint64_t items = 1);
  /// @throws std::overflow_error
  void merge(const ItemStatistics& other);
  bool operator==(const ItemStatistics&) const = default;
};

/// What values were computed in. `none`: there are no values yet.
enum class Precision : std::uint8_t { none, single_precision, double_precision };

/// Everything that is known of a batch whose pairs' own scores nobody keeps; the same bits in any
/// order of pairs and from any back end in single precision. Metrics that were not asked for have
/// no values.
struct WARPATH_EXPORT BatchStatistics {
  ItemStatistics summary;
  MetricMap<Histogram> histograms;
  Precision precision = Precision::none;  ///< set by summarize()

  BatchStatistics();
  const Histogram& histogram(Metric m) const { return histograms[m]; }
  /// @throws std::overflow_error, as the next two
  void add(Metric metric, double value);
  void add(const Scores& scores);
  /// @throws InputError too, where one was computed in single and the other in double precision.
  void merge(const BatchStatistics& other);
  bool operator==(const BatchStatistics&) const = default;
};

}  // namespace warpath
