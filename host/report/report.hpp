#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/report/estimate_text.hpp"
#include "host/report/table.hpp"
#include "warpath/evaluate.hpp"

namespace warpath {

/// The results of all agents under a further preset, for comparison.
struct AlsoResult {
  Convention convention;
  std::vector<AgentResult> runs;
};

/// What differs between equal runs.
struct RunInfo {
  std::vector<std::string> command_line;
  std::string date;  ///< UTC, as ISO 8601 writes it
  unsigned threads = 0;
  ResolvedBackend backend{};
};

/// Everything that an evaluation has to tell; the writers below only lay it out.
struct EvalReport {
  std::string dataset_file, dataset_hash, dataset_description;
  std::string graphs_path, graphs_hash, graphs_detection;
  bool is_pairs = false;  ///< the dataset is a file of pairs, which holds the predictions too
  std::vector<std::string> task_success_files;
  std::vector<std::string> warnings;

  Convention convention;
  Interval interval = Interval::path;
  std::vector<AgentResult> runs;
  GroupBy by = GroupBy::none;
  std::vector<std::vector<Group>> groups;  ///< by run; empty where `by` is none
  std::vector<AlsoResult> also;
  std::vector<Metric> metrics;  ///< in files; every one unless the user named some
  std::vector<Metric> printed;  ///< in the table
  RunInfo run_info;
};

struct PrintOptions {
  Table::Style style = Table::Style::text;
  Table::Layout layout{80, false};
  NumberStyle numbers{};
  bool is_terminal = false;  ///< notes are folded; elsewhere a line each, as programs look for them
};

/// A report for people, in three parts: a paper takes only the tables.
struct PrintedReport {
  std::string inputs;  ///< what was read
  std::string tables;
  std::string notes;  ///< the convention, what the intervals are, trouble with its remedy
};

PrintedReport print_report(const EvalReport& report, const PrintOptions& options);

struct JsonOptions {
  bool has_run_info = true;
  /// Each run is one flat object with the names that loggers use: "sr", "nav_error"; fractions x
  /// 100.
  bool flat_names = false;
};

/// What the files of the two writers below begin with, whatever they hold.
inline constexpr std::string_view json_report_beginning = "{\n  \"warpath\": \"";
inline constexpr std::string_view csv_report_beginning = "run,instr_id,scan,status";

/// Means at full precision with where they come from; without the run info, the same bytes for the
/// same inputs.
std::string report_json(const EvalReport& report, const JsonOptions& options = {});

struct CsvOptions {
  bool is_terminal = false;  ///< cells are cleaned; elsewhere they are the bytes of the inputs
};

/// One row per agent and item, numbers in the shortest form that reads back the same in the
/// precision that they were computed in.
std::string report_csv(const EvalReport& report, const CsvOptions& options = {});

/// "m", "edges" for lengths under hops, or "" for what is counted, a fraction or a ratio.
std::string unit_name(const MetricInfo& metric, const Convention& convention);

/// The settings of a convention in which it differs from another, as "name=value" words.
std::vector<std::string> settings_that_differ(const Convention& convention, const Convention& from);

/// Those of the metrics of which some agent's mean or count differs between the two conventions.
std::vector<Metric> differing(const EvalReport& report, const AlsoResult& also,
                              const std::vector<Metric>& among);

/// What a group is of: "scan", "n_ref" or "language".
std::string_view group_key(GroupBy by);

/// True where scores were computed in double precision.
bool is_double_precision(const EvalReport& report);

}  // namespace warpath
