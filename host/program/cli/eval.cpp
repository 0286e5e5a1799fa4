#include <memory>

#include "host/program/cli/commands.hpp"
#include "host/program/cli/scoring_options.hpp"

namespace warpath::cli {
namespace {

struct EvalCommand {
  explicit EvalCommand(Command& command) : files(command), scoring(command) {
    files.add_runs_to(command);
    output.add_to(command, "a row per agent and item");
    output.add_items_to(command);
  }

  void run(Io& io) {
    const report::ReportRequest request = scoring.request(io);
    output.begin();
    EvalFiles chosen_files = files.files();
    chosen_files.shared = io.shared;
    chosen_files.summaries_only = !output.shows_items() && request.by == GroupBy::none;
    check_outputs(output.outputs(), chosen_files);
    Evaluator evaluator(chosen_files);
    const report::EvalReport report = report::make_report(evaluator, request);
    if (!io.is_writer()) return;
    io::OutputFiles written;
    output.write(ReportTexts(report), written, io);
  }

 private:
  FileOptions files;
  ScoringOptions scoring;
  ReportOptions output;
};

}  // namespace

void add_eval(Command& program, Io& io) {
  Command& command = program.add_command("eval", "Score predictions: every metric, one table");
  auto options = std::make_shared<EvalCommand>(command);
  command.run = [options, &io] { options->run(io); };
}

}  // namespace warpath::cli
