#pragma once

#include <string>
#include <vector>

#include "host/report/report.hpp"

namespace warpath {

/// What a report is to tell.
struct ReportRequest {
  Convention convention;
  std::vector<Convention> also;
  std::vector<Metric> metrics;  ///< in files
  std::vector<Metric> printed;  ///< in the table
  GroupBy by = GroupBy::none;
  EvalOptions options;
  std::vector<std::string> command_line;
};

/// Scores every agent under every convention, and gathers all that the writers lay out.
/// @throws InputError, UsageError as Evaluator::evaluate, and where no item has a language to group
/// by
EvalReport make_report(Evaluator& evaluator, const ReportRequest& request);

/// The metrics that are shown where nobody names some.
std::vector<Metric> headline_metrics();

}  // namespace warpath
