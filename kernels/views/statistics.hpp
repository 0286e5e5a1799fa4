#pragma once

#include <cstdint>

#include "kernels/metrics/flags.hpp"
#include "kernels/views/pairs.hpp"
#include "kernels/views/paths.hpp"
#include "warpath/histogram.hpp"
#include "warpath/metrics.hpp"

// Defines what the kernel of statistics reads and adds to.

namespace warpath::kernels {

/// Holds the totals of a column. Words only grow; zero bytes mean "nothing yet".
struct ColumnTotals {
  std::uint64_t n;
  std::uint64_t overflows;           ///< if not 0, `squares` is invalid
  std::uint64_t sum[4], squares[4];  ///< limbs, the lowest first; `sum` modulo 2^128
  std::uint64_t least, greatest;     ///< ~key_of the minimum, key_of the maximum
  std::uint64_t cells[Histogram::max_cells];
};

struct BatchTotals {
  ColumnTotals column[path_metric_count];
  std::uint64_t flags[flag_sets];  ///< number of pairs for each set of flags except the empty one
  std::uint64_t pairs;
};

/// Says how a column's values are counted one by one.
struct ColumnRules {
  Unit unit;
  int grid_bits;
  float too_large;  ///< smallest value whose square is 2^126 on the grid
  Histogram::Bins bins;
};

/// Holds results of pairs, and the lengths of their paths for the metrics that count viewpoints,
/// which have no column in `results`. Row i of the results is of pair pair_of[i], or of pair i.
struct AggregateView {
  ResultView results;
  std::uint32_t count;                ///< rows of the results
  const std::uint32_t* device_count;  ///< their number where it is known on the device only, at
                                      ///< most `count`; null: `count`
  const std::uint8_t* active;         ///< by row: 0 if it is left out; null: none is
  const std::uint32_t* pair_of;
  IntegerArray reference_of;       ///< by pair; none: pair i has reference i
  PathLayout references, queries;  ///< queries: by pair
  const std::uint32_t* query_raw;  ///< by pair; null: n_query_raw is n_query
  std::uint32_t asked_metrics;     ///< bit m stands for metric m
  std::uint32_t asked_flags;
  ColumnRules rules[path_metric_count];
  BatchTotals* totals;
};

/// Column of the pairs themselves: their flags, and the metrics that count viewpoints.
inline constexpr std::uint32_t pairs_column = path_metric_count;
inline constexpr std::uint32_t first_count = index_of(Metric::steps);
inline constexpr std::uint32_t count_metrics = path_metric_count - first_count;
static_assert(index_of(Metric::n_ref) == path_metric_count - 1 && count_metrics == 4);

}  // namespace warpath::kernels
