#include <fmt/format.h>

#include <memory>

#include "host/core/base/clean_text.hpp"
#include "host/program/cli/commands.hpp"
#include "host/program/cli/options.hpp"
#include "host/program/cli/shell_word.hpp"
#include "host/program/report/make_report.hpp"
#include "host/program/synthetic/study.hpp"

namespace warpath::cli {
namespace {

// The metrics that the study compares; others would only widen its table.
constexpr const char* shown_metrics = "PL,SR,SPL,SED,CLS,nDTW,SDTW";

struct DemoCommand {
  explicit DemoCommand(Command& command) {
    command.add_option("--out", folder, "where the files go")
        .show_default()
        .take_last()
        .check(not_empty());
    command.add_option("--seed", seed, "number that the example is drawn from")
        .show_default()
        .check(whole_number());
    command.add_option("--force", force, "replace files that the demo did not make");
  }

  void run(Io& io) const {
    synthetic::Options options;
    options.seed = seed;
    const synthetic::Study study = synthetic::make_study(options);
    synthetic::write_study(study, folder, force);

    EvalFiles files;
    files.graphs = folder + "/graphs";
    files.dataset = folder + "/dataset.json";
    for (const synthetic::Agent& agent : study.agents) {
      files.predictions.push_back(folder + "/" + agent.name + ".json");
    }
    io.out << fmt::format(
        "The synthetic study of the nDTW paper (Ilharco et al. 2019, 4.1), seed {}: "
        "{} viewpoints,\n{} edges, success within {} m. Files in {}\n\n",
        seed, study.scan.size(), study.scan.edge_count(), study.threshold_m,
        base::clean_text(folder));
    print_table(files, study.threshold_m, io);
  }

 private:
  static void print_table(const EvalFiles& files, double threshold, Io& io) {
    report::ReportRequest request;
    request.convention.threshold = threshold;
    request.metrics = request.printed = parse_metrics(shown_metrics);
    Evaluator evaluator(files);
    const report::PrintOptions options{report::Table::Style::text,
                                       {io.terminal.width, io.terminal.colour},
                                       {},
                                       io.terminal.is_terminal};
    const report::PrintedReport printed = report::render(
        report::report_document(report::make_report(evaluator, request), options), options);
    io.out << printed.inputs << '\n' << printed.tables << '\n' << printed.notes;
    io.out << fmt::format(
        "\nThe same table again:\n{} eval --graphs {} --dataset {} --threshold {} "
        "--metrics {}",
        shell_quoted(io.program), shell_quoted(files.graphs), shell_quoted(files.dataset),
        threshold, shown_metrics);
    for (const std::string& file : files.predictions) io.out << ' ' << shell_quoted(file);
    io.out << '\n';
  }

  std::string folder = "warpath-demo";
  std::uint64_t seed = 1;
  bool force = false;
};

}  // namespace

void add_demo(Command& program, Io& io) {
  Command& command = program.add_command(
      "demo", "Score the agents of a built-in example side by side, and keep its files");
  auto options = std::make_shared<DemoCommand>(command);
  command.run = [options, &io] { options->run(io); };
}

}  // namespace warpath::cli
