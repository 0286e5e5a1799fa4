#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/support/files.hpp"
#include "warpath/graph_store.hpp"
#include "warpath/metrics.hpp"

namespace warpath::testing {

/// Names the back ends of the host that real data are scored by. Sanitizers look for faults of
/// memory, for which one is enough; other builds compare the values of both.
inline constexpr const char* real_data_backends[] = {
#if !defined(WARPATH_SANITIZED)
    "reference",
#endif
    "cpu"};

/// Runs `eval` with these arguments and returns the rows of its CSV. Items that cannot be scored
/// are left out of means.
std::vector<CsvRow> eval_rows(const TemporaryFolder& folder, Arguments arguments);

/// Returns the graphs of the real data, which all cases of a process share: it takes longer to read
/// them and to find their distances than to score.
std::shared_ptr<const GraphStore> real_graphs();

/// Scores as that command does, with graphs that are given instead of by --graphs. All metrics are
/// scored, but the rows have those of `columns` alone, since reading a CSV takes long, too.
std::vector<CsvRow> eval_rows(const std::shared_ptr<const GraphStore>& graphs, Arguments arguments,
                              const MetricSet& columns);

/// Compares a golden cell with ours; "nan", "inf" and an empty cell mean that there is no value.
/// The reference back end agrees to 1e-12, the others to the rounding of single precision.
/// @param viewpoints of reference and query together
bool agrees(const std::string& golden, const std::string& ours, Metric metric,
            const std::string& backend, double viewpoints);

}  // namespace warpath::testing
