#pragma once

#include <string>

#include "host/program/cli/commands.hpp"
#include "host/program/cli/options.hpp"
#include "host/program/cli/report_options.hpp"
#include "host/program/report/make_report.hpp"

namespace warpath::cli {

/// Holds the options that say how predictions are scored and what the report contains.
class ScoringOptions {
 public:
  explicit ScoringOptions(Command& command);

  /// Returns what the options ask for. @throws UsageError
  report::ReportRequest request(const Io& io) const;

 private:
  ConventionOptions conventions_;
  std::string metrics_, also_, by_ = "none";
  std::string backend_ = "auto", interval_ = "path";
  bool strict_ = false;
};

}  // namespace warpath::cli
