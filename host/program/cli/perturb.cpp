#include <fmt/format.h>

#include <memory>

#include "host/core/base/clean_text.hpp"
#include "host/core/base/progress.hpp"
#include "host/files/evaluation/refusals.hpp"
#include "host/files/generators/perturbed_predictions.hpp"
#include "host/files/io/counted.hpp"
#include "host/program/cli/commands.hpp"
#include "host/program/cli/dataset_options.hpp"
#include "host/program/cli/shell_word.hpp"
#include "host/program/cli/text_output.hpp"

namespace warpath::cli {
namespace {

class PerturbCommand {
 public:
  explicit PerturbCommand(Command& command) : files_(command) {
    command
        .add_option("perturbation", perturbation_,
                    "random-walk (keeps the first or last two viewpoints and walks randomly from "
                    "there, in as many steps or one more or fewer, over at least two more "
                    "viewpoints of the path), reversal, or viewpoint-swap (replaces one viewpoint "
                    "by another neighbour of those beside it)")
        .require()
        .check(not_empty());
    command
        .add_option("--seed", seed_,
                    "number that the perturbations are drawn from, for each item by itself")
        .show_default()
        .check(whole_number());
    out_.add_to(command, "write the predictions, in EvalAI's form; - is standard output").require();
    command.add_option("--quiet", quiet_, "no summary");
  }

  void run(Io& io) const {
    if (quiet_) base::hide_progress();
    const Perturbation perturbation = find_perturbation(perturbation_);
    const EvalFiles files = files_.files();
    check_outputs({out_.option()}, files);
    out_.check();
    evaluation::Inputs inputs(files);
    evaluation::refuse_test_split(inputs.dataset);
    const generators::PerturbedPredictions made =
        generators::perturbed_predictions(perturbation, seed_, inputs);
    out_.write(made.text, io);
    if (!quiet_) print(made, name(perturbation), inputs, out_.beside(io), io);
  }

 private:
  void print(const generators::PerturbedPredictions& made, std::string_view kind,
             const evaluation::Inputs& inputs, std::ostream& stream, const Io& io) const {
    stream << fmt::format("{}: {} of {} by {}, seed {}\n", base::clean_text(out_.name()),
                          io::counted(made.perturbed, "perturbed path"),
                          io::counted(inputs.dataset.items.size(), "item"), kind, seed_);
    if (made.broken > 0) {
      stream << fmt::format(
          "{} of them {} a step that is no edge, because no viewpoint keeps all "
          "steps\n",
          made.broken, made.broken == 1 ? "has" : "have");
    }
    if (made.without > 0) {
      stream << fmt::format("{} left out, because none was found for {}\n",
                            io::counted(made.without, "item"),
                            made.without == 1 ? "its path" : "their paths");
    }
    for (const std::string& note : inputs.dataset.notes) {
      stream << fmt::format("note: {}: {}\n", base::clean_text(inputs.dataset.file), note);
    }
    if (files_.files().dataset == "-") return;  // the input of the next command is used up
    stream << fmt::format("\nIts scores:\n{} eval {} --start note --adjacency note{} {}\n",
                          shell_quoted(io.program), files_.words(),
                          made.without > 0 ? " --missing skip" : "", shell_quoted(out_.file()));
  }

  DatasetOptions files_;
  TextOutput out_;
  std::string perturbation_;
  std::uint64_t seed_ = 1;
  bool quiet_ = false;
};

}  // namespace

void add_perturb(Command& program, Io& io) {
  Command& command = program.add_command(
      "perturb", "Write a dataset's references perturbed, as predictions to score");
  auto options = std::make_shared<PerturbCommand>(command);
  command.run = [options, &io] { options->run(io); };
}

}  // namespace warpath::cli
