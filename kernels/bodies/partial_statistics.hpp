#pragma once

#include <cstdint>

#include "kernels/metrics/fixed_point.hpp"
#include "kernels/views/statistics.hpp"

// Holds totals on the device as integers only, so no bit depends on the order of threads or the
// sizes of blocks. They are the same integers that the host's Statistics and Histogram compute from
// the same floats.
//
// 128-bit sums are stored as four *limbs* of 32 bits in 64-bit words, so that an addition to memory
// never carries: a word has room for 2^32 of them, and the host carries once, at the end.

namespace warpath::kernels {

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

  /// Adds an integer several times.
  WARPATH_HD void add_times(std::uint32_t integer, std::uint32_t times, std::uint32_t key,
                            const ColumnRules& rules) {
    const Int128 unit = Int128{1} << rules.grid_bits;
    merge({times, 0, ~key, key, unit * (std::uint64_t{times} * integer),
           unit * (std::uint64_t{times} * integer * integer)});
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

/// Adds to words of memory when one thread runs at a time. The device has a class with the same
/// members and atomic additions.
struct PlainMemory {
  WARPATH_HD void add(std::uint64_t* word, std::uint64_t x) const { *word += x; }
  WARPATH_HD void raise(std::uint64_t* word, std::uint64_t x) const {
    if (*word < x) *word = x;
  }
  WARPATH_HD void count(std::uint32_t* word) const { ++*word; }
  /// Adds what all threads of a warp bring.
  WARPATH_HD void add_number(std::uint64_t* word, std::uint32_t x) const { *word += x; }
  WARPATH_HD void add_parts(ColumnTotals& totals, const PartialStatistics& part) const {
    add_to(totals, part, *this);
  }
};

}  // namespace warpath::kernels
