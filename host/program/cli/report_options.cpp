#include "host/program/cli/report_options.hpp"

#include <fmt/format.h>

#include <utility>

#include "host/core/base/progress.hpp"
#include "warpath/error.hpp"

namespace warpath::cli {

void ReportOptions::add_to(Command& command, const std::string& csv_rows) {
  add_table(command, true);
  add_files(command, csv_rows, true);
}

void ReportOptions::add_to_plain(Command& command, const std::string& csv_rows) {
  add_table(command, false);
  add_files(command, csv_rows, false);
}

void ReportOptions::add_table(Command& command, bool has_intervals) {
  const char* group = "Table";
  command.add_option("--markdown", is_markdown_, "nothing but Markdown tables on standard output")
      .put_in(group);
  command
      .add_option("--latex", is_latex_,
                  "nothing but LaTeX tables on standard output, with booktabs' rules")
      .put_in(group)
      .exclude("--markdown");
  command.add_option("--percent", numbers_.percent, "fractions x 100").put_in(group);
  command
      .add_option("--digits", numbers_.digits,
                  "decimals of fractions; lengths have one fewer, percent two fewer")
      .put_in(group)
      .show_default()
      .check(int_within(0, 15));
  if (has_intervals) {
    command.add_option("--no-intervals", no_intervals_, "means alone").put_in(group);
  }
  command.add_option("--quiet", quiet_, "no table").put_in(group);
}

void ReportOptions::add_files(Command& command, const std::string& csv_rows, bool has_flat_names) {
  const char* group = "Output files";
  command.add_option("--json", json_, "write means and where they come from; - is standard output")
      .put_in(group)
      .check(not_empty());
  command.add_option("--csv", csv_, "write " + csv_rows + "; - is standard output")
      .put_in(group)
      .check(not_empty());
  command
      .add_option("--no-run-info", no_run_info_,
                  "leave command line, date, threads and back end out of the JSON")
      .put_in(group);
  if (!has_flat_names) return;
  command
      .add_option("--flat-names", flat_names_,
                  "one flat object per agent in the JSON, with the names that loggers use (sr, "
                  "nav_error, ...) and fractions x 100")
      .put_in(group);
}

void ReportOptions::add_items_to(Command& command) {
  command
      .add_option("--items", items_,
                  "the JSON has the values of every item, too, as warpath compare needs them")
      .put_in("Output files")
      .exclude("--flat-names");
}

void ReportOptions::begin() const {
  if (quiet_) base::hide_progress();
  if (json_.empty() && (no_run_info_ || flat_names_ || items_)) {
    throw UsageError(
        fmt::format("{} changes the file of --json: name one",
                    items_ ? "--items" : (flat_names_ ? "--flat-names" : "--no-run-info")));
  }
}

void ReportOptions::write(const ReportTexts& texts, io::OutputFiles& files, Io& io,
                          std::string to_stdout) const {
  if (!json_.empty()) {
    std::string json = texts.json({!no_run_info_, flat_names_, items_});
    if (json_ == "-")
      to_stdout += json;
    else
      files.add(json_, std::move(json));
  }
  if (!csv_.empty()) {
    const auto next = texts.csv({csv_ == "-" && io.terminal.is_terminal});
    if (csv_ == "-")
      for (std::string part; next(part);) to_stdout += part;
    else
      files.add(csv_, next);
  }
  // A failed run leaves no result files. If only the reader of the table closed it early, the files
  // are kept.
  try {
    if (!quiet_) print(texts, !to_stdout.empty(), io);
    io.out << to_stdout << std::flush;
  } catch (const io::ReaderGone&) {
    files.commit();
    throw;
  }
  if (io.out) files.commit();
}

void ReportOptions::print_table(const ReportTexts& texts, Io& io) const {
  if (!quiet_) print(texts, json_ == "-" || csv_ == "-", io);
}

// Output for programs is kept free of text for people.
void ReportOptions::print(const ReportTexts& texts, bool is_stdout_taken, Io& io) const {
  report::PrintOptions options;
  options.style = is_markdown_ ? report::Table::Style::markdown
                  : is_latex_  ? report::Table::Style::latex
                               : report::Table::Style::text;
  options.layout = {io.terminal.width, io.terminal.colour && !is_stdout_taken};
  options.numbers = numbers_;
  options.numbers.intervals = !no_intervals_;
  options.is_terminal = io.terminal.is_terminal;
  const report::PrintedReport printed = report::render(texts.document(options), options);
  std::ostream& tables = is_stdout_taken ? io.err : io.out;
  std::ostream& rest = is_markdown_ || is_latex_ ? io.err : tables;
  rest << printed.inputs << '\n';
  tables << printed.tables;
  rest << '\n' << printed.notes;
}

}  // namespace warpath::cli
