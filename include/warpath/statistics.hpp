#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "warpath/export.hpp"
#include "warpath/metrics.hpp"

namespace warpath {

/// Accumulates count, mean, spread and range of one metric. The bits of the result do not depend on
/// the order in which values are added and parts are merged: each value and its square are rounded
/// once to a fixed grid (2^-60 for fractions, 2^-40 for lengths and counts) and added as 128-bit
/// integers.
///
/// Whether the sums overflow does not depend on the order either: squares have no sign, and the sum
/// of the values cannot overflow before theirs, since 2 Σ|v| <= n + Σ v² and n < 2^64.
///
/// One thread at a time may change an object.
class WARPATH_EXPORT Statistics {
 public:
  /// An integer of 128 bits in two's complement.
  struct Integer {
    std::uint64_t low = 0, high = 0;

    bool operator==(const Integer&) const = default;
  };

  /// The sums behind the statistics, which may have been computed elsewhere.
  struct Moments {
    std::uint64_t n = 0;
    Integer sum, squares;  ///< of the values and their squares, in units of 2^-grid_bits
    double minimum = std::numeric_limits<double>::infinity();
    double maximum = -std::numeric_limits<double>::infinity();

    bool operator==(const Moments&) const = default;
  };
  /// Returns b; the grid of a unit consists of the multiples of 2^-b.
  static constexpr int grid_bits(Unit unit) { return unit == Unit::fraction ? 60 : 40; }

  /// Makes statistics of no values.
  explicit Statistics(Unit unit = Unit::fraction) : Statistics(unit, {}) {}
  /// Makes statistics from sums.
  Statistics(Unit unit, const Moments& moments) : grid_(grid_bits(unit)), moments_(moments) {}

  /// Adds one value; ignores NaN and infinities.
  /// @throws std::overflow_error if a sum leaves the range of its integers, as with lengths of 1e12
  ///   m.
  void add(double value);
  /// Adds many values, in less time. @throws std::overflow_error as above
  void add(std::span<const double> values);
  /// Adds the values of another object. @pre Both are of the same unit.
  /// @throws std::overflow_error as add()
  void merge(const Statistics& other);

  /// Returns the sums behind the statistics, from which they can be made again.
  const Moments& moments() const { return moments_; }
  /// Returns the number of values.
  std::uint64_t n() const { return moments_.n; }
  /// Returns the mean, which equals the mean in double arithmetic to 1e-12; absent if n is 0.
  std::optional<double> mean() const;
  /// Returns half the width of the 95 % confidence interval of the mean, 1.96 s/√n with the sample
  /// deviation s, as if all values were independent; absent if n < 2. Evaluations of files state
  /// intervals over clusters instead (see Estimate).
  std::optional<double> ci95_half_width() const;
  /// Returns the smallest value, never −0; absent if n is 0.
  std::optional<double> minimum() const;
  /// Returns the largest value, never −0; absent if n is 0.
  std::optional<double> maximum() const;

  bool operator==(const Statistics&) const = default;

 private:
  void add_checked(const Integer& sum, const Integer& squares);

  int grid_;
  Moments moments_;
};

}  // namespace warpath
