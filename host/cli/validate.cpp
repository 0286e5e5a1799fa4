#include <fmt/format.h>

#include <memory>

#include "host/cli/commands.hpp"
#include "host/cli/findings_text.hpp"
#include "host/cli/options.hpp"
#include "host/cli/text_output.hpp"
#include "host/io/clean_text.hpp"
#include "host/io/counted.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace {

struct ValidateCommand {
  explicit ValidateCommand(Command& command) : files(command) {
    fix.add_to(command,
               "write the submission repaired, in EvalAI's form, with its other keys; - is "
               "standard output. The exit code is then for what was written",
               "a file that is there, the submission itself, too");
  }

  void run(Io& io) {
    const EvalFiles chosen = files.files();
    if (!chosen.pairs.empty()) {
      throw UsageError("a pairs file is no submission: name --dataset FILE PREDICTIONS...");
    }
    require_one_reference(chosen);
    if (chosen.merge) throw UsageError("--merge is for eval: a submission is one file");
    if (fix.is_wanted() && chosen.predictions.size() != 1) {
      throw UsageError("--fix wants exactly one prediction file");
    }
    // With --force a submission may be replaced by its repaired form; dataset and graphs never are.
    EvalFiles kept = chosen;
    if (fix.is_forced()) kept.predictions.clear();
    check_outputs({fix.option()}, kept);
    fix.check();
    Inputs inputs(chosen, {.documents = true}, EpisodeUse::taken);
    const Server& server = server_of(inputs.dataset);
    if (fix.is_wanted() && server.fix == nullptr) throw UsageError(std::string(server.cannot_fix));
    std::string report = note_on(server, *inputs.dataset.task), verdicts;
    for (std::size_t a = 0; a < inputs.agents.size(); ++a) {
      const Predictions& agent = inputs.agents[a];
      const std::vector<Finding> findings = server.check(server, inputs, a);
      const std::string name = clean_text(agent.file);
      report += describe(agent);
      report += findings_text(findings);
      verdicts += fmt::format("{}: {}\n", name, verdict(findings));
      if (!fix.is_wanted() && outcome(findings) != Outcome::harmless) io.exit_code = 1;
    }
    if (fix.is_wanted()) write_fixed(server, inputs, report, verdicts, io);
    fix.beside(io) << report << verdicts;
  }

 private:
  void write_fixed(const Server& server, Inputs& inputs, std::string& report, std::string& verdicts,
                   Io& io) const {
    const FixedSubmission fixed = server.fix(server, inputs, 0);
    fix.write(fixed.text, io);
    const std::string name = clean_text(fix.name());
    report += fmt::format("{}: {} written, {} filled into gaps, {} left out for want of a path\n",
                          name, counted(fixed.entries, "prediction"),
                          counted(fixed.filled, "viewpoint"), fixed.left_out);
    if (fixed.nulls > 0) {
      report += fmt::format("{}: {} that {} not finite became null\n", name,
                            counted(fixed.nulls, "number"), fixed.nulls == 1 ? "is" : "are");
    }
    report += findings_text(fixed.remaining);
    verdicts += fmt::format("{}: {}\n", name, verdict(fixed.remaining));
    if (outcome(fixed.remaining) != Outcome::harmless) io.exit_code = 1;
  }

  FileOptions files;
  TextOutput fix{"--fix"};
};

}  // namespace

void add_validate(Command& program, Io& io) {
  Command& command = program.add_command(
      "validate",
      "Check submissions as the server of R2R, REVERIE, SOON, VLN-CE or RxR-Habitat would");
  auto options = std::make_shared<ValidateCommand>(command);
  command.run = [options, &io] { options->run(io); };
}

}  // namespace warpath
