#include "host/submission/validate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/cli/commands.hpp"
#include "host/cli/options.hpp"
#include "host/cli/text_output.hpp"
#include "host/io/clean_text.hpp"
#include "host/io/counted.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace {

std::string_view consequence(Outcome outcome) {
  switch (outcome) {
    case Outcome::rejected:
      return "; the whole submission is rejected";
    case Outcome::misread:
      return "; it scores other paths than were meant";
    default:
      return "";
  }
}

std::string print(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& f : findings) {
    const ProblemInfo& p = info(f.problem);
    text += fmt::format("\n{} ({}): {}\n", p.name, f.count, p.what);
    for (const std::string& example : f.examples) {
      text += fmt::format("    {}\n", clean_text(example));
    }
    text += fmt::format("  server: {}{}\n", p.server, consequence(p.outcome));
    text += fmt::format("  remedy: {}\n", p.remedy);
  }
  return text.empty() ? text : text + "\n";
}

std::string verdict(const std::vector<Finding>& findings) {
  const auto kinds = std::ranges::count_if(
      findings, [](const Finding& f) { return info(f.problem).outcome != Outcome::harmless; });
  const std::string problems =
      fmt::format("({} of problem{})", counted(kinds, "kind"), kinds == 1 ? "" : "s");
  switch (outcome(findings)) {
    case Outcome::rejected:
      return "the official server would reject it " + problems;
    case Outcome::misread:
      return "the official server would accept it, but misread it " + problems;
    default:
      return "the official server would accept it";
  }
}

// Returns a note on the rules of this dataset's own server that are not checked.
std::string_view note_on(DatasetFormat format) {
  switch (format) {
    case DatasetFormat::r2r:
      return "";
    case DatasetFormat::ndh:
      return "note: checked by the rules of R2R's server; NDH's own wants inst_idx, an integer, "
             "which --fix keeps but does not make\n";
    case DatasetFormat::reverie:
      return "note: checked by the rules of REVERIE's eval_release.py, which wants predObjId and "
             "every instruction, <path_id>_<objId>_0 and on, and which allows jumps\n";
    case DatasetFormat::rxr:
      return "note: checked by the rules of R2R's server, whose form --fix writes; RxR's own wants "
             "instruction_id and path, one entry a line\n";
    default:
      return "note: checked by the rules of R2R's server: three instructions per path\n";
  }
}

struct ValidateCommand {
  explicit ValidateCommand(CLI::App& command) : files(command) {
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
    Inputs inputs(chosen, true);
    if (inputs.dataset.format == DatasetFormat::soon) {
      throw UsageError(
          "validate knows the rules of R2R's server, not of SOON's: eval --preset soon --strict "
          "names the trajectories that SOON's script would stop at");
    }
    std::string report(note_on(inputs.dataset.format)), verdicts;
    for (std::size_t a = 0; a < inputs.agents.size(); ++a) {
      const Predictions& agent = inputs.agents[a];
      const std::vector<Finding> findings = validate(inputs, a);
      const std::string name = clean_text(agent.file);
      report += fmt::format("{}: {}, {}\n", name, title(agent.format),
                            counted(agent.entries.size(), "prediction"));
      for (const std::string& note : agent.notes) {
        report += fmt::format("{}: {}\n", name, clean_text(note));
      }
      report += print(findings);
      verdicts += fmt::format("{}: {}\n", name, verdict(findings));
      if (!fix.is_wanted() && outcome(findings) != Outcome::harmless) io.exit_code = 1;
    }
    if (fix.is_wanted()) write_fixed(inputs, report, verdicts, io);
    fix.beside(io) << report << verdicts;
  }

 private:
  void write_fixed(Inputs& inputs, std::string& report, std::string& verdicts, Io& io) const {
    const FixedSubmission fixed = fixed_submission(inputs, 0);
    fix.write(fixed.text, io);
    const std::string name = clean_text(fix.name());
    report += fmt::format("{}: {} written, {} filled into gaps, {} left out for want of a path\n",
                          name, counted(fixed.entries, "prediction"),
                          counted(fixed.filled, "viewpoint"), fixed.left_out);
    if (fixed.nulls > 0) {
      report += fmt::format("{}: {} that {} not finite became null\n", name,
                            counted(fixed.nulls, "number"), fixed.nulls == 1 ? "is" : "are");
    }
    report += print(fixed.remaining);
    verdicts += fmt::format("{}: {}\n", name, verdict(fixed.remaining));
    if (outcome(fixed.remaining) != Outcome::harmless) io.exit_code = 1;
  }

  FileOptions files;
  TextOutput fix{"--fix"};
};

}  // namespace

void add_validate(CLI::App& app, Io& io) {
  CLI::App* command = app.add_subcommand(
      "validate", "Check submissions as R2R's or REVERIE's server would, before they are sent");
  auto options = std::make_shared<ValidateCommand>(*command);
  command->callback([options, &io] { options->run(io); });
}

}  // namespace warpath
