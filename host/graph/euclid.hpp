#pragma once

#include <array>
#include <cmath>

#include "warpath/convention.hpp"

namespace warpath {

/// Computes the distance of two points in double, with the same bits in both directions. All back
/// ends decide by it.
class Euclid {
 public:
  explicit Euclid(Distance distance) : flat_(distance == Distance::euclid_2d) {}

  bool flat() const { return flat_; }  ///< ignores the third coordinate
  double operator()(const std::array<double, 3>& a, const std::array<double, 3>& b) const {
    const double dx = a[0] - b[0], dy = a[1] - b[1], dz = flat_ ? 0.0 : a[2] - b[2];
    return std::sqrt(dx * dx + dy * dy + dz * dz);
  }

 private:
  bool flat_;
};

}  // namespace warpath
