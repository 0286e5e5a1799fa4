#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "warpath/metrics.hpp"

namespace warpath {

/// Counts a metric's values in bins that are the same for all data, so that histograms can be
/// merged in any order. Fractions have 20 bins of width 0.05 on [0, 1], 1 included in the last;
/// lengths and counts have 64 bins of width 1 on [0, 64). Values below 0 (GP may be) are counted as
/// underflow, values above the bins as overflow.
///
/// Values are compared with the bins' borders in single precision, so that 0.7 is in the bin from
/// 0.7 on whether a back end has computed it in single or in double precision.
class Histogram {
 public:
  /// Describes a unit's bins: bin b has the values from b / per_unit on, the last those below
  /// `end`.
  struct Bins {
    int count;
    float per_unit, end;
  };
  static constexpr Bins bins_of(Unit unit) {
    return unit == Unit::fraction ? Bins{20, 20.0f, 0x1.000002p0f} : Bins{64, 1.0f, 64.0f};
  }
  static constexpr int max_cells = 66;  ///< bins, underflow and overflow

  explicit Histogram(Unit unit = Unit::fraction) : bins_(bins_of(unit).count), unit_(unit) {}
  /// Takes counts over. @param cells underflow, each bin, overflow
  Histogram(Unit unit, std::span<const std::uint64_t> cells);

  /// Counts one value; NaN and infinities are not values and are passed over.
  void add(double value);
  /// Adds the counts of `other`. @pre It is of the same unit.
  void merge(const Histogram& other);

  int bins() const { return bins_; }
  double width() const { return 1.0 / bins_of(unit_).per_unit; }
  std::uint64_t count(int bin) const { return cells_[1 + bin]; }
  std::uint64_t underflow() const { return cells_[0]; }
  std::uint64_t overflow() const { return cells_[1 + bins_]; }
  std::uint64_t n() const;  ///< all values, underflow and overflow included

  bool operator==(const Histogram&) const = default;

 private:
  int bins_;
  Unit unit_;
  std::array<std::uint64_t, max_cells> cells_{};
};

}  // namespace warpath
