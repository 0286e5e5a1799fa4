#pragma once

#include <cstdint>

#include "kernels/bodies/mapping.hpp"
#include "kernels/bodies/partial_statistics.hpp"
#include "kernels/metrics/quick_sums.hpp"
#include "kernels/views/statistics.hpp"

// Adds up a batch's results on the device: sums, range and histogram of every metric.
//
// A block takes a *slice* of one column. Its threads add up the usual values in registers (see
// QuickSums) and count them in a histogram in shared memory; small integers are counted by value,
// and nothing else is done for each. A value that is neither goes to memory by itself. In the end a
// warp merges the sums of its threads.

namespace warpath::kernels {

// ---------------------------------------------------------------- slices

/// Names rows first … first + count − 1 of a column.
struct ColumnSlice {
  std::uint32_t column, first, count;
};

/// Values of a thread that are loaded together. A warp takes them from consecutive rows, 32 at
/// once.
inline constexpr std::uint32_t values_at_once = 8;
/// Rows of a slice are a multiple of the first, so that all warps of a block have work, and at most
/// the second, so that no thread of a block of 32 adds up too many (see max_quick_sum).
inline constexpr std::uint32_t slice_step = 2048, max_slice = 1u << 15;
static_assert(max_slice / 32 <= max_quick_sum);

WARPATH_CONSTEXPR std::uint32_t parts_of(std::uint32_t count, std::uint32_t part) {
  return count / part + (count % part > 0);
}

/// Returns the columns that have something to add up: bit c stands for column c.
WARPATH_CONSTEXPR std::uint32_t columns_of(const AggregateView& view) {
  std::uint32_t columns = 1u << pairs_column;
  for (int c = 0; c < path_metric_count; ++c) {
    columns |= static_cast<std::uint32_t>(view.results.column[c] != nullptr) << c;
  }
  return columns;
}

/// Cuts all columns into slices, about as many as there are blocks, or a multiple.
struct SlicePlan {
  std::uint32_t columns, rows, slice_rows, in_column;

  WARPATH_HD std::uint32_t slices() const { return count_of_columns() * in_column; }
  WARPATH_HD std::uint32_t count_of_columns() const {
    return static_cast<std::uint32_t>(__builtin_popcount(columns));
  }
  WARPATH_HD ColumnSlice operator[](std::uint32_t number) const {
    std::uint32_t left = columns;
    for (std::uint32_t skip = number / in_column; skip > 0; --skip) left &= left - 1;
    const std::uint32_t below_lowest = ~left & (left - 1);
    const auto column = static_cast<std::uint32_t>(__builtin_popcount(below_lowest));
    const std::uint32_t first = number % in_column * slice_rows, rest = rows - first;
    return {column, first, rest < slice_rows ? rest : slice_rows};
  }
};
WARPATH_HD SlicePlan plan_slices(const AggregateView& view, std::uint32_t blocks) {
  SlicePlan plan{columns_of(view), view.count, slice_step, 0};
  if (view.device_count != nullptr && *view.device_count < view.count) {
    plan.rows = *view.device_count;
  }
  std::uint32_t at_once = blocks / plan.count_of_columns();  // slices of a column
  if (at_once == 0) at_once = 1;
  const std::uint32_t rounds = parts_of(parts_of(plan.rows, max_slice), at_once);
  if (rounds == 0) return plan;
  const std::uint32_t rows = parts_of(plan.rows, rounds * at_once);
  plan.slice_rows = parts_of(rows, slice_step) * slice_step;
  plan.in_column = parts_of(plan.rows, plan.slice_rows);
  return plan;
}
/// Returns the most slices of any plan.
WARPATH_CONSTEXPR std::uint32_t max_slices(const AggregateView& view) {
  return (path_metric_count + 1) * parts_of(view.count, slice_step);
}
/// Returns the slices that a block takes.
WARPATH_HD StridedRange column_slices_of(const ThreadId& t) {
  return {t.block, t.blocks};
}

// ---------------------------------------------------------------- columns of floats

/// Words of shared memory in which a block counts: the cells of a histogram or small integers of a
/// column; or flags, and small integers of each metric that counts viewpoints.
inline constexpr std::uint32_t block_cells = flag_sets + count_metrics * small_integers;

/// Adds a value by itself, except to a histogram.
template <class Value, class Memory>
WARPATH_HD void add_alone(const AggregateView& view, std::uint32_t column, Value value,
                          const Memory& memory) {
  PartialStatistics one;
  one.add(value, view.rules[column]);
  add_to(view.totals->column[column], one, memory);
}

/// Adds up a thread's share of a column of lengths or of fractions.
template <Unit unit, class Memory>
class RealColumn {
 public:
  using Sums = QuickSums<ScalarValues, unit>;

  WARPATH_HD RealColumn(const AggregateView& view, std::uint32_t column, std::uint32_t* cells,
                        const Memory& memory)
      : view_(view), column_(column), cells_(cells), memory_(memory) {}

