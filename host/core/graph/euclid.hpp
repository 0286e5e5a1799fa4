#pragma once

#include <array>

#include "kernels/metrics/decide.hpp"
#include "warpath/convention.hpp"

namespace warpath::graph {

/// Computes the distance of two points in double, with the same bits in both directions. All back
/// ends decide by it.
class Euclid {
 public:
  explicit Euclid(Distance distance) : flat_(distance == Distance::euclid_2d) {}

  bool flat() const { return flat_; }  ///< ignores the third coordinate
  double operator()(const std::array<double, 3>& a, const std::array<double, 3>& b) const {
    return kernels::euclid(a.data(), b.data(), flat_);
  }

 private:
  bool flat_;
};

}  // namespace warpath::graph
