#pragma once

#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "kernels/host_device.hpp"
#include "warpath/histogram.hpp"
#include "warpath/statistics.hpp"

// Computes the integers behind Statistics and Histogram: values on a fixed grid, and cells of a
// histogram. The host computes them from doubles, the device from floats and counts; the same value
// gives the same integer on both.

namespace warpath::kernels {

/// Holds sums; those of signed terms are in two's complement.
__extension__ using Int128 = unsigned __int128;

WARPATH_CONSTEXPR std::uint64_t low_word(Int128 x) {
  return static_cast<std::uint64_t>(x);
}
WARPATH_CONSTEXPR std::uint64_t high_word(Int128 x) {
  return static_cast<std::uint64_t>(x >> 64);
}
WARPATH_CONSTEXPR Int128 joined(std::uint64_t high, std::uint64_t low) {
  return Int128{high} << 64 | low;
}

// ---------------------------------------------------------------- histograms

/// Returns the cell of a histogram that counts a value: 0 below the bins, 1 + b in bin b, 1 + count
/// above them.
WARPATH_HD std::uint32_t histogram_cell(float value, const Histogram::Bins& bins) {
  if (value < 0.0f) return 0;
  if (value >= bins.end) return static_cast<std::uint32_t>(bins.count) + 1;
  const int bin = static_cast<int>(value * bins.per_unit);
  return static_cast<std::uint32_t>(bin < bins.count ? bin : bins.count - 1) + 1;
}

// ---------------------------------------------------------------- floats and counts

WARPATH_HD std::uint32_t bits_of(float value) {
  return __builtin_bit_cast(std::uint32_t, value);
}
/// Tells whether a float is finite.
WARPATH_HD bool is_value(float value) {
  return (bits_of(value) >> 23 & 255) < 255;
}

/// Holds a value as integers: |value| = mantissa 2^exponent, and value² = square 2^(2 exponent),
/// rounded as a double.
struct Number {
  std::uint32_t mantissa;
  std::uint64_t square;
  int exponent;
  bool negative;
};
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

/// Returns a key that orders as the values do. No key is 0, nor is its complement, so memory of
/// zeros stands for "no value yet". −0 has the key of 0; counts are below 2^32 − 2.
WARPATH_HD std::uint32_t key_of(float value) {
  const std::uint32_t bits = bits_of(value + 0.0f);
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}
WARPATH_HD std::uint32_t key_of(std::uint32_t count) {
  return count + 1;
}

/// Returns mantissa 2^shift, rounded to the nearest integer, ties to even: what
/// nearbyint(ldexp(mantissa, shift)) returns.
/// @pre shift >= 0 or mantissa < 2^63; the result is below 2^127.
WARPATH_HD Int128 shifted(std::uint64_t mantissa, int shift) {
  if (shift >= 0) return Int128{mantissa} << shift;
  if (shift <= -64) return 0;
  const std::uint64_t whole = mantissa >> -shift, half = std::uint64_t{1} << (-shift - 1);
  const std::uint64_t rest = mantissa & (2 * half - 1);
  return whole + (rest > half || (rest == half && (whole & 1)));
}

// ---------------------------------------------------------------- doubles, on the host

/// Squares of 2^126 and more on the grid are too large to be added.
inline constexpr int max_square_bits = 126;

/// Returns a value in units of 2^-grid_bits, rounded to the nearest integer.
/// @throws std::overflow_error for 2^126 such units or more
inline Int128 on_grid(double value, int grid_bits) {
  const double on_scale = value * static_cast<double>(std::int64_t{1} << grid_bits);  // exact
  // The common case, and faster.
  if (std::abs(on_scale) < 0x1p62) return static_cast<Int128>(std::llrint(on_scale));
  const double scaled = std::nearbyint(on_scale);
  if (std::abs(scaled) >= std::ldexp(1.0, max_square_bits)) {
    throw std::overflow_error("value too large to be averaged");
  }
  const Int128 size = static_cast<Int128>(std::abs(scaled));
  return scaled < 0 ? Int128{0} - size : size;
}

/// Returns the smallest float whose square is too large.
inline float too_large_for(int grid_bits) {
  return std::ldexp(1.0f, (max_square_bits - grid_bits) / 2);
}

}  // namespace warpath::kernels
