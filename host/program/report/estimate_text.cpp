#include "host/program/report/estimate_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpath::report {
namespace {

std::string number(double value, const MetricInfo& metric, const NumberStyle& style) {
  const bool is_percent = metric.unit == Unit::fraction && style.percent;
  const int fewer = is_percent ? 2 : metric.unit == Unit::fraction ? 0 : 1;
  const std::string text =
      fmt::format("{:.{}f}", is_percent ? 100.0 * value : value, std::max(0, style.digits - fewer));
  const bool is_zero = text.find_first_not_of("-0.") == std::string::npos;
  return is_zero && text.starts_with('-') ? text.substr(1) : text;
}

}  // namespace

EstimateText estimate_text(const Estimate& estimate, const MetricInfo& metric,
                           const NumberStyle& style) {
  if (!estimate.mean) return {"–", ""};
  EstimateText text{number(*estimate.mean, metric, style), ""};
  if (!style.intervals) return text;
  if (!estimate.ci95) {
    text.interval = " ± –";
    return text;
  }
  const double below = *estimate.mean - (*estimate.ci95)[0];
  const double above = (*estimate.ci95)[1] - *estimate.mean;
  const std::string minus = number(below, metric, style), plus = number(above, metric, style);
  if (minus == plus) {
    text.interval = " ± " + plus;
  } else {
    if (below != 0.0) text.interval += " −" + minus;
    if (above != 0.0) text.interval += " +" + plus;
  }
  return text;
}

std::string count_text(std::uint64_t n, std::uint64_t of) {
  return n == of ? fmt::format("{}", n) : fmt::format("{} of {}", n, of);
}

}  // namespace warpath::report