  WARPATH_HD static bool takes(float x) { return Sums::takes(x); }
  WARPATH_HD void add(float x) {
    sums_.add(x, true);
    memory_.count(cells_ + Sums::cell_of(x));
    ++n_;
  }
  WARPATH_HD void add_other(float x) {
    add_alone(view_, column_, x, memory_);
    memory_.count(cells_ + histogram_cell(x, view_.rules[column_].bins));
  }
  WARPATH_HD PartialStatistics partial() const {
    if (n_ == 0) return {};
    return {
        n_, 0, ~key_of(sums_.least()), key_of(sums_.greatest()), sums_.sum(n_), sums_.squares(n_)};
  }

 private:
  const AggregateView& view_;
  const std::uint32_t column_;
  std::uint32_t* const cells_;
  const Memory& memory_;
  Sums sums_;
  std::uint32_t n_ = 0;
};

/// Counts a thread's share of a column of small integers.
template <class Memory>
class IntegerColumn {
 public:
  WARPATH_HD IntegerColumn(const AggregateView& view, std::uint32_t column, std::uint32_t* cells,
                           const Memory& memory)
      : view_(view), column_(column), cells_(cells), memory_(memory) {}

  WARPATH_HD static bool takes(float x) { return is_small_integer(x); }
  WARPATH_HD void add(float x) { memory_.count(cells_ + small_integer(x)); }
  WARPATH_HD void add_other(float x) {
    add_alone(view_, column_, x, memory_);
    const std::uint32_t cell = histogram_cell(x, view_.rules[column_].bins);
    memory_.add(view_.totals->column[column_].cells + cell, 1);
  }
  WARPATH_HD PartialStatistics partial() const { return {}; }

