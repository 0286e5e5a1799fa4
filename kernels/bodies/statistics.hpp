#pragma once

#include <cstdint>

#include "kernels/bodies/mapping.hpp"
#include "kernels/bodies/pack_pairs.hpp"
#include "kernels/metrics/fixed_point.hpp"
#include "kernels/metrics/flags.hpp"
#include "kernels/views.hpp"
#include "warpath/histogram.hpp"

// Adds up a batch's results on the device: sums, range and histogram of every metric. It counts
// with integers only, so no bit depends on the order of threads or the sizes of blocks. They are
// the same integers that the host's Statistics and Histogram compute from the same floats.
//
// A thread adds up its share of a *slice* of one column in registers; a warp merges the results of
// its threads; its first lane adds that to memory. 128-bit sums are stored as four *limbs* of 32
// bits in 64-bit words, so that an addition to memory never carries: a word has room for 2^32 of
// them, and the host carries once, at the end.

namespace warpath::kernels {

/// Holds the totals of a column. Words only grow; zero bytes mean "nothing yet".
struct ColumnTotals {
  std::uint64_t n;
  std::uint64_t overflows;           ///< if not 0, `squares` is invalid
  std::uint64_t sum[4], squares[4];  ///< limbs, the lowest first; `sum` modulo 2^128
  std::uint64_t least, greatest;     ///< ~key_of the minimum, key_of the maximum
  std::uint64_t cells[Histogram::max_cells];
};

/// The threads of a block count flags and values of a histogram in the same cells.
static_assert(flag_sets >= Histogram::max_cells);

struct BatchTotals {
  ColumnTotals column[metric_count];
  std::uint64_t flags[flag_sets];  ///< number of pairs for each set of flags
};

/// Says how a column's values are counted.
struct ColumnRules {
  int grid_bits;
  float too_large;  ///< smallest value whose square is 2^126 on the grid
  Histogram::Bins bins;
};

/// Holds a chunk's results, and the lengths of its paths for the metrics that count viewpoints,
/// which have no column in `results`.
struct AggregateView {
  ResultView results;
  PairsView pairs;
  const std::uint32_t* pair_of;    ///< by row of the results; null: the row's own number
  const std::uint32_t* query_raw;  ///< by pair; null: n_query_raw is n_query
  std::uint32_t asked_metrics;     ///< bit m stands for metric m
  std::uint32_t asked_flags;
  ColumnRules rules[metric_count];
  BatchTotals* totals;
};

/// Accumulates a thread's part of a column.
struct PartialStatistics {
  std::uint32_t n = 0, overflows = 0;
  std::uint32_t least = 0, greatest = 0;
  Int128 sum = 0, squares = 0;  ///< `sum` in two's complement

  /// Adds a float or a count.
  template <class Value>
  WARPATH_HD void add(Value value, const ColumnRules& rules) {
    const Number x = number_of(value);
    const bool too_large = absolute(value) >= rules.too_large;
    const std::uint32_t key = key_of(value);
    PartialStatistics one;
    one.n = 1;
    one.overflows = too_large;
    one.least = ~key;
    one.greatest = key;
    if (!too_large) {
      const Int128 size = shifted(x.mantissa, x.exponent + rules.grid_bits);
      one.sum = x.negative ? Int128{0} - size : size;
      one.squares = shifted(x.square, 2 * x.exponent + rules.grid_bits);
    }
    merge(one);
  }

  /// Adds another part. Both sums of squares are below 2^127, so the highest bit of their sum tells
  /// whether it still is.
  WARPATH_HD void merge(const PartialStatistics& other) {
    n += other.n;
    least = least > other.least ? least : other.least;
    greatest = greatest > other.greatest ? greatest : other.greatest;
    sum += other.sum;
    squares += other.squares;
    overflows |= other.overflows | static_cast<std::uint32_t>(squares >> 127);
  }

