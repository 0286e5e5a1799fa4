#pragma once

#include <string>
#include <vector>

#include "tests/support/files.hpp"
#include "warpath/metrics.hpp"

namespace warpath::testing {

using Arguments = std::vector<std::string>;

/// Runs `eval` with these arguments and returns the rows of its CSV. Items that cannot be scored
/// are left out of means.
std::vector<CsvRow> eval_rows(const TemporaryFolder& folder, Arguments arguments);

/// Compares a golden cell with ours; "nan", "inf" and an empty cell mean that there is no value.
/// The reference back end agrees to 1e-12, the others to the rounding of single precision.
/// @param viewpoints of reference and query together
bool agrees(const std::string& golden, const std::string& ours, Metric metric,
            const std::string& backend, double viewpoints);

}  // namespace warpath::testing
