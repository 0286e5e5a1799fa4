#include <fmt/format.h>

#include <memory>

#include "host/cli/commands.hpp"
#include "host/cli/dataset_options.hpp"
#include "host/io/clean_text.hpp"
#include "host/io/output_file.hpp"
#include "host/io/progress.hpp"
#include "host/io/wrap.hpp"
#include "host/report/dataset_report.hpp"

namespace warpath {
namespace {

struct DatasetCommand {
  explicit DatasetCommand(Command& command) : files(command, DatasetForm::argument) {
    add_report(command);
  }

  void run(Io& io) {
    if (quiet) hide_progress();
    const EvalFiles chosen = files.files();
    DatasetDescription description;
    description.distance = convention_with("distance", "--distance", distance).distance;
    check_outputs({{"--json", json}}, chosen);
    Inputs inputs(chosen);
    const DatasetStatistics statistics = dataset_statistics(inputs, description.distance);
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

  static void describe(const Inputs& inputs, DatasetDescription& description) {
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

  void write(const DatasetStatistics& statistics, const DatasetDescription& description,
             Io& io) const {
    const std::string text = json.empty() ? std::string() : dataset_json(statistics, description);
    OutputFiles outputs;
    const bool is_stdout_taken = json == "-";
    if (!json.empty() && !is_stdout_taken) outputs.add(json, text);
    if (is_stdout_taken) io.out << text;
    if (!quiet) print(statistics, description, is_stdout_taken ? io.err : io.out, io);
    if (io.out) outputs.commit();
  }

  // Markdown and LaTeX are kept free of text for people.
  void print(const DatasetStatistics& statistics, const DatasetDescription& description,
             std::ostream& tables, Io& io) const {
    const Table::Style style = is_markdown ? Table::Style::markdown
                               : is_latex  ? Table::Style::latex
                                           : Table::Style::text;
    std::ostream& rest = style == Table::Style::text ? tables : io.err;
    rest << clean_text(fmt::format("{}: {}", description.file, description.format)) << "\n\n";
    tables << dataset_tables(statistics, description.distance, style, {io.terminal.width, false});
    rest << '\n';
    for (const std::string& note : dataset_notes(statistics, description)) {
      rest << wrap(clean_text(note), io.terminal.width, "", "  ");
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

}  // namespace warpath
