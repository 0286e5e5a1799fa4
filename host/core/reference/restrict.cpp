#include <tbb/parallel_for.h>

#include <cmath>

#include "host/core/definitions/metric_traits.hpp"
#include "host/core/reference/reference.hpp"
#include "kernels/metrics/flags.hpp"

namespace warpath::reference {
namespace {

// Returns the most severe status of a row for which one of these metrics has no value.
Status status(const Scores& scores, std::size_t row, const MetricSet& metrics) {
  const Status whole = scores.status[row];
  if (whole == Status::unreachable) return whole;
  Status shown = Status::ok;
  for (const Metric m : metrics) {
    if (!std::isnan(scores.at(m, row))) continue;
    // `whole` is the most severe over all metrics, so no more severe one has occurred.
    std::uint32_t flags = definitions::traits(m).flags;
    while (definitions::status_of(flags) != Status::ok && definitions::status_of(flags) < whole) {
      flags &= ~definitions::flag_of(definitions::status_of(flags));
    }
    shown = more_severe(shown, definitions::status_of(flags));
  }
  return shown;
}

}  // namespace

void restrict_to(const MetricSet& metrics, Scores& scores) {
  const std::uint8_t rules = kernels::zero_rules_of(definitions::flags_of(metrics));
  tbb::parallel_for(std::size_t{0}, scores.size(), [&](std::size_t row) {
    scores.status[row] = status(scores, row, metrics);
    scores.zero_rules[row] &= rules;
  });
  for (const Metric m : MetricSet::of_paths()) {
    if (!metrics[m]) scores.column[m] = {};
  }
}

}  // namespace warpath::reference
