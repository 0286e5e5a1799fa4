#include <fmt/format.h>

#include <memory>
#include <utility>

#include "host/core/base/clean_text.hpp"
#include "host/files/evaluation/inputs.hpp"
#include "host/files/evaluation/refusals.hpp"
#include "host/files/generators/baseline_predictions.hpp"
#include "host/files/io/counted.hpp"
#include "host/files/io/input_file.hpp"
#include "host/program/cli/commands.hpp"
#include "host/program/cli/dataset_options.hpp"
#include "host/program/cli/scoring_options.hpp"
#include "host/program/cli/text_output.hpp"
#include "warpath/error.hpp"

namespace warpath::cli {
namespace {

class BaselineCommand {
 public:
  explicit BaselineCommand(Command& command) : files_(command), scoring_(command) {
    command
        .add_option("agent", agent_,
                    "stop (stays at the start), shortest (a shortest path to the goal), reference "
                    "(follows it), random-heading (the simulator's random agent: draws a heading "
                    "and goes that way, five moves at most), oracle-stop (cuts each of "
                    "--predictions at its viewpoint nearest to the goal)")
        .require()
        .check(not_empty());
    command
        .add_option("--predictions", predictions_,
                    "of oracle-stop: the file to cut; - is standard input")
        .name_value("FILE")
        .put_in("Files")
        .check(not_empty());
    command.add_option("--seed", baseline_.seed, "number that random-heading is drawn from")
        .show_default()
        .check(whole_number());
    out_.add_to(command, "write the predictions, in EvalAI's form; - is standard output");
    output_.add_to(command, "a row per item");
    output_.add_items_to(command);
  }

  void run(Io& io) {
    baseline_.agent = find_baseline_agent(agent_);
    const report::ReportRequest request = scoring_.request(io);
    output_.begin();
    const EvalFiles files = chosen_files();
    check_files(files);
    baseline_.distance = request.convention.distance;

    auto inputs = std::make_unique<evaluation::Inputs>(files);
    const bool is_test = evaluation::is_test_split(inputs->dataset);
    if (is_test && (needs_goal() || !out_.is_wanted() || output_.has_files())) {
      evaluation::refuse_test_split(inputs->dataset);
    }
    const std::string text = generators::baseline_predictions(baseline_, *inputs);
    if (is_test) return write_unscored(*inputs, text, io);
    replace_predictions(*inputs, text);
    Evaluator evaluator(std::move(inputs));
    report::EvalReport report = report::make_report(evaluator, request);
    if (out_.is_wanted()) name_output(report);
    write(report, text, io);
  }

 private:
  bool needs_goal() const {
    return baseline_.agent != BaselineAgent::stop &&
           baseline_.agent != BaselineAgent::random_heading;
  }

  EvalFiles chosen_files() const {
    EvalFiles files = files_.files();
    const bool cuts = baseline_.agent == BaselineAgent::oracle_stop;
    if (cuts && predictions_.empty()) {
      throw UsageError("oracle-stop cuts another agent's predictions: name --predictions FILE");
    }
    if (!cuts && !predictions_.empty()) {
      throw UsageError(
          fmt::format("--predictions is for oracle-stop: {} makes its own", name(baseline_.agent)));
    }
    if (cuts) files.predictions = {predictions_};
    return files;
  }

  void check_files(const EvalFiles& files) const {
    std::vector<OutputOption> outputs = output_.outputs();
    outputs.push_back(out_.option());
    check_outputs(outputs, files);
    out_.check();
  }

  // Puts the agent's predictions into the place of those that were read, whose notes stay.
  void replace_predictions(evaluation::Inputs& inputs, const std::string& text) const {
    const std::string agent(name(baseline_.agent));
    const std::string label = label_of(agent);
    formats::Predictions made = formats::parse_predictions(label, text, inputs.viewpoints);
    if (!inputs.agents.empty()) made.notes = inputs.agents.front().notes;
    inputs.files.predictions = {label};
    inputs.files.names = {agent};
    inputs.agents.clear();
    inputs.agents.push_back(std::move(made));
  }

  // Says how the predictions were made. Errors and notes say so even where they are written, since
  // their file is not there yet, and what is wrong with them is wrong with what they were made of.
  std::string label_of(const std::string& agent) const {
    if (baseline_.agent == BaselineAgent::random_heading) {
      return fmt::format("baseline {}, seed {}", agent, baseline_.seed);
    }
    if (baseline_.agent == BaselineAgent::oracle_stop) {
      return fmt::format("baseline {} of {}", agent, io::input_name(predictions_));
    }
    return "baseline " + agent;
  }

  // Names the file of the predictions in the report, which is written along with it.
  void name_output(report::EvalReport& report) const {
    const auto name = [&](std::vector<AgentResult>& runs) {
      for (AgentResult& run : runs) run.file = out_.name();
    };
    name(report.runs);
    for (report::AlsoResult& also : report.also) name(also.runs);
  }

  void write(const report::EvalReport& report, const std::string& text, Io& io) const {
    io::OutputFiles written;
    if (out_.is_wanted() && !out_.is_stdout()) out_.add_to(written, text);
    output_.write(ReportTexts(report), written, io, out_.is_stdout() ? text : "");
  }

  void write_unscored(const evaluation::Inputs& inputs, const std::string& text, Io& io) const {
    out_.write(text, io);
    if (output_.is_quiet()) return;
    out_.beside(io) << fmt::format(
        "{}: {} written; no scores, because {} is a test split, without goals\n",
        base::clean_text(out_.name()), io::counted(inputs.dataset.items.size(), "prediction"),
        base::clean_text(inputs.dataset.file));
  }

  DatasetOptions files_;
  ScoringOptions scoring_;
  ReportOptions output_;
  TextOutput out_;
  generators::Baseline baseline_;
  std::string agent_, predictions_;
};

}  // namespace

void add_baseline(Command& program, Io& io) {
  Command& command =
      program.add_command("baseline", "Score a simple agent, and write its predictions");
  auto options = std::make_shared<BaselineCommand>(command);
  command.run = [options, &io] { options->run(io); };
}

}  // namespace warpath::cli
