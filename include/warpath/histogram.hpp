#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "warpath/export.hpp"
#include "warpath/metrics.hpp"

namespace warpath {

/// How often a metric took which values, in bins that are the same for all data, so that histograms
/// can be added in any order: fractions in 20 bins of 0.05, the last of which has 1 in it; lengths
/// and counts in 64 bins of 1 from 0. What lies below 0 (as GP may) or above has a bin each.
///
/// Values are compared with the bins' borders in single precision, so that 0.7 is in the bin from
/// 0.7 on whether a back end has computed it in single or in double precision.
class WARPATH_EXPORT Histogram {
 public:
  /// A unit's bins: bin b has the values from b / per_unit on, the last those below `end`.
  struct Bins {
    int count;
    float per_unit, end;
  };
  static constexpr Bins bins_of(Unit unit) {
    return unit == Unit::fraction ? Bins{20, 20.0f, 0x1.000002p0f} : Bins{64, 1.0f, 64.0f};
  }
  static constexpr int max_cells = 66;  ///< bins, and those below and above them

  explicit Histogram(Unit unit = Unit::fraction) : bins_(bins_of(unit).count), unit_(unit) {}
  /// @param places counts of: what is below, each bin, what is above
  Histogram(Unit unit, std::span<const std::uint64_t> places);

  /// NaN and infinities are passed over.
  void add(double value);
  /// @pre of the same unit.
  void merge(const Histogram& other);

  int bins() const { return bins_; }
  double width() const { return 1.0 / bins_of(unit_).per_unit; }
  std::uint64_t count(int bin) const { return place_[1 + bin]; }
  std::uint64_t underflow() const { return place_[0]; }
  std::uint64_t overflow() const { return place_[1 + bins_]; }
  std::uint64_t n() const;

  bool operator==(const Histogram&) const = default;

 private:
  int bins_;
  Unit unit_;
  std::array<std::uint64_t, max_cells> place_{};
};

}  // namespace warpath
