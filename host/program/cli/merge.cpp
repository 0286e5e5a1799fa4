#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "host/core/base/suggest.hpp"
#include "host/files/io/input_file.hpp"
#include "host/program/cli/commands.hpp"
#include "host/program/cli/options.hpp"
#include "host/program/cli/report_options.hpp"
#include "host/program/report/make_report.hpp"
#include "host/program/report/walk_report.hpp"
#include "warpath/error.hpp"

namespace warpath::cli {
namespace {

class MergeCommand {
 public:
  explicit MergeCommand(Command& command) {
    command.add_option("shards", files_, "JSON files of all shards of a run; - is standard input")
        .require()
        .check(not_empty());
    command
        .add_option("--metrics", metrics_,
                    "comma-separated names, or all, of those that the shards have")
        .put_in("Report")
        .check(not_empty());
    output_.add_to(command, "a row per metric");
  }

  void run(Io& io) const {
    output_.begin();
    check_files();
    std::vector<report::WalkReport> shards;
    std::vector<std::string> names;
    for (const std::string& file : files_) {
      shards.push_back(report::read_walk_report(file));
      names.push_back(io::input_name(file));
    }
    report::WalkReport report = report::merge_walk_reports(shards, names);
    if (!metrics_.empty()) choose_metrics(report);
    report.run_info = report::run_info_now(io.command_line, {Backend::automatic, {}});
    io::OutputFiles written;
    output_.write(ReportTexts(report), written, io);
  }

 private:
  void check_files() const {
    EvalFiles inputs;
    inputs.predictions = files_;
    check_outputs(output_.outputs(), inputs);
    io::check_standard_input(files_);
  }

  void choose_metrics(report::WalkReport& report) const {
    if (base::equal_letters(metrics_, "all")) {
      report.printed = report.metrics;
      return;
    }
    const std::vector<Metric> chosen = parse_metrics(metrics_);
    for (const Metric m : chosen) {
      if (std::ranges::find(report.metrics, m) != report.metrics.end()) continue;
      throw UsageError(fmt::format(
          "--metrics: the shards have no {}; leave it out, or score them with it", info(m).name));
    }
    report.metrics = report.printed = chosen;
  }

  std::vector<std::string> files_;
  std::string metrics_;
  ReportOptions output_;
};

}  // namespace

void add_merge(Command& program, Io& io) {
  Command& command =
      program.add_command("merge", "Join the shards of warpath random into the report of one run");
  auto options = std::make_shared<MergeCommand>(command);
  command.run = [options, &io] { options->run(io); };
}

}  // namespace warpath::cli
