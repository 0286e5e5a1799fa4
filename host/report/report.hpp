#pragma once

#include <string>
#include <vector>

#include "host/report/table.hpp"
#include "warpath/evaluate.hpp"

namespace warpath {

/// The results of all agents under a further preset, for comparison.
struct AlsoResult {
  Convention convention;
  std::vector<Run> runs;
};

/// Everything that an evaluation has to tell; the writers below only lay it out.
struct EvalReport {
  const Evaluator& evaluator;
  Convention convention;
  Chosen backend;
  std::vector<Run> runs;
  std::vector<AlsoResult> also;
  std::vector<Metric> metrics;  ///< in files; every one unless the user named some
  std::vector<Metric> printed;  ///< in the table
  GroupBy by = GroupBy::none;
  Interval interval = Interval::path;
};

struct PrintOptions {
  Table::Style style = Table::Style::text;
  bool percent = false;  ///< fractions x 100
};

/// For people: what was read, the table, the conventions in force, trouble with its remedy.
std::string print_report(const EvalReport& report, const PrintOptions& options);

/// Means at full precision with their provenance; the same bytes for the same inputs.
std::string report_json(const EvalReport& report);

/// One row per agent and item, numbers in their shortest form that reads back the same.
std::string report_csv(const EvalReport& report);

/// "m", "edges" for lengths under hops, or "" for what is counted, a fraction or a ratio.
std::string unit_name(const MetricInfo& metric, const Convention& convention);

/// The knobs of a convention as "name=value" words: all, or those in which it differs from another.
std::vector<std::string> knob_words(const Convention& convention,
                                    const Convention* other = nullptr);

/// Those of the metrics of which some agent's mean or count differs between the two conventions.
std::vector<Metric> differing(const EvalReport& report, const AlsoResult& also,
                              const std::vector<Metric>& among);

}  // namespace warpath
