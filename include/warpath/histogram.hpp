#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "warpath/export.hpp"
#include "warpath/metrics.hpp"

namespace warpath {

/// Counts the values of one metric in fixed bins, so that histograms can be merged in any order.
/// Fractions have 20 bins of width 0.05 on [0, 1]; the last includes 1. Lengths and counts have 64
/// bins of width 1 on [0, 64). Values below 0 (GP may be negative) are counted as underflow, those
/// above as overflow.
///
/// Values are compared with the edges of the bins in single precision, so that 0.7 falls into the
/// bin that begins at 0.7 whether it was computed in single or in double precision.
///
/// One thread at a time may change a histogram.
class WARPATH_EXPORT Histogram {
 public:
  /// Describes the bins of a unit: bin b begins at b / per_unit, and the last ends below `end`.
  struct Bins {
    int count;
    float per_unit, end;
  };
  /// Returns the bins of a unit.
  static constexpr Bins bins_of(Unit unit) {
    return unit == Unit::fraction ? Bins{20, 20.0f, 0x1.000002p0f} : Bins{64, 1.0f, 64.0f};
  }
  static constexpr int max_cells = 66;  ///< of any unit: bins, underflow and overflow

  /// Makes an empty histogram.
  explicit Histogram(Unit unit = Unit::fraction) : bins_(bins_of(unit).count), unit_(unit) {}
  /// Makes a histogram from counts.
  /// @param cells underflow, each bin, overflow: bins() + 2 counts.
  Histogram(Unit unit, std::span<const std::uint64_t> cells);

  /// Counts one value; ignores NaN and infinities.
  void add(double value);
  /// Adds the counts of another histogram. @pre Both are of the same unit.
  void merge(const Histogram& other);

  /// Returns the number of bins, without underflow and overflow.
  int bins() const { return bins_; }
  /// Returns the width of a bin, in the metric's unit.
  double width() const { return 1.0 / bins_of(unit_).per_unit; }
  /// Returns how many values fell into a bin. @pre 0 <= bin < bins()
  std::uint64_t count(int bin) const { return cells_[1 + bin]; }
  /// Returns how many values were below 0.
  std::uint64_t underflow() const { return cells_[0]; }
  /// Returns how many values were above the last bin.
  std::uint64_t overflow() const { return cells_[1 + bins_]; }
  /// Returns how many values were counted in all.
  std::uint64_t n() const;

  bool operator==(const Histogram&) const = default;

 private:
  int bins_;
  Unit unit_;
  std::array<std::uint64_t, max_cells> cells_{};
};

}  // namespace warpath
