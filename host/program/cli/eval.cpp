#include <memory>

#include "host/program/cli/commands.hpp"
#include "host/program/cli/scoring_options.hpp"
#include "host/program/cli/tour_options.hpp"

namespace warpath::cli {
namespace {

struct EvalCommand {
  explicit EvalCommand(Command& command) : files(command), scoring(command) {
    files.add_runs_to(command);
    output.add_to(command, "a row per agent and item");
    output.add_items_to(command);
    add_tour_csv_option(command, tour_csv);
  }

  void run(Io& io) {
    const report::ReportRequest request = scoring.request(io);
    output.begin();
    EvalFiles chosen_files = files.files();
    chosen_files.shared = io.shared;
    chosen_files.summaries_only = !output.shows_items() && request.by == GroupBy::none;
    std::vector<OutputOption> outputs = output.outputs();
    outputs.push_back({"--tour-csv", tour_csv});
    check_outputs(outputs, chosen_files);
    Evaluator evaluator(chosen_files);
    check_tour_csv(tour_csv, evaluator);
    const report::EvalReport report = report::make_report(evaluator, request);
    if (!io.is_writer()) return;
    io::OutputFiles written;
    std::string to_stdout;
    if (tour_csv == "-")
      to_stdout = report::tours_csv(report, {io.terminal.is_terminal});
    else if (!tour_csv.empty())
      written.add(tour_csv, report::tours_csv(report));
    output.write(ReportTexts(report), written, io, to_stdout);
  }

 private:
  FileOptions files;
  ScoringOptions scoring;
  ReportOptions output;
  std::string tour_csv;
};

}  // namespace

void add_eval(Command& program, Io& io) {
  Command& command = program.add_command("eval", "Score predictions: every metric, one table");
  auto options = std::make_shared<EvalCommand>(command);
  command.run = [options, &io] { options->run(io); };
}

}  // namespace warpath::cli
