#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "warpath/metrics.hpp"

namespace warpath {

/// Computes mean, spread and range of one metric, the same to the last bit in any order of adding,
/// merging or splitting: each value and its square are rounded once to a fixed grid (2^-60 for
/// fractions, 2^-40 for lengths and counts) and added as 128-bit integers.
///
/// Whether sums overflow does not depend on the order either: squares have no sign, and values
/// cannot overflow before them, since 2 Σ|v| <= n + Σ v² and n < 2^64.
class Statistics {
 public:
  /// An integer of 128 bits in two's complement.
  struct Integer {
    std::uint64_t low = 0, high = 0;

    bool operator==(const Integer&) const = default;
  };

  /// What statistics are made of, wherever it was counted.
  struct Moments {
    std::uint64_t n = 0;
    Integer sum, squares;  ///< in units of 2^-grid_bits
    double minimum = std::numeric_limits<double>::infinity();
    double maximum = -std::numeric_limits<double>::infinity();

    bool operator==(const Moments&) const = default;
  };
  static constexpr int grid_bits(Unit unit) { return unit == Unit::fraction ? 60 : 40; }

  explicit Statistics(Unit unit = Unit::fraction) : Statistics(unit, {}) {}
  Statistics(Unit unit, const Moments& moments) : grid_(grid_bits(unit)), moments_(moments) {}

  /// Adds one value; NaN and infinities are not values and are passed over.
  /// @throws std::overflow_error where sums leave the range of the integers (lengths of 1e12 m).
  void add(double value);
  /// Adds all values of `other`. @pre It is of the same unit. @throws std::overflow_error
  void merge(const Statistics& other);

  std::uint64_t n() const { return moments_.n; }
  /// Returns the mean; nothing where n is 0. It equals the mean in double arithmetic to 1e-12.
  std::optional<double> mean() const;
  /// Returns 1.96 s/√n with the sample deviation s, as if all values were independent; nothing
  /// where n < 2. Evaluations of files state intervals over clusters instead (Estimate).
  std::optional<double> ci95_half_width() const;
  /// Return the extremes; nothing where n is 0; never −0.
  std::optional<double> minimum() const;
  std::optional<double> maximum() const;

  bool operator==(const Statistics&) const = default;

 private:
  void add_checked(const Integer& sum, const Integer& squares);

  int grid_;
  Moments moments_;
};

}  // namespace warpath
