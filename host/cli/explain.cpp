#include "host/report/explain.hpp"

#include <fmt/format.h>

#include "host/cli/commands.hpp"
#include "host/cli/options.hpp"
#include "host/evaluation/inputs.hpp"
#include "host/evaluation/refusals.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace {

struct ExplainCommand {
  explicit ExplainCommand(CLI::App& command) : files(command), conventions(command) {
    command.add_option("--item", item, "the instr_id to explain")->required();
  }

  void run(Io& io) {
    const Convention convention = conventions.convention();
    Inputs inputs(files.files());
    refuse_test_split(inputs.dataset);
    io.out << explain(inputs, item, convention, io.terminal.width);
  }

  FileOptions files;
  ConventionOptions conventions;
  std::string item;
};

}  // namespace

void add_explain(CLI::App& app, Io& io) {
  CLI::App* command = app.add_subcommand(
      "explain", "Explain the scores of one item: alignment, nearest viewpoints, every term");
  auto options = std::make_shared<ExplainCommand>(*command);
  command->callback([options, &io] { options->run(io); });
}

}  // namespace warpath
