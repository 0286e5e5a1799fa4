#pragma once

#include <cstdint>
#include <string>

#include "warpath/evaluate.hpp"

namespace warpath::report {

/// Says how numbers are printed for people.
struct NumberStyle {
  int digits = 4;  ///< decimals of fractions; lengths and counts have one fewer, percentages two
  bool percent = false;   ///< fractions are multiplied by 100
  bool intervals = true;  ///< shown after each mean
};

/// Holds the text of a metric's mean, and the text after it: " ± 0.0252", or nothing.
struct EstimateText {
  std::string mean, interval;
};

/// Returns an estimate as text. Bounds that are not symmetric around the mean are written " −0.0123
/// +0.0100", or only the one that differs from the mean. A mean over one cluster has the interval "
/// ± –".
EstimateText estimate_text(const Estimate& estimate, const MetricInfo& metric,
                           const NumberStyle& style);

/// Returns "2349", or "1576 of 2349" if items are left out.
std::string count_text(std::uint64_t n, std::uint64_t of);

}  // namespace warpath::report
