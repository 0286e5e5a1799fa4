#pragma once

#include <string>

#include "host/program/cli/commands.hpp"
#include "host/program/cli/make_report.hpp"
#include "host/program/cli/options.hpp"
#include "host/program/cli/report_options.hpp"

namespace warpath::cli {

/// Holds the options that say how predictions are scored and what the report contains.
class ScoringOptions {
 public:
  explicit ScoringOptions(Command& command);

  /// Returns what the options ask for. @throws UsageError
  ReportRequest request(const Io& io) const;

 private:
  ConventionOptions conventions_;
  std::string metrics_, also_, by_ = "none";
  std::string backend_ = "auto", interval_ = "path";
  bool strict_ = false;
};

/// Returns the texts of an evaluation. @param report must outlive them
ReportTexts texts_of(const report::EvalReport& report);

}  // namespace warpath::cli
