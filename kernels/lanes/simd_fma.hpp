#pragma once

#include "kernels/lanes/vector.hpp"

// The fused multiply-add of vector registers where the instruction set has none: exact, by doubles.

namespace warpath::kernels {

/// Computes a · b + c for singles held in doubles, rounded to odd: of the two doubles around the
/// result the one whose last bit is set, unless the result is a double itself. Rounded to single
/// precision, that is what one rounding gives (Boldo and Melquiond, "Emulation of a FMA and
/// correctly rounded sums", theorem 1).
WARPATH_HD VectorOf<double, 2>::type fma_to_odd(VectorOf<double, 2>::type a,
                                                VectorOf<double, 2>::type b,
                                                VectorOf<double, 2>::type c) {
  using Doubles = VectorOf<double, 2>::type;
  using Words = VectorOf<long long, 2>::type;
  const Doubles product = a * b;  // exact
  const Doubles sum = product + c;
  // Knuth's exact error of a sum. Where the sum is not finite, it is NaN and compares as false.
  const Doubles rest = sum - product;
  const Doubles error = (product - (sum - rest)) + (c - rest);
  const Doubles side = error * sum;
  const Words too_far = side < 0.0;
  const Words too_near = side > 0.0;
  return (Doubles)(((Words)sum + too_far) | ((too_far | too_near) & 1));
}

/// Computes a · b + c, rounded once to single precision. Inlined, it would make the kernels compile
/// for two to five times as long.
[[gnu::noinline]] inline VectorOf<float, 4>::type fma_by_doubles(VectorOf<float, 4>::type a,
                                                                 VectorOf<float, 4>::type b,
                                                                 VectorOf<float, 4>::type c) {
  // GCC converts whole registers well, halves of them value by value.
  using Doubles = VectorOf<double, 4>::type;
  const auto x = __builtin_convertvector(a, Doubles);
  const auto y = __builtin_convertvector(b, Doubles);
  const auto z = __builtin_convertvector(c, Doubles);
  const auto low =
      fma_to_odd(__builtin_shufflevector(x, x, 0, 1), __builtin_shufflevector(y, y, 0, 1),
                 __builtin_shufflevector(z, z, 0, 1));
  const auto high =
      fma_to_odd(__builtin_shufflevector(x, x, 2, 3), __builtin_shufflevector(y, y, 2, 3),
                 __builtin_shufflevector(z, z, 2, 3));
  return __builtin_convertvector(__builtin_shufflevector(low, high, 0, 1, 2, 3),
                                 VectorOf<float, 4>::type);
}

}  // namespace warpath::kernels
