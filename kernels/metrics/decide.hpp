#pragma once

#include <cstdint>

#include "kernels/host_device.hpp"

// Decides in double precision, with the same bits on the host and on the device.

namespace warpath::kernels {

/// Returns the square root, correctly rounded.
WARPATH_HD double square_root(double x) {
#if defined(__CUDA_ARCH__)
  return __dsqrt_rn(x);
#else
  return __builtin_sqrt(x);
#endif
}

/// Returns the distance of two points given by x, y and z, the same bits in both directions.
/// @param flat ignores z
template <class Coordinate>
WARPATH_HD double euclid(const Coordinate* a, const Coordinate* b, bool flat) {
  const double dx = double{a[0]} - double{b[0]}, dy = double{a[1]} - double{b[1]};
  const double dz = flat ? 0.0 : double{a[2]} - double{b[2]};
  return square_root(dx * dx + dy * dy + dz * dz);
}

/// Rounds a distance to single precision, on the same side of the threshold as in double: where it
/// would move onto or over the rounded threshold, it becomes the neighbouring float.
/// @pre distance >= 0, threshold > 0
WARPATH_HD float rounded(double distance, double threshold) {
  const auto limit = static_cast<float>(threshold), value = static_cast<float>(distance);
  const auto bits = __builtin_bit_cast(std::uint32_t, limit);
  if (distance < threshold && value >= limit) return __builtin_bit_cast(float, bits - 1);
  if (distance > threshold && value <= limit) return __builtin_bit_cast(float, bits + 1);
  return value;
}

}  // namespace warpath::kernels
