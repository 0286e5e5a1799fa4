#include <fmt/format.h>

#include "host/cli/commands.hpp"
#include "host/cli/options.hpp"
#include "host/io/output_file.hpp"
#include "host/io/progress.hpp"
#include "host/report/report.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace {

struct EvalCommand {
  explicit EvalCommand(CLI::App& command) : files(command), conventions(command) {
    command.add_option("--metrics", metrics, "comma-separated names, or all")
        ->group("Report")
        ->check(not_empty());
    command.add_option("--also", also, "presets whose differing columns are shown too")
        ->group("Report")
        ->check(not_empty());
    command.add_option("--backend", backend, "auto, reference, cpu or cuda")
        ->group("Report")
        ->check(not_empty());
    command.add_option("--by", by, "a table by scan or by length (viewpoints of the reference)")
        ->group("Report")
        ->check(not_empty());
    command.add_option("--json", json, "write means and provenance; - is standard output")
        ->group("Report")
        ->check(not_empty());
    command.add_option("--csv", csv, "write a row per agent and item; - is standard output")
        ->group("Report")
        ->check(not_empty());
    command
        .add_option("--ci", interval,
                    "95 % intervals take for independent: path (reference paths), scan, none (every "
                    "item), or bootstrap (resamples paths)")
        ->group("Report")
        ->capture_default_str()
        ->check(not_empty());
    auto* markdown = command.add_flag("--markdown", is_markdown, "print Markdown")->group("Report");
    command.add_flag("--latex", is_latex, "print LaTeX")->group("Report")->excludes(markdown);
    command.add_flag("--percent", percent, "print fractions x 100")->group("Report");
    command.add_flag("--quiet", quiet, "print no table")->group("Report");
    command.add_flag("--strict", strict, "refuse items that are only noted, too")->group("Report");
  }

  void run(Io& io) {
    if (quiet) hide_progress();
    const Convention convention = conventions.convention();
    find_backend(backend);  // an unknown one is told before files are read
    find_interval(interval);
    const GroupBy groups = group_by();
    const std::vector<Metric> in_files = parse_metrics(metrics.empty() ? "all" : metrics);
    std::vector<Convention> others;
    for (const std::string& preset : split_list(also)) {
      others.push_back(conventions.convention(preset));
    }

    const EvalFiles chosen_files = files.files();
    check_outputs({{"--json", json}, {"--csv", csv}}, chosen_files);
    Evaluator evaluator(chosen_files);
    const Chosen chosen = resolve_for_evaluation(find_backend(backend), evaluator.items());
    const EvalOptions options{chosen.backend, find_interval(interval), strict};
    EvalReport report{evaluator, convention,          chosen, {}, {},
                      in_files,  printed(in_files), groups, options.interval};
    report.runs = evaluator.evaluate(convention, options);
    for (const Convention& other : others) {
      report.also.push_back({other, evaluator.evaluate(other, options)});
    }
    write(report, io);
  }

 private:
  GroupBy group_by() const {
    if (by.empty()) return GroupBy::none;
    if (by == "scan") return GroupBy::scan;
    if (by == "length") return GroupBy::length;
    throw UsageError(fmt::format("--by '{}' is neither scan nor length", by));
  }

  std::vector<Metric> printed(const std::vector<Metric>& in_files) const {
    if (!metrics.empty()) return in_files;
    std::vector<Metric> headline;
    for (const MetricInfo& m : metric_table()) {
      if (m.headline) headline.push_back(m.metric);
    }
    return headline;
  }

  void write(const EvalReport& report, Io& io) const {
    const PrintOptions print{is_markdown ? Table::Style::markdown
                             : is_latex  ? Table::Style::latex
                                         : Table::Style::text,
                             percent};
    OutputFiles outputs;
    std::string to_stdout;
    auto add = [&](const std::string& path, auto render) {
      if (path.empty()) return;
      if (path == "-") to_stdout += render(report);
      else outputs.add(path, render(report));
    };
    add(json, report_json);
    add(csv, report_csv);
    // A run that fails leaves no result files, but whoever reads no more of the table than its
    // beginning asked for them all the same.
    try {
      // What is to be read by a program stays free of what is to be read by a person.
      if (!quiet) (to_stdout.empty() ? io.out : io.err) << print_report(report, print);
      io.out << to_stdout << std::flush;
    } catch (const ReaderGone&) {
      outputs.commit();
      throw;
    }
    if (io.out) outputs.commit();
  }

  FileOptions files;
  ConventionOptions conventions;
  std::string metrics, also, by, json, csv;
  std::string backend = "auto", interval = "path";
  bool is_markdown = false, is_latex = false, percent = false, quiet = false, strict = false;
};

}  // namespace

void add_eval(CLI::App& app, Io& io) {
  CLI::App* command = app.add_subcommand("eval", "Score predictions: every metric, one table");
  auto options = std::make_shared<EvalCommand>(*command);
  command->callback([options, &io] { options->run(io); });
}

}  // namespace warpath
