#pragma once

#include <array>
#include <cstdint>

namespace warpath::evaluation {

/// Adds products of doubles without rounding, whatever their size, and tells the sign of the sum.
class ExactSum {
 public:
  /// Adds a · b. At most 2^29 products may be added. @pre both are finite
  void add(double a, double b);
  void subtract(double a, double b) { add(-a, b); }
  /// Returns -1, 0 or 1.
  int sign() const;

 private:
  // The sum is Σ digits_[k] · 2^(32 k - 2252), of which the smallest product is a multiple.
  std::array<std::int64_t, 140> digits_{};
};

}  // namespace warpath::evaluation
