#include <fmt/format.h>

#include "host/cli/commands.hpp"
#include "host/cli/make_report.hpp"
#include "host/cli/options.hpp"
#include "host/io/output_file.hpp"
#include "host/io/progress.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace {

struct EvalCommand {
  explicit EvalCommand(CLI::App& command) : files(command), conventions(command) {
    add_what(command);
    add_table(command);
    add_files(command);
  }

  void run(Io& io) {
    if (quiet) hide_progress();
    const ReportRequest request = make_request(io);
    const EvalFiles chosen_files = files.files();
    check_outputs({{"--json", json}, {"--csv", csv}}, chosen_files);
    Evaluator evaluator(chosen_files);
    write(make_report(evaluator, request), io);
  }

 private:
  void add_what(CLI::App& command) {
    const char* group = "Report";
    command.add_option("--metrics", metrics, "comma-separated names, or all")
        ->group(group)
        ->check(not_empty());
    command.add_option("--also", also, "presets whose differing metrics are shown too")
        ->group(group)
        ->check(not_empty());
    add_backend_option(command, backend)->group(group);
    command
        .add_option("--by", by,
                    "a table by scan, by length (viewpoints of the reference) or by language")
        ->group(group)
        ->check(not_empty());
    command
        .add_option("--ci", interval,
                    "clusters of the 95 % intervals: path (items of one reference path), scan, "
                    "none (every item by itself), or bootstrap (resamples paths)")
        ->type_name(names_of({Interval::path, Interval::scan, Interval::none, Interval::bootstrap}))
        ->group(group)
        ->capture_default_str()
        ->check(not_empty());
    command.add_flag("--strict", strict, "refuse items that are only noted, too")->group(group);
  }

  void add_table(CLI::App& command) {
    const char* group = "Table";
    auto* markdown = command.add_flag("--markdown", is_markdown,
                                      "nothing but Markdown tables on standard output");
    markdown->group(group);
    command
        .add_flag("--latex", is_latex,
                  "nothing but LaTeX tables on standard output, with booktabs' rules")
        ->group(group)
        ->excludes(markdown);
    command.add_flag("--percent", numbers.percent, "fractions x 100")->group(group);
    command
        .add_option("--digits", numbers.digits,
                    "decimals of fractions; lengths have one fewer, percent two fewer")
        ->group(group)
        ->capture_default_str()
        ->check(CLI::Range(0, 15));
    command.add_flag("--no-intervals", no_intervals, "means alone")->group(group);
    command.add_flag("--quiet", quiet, "no table")->group(group);
  }

  void add_files(CLI::App& command) {
    const char* group = "Output files";
    command
        .add_option("--json", json, "write means and where they come from; - is standard output")
        ->group(group)
        ->check(not_empty());
    command.add_option("--csv", csv, "write a row per agent and item; - is standard output")
        ->group(group)
        ->check(not_empty());
    command
        .add_flag("--no-run-info", no_run_info,
                  "leave command line, date, threads and back end out of the JSON")
        ->group(group);
    command
        .add_flag("--flat-names", flat_names,
                  "one flat object per agent in the JSON, with the names that loggers use (sr, "
                  "nav_error, ...) and fractions x 100")
        ->group(group);
  }

  // Refuses invalid options before any file is read.
  ReportRequest make_request(const Io& io) const {
    ReportRequest request;
    request.convention = conventions.convention();
    for (const std::string& preset : split_list(also)) {
      request.also.push_back(conventions.convention(preset));
    }
    request.metrics = parse_metrics(metrics.empty() ? "all" : metrics);
    request.printed = metrics.empty() ? headline_metrics() : request.metrics;
    request.by = find_group_by(by);
    request.options = {find_backend(backend), find_interval(interval), strict};
    request.command_line = io.command_line;
    if (json.empty() && (no_run_info || flat_names)) {
      throw UsageError(fmt::format("{} changes the file of --json: name one",
                                   flat_names ? "--flat-names" : "--no-run-info"));
    }
    return request;
  }

  void write(const EvalReport& report, Io& io) const {
    OutputFiles outputs;
    std::string to_stdout;
    auto add = [&](const std::string& path, auto render) {
      if (path.empty()) return;
      if (path == "-")
        to_stdout += render();
      else
        outputs.add(path, render());
    };
    add(json, [&] { return report_json(report, {!no_run_info, flat_names}); });
    add(csv, [&] { return report_csv(report, {csv == "-" && io.terminal.is_terminal}); });
    // A failed run leaves no result files. If only the reader of the table closed it early, the
    // files are kept.
    try {
      if (!quiet) print(report, !to_stdout.empty(), io);
      io.out << to_stdout << std::flush;
    } catch (const ReaderGone&) {
      outputs.commit();
      throw;
    }
    if (io.out) outputs.commit();
  }

  // Output for programs is kept free of text for people.
  void print(const EvalReport& report, bool is_stdout_taken, Io& io) const {
    PrintOptions options;
    options.style = is_markdown ? Table::Style::markdown
                    : is_latex  ? Table::Style::latex
                                : Table::Style::text;
    options.layout = {io.terminal.width, io.terminal.colour && !is_stdout_taken};
    options.numbers = numbers;
    options.numbers.intervals = !no_intervals;
    options.is_terminal = io.terminal.is_terminal;
    const PrintedReport printed = print_report(report, options);
    std::ostream& tables = is_stdout_taken ? io.err : io.out;
    std::ostream& rest = is_markdown || is_latex ? io.err : tables;
    rest << printed.inputs << '\n';
    tables << printed.tables;
    rest << '\n' << printed.notes;
  }

  FileOptions files;
  ConventionOptions conventions;
  NumberStyle numbers;
  std::string metrics, also, json, csv, by = "none";
  std::string backend = "auto", interval = "path";
  bool is_markdown = false, is_latex = false, quiet = false, strict = false;
  bool no_intervals = false, no_run_info = false, flat_names = false;
};

}  // namespace

void add_eval(CLI::App& app, Io& io) {
  CLI::App* command = app.add_subcommand("eval", "Score predictions: every metric, one table");
  auto options = std::make_shared<EvalCommand>(*command);
  command->callback([options, &io] { options->run(io); });
}

}  // namespace warpath
