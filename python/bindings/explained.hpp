#pragma once

#include <vector>

#include "host/program/report/explained_item.hpp"
#include "python/bindings/bindings.hpp"

namespace warpath::python {

/// Returns a dict for each item with the fields of `ExplainedItem`, paths and matrices as NumPy
/// arrays, and the metrics that have a value.
nb::list to_dicts(const std::vector<report::ExplainedItem>& items,
                  const std::vector<Metric>& metrics);

}  // namespace warpath::python
