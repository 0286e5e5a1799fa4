#include <fmt/format.h>

#include <memory>

#include "host/core/base/clean_text.hpp"
#include "host/files/io/counted.hpp"
#include "host/program/cli/commands.hpp"
#include "host/program/cli/findings_text.hpp"
#include "host/program/cli/options.hpp"
#include "host/program/cli/text_output.hpp"
#include "warpath/error.hpp"

namespace warpath::cli {
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
    evaluation::require_one_reference(chosen);
    if (chosen.merge) throw UsageError("--merge is for eval: a submission is one file");
    if (fix.is_wanted() && chosen.predictions.size() != 1) {
      throw UsageError("--fix wants exactly one prediction file");
    }
    // With --force a submission may be replaced by its repaired form; dataset and graphs never are.
    EvalFiles kept = chosen;
    if (fix.is_forced()) kept.predictions.clear();
    check_outputs({fix.option()}, kept);
    fix.check();
    evaluation::Inputs inputs(chosen, {.documents = true}, evaluation::EpisodeUse::taken);
    const submission::Server& server = submission::server_of(inputs.dataset);
    if (fix.is_wanted() && server.fix == nullptr) throw UsageError(std::string(server.cannot_fix));
    std::string report = note_on(server, *inputs.dataset.task), verdicts;
    for (std::size_t a = 0; a < inputs.agents.size(); ++a) {
      const formats::Predictions& agent = inputs.agents[a];
      const std::vector<submission::Finding> findings = server.check(server, inputs, a);
      const std::string name = base::clean_text(agent.file);
      report += describe(agent);
      report += findings_text(findings);
      verdicts += fmt::format("{}: {}\n", name, verdict(findings));
      if (!fix.is_wanted() && submission::outcome(findings) != submission::Outcome::harmless)
        io.exit_code = 1;
    }
    if (fix.is_wanted()) write_fixed(server, inputs, report, verdicts, io);
    fix.beside(io) << report << verdicts;
  }

 private:
  void write_fixed(const submission::Server& server, evaluation::Inputs& inputs,
                   std::string& report, std::string& verdicts, Io& io) const {
    const submission::FixedSubmission fixed = server.fix(server, inputs, 0);
    fix.write(fixed.text, io);
    const std::string name = base::clean_text(fix.name());
    report += fmt::format("{}: {} written, {} filled into gaps, {} left out for want of a path\n",
                          name, io::counted(fixed.entries, "prediction"),
                          io::counted(fixed.filled, "viewpoint"), fixed.left_out);
    if (fixed.nulls > 0) {
      report += fmt::format("{}: {} that {} not finite became null\n", name,
                            io::counted(fixed.nulls, "number"), fixed.nulls == 1 ? "is" : "are");
    }
    report += findings_text(fixed.remaining);
    verdicts += fmt::format("{}: {}\n", name, verdict(fixed.remaining));
    if (submission::outcome(fixed.remaining) != submission::Outcome::harmless) io.exit_code = 1;
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

}  // namespace warpath::cli