 private:
  WARPATH_HD static float absolute(float value) { return value < 0.0f ? -value : value; }
  WARPATH_HD static float absolute(std::uint32_t count) { return static_cast<float>(count); }
};

/// Adds to words of memory when one thread runs at a time. The device has a class with the same
/// members and atomic additions.
struct PlainMemory {
  WARPATH_HD void add(std::uint64_t* word, std::uint64_t x) const { *word += x; }
  WARPATH_HD void raise(std::uint64_t* word, std::uint64_t x) const {
    if (*word < x) *word = x;
  }
  WARPATH_HD void count(std::uint32_t* word) const { ++*word; }
};

template <class Memory>
WARPATH_HD void add_limbs(std::uint64_t* word, Int128 x, const Memory& memory) {
  WARPATH_UNROLL for (int limb = 0; limb < 4; ++limb) {
    memory.add(word + limb, static_cast<std::uint32_t>(x >> 32 * limb));
  }
}

template <class Memory>
WARPATH_HD void add_to(ColumnTotals& totals, const PartialStatistics& partial,
                       const Memory& memory) {
  if (partial.n == 0) return;
  memory.add(&totals.n, partial.n);
  if (partial.overflows > 0) memory.add(&totals.overflows, 1);
  add_limbs(totals.sum, partial.sum, memory);
  add_limbs(totals.squares, partial.squares, memory);
  memory.raise(&totals.least, partial.least);
  memory.raise(&totals.greatest, partial.greatest);
}

/// Names rows first … first + count − 1 of a column. Column metric_count stands for the flags.
struct ColumnSlice {
  std::uint32_t column, first, count;
};
/// Rows of a slice: enough that the cost per slice does not matter, and few enough that the slices
/// of a chunk fill a device.
inline constexpr std::uint32_t slice_pairs = 1u << 15;

WARPATH_CONSTEXPR std::uint32_t slices_in_column(std::uint32_t pairs) {
  return pairs / slice_pairs + (pairs % slice_pairs > 0);
}
WARPATH_CONSTEXPR std::uint32_t slice_count(const AggregateView& view) {
  return (metric_count + 1) * slices_in_column(view.pairs.count);
}
WARPATH_HD ColumnSlice slice_of(const AggregateView& view, std::uint32_t number) {
  const std::uint32_t in_column = slices_in_column(view.pairs.count);
  const std::uint32_t first = number % in_column * slice_pairs, left = view.pairs.count - first;
  return {number / in_column, first, left < slice_pairs ? left : slice_pairs};
}
/// Returns the slices that a block takes.
WARPATH_HD StridedRange column_slices_of(const ThreadId& t) {
  return {t.block, t.blocks};
}

/// Tells whether row i of the results is that of an active pair.
WARPATH_HD bool is_active(const AggregateView& view, std::uint32_t i) {
  return view.pairs.is_active(view.pair_of != nullptr ? view.pair_of[i] : i);
}

/// Returns pair i's value of a metric that counts viewpoints; those have no column.
WARPATH_HD std::uint32_t count_of(const AggregateView& view, Metric metric, std::uint32_t i) {
  const PairsView& p = view.pairs;
  if (metric == Metric::n_query_raw && view.query_raw != nullptr) return view.query_raw[i];
  if (metric == Metric::n_query_raw || metric == Metric::n_query) return p.queries.length(i);
  if (metric == Metric::steps) return p.queries.length(i) - 1;
  return p.references.length(p.reference(i));
}

/// Adds up a thread's share of a slice: thread t of a block takes pairs t, t + threads, …, so that
/// the values of a warp are neighbours. `cells` counts them in one histogram for all threads of a
/// block.
template <class Memory>
WARPATH_HD PartialStatistics add_values(const AggregateView& view, const ColumnSlice& slice,
                                        const ThreadId& me, std::uint32_t* cells,
                                        const Memory& memory) {
  const float* values = view.results.column[slice.column] + slice.first;
  const ColumnRules& rules = view.rules[slice.column];
  PartialStatistics partial;
  for (std::uint32_t k = me.thread; k < slice.count; k += me.threads) {
    if (!is_active(view, slice.first + k)) continue;
    const float value = values[k];
    if (!is_value(value)) continue;
    partial.add(value, rules);
    memory.count(cells + histogram_cell(value, rules.bins));
  }
  return partial;
}

/// Adds up values that are numbers of viewpoints. Unreachable pairs have none.
template <class Memory>
WARPATH_HD PartialStatistics add_counts(const AggregateView& view, const ColumnSlice& slice,
                                        const ThreadId& me, std::uint32_t* cells,
                                        const Memory& memory) {
  const ColumnRules& rules = view.rules[slice.column];
  PartialStatistics partial;
  for (std::uint32_t k = me.thread; k < slice.count; k += me.threads) {
    const std::uint32_t i = slice.first + k;
    if (!is_active(view, i)) continue;
    if (view.results.flags[i] & (flag_unreachable | flag_invalid)) continue;
    const std::uint32_t pair = view.pair_of != nullptr ? view.pair_of[i] : i;
    const std::uint32_t count = count_of(view, static_cast<Metric>(slice.column), pair);
    partial.add(count, rules);
    memory.count(cells + histogram_cell(static_cast<float>(count), rules.bins));
  }
  return partial;
}

/// Counts pairs by their flags.
template <class Memory>
WARPATH_HD void count_flags(const AggregateView& view, const ColumnSlice& slice, const ThreadId& me,
                            std::uint32_t* cells, const Memory& memory) {
  for (std::uint32_t k = me.thread; k < slice.count; k += me.threads) {
    const std::uint32_t i = slice.first + k;
    if (is_active(view, i)) memory.count(cells + (view.results.flags[i] & view.asked_flags));
  }
}

/// Adds up a thread's share of a slice of any column.
/// @pre cells[0 … flag_sets) are 0 and visible to all threads of the block.
template <class Memory>
WARPATH_HD PartialStatistics add_slice(const AggregateView& view, const ColumnSlice& slice,
                                       const ThreadId& me, std::uint32_t* cells,
                                       const Memory& memory) {
  if (slice.column == metric_count) {
    count_flags(view, slice, me, cells, memory);
  } else if (view.results.column[slice.column] != nullptr) {
    return add_values(view, slice, me, cells, memory);
  } else if (view.asked_metrics >> slice.column & 1) {
    return add_counts(view, slice, me, cells, memory);
  }
  return {};
}

/// Adds the block's counts to memory and clears its histogram. @pre as add_slice
template <class Memory>
WARPATH_HD void add_cells(const AggregateView& view, const ColumnSlice& slice, const ThreadId& me,
                          std::uint32_t* cells, const Memory& memory) {
  const bool flags = slice.column == metric_count;
  std::uint64_t* to = flags ? view.totals->flags : view.totals->column[slice.column].cells;
  const std::uint32_t size = flags ? flag_sets : Histogram::max_cells;
  for (std::uint32_t k = me.thread; k < size; k += me.threads) {
    if (cells[k] > 0) memory.add(to + k, cells[k]);
    cells[k] = 0;
  }
}

}  // namespace warpath::kernels
