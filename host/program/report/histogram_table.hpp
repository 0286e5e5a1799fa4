#pragma once

#include <span>
#include <string>

#include "host/program/report/table.hpp"
#include "warpath/histogram.hpp"

namespace warpath::report {

struct NamedHistogram {
  std::string name;
  const Histogram* histogram;
};

/// Lays histograms out side by side: a row for each bin from the first that has a value to the
/// last, with counts, and with bars as long as the bin's share of its histogram.
/// @param quantity what was counted, with its unit: "PL(R), m".
/// @param width the width of a row in bins of the histograms, >= 1.
/// @pre All histograms are of one unit.
Table histogram_table(const std::string& quantity, std::span<const NamedHistogram> histograms,
                      int width = 1);

}  // namespace warpath::report
