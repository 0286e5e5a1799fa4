#include <fmt/format.h>

#include <memory>

#include "host/core/base/clean_text.hpp"
#include "host/core/base/progress.hpp"
#include "host/files/io/output_file.hpp"
#include "host/files/io/wrap.hpp"
#include "host/program/cli/commands.hpp"
#include "host/program/cli/dataset_options.hpp"
#include "host/program/report/dataset_report.hpp"

namespace warpath::cli {
namespace {

struct DatasetCommand {
  explicit DatasetCommand(Command& command) : files(command, DatasetForm::argument) {
    add_report(command);
  }

  void run(Io& io) {
    if (quiet) base::hide_progress();
    const EvalFiles chosen = files.files();
    report::DatasetDescription description;
    description.distance = convention_with("distance", "--distance", distance).distance;
    check_outputs({{"--json", json}}, chosen);
    evaluation::Inputs inputs(chosen);
    const evaluation::DatasetStatistics statistics =
        evaluation::dataset_statistics(inputs, description.distance);
    describe(inputs, description);
    write(statistics, description, io);
  }

 private:
  void add_report(Command& command) {
    command.add_option("--distance", distance, "length of an edge")
        .name_value("3d|2d|hops")
        .show_default()
        .check(not_empty());
    command.add_option("--json", json, "write all statistics; - is standard output")
        .check(not_empty());
    command.add_option("--markdown", is_markdown, "nothing but Markdown on standard output");
    command
        .add_option("--latex", is_latex,
                    "nothing but LaTeX tables on standard output, with booktabs' rules")
        .exclude("--markdown");
    command.add_option("--quiet", quiet, "no tables");
  }

  static void describe(const evaluation::Inputs& inputs, report::DatasetDescription& description) {
    description.file = inputs.dataset.file;
    description.hash = inputs.dataset.hash;
    description.format = inputs.dataset.task->title;
    if (inputs.dataset.task->has_references) {
      description.format += fmt::format(" (reference: {})", inputs.files.ndh_reference);
    }
    description.graphs = inputs.files.graphs;
    description.graphs_hash = inputs.graphs.hash();
    for (const std::string& note : inputs.graphs.notes()) {
      description.notes.push_back(inputs.files.graphs + ": " + note);
    }
    for (const std::string& note : inputs.dataset.notes) {
      description.notes.push_back(inputs.dataset.file + ": " + note);
    }
  }

  void write(const evaluation::DatasetStatistics& statistics,
             const report::DatasetDescription& description, Io& io) const {
    const std::string text =
        json.empty() ? std::string() : report::dataset_json(statistics, description);
    io::OutputFiles outputs;
    const bool is_stdout_taken = json == "-";
    if (!json.empty() && !is_stdout_taken) outputs.add(json, text);
    if (is_stdout_taken) io.out << text;
    if (!quiet) print(statistics, description, is_stdout_taken ? io.err : io.out, io);
    if (io.out) outputs.commit();
  }

  // Markdown and LaTeX are kept free of text for people.
  void print(const evaluation::DatasetStatistics& statistics,
             const report::DatasetDescription& description, std::ostream& tables, Io& io) const {
    const report::Table::Style style = is_markdown ? report::Table::Style::markdown
                                       : is_latex  ? report::Table::Style::latex
                                                   : report::Table::Style::text;
    std::ostream& rest = style == report::Table::Style::text ? tables : io.err;
    rest << base::clean_text(fmt::format("{}: {}", description.file, description.format)) << "\n\n";
    tables << report::dataset_tables(statistics, description.distance, style,
                                     {io.terminal.width, false});
    rest << '\n';
    for (const std::string& note : report::dataset_notes(statistics, description)) {
      rest << io::wrap(base::clean_text(note), io.terminal.width, "", "  ");
    }
  }

  DatasetOptions files;
  std::string distance = "3d", json;
  bool is_markdown = false, is_latex = false, quiet = false;
};

}  // namespace

void add_dataset(Command& program, Io& io) {
  Command& command = program.add_command(
      "dataset", "Describe a dataset: its size, the lengths of its references, odd ones");
  auto options = std::make_shared<DatasetCommand>(command);
  command.run = [options, &io] { options->run(io); };
}

}  // namespace warpath::cli