 private:
  const AggregateView& view_;
  const std::uint32_t column_;
  std::uint32_t* const cells_;
  const Memory& memory_;
};

/// Adds a thread's next values if the column takes all of them; returns whether it does. They are
/// loaded together:
///   rows k … k + 255:   lanes 0 … 31   lanes 0 … 31   …   lanes 0 … 31
///                       x[0]           x[1]               x[7]
template <bool masked, class Column>
WARPATH_HD bool add_together(const float* values, const std::uint8_t* active, Column& column) {
  bool all = true;
  if constexpr (masked) {  // rows that are not active hold nothing
    WARPATH_UNROLL for (std::uint32_t v = 0; v < values_at_once; ++v) all &= active[32 * v] != 0;
    if (!all) return false;
  }
  float x[values_at_once];
  WARPATH_UNROLL for (std::uint32_t v = 0; v < values_at_once; ++v) x[v] = values[32 * v];
  WARPATH_UNROLL for (std::uint32_t v = 0; v < values_at_once; ++v) all &= Column::takes(x[v]);
  if (!all) return false;
  WARPATH_UNROLL for (std::uint32_t v = 0; v < values_at_once; ++v) column.add(x[v]);
  return true;
}

/// Adds up a thread's share of a slice.
template <class Column, class Memory>
WARPATH_HD PartialStatistics add_values(const AggregateView& view, const ColumnSlice& slice,
                                        const ThreadId& me, std::uint32_t* cells,
                                        const Memory& memory) {
  Column column(view, slice.column, cells, memory);
  const std::uint32_t lane = lane_of(me), step = values_at_once * me.threads;
  const float* values = view.results.column[slice.column] + slice.first;
  const std::uint8_t* active = view.active != nullptr ? view.active + slice.first : nullptr;
  for (std::uint32_t k = values_at_once * (me.thread - lane) + lane; k < slice.count; k += step) {
    if (k - lane + 32 * values_at_once <= slice.count) {
      const bool done = active == nullptr ? add_together<false>(values + k, active, column)
                                          : add_together<true>(values + k, active + k, column);
      if (done) continue;
    }
    WARPATH_ROLLED for (std::uint32_t v = 0; v < values_at_once; ++v) {
      const std::uint32_t i = k + 32 * v;
      if (i >= slice.count || (active != nullptr && active[i] == 0)) continue;
      const float x = values[i];
      if (Column::takes(x)) {
        column.add(x);
      } else if (is_value(x)) {
        column.add_other(x);
      }
    }
  }
  return column.partial();
}

// ---------------------------------------------------------------- flags and counts

/// Returns pair i's value of a metric that counts viewpoints. `query` is |Q|.
WARPATH_HD std::uint32_t count_of(const AggregateView& view, Metric metric, std::uint32_t i,
                                  std::uint32_t query) {
  if (metric == Metric::steps) return query - 1;
  if (metric == Metric::n_query) return query;
  if (metric == Metric::n_query_raw) return view.query_raw != nullptr ? view.query_raw[i] : query;
  return view.references.length(view.reference_of.exist() ? view.reference_of[i] : i);
}

/// Counts a pair's viewpoints.
template <class Memory>
WARPATH_HD void add_counts(const AggregateView& view, std::uint32_t pair, std::uint32_t* cells,
                           const Memory& memory) {
  if (view.asked_metrics >> first_count == 0) return;
  const std::uint32_t query = view.queries.length(pair);
  for (std::uint32_t m = first_count; m < path_metric_count; ++m) {
    if ((view.asked_metrics >> m & 1) == 0) continue;
    const std::uint32_t count = count_of(view, static_cast<Metric>(m), pair, query);
    if (count < small_integers) {
      memory.count(cells + flag_sets + (m - first_count) * small_integers + count);
    } else {
      add_alone(view, m, count, memory);
      const std::uint32_t cell = histogram_cell(static_cast<float>(count), view.rules[m].bins);
      memory.add(view.totals->column[m].cells + cell, 1);
    }
  }
}

/// Counts pairs, their flags and their viewpoints; pairs that cannot be scored have none. Most
/// pairs have no flag: those are not counted by flags, but follow from the total. Returns the
/// number of pairs.
template <class Memory>
WARPATH_HD PartialStatistics add_pairs(const AggregateView& view, const ColumnSlice& slice,
                                       const ThreadId& me, std::uint32_t* cells,
                                       const Memory& memory) {
  PartialStatistics pairs;
  for (std::uint32_t k = me.thread; k < slice.count; k += me.threads) {
    const std::uint32_t row = slice.first + k;
    if (view.active != nullptr && view.active[row] == 0) continue;
    ++pairs.n;
    const std::uint32_t flags = view.results.flags[row];
    if ((flags & view.asked_flags) != 0) memory.count(cells + (flags & view.asked_flags));
    if ((flags & (flag_unreachable | flag_invalid)) != 0) continue;
    add_counts(view, view.pair_of != nullptr ? view.pair_of[row] : row, cells, memory);
  }
  return pairs;
}

// ---------------------------------------------------------------- a slice

/// Adds up a thread's share of a slice of any column.
/// @pre cells[0 … block_cells) are 0 and visible to all threads of the block.
template <class Memory>
WARPATH_HD PartialStatistics add_slice(const AggregateView& view, const ColumnSlice& slice,
                                       const ThreadId& me, std::uint32_t* cells,
                                       const Memory& memory) {
  if (slice.column == pairs_column) return add_pairs(view, slice, me, cells, memory);
  const Unit unit = view.rules[slice.column].unit;
  if (has_small_integers(static_cast<Metric>(slice.column), unit)) {
    return add_values<IntegerColumn<Memory>>(view, slice, me, cells, memory);
  }
  if (unit == Unit::fraction) {
    return add_values<RealColumn<Unit::fraction, Memory>>(view, slice, me, cells, memory);
  }
  return add_values<RealColumn<Unit::length, Memory>>(view, slice, me, cells, memory);
}

/// Moves a thread's share of counted integers to a column's histogram, and returns their sums.
template <class Memory>
WARPATH_HD PartialStatistics take_integers(const AggregateView& view, std::uint32_t column,
                                           const ThreadId& me, std::uint32_t* times,
                                           const Memory& memory) {
  const ColumnRules& rules = view.rules[column];
  const bool is_count = column >= first_count;
  PartialStatistics partial;
  for (std::uint32_t v = me.thread; v < small_integers; v += me.threads) {
    const std::uint32_t n = times[v];
    if (n == 0) continue;
    times[v] = 0;
    const auto value = static_cast<float>(v);
    partial.add_times(v, n, is_count ? key_of(v) : key_of(value), rules);
    memory.add(view.totals->column[column].cells + histogram_cell(value, rules.bins), n);
  }
  return partial;
}

/// Moves a thread's share of cells to memory.
template <class Memory>
WARPATH_HD void take_cells(std::uint64_t* to, std::uint32_t size, const ThreadId& me,
                           std::uint32_t* cells, const Memory& memory) {
  for (std::uint32_t k = me.thread; k < size; k += me.threads) {
    if (cells[k] > 0) memory.add(to + k, cells[k]);
    cells[k] = 0;
  }
}

/// Adds what the block counted, and a thread's partial sums, to memory, and clears the cells. All
/// threads of a warp do it together: `memory` adds up their parts.
template <class Memory>
WARPATH_HD void finish_slice(const AggregateView& view, const ColumnSlice& slice,
                             const ThreadId& me, PartialStatistics partial, std::uint32_t* cells,
                             const Memory& memory) {
  if (slice.column == pairs_column) {
    memory.add_number(&view.totals->pairs, partial.n);
    take_cells(view.totals->flags, flag_sets, me, cells, memory);
    for (std::uint32_t m = first_count; m < path_metric_count; ++m) {
      std::uint32_t* times = cells + flag_sets + (m - first_count) * small_integers;
      memory.add_parts(view.totals->column[m], take_integers(view, m, me, times, memory));
    }
    return;
  }
  ColumnTotals& totals = view.totals->column[slice.column];
  const auto metric = static_cast<Metric>(slice.column);
  if (has_small_integers(metric, view.rules[slice.column].unit)) {
    partial = take_integers(view, slice.column, me, cells, memory);
  } else {
    take_cells(totals.cells, Histogram::max_cells, me, cells, memory);
  }
  memory.add_parts(totals, partial);
}

}  // namespace warpath::kernels
