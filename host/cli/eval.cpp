#include "host/cli/commands.hpp"
#include "host/cli/make_report.hpp"
#include "host/cli/options.hpp"
#include "host/cli/report_options.hpp"

namespace warpath {
namespace {

struct EvalCommand {
  explicit EvalCommand(CLI::App& command) : files(command), conventions(command) {
    add_what(command);
    output.add_to(command, "a row per agent and item");
  }

  void run(Io& io) {
    const ReportRequest request = make_request(io);
    output.begin();
    const EvalFiles chosen_files = files.files();
    check_outputs(output.outputs(), chosen_files);
    Evaluator evaluator(chosen_files);
    const EvalReport report = make_report(evaluator, request);
    OutputFiles written;
    output.write({[&](const PrintOptions& options) { return print_report(report, options); },
                  [&](const JsonOptions& options) { return report_json(report, options); },
                  [&](const CsvOptions& options) { return report_csv(report, options); }},
                 written, io);
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
    return request;
  }

  FileOptions files;
  ConventionOptions conventions;
  ReportOptions output;
  std::string metrics, also, by = "none";
  std::string backend = "auto", interval = "path";
  bool strict = false;
};

}  // namespace

void add_eval(CLI::App& app, Io& io) {
  CLI::App* command = app.add_subcommand("eval", "Score predictions: every metric, one table");
  auto options = std::make_shared<EvalCommand>(*command);
  command->callback([options, &io] { options->run(io); });
}

}  // namespace warpath
