#pragma once

#include <string>

#include "host/cli/commands.hpp"
#include "host/cli/make_report.hpp"
#include "host/cli/options.hpp"
#include "host/cli/report_options.hpp"

namespace warpath {

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
ReportTexts texts_of(const EvalReport& report);

}  // namespace warpath
