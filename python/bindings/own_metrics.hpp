#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <tuple>
#include <vector>

#include "warpath/evaluate.hpp"

namespace warpath::python {

namespace nb = nanobind;

/// Name, number of the unit and number of what is better, as in the enumerations.
using OwnMetricRow = std::tuple<std::string, int, int>;

/// Returns metrics whose values a callable in Python returns: it takes an ItemPaths and returns a
/// list with a float or a bool for each metric. It is called with the GIL.
/// @param compute must outlive the result
OwnMetrics own_metrics_of(const std::vector<OwnMetricRow>& rows, nb::handle compute);

}  // namespace warpath::python
