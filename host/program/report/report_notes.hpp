#pragma once

#include <string>
#include <vector>

#include "host/program/report/report.hpp"

namespace warpath::report {

/// Returns what a reader of the tables has to know, one line each: the convention, the intervals,
/// the back end and its precision, rules that decided 0/0, warnings, and problems with their
/// remedies. What applies to several agents is said once.
std::vector<std::string> report_notes(const EvalReport& report, const PrintOptions& options);

}  // namespace warpath::report
