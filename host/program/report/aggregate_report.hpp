#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/files/aggregate/recompute.hpp"
#include "host/files/aggregate/rules.hpp"
#include "host/program/report/report.hpp"

namespace warpath::report {

/// Holds everything that reports state about the means of a run; the functions below only lay it
/// out.
struct AggregateReport {
  formats::ResultDump dump;
  std::optional<aggregate::Recomputed> recomputed;  ///< measures of the dump; nothing: none were
  std::string_view duplicates;                      ///< as --duplicates says; empty: error
  aggregate::OursOptions options;
  std::vector<std::pair<const aggregate::AggregateRule*, aggregate::RuleResult>> rules;
  RunInfo run_info;

  /// Returns the measures that the user chose and some rule averages, in the order of the dump.
  std::vector<const formats::DumpMeasure*> measures() const;
};

/// Returns the signature of all rules' means.
Signature signature_of(const AggregateReport& report);

/// Returns a table with a row for each rule. A mean that leaves out values, or takes them for 0, is
/// marked with their number. A second table compares measures that were recomputed with the files'.
Document report_document(const AggregateReport& report, const PrintOptions& options);

/// Returns each rule's means at full precision. A mean that is not finite is null, and named
/// beside.
std::string report_json(const AggregateReport& report, const JsonOptions& options = {});

/// Returns a row for each rule and measure.
std::string report_csv(const AggregateReport& report, const CsvOptions& options = {});

}  // namespace warpath::report
