#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "warpath/metrics.hpp"
#include "warpath/scores.hpp"

namespace warpath {

/// Mean and spread of one metric, the same to the last bit in any order of adding, merging or
/// splitting: each value and its square are rounded once to a fixed grid (2^-60 for fractions,
/// 2^-40 for lengths and counts) and added as 128-bit integers.
class Aggregate {
 public:
  explicit Aggregate(Unit unit = Unit::fraction) : grid_(unit == Unit::fraction ? 60 : 40) {}

  /// Adds one value; NaN and infinities are not values and are passed over.
  /// @throws std::overflow_error where sums leave the range of the integers (lengths of 1e12 m).
  void add(double value);
  void merge(const Aggregate& other);

  std::uint64_t n() const { return n_; }
  /// Nothing where n is 0. Equals the mean in double arithmetic to 1e-12.
  std::optional<double> mean() const;
  /// 1.96 s/√n with the sample deviation s; nothing where n < 2.
  std::optional<double> half_width() const;

 private:
  __extension__ using Int = __int128;

  void add_checked(Int sum, Int squares);

  int grid_;
  std::uint64_t n_ = 0;
  Int sum_ = 0;
  Int squares_ = 0;
};

}  // namespace warpath
