#pragma once

#include <cstdint>

#include "kernels/bodies/mapping.hpp"
#include "kernels/bodies/pack_pairs.hpp"
#include "kernels/views.hpp"
#include "warpath/histogram.hpp"

// SweepResult, range and histogram of a batch's results where they lie: integers only, so that
// neither the order of threads nor the sizes of blocks change a bit, and the same integers as the
// host's Statistics and Histogram make of the same floats.
//
// A thread partial statistics its share of a *slice* of one column in registers; a warp adds up its
// threads' partial statistics; its first lane adds the sums to memory. 128-bit sums go there as
// four *limbs* of 32 bits in words of 64, so that an addition to memory never carries: a word has
// room for 2^32 of them, and the host carries once, at the end.

namespace warpath::kernels {

using Int128 = unsigned __int128;

/// Distinct sets of flags: those of a pair are below this.
inline constexpr std::uint32_t flag_sets = 2 * flag_no_task_success;

/// What is counted of a column. Words grow only, and zero bytes are "nothing yet".
struct ColumnTotals {
  std::uint64_t n;
  std::uint64_t overflows;           ///< not 0: `squares` is worth nothing
  std::uint64_t sum[4], squares[4];  ///< limbs, the lowest first; `sum` modulo 2^128
  std::uint64_t least, greatest;     ///< ~key_of the minimum, key_of the maximum
  std::uint64_t place[Histogram::max_cells];
};

struct BatchTotals {
  ColumnTotals column[metric_count];
  std::uint64_t flags[flag_sets];  ///< pairs by their flags, but for those without any
};

/// How a column's values are counted.
struct ColumnRules {
  int grid_bits;
  float too_large;  ///< the least value whose square is 2^126 on the grid
  Histogram::Bins bins;
};

/// A chunk's results, and the lengths of its paths for the metrics that count viewpoints. Those
/// have no column in `results`.
struct AggregateView {
  ResultView results;
  PairsView pairs;
  const std::uint32_t* pair_of;    ///< by row of the results; null: the row's own number
  const std::uint32_t* query_raw;  ///< by pair; null where n_query_raw is not asked for
  std::uint32_t asked_metrics;     ///< bit m: metric m
  std::uint32_t asked_flags;
  ColumnRules rules[metric_count];
  BatchTotals* totals;
};

/// Where a value is counted in a histogram.
WARPATH_HD std::uint32_t histogram_place(float value, const Histogram::Bins& bins) {
  if (value < 0.0f) return 0;
  if (value >= bins.end) return static_cast<std::uint32_t>(bins.count) + 1;
  const int bin = static_cast<int>(value * bins.per_unit);
  return static_cast<std::uint32_t>(bin < bins.count ? bin : bins.count - 1) + 1;
}

/// |value| = mantissa 2^exponent, and value² = square 2^(2 exponent) rounded as a double.
struct Number {
  std::uint32_t mantissa;
  std::uint64_t square;
  int exponent;
  bool negative;
};
WARPATH_HD std::uint32_t bits_of(float value) {
  return __builtin_bit_cast(std::uint32_t, value);
}
WARPATH_HD bool is_value(float value) {
  return (bits_of(value) >> 23 & 255) < 255;
}
WARPATH_HD Number number_of(float value) {
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t power = bits >> 23 & 255, digits = bits & 0x7fffff;
  const bool is_normal = power > 0;
  const std::uint32_t mantissa = is_normal ? digits | 0x800000 : digits;
  return {mantissa, std::uint64_t{mantissa} * mantissa,
          static_cast<int>(is_normal ? power : 1) - 150, bits >> 31 != 0};
}
WARPATH_HD Number number_of(std::uint32_t count) {
  const double value = count;
  return {count, static_cast<std::uint64_t>(value * value), 0, false};
}

/// Keys in the order of the values, none of them 0 and none of their complements: what is in memory
/// before any value is less than all. −0 has the key of 0; counts are below 2^32 − 2.
WARPATH_HD std::uint32_t key_of(float value) {
  const std::uint32_t bits = bits_of(value + 0.0f);
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}
WARPATH_HD std::uint32_t key_of(std::uint32_t count) {
  return count + 1;
}

/// mantissa 2^shift, rounded to the nearest integer, of two the even one: nearbyint(ldexp(…)).
/// @pre shift >= 0 or mantissa < 2^63; the result is below 2^127.
WARPATH_HD Int128 shifted(std::uint64_t mantissa, int shift) {
  if (shift >= 0) return Int128{mantissa} << shift;
  if (shift <= -64) return 0;
  const std::uint64_t whole = mantissa >> -shift, half = std::uint64_t{1} << (-shift - 1);
  const std::uint64_t rest = mantissa & (2 * half - 1);
  return whole + (rest > half || (rest == half && (whole & 1)));
}

/// What a thread has seen of a column.
struct PartialStatistics {
  std::uint32_t n = 0, overflows = 0;
  std::uint32_t least = 0, greatest = 0;
  Int128 sum = 0, squares = 0;  ///< `sum` in two's complement

  /// Of a float or a count.
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

