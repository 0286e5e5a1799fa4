#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "host/program/report/report.hpp"
#include "host/program/report/walk_report.hpp"

namespace warpath::report {

/// Says what a report contains.
struct ReportRequest {
  Convention convention;
  std::vector<Convention> also;
  /// Makes the convention of any preset. If it is not null, `also` is every preset of the dataset's
  /// task that can score the files.
  std::function<Convention(std::string_view preset)> every_preset{};
  std::vector<Metric> metrics;  ///< in files; those that the dataset has not are left out
  std::vector<Metric> printed;  ///< in the table, likewise; none: the headline ones
  MetricSet named;              ///< metrics that are refused where the dataset has them not
  GroupBy by = GroupBy::none;
  EvalOptions options;
  std::vector<std::string> command_line;
};

/// Scores every agent under every convention and collects all that the report functions lay out.
/// @throws InputError, UsageError as Evaluator::evaluate. InputError also if groups are by language
/// and no item has one
EvalReport make_report(Evaluator& evaluator, const ReportRequest& request);

/// Writes into a report what it says of the files, references and steps of random walks.
void describe_walks(const RandomBaseline& baseline, WalkReport& report);

/// Returns what is to be said of a run now.
RunInfo run_info_now(const std::vector<std::string>& command_line, const ResolvedBackend& backend);

}  // namespace warpath::report
