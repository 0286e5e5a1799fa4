#pragma once

#include <vector>

#include "host/io/json_writer.hpp"
#include "host/report/report.hpp"

// The parts that JSON reports of all commands have in common. Each writes keys of the open object.

namespace warpath {

/// Writes `dataset` and `graphs`.
void write_inputs(const ReportInputs& inputs, JsonWriter& json);

/// Writes `preset` and `convention`.
void write_convention(const Convention& convention, JsonWriter& json);

/// Writes the mean of a metric, its interval, the items that it is over, and its unit.
void write_estimate(const Estimate& estimate, const MetricInfo& m, const Convention& convention,
                    JsonWriter& json);

/// Writes the numbers of items by status, and of those that a 0/0 rule decided.
void write_counts(const ItemStatistics& summary, JsonWriter& json);

/// Writes means by the names that loggers use. A mean over fewer items than the others is followed
/// by its own number of items.
void write_flat(const ItemSummary& summary, const std::vector<Metric>& metrics, JsonWriter& json);

/// Writes `run_info`.
void write_run_info(const RunInfo& run_info, JsonWriter& json);

}  // namespace warpath
