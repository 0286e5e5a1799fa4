#pragma once

#include <cstdint>
#include <span>

#include "warpath/evaluate.hpp"

namespace warpath {

/// Tells whether the convention scores this row: it is an item of the dataset, and its instruction
/// is not left out. Such rows are what every mean is over.
bool is_scored_row(const ItemRow& row);

/// Tells whether a row with a prediction has no value at all: what the setting `invalid` governs.
bool is_invalid(const ItemRow& row);

/// Returns what a row counts for in the mean of a metric under the settings `missing` and
/// `invalid`: its value, 0 for a failure, or NaN where it is left out.
double counted_value(const AgentResult& run, const ItemRow& row, const MetricInfo& metric,
                     const Convention& convention);

/// Summarises some rows of a run: means, intervals, counts.
ItemSummary summarize_items(const AgentResult& run, std::span<const std::uint32_t> rows,
                            const Convention& convention, Interval interval);

}  // namespace warpath
