#pragma once

#include <cstdint>
#include <string>

#include "warpath/evaluate.hpp"

namespace warpath {

/// How numbers are printed for people.
struct NumberStyle {
  int digits = 4;         ///< decimals of fractions; lengths and counts have one fewer, percent two
  bool percent = false;   ///< fractions x 100
  bool intervals = true;  ///< behind each mean
};

/// The mean of a metric and what stands behind it: " ± 0.0252", or nothing.
struct EstimateText {
  std::string mean, interval;
};

/// Returns an estimate as text. Bounds that do not lie evenly around the mean are " −0.0123
/// +0.0100", or the one that differs from the mean; a mean of one cluster has the interval " ± –".
EstimateText estimate_text(const Estimate& estimate, const MetricInfo& metric,
                           const NumberStyle& style);

/// Returns "2349", or "1576 of 2349" where items are left out.
std::string count_text(std::uint64_t n, std::uint64_t of);

}  // namespace warpath
