#pragma once

#include <span>
#include <vector>

#include "python/bindings/bindings.hpp"
#include "warpath/evaluate.hpp"

namespace warpath::python {

/// The type of what summary_of() returns, for stubs.
#define WARPATH_SUMMARY_TYPE                                                                    \
  "tuple[int, dict[str, tuple[float | None, tuple[float, float] | None, int, int, int]], dict[" \
  "str, int]]"

/// Returns the number of items, metric -> (mean, (low, high), n, of, clusters), and how many items
/// have each status.
nb::tuple summary_of(const ItemSummary& summary, const std::vector<Metric>& metrics,
                     std::span<const OwnMetric> own = {});

/// Returns how many items have each status that occurs.
nb::dict count_statuses(const ItemStatistics& counts);

}  // namespace warpath::python
