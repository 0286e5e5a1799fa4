#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "host/files/io/output_file.hpp"
#include "host/program/report/csv_writer.hpp"
#include "host/program/report/document.hpp"
#include "host/program/report/signature.hpp"
#include "warpath/evaluate.hpp"

namespace warpath::report {

/// Names a setting that alone changes means, and these.
struct Cause {
  std::string setting;  ///< "spl-length=reference"
  std::vector<Metric> metrics;
};

/// Holds the results of all agents under a further preset, for comparison.
struct AlsoResult {
  Convention convention;
  std::vector<AgentResult> runs;
  std::vector<Cause> causes{};  ///< of what differs; only sought for EvalReport::has_every_preset
};

/// Names a preset that refuses the files, and why.
struct RefusingPreset {
  std::string_view preset;
  std::string why;
};

/// Holds what differs between equal runs.
struct RunInfo {
  std::vector<std::string> command_line;
  std::string date;  ///< UTC, in ISO 8601 format
  unsigned threads = 0;
  ResolvedBackend backend{};  ///< automatic: nothing was scored, only merged
};

/// Holds everything that reports state; the functions below only lay it out.
struct EvalReport : InputDescription {
  Convention convention;
  Interval interval = Interval::path;
  std::vector<AgentResult> runs;
  std::vector<RunGroup> run_groups;  ///< agents with several runs
  GroupBy by = GroupBy::none;
  std::vector<std::vector<Group>> groups;  ///< per agent; empty if `by` is none
  std::vector<AlsoResult> also;
  bool has_every_preset = false;  ///< `also` has all that can score the files
  std::vector<RefusingPreset> refusing;
  std::vector<Metric> metrics;  ///< in files; all of them unless the user chose some
  std::vector<Metric> printed;  ///< in the table
  std::vector<OwnMetric> own;   ///< metrics of the caller, in the table and in files
  RunInfo run_info;
};

/// Returns the signature of an agent's numbers.
/// @param run one of `report.runs`, or of a further preset
Signature signature_of(const EvalReport& report, const AgentResult& run,
                       const Convention& convention);
/// Returns those of all runs.
std::vector<AgentSignature> signatures_of(const EvalReport& report);

Document report_document(const EvalReport& report, const PrintOptions& options);

struct JsonOptions {
  bool has_run_info = true;
  /// Makes each agent one flat object with the names that loggers use, "sr" or "nav_error", and
  /// fractions multiplied by 100.
  bool flat_names = false;
  /// Adds what each item counts in the means of its agent: see report_json().
  bool has_items = false;
};

/// First bytes of the files that the two functions below write, whatever they hold.
inline constexpr std::string_view json_report_beginning = "{\n  \"warpath\": \"";
inline constexpr std::string_view csv_report_beginning = "run,instr_id,scan,status";

/// Returns means at full precision, with their provenance. Without the run info, equal inputs give
/// equal bytes. With items each agent has columns "per_item": ids, scans, statuses, numbers that
/// are equal for equal references, and of every metric the values that its mean is over. Metrics of
/// the caller are apart: "own_metrics", "own_values".
std::string report_json(const EvalReport& report, const JsonOptions& options = {});

/// Returns one row per agent and item. Numbers have the shortest form that reads back the same in
/// the precision that they were computed in.
std::string report_csv(const EvalReport& report, const CsvOptions& options = {});
/// Returns the same in parts, which are made while the ones before are written. The report must
/// outlive them.
io::OutputFiles::NextPart csv_parts(const EvalReport& report, const CsvOptions& options);

/// Returns "m", "edges" for lengths under hops, "turns" for angles, or "" for a count, a fraction
/// or a ratio.
std::string unit_name(const MetricInfo& metric, const Convention& convention);

/// Returns the settings of a convention that differ from another's, as "name=value" words.
std::vector<std::string> settings_that_differ(const Convention& convention, const Convention& from);

/// Returns the metrics that are shown by default: the headline ones, and goal progress where a
/// dataset's goals are regions, so that there is an oracle one (NDH).
std::vector<Metric> headline_metrics(const MetricSet& among = MetricSet::of_paths());

/// Returns the metrics for which some agent's mean or count differs between the two conventions.
std::vector<Metric> differing(const EvalReport& report, const AlsoResult& also,
                              const std::vector<Metric>& among);
/// Returns the numbers of the caller's metrics of which this is so.
std::vector<std::size_t> own_differing(const EvalReport& report, const AlsoResult& also);

/// Returns what groups are made by: "scan", "n_ref" or "language".
std::string_view group_key(GroupBy by);

/// Tells whether intervals cluster tours where there are some.
bool clusters_tours(Interval interval);

/// Returns a row per agent and tour: its weight, the sizes and cost of its alignment, its metrics.
std::string tours_csv(const EvalReport& report, const CsvOptions& options = {});

/// Tells whether scores were computed in double precision.
bool is_double_precision(const EvalReport& report);

}  // namespace warpath::report
