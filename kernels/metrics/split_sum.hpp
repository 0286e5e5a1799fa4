#pragma once

#include <cstdint>

#include "kernels/host_device.hpp"
#include "kernels/metrics/fixed_point.hpp"

// Adds up doubles exactly, on the fixed grid of Statistics, without 128-bit integers. Adding a
// large double to a number y rounds it: first to a multiple of 2^32 units of the grid, then the
// rest to whole units, to even where it lies half-way. With units of 1:
//
//   y = 2.5 · 2^32 + 7.3     1.5 · 2^84 + y     holds  2 (· 2^32) in its lowest bits
//                            1.5 · 2^52 + rest  holds  2^31 + 7 in its lowest bits
//
// The first large double is the accumulator of the upper parts: it stays exact. The bits of the
// second are added up as integers; in the end the large double's own are taken off again.
//
// V names the values: V::D is a double, or several, one for each lane; V::U as many 64-bit words.
// The device has one lane (ScalarValues), the CPU back end as many as its registers have.

namespace warpath::kernels {

/// Returns 1.5 · 2^(52 + exponent). Added to a number below 2^(51 + exponent), it rounds to
/// multiples of 2^exponent, and the bits of the result are its own bits plus that multiple.
WARPATH_CONSTEXPR double rounding_offset(int exponent) {
  const auto power = static_cast<std::uint64_t>(1023 + 52 + exponent);
  return __builtin_bit_cast(double, power << 52 | std::uint64_t{1} << 51);
}
WARPATH_CONSTEXPR std::uint64_t bits_of(double x) {
  return __builtin_bit_cast(std::uint64_t, x);
}

/// Returns a number of two's complement as one of 128 bits.
WARPATH_HD Int128 widened(std::uint64_t x) {
  return static_cast<Int128>(static_cast<std::int64_t>(x));
}

/// Adds up numbers below 2^51 units of 2^-grid, at most 2^12 on all lanes together.
template <class V, int grid>
class WholeSum {
 public:
  using D = typename V::D;

  WARPATH_HD void add(D x) { words_ += V::bits(x + offset); }
  /// Returns the sum over all lanes, in units. @param additions to each lane
  WARPATH_HD Int128 total(std::uint32_t additions) const {
    return widened(V::sum(words_ - additions * bits_of(offset)));
  }

 private:
  static constexpr double offset = rounding_offset(-grid);

  typename V::U words_{};
};

/// Adds up numbers below 2^62 units of 2^-grid, at most 2^20 on all lanes together.
template <class V, int grid>
class SplitSum {
 public:
  using D = typename V::D;

  WARPATH_HD void add(D x) {
    const D cut = upper_ + x;
    add(cut, x + (upper_ - cut));
  }
  /// Adds x². @pre x was a float: its square is exact, so it does not matter whether it is rounded
  /// before it is added.
  WARPATH_HD void add_square(D x) {
    const D cut = V::multiply_add(x, x, upper_);
    add(cut, V::multiply_add(x, x, upper_ - cut));
  }
  /// Returns the sum over all lanes, in units. @param additions to each lane
  WARPATH_HD Int128 total(std::uint32_t additions) const {
    return (widened(V::sum(V::bits(upper_) - bits_of(upper_offset))) << 32) +
           widened(V::sum(lower_ - additions * bits_of(lower_offset)));
  }

 private:
  static constexpr double upper_offset = rounding_offset(32 - grid);
  static constexpr double lower_offset = rounding_offset(-grid);

  WARPATH_HD void add(D cut, D rest) {
    upper_ = cut;
    lower_ += V::bits(rest + lower_offset);
  }

  D upper_ = V::all(upper_offset);
  typename V::U lower_{};
};

}  // namespace warpath::kernels
