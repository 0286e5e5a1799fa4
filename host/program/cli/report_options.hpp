#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "host/files/io/output_file.hpp"
#include "host/program/cli/commands.hpp"
#include "host/program/cli/options.hpp"
#include "host/program/report/report.hpp"

namespace warpath::cli {

/// Returns a CSV that is made as a whole, in one part.
template <class Report>
io::OutputFiles::NextPart csv_parts(const Report& table, const report::CsvOptions& options) {
  return [csv = report_csv(table, options)](std::string& part) mutable {
    part = std::exchange(csv, {});
    return !part.empty();
  };
}

/// Makes the texts of a report. Only what is asked for is made.
struct ReportTexts {
  /// @param report what report_document(), report_json() and csv_parts() lay out; it must outlive
  /// the object
  template <class Report>
  explicit ReportTexts(const Report& report)
      : document(
            [&](const report::PrintOptions& options) { return report_document(report, options); }),
        json([&](const report::JsonOptions& options) { return report_json(report, options); }),
        csv([&](const report::CsvOptions& options) { return csv_parts(report, options); }) {}

  std::function<report::Document(const report::PrintOptions&)> document;
  std::function<std::string(const report::JsonOptions&)> json;
  std::function<io::OutputFiles::NextPart(const report::CsvOptions&)> csv;
};

/// Holds the options of a report's table and of its files.
class ReportOptions {
 public:
  /// Adds the options. @param csv_rows what a row of the CSV is: "a row per metric"
  void add_to(Command& command, const std::string& csv_rows);
  /// Adds --items, for a report whose JSON may have the values of items. Follows add_to().
  void add_items_to(Command& command);
  /// Adds those of a report whose means have no intervals, nor the names that loggers use.
  void add_to_plain(Command& command, const std::string& csv_rows);

  /// Hides progress under --quiet, and refuses options that make no sense.
  /// @throws UsageError
  void begin() const;
  /// Returns the options that name files.
  std::vector<OutputOption> outputs() const { return {{"--json", json_}, {"--csv", csv_}}; }
  bool has_files() const { return !json_.empty() || !csv_.empty(); }
  bool shows_items() const { return !csv_.empty() || items_; }
  bool has_flat_names() const { return flat_names_; }
  bool is_quiet() const { return quiet_; }

  /// Prints the table, writes the files, and commits all of `files`, which may hold others. A
  /// failure, of standard output too, leaves no file.
  /// @param to_stdout what another option writes to standard output, before what these options do;
  /// tables then go to standard error
  void write(const ReportTexts& texts, io::OutputFiles& files, Io& io,
             std::string to_stdout = {}) const;
  /// Prints the table alone, where write() would.
  void print_table(const ReportTexts& texts, Io& io) const;

 private:
  void add_table(Command& command, bool has_intervals);
  void add_files(Command& command, const std::string& csv_rows, bool has_flat_names);
  void print(const ReportTexts& texts, bool is_stdout_taken, Io& io) const;

  report::NumberStyle numbers_;
  std::string json_, csv_;
  bool is_markdown_ = false, is_latex_ = false, quiet_ = false;
  bool no_intervals_ = false, no_run_info_ = false, flat_names_ = false, items_ = false;
};

}  // namespace warpath::cli
