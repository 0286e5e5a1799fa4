#pragma once

#include <array>
#include <cmath>

#include "warpath/convention.hpp"

namespace warpath {

/// Distance of two points in double, the same from either end: what all back ends decide by.
class Euclid {
 public:
  explicit Euclid(Distance distance) : flat_(distance == Distance::euclid_2d) {}

  bool flat() const { return flat_; }  ///< the third coordinate is left out
  double operator()(const std::array<double, 3>& a, const std::array<double, 3>& b) const {
    const double dx = a[0] - b[0], dy = a[1] - b[1], dz = flat_ ? 0.0 : a[2] - b[2];
    return std::sqrt(dx * dx + dy * dy + dz * dz);
  }

 private:
  bool flat_;
};

}  // namespace warpath