  /// SweepResult below 2^127 each: theirs is told from one that is not by its highest bit.
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

/// How threads of different blocks, or of one, add to the same word; this one is for a single
/// thread.
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

/// Rows first … first + count of a column; column metric_count are the flags.
struct ColumnSlice {
  std::uint32_t column, first, count;
};
/// Long enough that what a block does once for each slice does not count, short enough that the
/// slices of a chunk fill a device.
inline constexpr std::uint32_t slice_pairs = 1u << 15;

constexpr std::uint32_t slices_in_column(std::uint32_t pairs) {
  return pairs / slice_pairs + (pairs % slice_pairs > 0);
}
constexpr std::uint32_t slice_count(const AggregateView& view) {
  return (metric_count + 1) * slices_in_column(view.pairs.count);
}
WARPATH_HD ColumnSlice slice_of(const AggregateView& view, std::uint32_t number) {
  const std::uint32_t in_column = slices_in_column(view.pairs.count);
  const std::uint32_t first = number % in_column * slice_pairs, left = view.pairs.count - first;
  return {number / in_column, first, left < slice_pairs ? left : slice_pairs};
}
/// A block takes slices.
WARPATH_HD StridedRange column_slices_of(const ThreadId& t) {
  return {t.block, t.blocks};
}

/// The metrics that count viewpoints have no column; pair i's value.
WARPATH_HD std::uint32_t count_of(const AggregateView& view, Metric metric, std::uint32_t i) {
  const PairsView& p = view.pairs;
  if (metric == Metric::n_query_raw) return view.query_raw[i];
  if (metric == Metric::n_query) return p.query_length[i];
  if (metric == Metric::steps) return p.query_length[i] - 1;
  const std::uint32_t r = p.reference_of[i];
  return p.reference_offsets[r + 1] - p.reference_offsets[r];
}

/// A thread's share of a slice: thread t of a block takes pairs t, t + threads, …, whose values lie
/// side by side for a warp. `places` counts them, one histogram for all threads of a block.
template <class Memory>
WARPATH_HD PartialStatistics add_values(const AggregateView& view, const ColumnSlice& slice,
                                        const ThreadId& me, std::uint32_t* places,
                                        const Memory& memory) {
  const float* values = view.results.column[slice.column] + slice.first;
  const ColumnRules& rules = view.rules[slice.column];
  PartialStatistics partial;
  for (std::uint32_t k = me.thread; k < slice.count; k += me.threads) {
    const float value = values[k];
    if (!is_value(value)) continue;
    partial.add(value, rules);
    memory.count(places + histogram_place(value, rules.bins));
  }
  return partial;
}

/// The same where a pair's value is a number of viewpoints, which pairs with an unreachable one
/// have not.
template <class Memory>
WARPATH_HD PartialStatistics add_counts(const AggregateView& view, const ColumnSlice& slice,
                                        const ThreadId& me, std::uint32_t* places,
                                        const Memory& memory) {
  const ColumnRules& rules = view.rules[slice.column];
  PartialStatistics partial;
  for (std::uint32_t k = me.thread; k < slice.count; k += me.threads) {
    const std::uint32_t i = slice.first + k;
    if (view.results.flags[i] & flag_unreachable) continue;
    const std::uint32_t pair = view.pair_of != nullptr ? view.pair_of[i] : i;
    const std::uint32_t count = count_of(view, static_cast<Metric>(slice.column), pair);
    partial.add(count, rules);
    memory.count(places + histogram_place(static_cast<float>(count), rules.bins));
  }
  return partial;
}

/// Pairs by their flags. Most have none and are not counted: they are what is left.
template <class Memory>
WARPATH_HD void count_flags(const AggregateView& view, const ColumnSlice& slice, const ThreadId& me,
                            std::uint32_t* places, const Memory& memory) {
  for (std::uint32_t k = me.thread; k < slice.count; k += me.threads) {
    const std::uint32_t flags = view.results.flags[slice.first + k] & view.asked_flags;
    if (flags != 0) memory.count(places + flags);
  }
}

/// @pre places[0 … flag_sets) are 0 and seen by all threads of the block.
template <class Memory>
WARPATH_HD PartialStatistics add_slice(const AggregateView& view, const ColumnSlice& slice,
                                       const ThreadId& me, std::uint32_t* places,
                                       const Memory& memory) {
  if (slice.column == metric_count) {
    count_flags(view, slice, me, places, memory);
  } else if (view.results.column[slice.column] != nullptr) {
    return add_values(view, slice, me, places, memory);
  } else if (view.asked_metrics >> slice.column & 1) {
    return add_counts(view, slice, me, places, memory);
  }
  return {};
}

/// Adds what a block has counted, and leaves its histogram at 0. @pre as add_slice
template <class Memory>
WARPATH_HD void add_places(const AggregateView& view, const ColumnSlice& slice, const ThreadId& me,
                           std::uint32_t* places, const Memory& memory) {
  const bool flags = slice.column == metric_count;
  std::uint64_t* to = flags ? view.totals->flags : view.totals->column[slice.column].place;
  const std::uint32_t size = flags ? flag_sets : Histogram::max_cells;
  for (std::uint32_t k = me.thread; k < size; k += me.threads) {
    if (places[k] > 0) memory.add(to + k, places[k]);
    places[k] = 0;
  }
}

}  // namespace warpath::kernels
