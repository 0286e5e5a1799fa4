#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/program/report/metric_table.hpp"
#include "host/program/report/report.hpp"

// The parts that reports for people have in common.

namespace warpath::report {

inline constexpr std::string_view zero_rules_title = "0/0 decided by rule";

/// Returns "%" or what unit_name() gives.
std::string printed_unit(const MetricInfo& metric, const Convention& convention,
                         const NumberStyle& style);
std::vector<MetricColumn> metric_columns(const std::vector<Metric>& metrics,
                                         const Convention& convention, const NumberStyle& style);
/// Adds a column for each metric of the caller, which must outlive it.
void add_own_columns(const std::vector<OwnMetric>& own, const Convention& convention,
                     const NumberStyle& style, std::vector<MetricColumn>& columns);

/// Returns "preset r2r with threshold=2".
std::string convention_note(const Convention& convention);

/// Says that a convention's preset is of other tasks than this one, and names the presets of it:
/// "preset ndh is of NDH; for R2R see r2r, …"; empty if it is of this task, or of any.
/// @param task as Evaluator::task()
std::string other_task_note(const Convention& convention, std::string_view task);

/// Returns "back end cpu, single precision"; of the precision alone if nothing was scored.
std::string precision_note(bool is_double, const ResolvedBackend& backend);

/// Returns "SPL in 2 items, LS in 1 item"; empty if no rule decided any 0/0.
std::string zero_rules_text(const ItemStatistics& counts, std::string_view noun);

/// Tells whether some interval has a bound on one side only: a share of 0 or 1 has no spread.
bool has_one_sided_interval(const ItemSummary& summary, const std::vector<Metric>& printed);
/// Returns what such a bound is.
std::string one_sided_note(std::string_view noun);

}  // namespace warpath::report
